//! One policy for a tool out of all that match its name.

use crate::config::{Mode as ModeConfig, ToolPolicy as PolicyConfig};
use crate::domain::pat::Mode;

/// Lays every policy whose name or glob matches over each other, key by key: the longest match wins, a name
/// beats any glob. `None` if no policy matches.
pub fn merged(policies: &[(String, PolicyConfig)], tool: &str) -> Option<PolicyConfig> {
    laid(policies.iter().filter_map(|(pattern, policy)| Some((fit(pattern, tool)?, policy))))
}

/// How well a name or glob fits a name: whether it is the name itself, and how long it is without its stars. `None` if
/// it does not match.
pub fn fit(pattern: &str, name: &str) -> Option<(bool, usize)> {
    let length = || pattern.bytes().filter(|byte| *byte != b'*').count();
    matches(pattern, name).then(|| (pattern == name, length()))
}

/// Lays policies over each other by how well each fits, the best on top. `None` if there are none.
pub fn laid<'a, F: Ord>(matching: impl Iterator<Item = (F, &'a PolicyConfig)>) -> Option<PolicyConfig> {
    let mut matching: Vec<_> = matching.collect();
    matching.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut all = matching.into_iter().map(|(_, policy)| policy.clone());
    let first = all.next()?;
    Some(all.fold(first, over))
}

/// `upper` where it says something, else `lower`.
fn over(lower: PolicyConfig, upper: PolicyConfig) -> PolicyConfig {
    let annotations = match (lower.annotations, upper.annotations) {
        (Some(lower), Some(upper)) => Some(crate::config::AnnotationsConfig {
            title: upper.title.or(lower.title),
            read_only_hint: upper.read_only_hint.or(lower.read_only_hint),
            destructive_hint: upper.destructive_hint.or(lower.destructive_hint),
            idempotent_hint: upper.idempotent_hint.or(lower.idempotent_hint),
            open_world_hint: upper.open_world_hint.or(lower.open_world_hint),
        }),
        (lower, upper) => upper.or(lower),
    };
    PolicyConfig {
        scopes: upper.scopes.or(lower.scopes),
        public: upper.public.or(lower.public),
        feature: upper.feature.or(lower.feature),
        confirm: upper.confirm.or(lower.confirm),
        confirm_message: upper.confirm_message.or(lower.confirm_message),
        modes: upper.modes.or(lower.modes),
        cost: upper.cost.or(lower.cost),
        cost_required: upper.cost_required.or(lower.cost_required),
        rate: upper.rate.or(lower.rate),
        timeout: upper.timeout.or(lower.timeout),
        response_cap_chars: upper.response_cap_chars.or(lower.response_cap_chars),
        idempotency: upper.idempotency.or(lower.idempotency),
        annotations,
        hidden: upper.hidden.or(lower.hidden),
        structured: upper.structured.or(lower.structured),
        structured_key: upper.structured_key.or(lower.structured_key),
        path: upper.path.or(lower.path),
        operation: upper.operation.or(lower.operation),
    }
}

/// `*` stands for any text, the empty one included. Linear but for one way back to the last star.
pub fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while from < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(byte) if text.get(from) == Some(byte) => {
                at += 1;
                from += 1;
            }
            _ => {
                let Some((star_at, eaten)) = star else { return false };
                star = Some((star_at, eaten + 1));
                at = star_at + 1;
                from = eaten + 1;
            }
        }
    }
    pattern.get(at..).is_some_and(|rest| rest.iter().all(|byte| *byte == b'*'))
}

/// The one mode that sees a tool; none if both do.
pub fn only_mode(modes: Option<&[ModeConfig]>) -> Option<Mode> {
    let modes = modes?;
    match (modes.contains(&ModeConfig::Live), modes.contains(&ModeConfig::Test)) {
        (true, false) => Some(Mode::Live),
        (false, true) => Some(Mode::Test),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        for (pattern, text, good) in [
            ("*", "", true),
            ("met_delete_*", "met_delete_flow", true),
            ("met_delete_*", "met_delete", false),
            ("*_flow", "met_delete_flow", true),
            ("a*b*c", "a1b2b3c", true),
            ("a*b*c", "a1b2b3", false),
            ("a", "a", true),
            ("a", "ab", false),
        ] {
            assert_eq!(matches(pattern, text), good, "{pattern} {text}");
        }
    }

    #[test]
    fn the_longest_match_wins_key_by_key() {
        let policy = |scope: Option<&str>, feature: Option<&str>| PolicyConfig {
            scopes: scope.map(|scope| vec![scope.to_owned()]),
            feature: feature.map(str::to_owned),
            ..PolicyConfig::default()
        };
        let policies = [
            ("met_delete_flow".to_owned(), policy(None, Some("own"))),
            ("*".to_owned(), policy(Some("all"), Some("any"))),
            ("met_delete_*".to_owned(), policy(Some("delete"), None)),
        ];
        let got = merged(&policies, "met_delete_flow").unwrap();
        assert_eq!((got.scopes, got.feature), (Some(vec!["delete".into()]), Some("own".into())));
        let got = merged(&policies, "met_list").unwrap();
        assert_eq!((got.scopes, got.feature), (Some(vec!["all".into()]), Some("any".into())));
        assert!(merged(&policies[..1], "x").is_none());
    }
}
