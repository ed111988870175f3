//! Reading arguments. Models send numbers as strings and `null` for "none", so both are understood;
//! a number that makes no sense falls back to its default rather than failing the call.

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

/// A whole number brought into `low..=high`; `default` when absent or not a number.
pub(super) fn clamped(arguments: &Value, name: &str, default: usize, low: usize, high: usize) -> usize {
    let asked = match arguments.get(name) {
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) => text.trim().parse::<f64>().ok().filter(|number| number.is_finite()),
        _ => None,
    };
    asked.map_or(default, whole).clamp(low, high)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float cast saturates: below zero is 0, too large is the largest, and fractions are cut"
)]
fn whole(number: f64) -> usize {
    number as usize
}
