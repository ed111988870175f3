//! Settles calls whose settlement could not be written, or whose client left.

use std::time::Duration;

use crate::app::App;

/// How often.
pub const EVERY: Duration = Duration::from_secs(1);

/// Writes what waits. What cannot be written now waits for the next time.
pub async fn run_once(app: &App) {
    if let Err(error) = app.identity.flush_credits().await {
        tracing::warn!(%error, "calls could not be settled; they are kept for the next time");
    }
}
