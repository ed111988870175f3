//! Writes down when tokens and connections were last used.

use std::time::Duration;

use crate::app::App;

/// How often.
pub const EVERY: Duration = Duration::from_secs(10);

/// Writes what was gathered since the last time. What cannot be written now waits for the next.
pub async fn run_once(app: &App) {
    if let Err(error) = app.identity.flush_usage().await {
        tracing::warn!(%error, "last uses could not be written; they are kept for the next time");
    }
}
