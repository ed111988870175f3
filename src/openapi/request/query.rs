//! Query parameters.

use super::super::operation::Wire;
use super::{Given, encode, style};

/// Appends them to a target, which may have a query already.
pub(super) fn append(target: &mut String, given: &Given<'_>) {
    for (parameter, value) in given {
        let pairs = match parameter.wire {
            Wire::Styled { style, explode, reserved } => {
                let encode = if reserved { encode::reserved } else { encode::value };
                style::pairs(style, explode, &parameter.name, value, encode)
            }
            Wire::Json => {
                vec![format!("{}={}", encode::value(&parameter.name), encode::value(&value.to_string()))]
            }
            Wire::Text => {
                let text = encode::text(value);
                text.map(|own| format!("{}={}", encode::value(&parameter.name), encode::value(&own)))
                    .into_iter()
                    .collect()
            }
        };
        for pair in pairs {
            target.push(if target.contains('?') { '&' } else { '?' });
            target.push_str(&pair);
        }
    }
}
