//! An issuer's keys, fetched and kept.
//!
//! Three things make somebody ask the issuer: the first need, a quiet round every few minutes, and a key that the
//! copy does not have, since issuers change theirs without saying so. The last is bounded: names of keys that nobody
//! has cost the issuer one request in a while, not one each. A copy serves until there is a newer one; an issuer that
//! is down takes nobody's access away.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use http::Uri;
use tokio::sync::{Mutex, MutexGuard};

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
    copy: ArcSwapOption<Vec<PublicKey>>,
    last: Mutex<Last>,
}

#[derive(Debug, Default)]
struct Last {
    asked_at: Option<Timestamp>,
    /// True if that gave a copy. False while nobody knows yet, or ever will, since whoever asked has gone.
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
        Self { uri, copy: ArcSwapOption::empty(), last: Mutex::default() }
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
        let mut last = self.last.lock().await;
        // whoever was before us may have fetched it
        if let Some(copy) = self.having(&fits) {
            return Ok(copy);
        }
        let pause = if self.copy.load().is_some() { UNKNOWN } else { NOTHING };
        if last.is_over(pause, now) {
            self.fetch(&mut last, client, now).await;
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
        let Ok(mut last) = self.last.try_lock() else { return };
        let pause = if last.good { REFRESH } else { AGAIN };
        if last.is_over(pause, now) {
            self.fetch(&mut last, client, now).await;
        }
    }

    async fn fetch(&self, last: &mut MutexGuard<'_, Last>, client: &Client, now: Timestamp) {
        (last.asked_at, last.good) = (Some(now), false);
        let url = &self.uri;
        let fault = match jwks::fetch(client, url).await {
            Ok(text) => match read_set(&text) {
                Some(keys) => {
                    if keys.is_empty() {
                        tracing::warn!(%url, "the issuer publishes no key that could be used; its tokens are refused");
                    }
                    self.copy.store(Some(Arc::new(keys)));
                    last.good = true;
                    if std::mem::take(&mut last.said) {
                        tracing::info!(%url, "the issuer's keys can be fetched again");
                    }
                    return;
                }
                None => "no key set",
            },
            Err(Failure::Timeout) => "timeout",
            Err(Failure::Unavailable(word)) => word,
        };
        if !std::mem::replace(&mut last.said, true) {
            let kept = self.copy.load().is_some();
            tracing::warn!(%url, fault, kept, "the issuer's keys cannot be fetched; an earlier copy serves, if any");
        }
    }
}
