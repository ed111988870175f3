//! What a node knows of the sessions it serves: who has how many streams open, and which sessions have ended. All of
//! it may be lost.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use moka::sync::Cache;
use tokio::sync::watch;

use super::find::Held;
use crate::domain::secret::Digest;
use crate::gateway::refusal::Reason;

/// Streams that one principal may have open at one node. A client has one in each window.
const MOST: usize = 32;
const MOST_ENDED: u64 = 100_000;
const ENDED: Duration = Duration::from_hours(24);

/// Of all services together.
pub struct Registry {
    open: Mutex<HashMap<String, usize>>,
    ended: Cache<Digest, ()>,
    closing: watch::Sender<bool>,
}

impl Registry {
    /// Nothing is open.
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            open: Mutex::default(),
            ended: Cache::builder().max_capacity(MOST_ENDED).time_to_live(ENDED).build(),
            closing: watch::Sender::new(false),
        })
    }

    /// A place for one more stream; it is given back when this is dropped.
    ///
    /// # Errors
    /// 429. Attack: streams without number, each of which holds a connection here and one upstream.
    pub fn enter(self: &Arc<Self>, principal: &str) -> Result<Place, Reason> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(principal.to_owned()).or_default();
        if *count >= MOST {
            return Err(Reason::Streams);
        }
        *count += 1;
        Ok(Place { registry: Arc::clone(self), principal: principal.to_owned() })
    }

    /// Ends every stream: the server stops, and its clients find another node.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Waits for that.
    pub async fn closed(&self) {
        let _ = self.closing.subscribe().wait_for(|closing| *closing).await;
    }

    /// Remembers that a session has ended. Other nodes learn it from its upstream.
    pub fn end(&self, held: &Held) {
        self.ended.insert(held.digest, ());
    }

    /// True if that is known.
    pub fn has_ended(&self, session: Digest) -> bool {
        self.ended.contains_key(&session)
    }
}

/// One open stream of somebody's.
pub struct Place {
    registry: Arc<Registry>,
    principal: String,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.registry.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.principal) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.principal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_counted_by_principal_and_given_back() {
        let registry = Registry::new();
        let mut places: Vec<_> = (0..MOST).map(|_| registry.enter("grant a").unwrap()).collect();
        assert!(matches!(registry.enter("grant a"), Err(Reason::Streams)));
        let other = registry.enter("grant b").unwrap();
        places.pop();
        assert!(registry.enter("grant a").is_ok());
        drop((places, other));
        assert!(registry.open.lock().unwrap().is_empty(), "nothing is left of whoever has gone");
    }
}
