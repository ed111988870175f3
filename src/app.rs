//! STUB of the shared parts: only what the gateway uses.

use std::collections::HashMap;
use std::sync::Arc;

use crate::config::Config;
use crate::domain::clock::Clock;
use crate::domain::entropy::Entropy;
use crate::domain::ids::PlanId;
use crate::domain::plan::Plan;
use crate::identity::verify::Identity;
use crate::upstream::client::Client;

/// STUB: the shared parts.
pub struct App {
    /// The configuration.
    pub config: Arc<Config>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
    /// Who a token is.
    pub identity: Identity,
    /// Plans by id.
    pub plans: HashMap<PlanId, Plan>,
    /// The one door outwards.
    pub upstream: Client,
}
