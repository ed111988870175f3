//! Which of the two answers a client takes (RFC 9110 §12.5.1).

use super::refusal::Reason;

/// What a client takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// One JSON object.
    pub json: bool,
    /// A stream, asked for by name.
    pub stream: bool,
}

const USUAL: Accepted = Accepted { json: true, stream: true };

/// Reads `Accept`. A missing one takes JSON; where both types are `required`, each has to be named.
///
/// # Errors
/// Nothing that can be answered is taken.
pub fn negotiate(accept: Option<&str>, required: bool) -> Result<Accepted, Reason> {
    let Some(accept) = accept else {
        return if required {
            Err(Reason::NotAcceptable)
        } else {
            Ok(Accepted { json: true, stream: false })
        };
    };
    if accept == "application/json, text/event-stream" {
        return Ok(USUAL);
    }
    let (mut json, mut stream) = (Rank::default(), Rank::default());
    for range in accept.split(',') {
        json.consider(range, "application/json");
        stream.consider(range, "text/event-stream");
    }
    let named = json.named() && stream.named();
    let accepted = match (json.taken(), stream.taken()) {
        (false, false) => return Err(Reason::NotAcceptable),
        _ if required && !named => return Err(Reason::NotAcceptable),
        // `*/*` alone gets JSON and no stream: whoever takes anything has not said that it can read one
        (true, _) => Accepted { json: true, stream: stream.named() },
        (false, true) => Accepted { json: false, stream: true },
    };
    Ok(accepted)
}

/// How well the best range so far fits, and whether it takes the type at all.
#[derive(Clone, Copy, Default)]
struct Rank {
    fit: u8,
    weight: bool,
}

impl Rank {
    /// The most specific range decides, whatever its place: `application/json;q=0, */*` refuses JSON.
    fn consider(&mut self, range: &str, wanted: &str) {
        let mut parts = range.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let family = wanted.split_once('/').map_or(wanted, |(family, _)| family);
        let fit = if name.eq_ignore_ascii_case(wanted) {
            3
        } else if name.strip_suffix("/*").is_some_and(|own| own.eq_ignore_ascii_case(family)) {
            2
        } else if name == "*/*" {
            1
        } else {
            return;
        };
        if fit >= self.fit {
            let zero = |part: &str| {
                let (name, value) = part.split_once('=').unwrap_or((part, ""));
                name.trim().eq_ignore_ascii_case("q") && value.trim().parse::<f32>().is_ok_and(|q| q <= 0.0)
            };
            *self = Self { fit, weight: !parts.any(zero) };
        }
    }

    fn taken(self) -> bool {
        self.fit > 0 && self.weight
    }

    fn named(self) -> bool {
        self.fit == 3 && self.weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(accept: &str) -> Option<(bool, bool)> {
        negotiate(Some(accept), false).ok().map(|accepted| (accepted.json, accepted.stream))
    }

    #[test]
    fn what_clients_send() {
        assert_eq!(check("application/json, text/event-stream"), Some((true, true)));
        assert_eq!(check("text/event-stream,application/json"), Some((true, true)));
        assert_eq!(check("*/*"), Some((true, false)));
        assert_eq!(check("application/json;q=0.9,text/*;q=0.1"), Some((true, false)));
        assert_eq!(check("Application/JSON; charset=utf-8"), Some((true, false)));
        assert_eq!(check("text/event-stream"), Some((false, true)));
        assert_eq!(check("application/json;q=0, */*"), Some((false, true)));
        assert_eq!(check("*/*, application/json;q=0.0"), Some((false, true)));
        for none in ["image/png", "", "application/json;q=0", "text/html, image/*", "*/*;q=0"] {
            assert_eq!(check(none), None, "{none}");
        }
    }

    #[test]
    fn both_names_where_both_are_required() {
        for (accept, good) in [
            (Some("application/json, text/event-stream"), true),
            (Some("text/event-stream;q=0.5 , application/json"), true),
            (Some("*/*"), false),
            (Some("application/json"), false),
            (Some("text/event-stream"), false),
            (None, false),
        ] {
            assert_eq!(negotiate(accept, true).is_ok(), good, "{accept:?}");
        }
        assert!(negotiate(None, false).is_ok_and(|accepted| accepted.json && !accepted.stream));
    }
}
