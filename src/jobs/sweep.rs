//! Deletes what has been over for long enough, in small batches, so that no transaction is held up by it.

use std::time::Duration;

use crate::app::App;
use crate::domain::refresh::RECOVERY;
use crate::store::StoreError;

/// How often.
pub const EVERY: Duration = Duration::from_mins(5);
const BATCH: i64 = 500;
const BATCHES: usize = 20;
const DAY: Duration = Duration::from_hours(24);
/// Registrations that were never granted anything live this long.
const NEVER_GRANTED: Duration = Duration::from_hours(30 * 24);
/// No node looks back further than this into the change log.
const CHANGES: Duration = Duration::from_hours(1);

/// What a workspace has paid for is shown for so long.
const LEDGER: Duration = Duration::from_hours(400 * 24);

/// Deletes what is over, a bounded number of batches of each kind.
pub async fn run_once(app: &App) {
    match sweep(app).await {
        Ok(0) => {}
        Ok(rows) => tracing::debug!(rows, "swept"),
        Err(error) => tracing::warn!(%error, "the sweep stopped; it goes on next time"),
    }
    match app.identity.release_abandoned_credits().await {
        Ok(0) => {}
        Ok(calls) => tracing::warn!(calls, "gave back the credits of calls that nobody has settled"),
        Err(error) => tracing::warn!(%error, "credits of abandoned calls are given back next time"),
    }
}

async fn sweep(app: &App) -> Result<u64, StoreError> {
    let mut total = 0;
    for _ in 0..BATCHES {
        let rows = batch(app).await?;
        total += rows;
        if rows == 0 {
            break;
        }
    }
    Ok(total)
}

async fn batch(app: &App) -> Result<u64, StoreError> {
    app.identity
        .store
        .transaction(async |tx| {
            let now = tx.now;
            let mut rows = tx.sweep_authorizations(now, BATCH).await?;
            rows += tx.sweep_sessions(now, BATCH).await?;
            rows += tx.sweep_calls(now, BATCH).await?;
            rows += tx.sweep_codes(now.minus(DAY), BATCH).await?;
            // The first use of an access token is evidence as long as a lost answer may be recovered.
            rows += tx.sweep_access(now.minus(RECOVERY + DAY), BATCH).await?;
            rows += tx.erase_salts(now.minus(RECOVERY), BATCH).await?;
            rows += tx.sweep_changes(now.minus(CHANGES), BATCH).await?;
            rows += tx.sweep_credit_entries(now.minus(LEDGER), BATCH).await?;
            rows += tx.prune_clients(now.minus(NEVER_GRANTED), BATCH).await?;
            Ok(rows)
        })
        .await
}
