//! `[plans.ID]`: what a workspace pays for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    error::{Findings, KeyPath},
    rate::RateConfig,
    value::Text,
};
use crate::domain::credits::MOST;

/// What a workspace pays for, and what that includes.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PlanConfig {
    /// What people read; the plan's id if absent.
    pub name: Option<Text>,
    /// Features that the plan includes.
    pub features: Vec<String>,
    /// Credits of a calendar month (UTC), for everybody in the workspace together. What is left at its end is not
    /// carried over, nor is what was used beyond it.
    #[schemars(extend("x-default" = "unmetered"))]
    pub credits_per_month: Option<u64>,
    /// How often a caller of this plan may call a service, in the place of the service's own `rate`.
    pub rate: Option<RateConfig>,
}

impl PlanConfig {
    pub(super) fn validate(&self, id: &str, at: &KeyPath, out: &mut Findings) {
        out.refuse(!is_id(id), at, id_sentence("plan", id));
        affordable(self.credits_per_month, &at.key("credits_per_month"), out);
        for (index, feature) in self.features.iter().enumerate() {
            let here = at.key("features").index(index);
            out.refuse(!is_feature(feature), &here, feature_sentence(feature));
            let twice = self.features.iter().take(index).any(|other| other == feature);
            out.refuse(twice, &here, format!("{feature:?} is there twice; each feature once"));
        }
    }
}

/// Notes a number of credits that could not be added up.
pub(super) fn affordable(credits: Option<u64>, at: &KeyPath, out: &mut Findings) {
    let too_many = credits.is_some_and(|credits| credits > MOST);
    out.refuse(too_many, at, format!("is too high; at most {MOST} is allowed"));
}

/// Whether a text can name a plan, brand, service or upstream: it stands in URLs, headers and file names.
pub(super) fn is_id(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.len() <= 64
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// Why a text cannot name a thing of this kind.
pub(super) fn id_sentence(kind: &str, id: &str) -> String {
    format!(
        "{id:?} is no {kind} id; up to 64 letters, digits, - and _ are allowed, the first a letter or digit"
    )
}

/// Features travel space-separated in a header, so a space in one would make two of it.
pub(super) fn is_feature(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic())
}

/// Why a text cannot name a feature.
pub(super) fn feature_sentence(text: &str) -> String {
    format!("{text:?} is no feature name; printable ASCII without spaces is allowed")
}
