//! An issuer's keys, fetched and kept.
//!
//! Three things make somebody ask the issuer: the first need, a quiet round every few minutes, and a key that the
//! copy does not have, since issuers change theirs without saying so. The last is bounded: names of keys that nobody
//! has cost the issuer one request in a while, not one each. A copy serves until there is a newer one; an issuer that
//! is down takes nobody's access away.
//!
//! Attack: whoever holds a key that the issuer has taken back asks for one that nobody has, and leaves before the answer
//! comes, again and again, so that no newer copy ever does. So a request that has begun ends, whoever asked.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use http::Uri;
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::key::{PublicKey, read_set};
use crate::domain::clock::Timestamp;
use crate::upstream::client::{Client, Failure};
use crate::upstream::jwks;

/// How old a copy gets before a newer one is asked for.
const REFRESH: Duration = Duration::from_mins(5);
/// How soon a failed round is repeated.
const AGAIN: Duration = Duration::from_secs(10);
/// How long after any request the name of an unknown key causes none.
const UNKNOWN: Duration = Duration::from_secs(10);
/// The same where there are no keys at all, and everybody waits for them.
const NOTHING: Duration = Duration::from_secs(1);

/// The keys of one issuer.
#[derive(Debug)]
pub struct KeySet {
    uri: Uri,
    copy: Arc<ArcSwapOption<Vec<PublicKey>>>,
    last: Arc<Mutex<Last>>,
}

#[derive(Debug, Default)]
struct Last {
    asked_at: Option<Timestamp>,
    /// True if that gave a copy.
    good: bool,
    said: bool,
}

impl Last {
    fn is_over(&self, pause: Duration, now: Timestamp) -> bool {
        self.asked_at.is_none_or(|at| now.since(at) >= pause)
    }
}

/// Why there is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoKey {
    /// The issuer has no key of that name.
    Unknown,
    /// Nobody can say.
    Unavailable,
}

impl KeySet {
    /// The keys at a URL; nothing is fetched yet.
    pub fn new(uri: Uri) -> Self {
        Self { uri, copy: Arc::default(), last: Arc::default() }
    }

    /// Where they are.
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    /// A copy that has keys which `fits` takes, fetched if need be and allowed.
    pub async fn with(
        &self,
        client: &Client,
        now: Timestamp,
        fits: impl Fn(&PublicKey) -> bool,
    ) -> Result<Arc<Vec<PublicKey>>, NoKey> {
        if let Some(copy) = self.having(&fits) {
            return Ok(copy);
        }
        let mut last = Arc::clone(&self.last).lock_owned().await;
        // whoever was before us may have fetched it
        if let Some(copy) = self.having(&fits) {
            return Ok(copy);
        }
        let pause = if self.copy.load().is_some() { UNKNOWN } else { NOTHING };
        if last.is_over(pause, now) {
            last = self.fetch(last, client, now).await.ok_or(NoKey::Unavailable)?;
        }
        match self.having(&fits) {
            Some(copy) => Ok(copy),
            None if last.good => Err(NoKey::Unknown),
            // the key may be one that the issuer has made while it could not be asked
            None => Err(NoKey::Unavailable),
        }
    }

    fn having(&self, fits: &impl Fn(&PublicKey) -> bool) -> Option<Arc<Vec<PublicKey>>> {
        self.copy.load_full().filter(|keys| keys.iter().any(fits))
    }

    /// Asks for a newer copy if it is time. To be called now and then.
    pub async fn refresh(&self, client: &Client, now: Timestamp) {
        // somebody is asking at this moment
        let Ok(last) = Arc::clone(&self.last).try_lock_owned() else { return };
        let pause = if last.good { REFRESH } else { AGAIN };
        if last.is_over(pause, now) {
            self.fetch(last, client, now).await;
        }
    }

    /// Asks the issuer, in a task of its own; nobody else does before it has answered. `None` if the server ends first.
    async fn fetch(
        &self,
        mut last: OwnedMutexGuard<Last>,
        client: &Client,
        now: Timestamp,
    ) -> Option<OwnedMutexGuard<Last>> {
        let (client, url, copy) = (client.clone(), self.uri.clone(), Arc::clone(&self.copy));
        let fetching = tokio::spawn(async move {
            last.asked_at = Some(now);
            last.good = take_in(&client, &url, &copy, &mut last.said).await;
            last
        });
        fetching.await.ok()
    }
}

/// Puts a newer copy in the place of an earlier one. False if there is none.
async fn take_in(client: &Client, url: &Uri, copy: &ArcSwapOption<Vec<PublicKey>>, said: &mut bool) -> bool {
    let fault = match jwks::fetch(client, url).await {
        Ok(text) => match read_set(&text) {
            Some(keys) => {
                if keys.is_empty() {
                    tracing::warn!(%url, "the issuer publishes no key that could be used; its tokens are refused");
                }
                copy.store(Some(Arc::new(keys)));
                if std::mem::take(said) {
                    tracing::info!(%url, "the issuer's keys can be fetched again");
                }
                return true;
            }
            None => "no key set",
        },
        Err(Failure::Timeout) => "timeout",
        Err(Failure::Unavailable(word)) => word,
    };
    if !std::mem::replace(said, true) {
        let kept = copy.load().is_some();
        tracing::warn!(%url, fault, kept, "the issuer's keys cannot be fetched; an earlier copy serves, if any");
    }
    false
}
