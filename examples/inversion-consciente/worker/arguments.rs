//! Reading arguments. The gateway has checked them against the catalog; whoever calls the worker itself gets the
//! nearest sense that there is.

use serde_json::Value;

use super::fault::Fault;

/// A text that must be there; one of nothing but spaces is as good as absent.
pub(super) fn required<'a>(arguments: &'a Value, name: &'static str) -> Result<&'a str, Fault> {
    optional(arguments, name)?.filter(|text| !text.trim().is_empty()).ok_or(Fault::Missing(name))
}

/// A text that may be absent or `null`.
pub(super) fn optional<'a>(arguments: &'a Value, name: &'static str) -> Result<Option<&'a str>, Fault> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(Fault::NotText(name)),
    }
}

/// How many at most: brought into `1..=most`; `usual` when absent or no whole number.
pub(super) fn limit(arguments: &Value, usual: usize, most: usize) -> usize {
    let asked = arguments.get("limit").and_then(Value::as_i64);
    asked.map_or(usual, |asked| usize::try_from(asked).unwrap_or(1)).clamp(1, most)
}
