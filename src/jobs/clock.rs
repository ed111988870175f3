//! Says when this node's clock and the database's are not the same: codes and tokens of other nodes would end early
//! or late here. What was revoked is not told by time, so nothing is let in by it.

use std::sync::Arc;
use std::time::Duration;

use crate::app::App;

/// How often.
const EVERY: Duration = Duration::from_mins(5);
/// Half of what a code lives.
const TOLERANCE: i64 = 30_000;

/// Compares them at once and every five minutes.
pub async fn run(app: Arc<App>) {
    loop {
        run_once(&app).await;
        tokio::time::sleep(EVERY).await;
    }
}

/// Compares the clocks. A database that does not answer says so elsewhere.
pub async fn run_once(app: &App) {
    let Ok(Some(offset)) = app.identity.store.clock_offset().await else { return };
    if offset.abs() > TOLERANCE {
        let seconds = offset / 1000;
        tracing::warn!(
            seconds,
            "the database's clock is so far ahead of this machine's: nodes need the same time (NTP), or codes and \
             tokens end early or late"
        );
    }
}
