//! The use-cases of identity: who somebody is, what they are given, and how it ends.
//!
//! - [`verify`]: a presented token, from the cache when it is warm
//! - [`issue`], [`rotate`]: personal access tokens, codes and token families
//! - [`refresh`]: the exchange of a refresh token
//! - [`revoke`]: the one cascade
//! - [`password`], [`session`]: signing in
//! - [`waiting`]: authorization requests that wait for their decision
//! - [`people`], [`workspaces`]: users and what they act for
//! - [`clients`], [`operator_keys`]: what the operator makes for other programs
//! - [`keys`]: the key file; [`signing`]: what signs with it
//! - [`external`]: tokens of other issuers; [`jose`]: the cryptography behind them
//! - [`follow`]: the change log, read for the cache
//! - [`credits`]: what calls cost, reserved and settled
//! - [`usage`]: when things were last used

pub mod clients;
pub mod credits;
pub mod external;
pub mod follow;
pub mod issue;
pub mod jose;
pub mod keys;
pub mod operator_keys;
pub mod password;
pub mod people;
pub mod refresh;
pub mod revoke;
pub mod rotate;
pub mod session;
pub mod signing;
pub mod usage;
pub mod verify;
pub mod waiting;
pub mod workspaces;

use std::sync::Arc;
use std::time::Duration;

use crate::cluster::counters::Counters;
use crate::cluster::known::Known;
use crate::cluster::verified::VerifiedCache;
use crate::domain::client::Client;
use crate::domain::clock::{Clock, Timestamp};
use crate::domain::entropy::Entropy;
use crate::store::Store;
use crate::store::keys::OperatorKey;

/// Clients, and keys, that are remembered: of those that prove themselves all the time there are few.
const KNOWN: u64 = 2000;

/// How long things last.
#[derive(Clone, Copy, Debug)]
pub struct Lifetimes {
    /// An access token.
    pub access: Duration,
    /// A refresh token that is not used.
    pub refresh: Duration,
    /// A grant, at most.
    pub grant: Duration,
    /// An authorization code.
    pub code: Duration,
    /// How long a consumed refresh token leads on to its successor.
    pub grace: Duration,
    /// An authorization request that waits for its decision.
    pub transaction: Duration,
}

/// What every use-case needs.
#[derive(Clone)]
pub struct Identity {
    /// The durable truth.
    pub store: Store,
    /// The verification cache, fed by the change log.
    pub verified: Arc<VerifiedCache>,
    /// Clients by id, for proving themselves.
    pub known_clients: Arc<Known<Client>>,
    /// Operator keys by their digest.
    pub known_keys: Arc<Known<OperatorKey>>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// The randomness.
    pub entropy: Arc<dyn Entropy>,
    /// How long things last.
    pub lifetimes: Lifetimes,
    /// When things were last used, waiting to be written.
    pub usage: Arc<usage::Usage>,
    /// Failed proofs of identity, by account and by address.
    pub failures: Arc<Counters>,
    /// Client ids, secrets and tokens that nobody was ever given, by client and by address.
    pub guesses: Arc<Counters>,
    /// The bound on concurrent password checks.
    pub passwords: Arc<password::Passwords>,
    /// When the waiting authorization requests are counted again.
    pub waiting: Arc<waiting::Waiting>,
    /// Calls whose cost is not yet written down.
    pub unsettled: Arc<credits::Unsettled>,
}

impl Identity {
    /// Joins the parts. From here on every committed change reaches the cache before its call returns.
    pub fn new(
        store: Store,
        verified: Arc<VerifiedCache>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        lifetimes: Lifetimes,
    ) -> Self {
        let (cache, time) = (Arc::clone(&verified), Arc::clone(&clock));
        store.on_commit(move |changes| cache.apply(changes, time.now()));
        Self {
            store,
            known_clients: Arc::new(Known::new(KNOWN, verified.freshness())),
            known_keys: Arc::new(Known::new(KNOWN, verified.freshness())),
            verified,
            clock,
            entropy,
            lifetimes,
            usage: Arc::default(),
            failures: Arc::new(Counters::new(20, Duration::from_mins(5))),
            guesses: Arc::new(Counters::new(30, Duration::from_mins(1))),
            passwords: Arc::default(),
            waiting: Arc::default(),
            unsettled: Arc::default(),
        }
    }

    /// The time now.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Identity")
    }
}
