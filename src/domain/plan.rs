//! Plans: what a workspace pays for and what that includes.

use super::ids::PlanId;
use super::limit::Rate;

/// A plan as configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Its configured name.
    pub id: PlanId,
    /// The features it includes.
    pub features: Vec<String>,
    /// Credits each month; `None` is unmetered.
    pub credits_per_month: Option<u64>,
    /// How often its callers may call, in the place of the service's rate.
    pub rate: Option<Rate>,
}

impl Plan {
    /// True if the plan includes `feature`.
    pub fn includes(&self, feature: &str) -> bool {
        self.features.iter().any(|own| own == feature)
    }
}
