//! Reads the key file again when it has changed, so that a new key is known at once and without a restart.

use std::sync::Arc;
use std::time::Duration;

use crate::app::App;

/// How often it is read. It is small, and what it says is compared, so neither clocks nor file systems matter.
const EVERY: Duration = Duration::from_millis(400);

/// Reads it for as long as the process lives. Trouble is logged when it begins; the keys that are known stay.
pub async fn run(app: Arc<App>) {
    let mut failing = false;
    loop {
        tokio::time::sleep(EVERY).await;
        let own = Arc::clone(&app);
        let read = tokio::task::spawn_blocking(move || own.keys.reload(&own.config.keys.file)).await;
        match read {
            Ok(Ok(changed)) => {
                if changed {
                    tracing::info!("the key file has changed; its keys are in use");
                }
                failing = false;
            }
            Ok(Err(error)) if !failing => {
                tracing::error!(%error, "the key file cannot be read; the keys that were read before stay in use");
                failing = true;
            }
            Ok(Err(_)) | Err(_) => {}
        }
    }
}
