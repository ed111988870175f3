//! Plans: what a workspace pays for and what that includes.

use super::ids::PlanId;

/// A plan as configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Its configured name.
    pub id: PlanId,
    /// The features it includes.
    pub features: Vec<String>,
    /// Credits each month; `None` is unmetered.
    pub credits_per_month: Option<u64>,
}

impl Plan {
    /// True if the plan includes `feature`.
    pub fn includes(&self, feature: &str) -> bool {
        self.features.iter().any(|own| own == feature)
    }
}
