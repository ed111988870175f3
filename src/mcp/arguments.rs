//! Taking the gateway's own questions out of a call's arguments.

use std::borrow::Cow;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::jsonrpc;

/// The argument that confirms.
pub const CONFIRM: &str = "confirm";
/// The argument that says what the person wants.
pub const USER_INTENT: &str = "user_intent";
/// An intent is no longer than this many characters.
pub const MAX_INTENT: usize = 500;

/// Arguments without what the gateway asked for.
#[derive(Debug)]
pub struct Taken<'a> {
    /// True only if `confirm` was JSON `true`.
    pub confirmed: bool,
    /// `user_intent`, if it was a text of the right length.
    pub intent: Option<Cow<'a, str>>,
    /// The object that is left.
    pub rest: String,
}

/// Takes `confirm` and, where `with_intent`, `user_intent` out of an arguments object. `None` if one of them
/// is there twice: the gateway would check one and could not say which the sender meant.
pub fn take(arguments: &RawValue, with_intent: bool) -> Option<Taken<'_>> {
    let members: Members<'_> = serde_json::from_str(arguments.get()).ok()?;
    let mut taken = Taken { confirmed: false, intent: None, rest: String::from("{") };
    let (mut confirms, mut intents) = (0, 0);
    for (name, value) in members.0 {
        if name == CONFIRM {
            confirms += 1;
            taken.confirmed = value.get() == "true";
        } else if with_intent && name == USER_INTENT {
            intents += 1;
            taken.intent = jsonrpc::text(value).filter(|text| is_intent(text));
        } else {
            if taken.rest.len() > 1 {
                taken.rest.push(',');
            }
            taken.rest.push_str(&serde_json::to_string(&*name).ok()?);
            taken.rest.push(':');
            taken.rest.push_str(value.get());
        }
    }
    taken.rest.push('}');
    (confirms <= 1 && intents <= 1).then_some(taken)
}

/// True for an intent that says something and is short.
pub fn is_intent(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= MAX_INTENT
}

/// An object's members in order, repeated ones included.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            members.push((Cow::Owned(name), map.next_value()?));
        }
        Ok(Members(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(arguments: &str, with_intent: bool) -> Option<(bool, Option<String>, String)> {
        let raw: &RawValue = serde_json::from_str(arguments).unwrap();
        let taken = take(raw, with_intent)?;
        Some((taken.confirmed, taken.intent.map(Cow::into_owned), taken.rest))
    }

    #[test]
    fn the_rest_is_what_was_sent() {
        let got = check(r#"{"a": 1.10, "confirm": true, "é\"": [ 2 ],"user_intent":"x"}"#, true).unwrap();
        assert_eq!(got, (true, Some("x".into()), r#"{"a":1.10,"é\"":[ 2 ]}"#.into()));
        let got = check(r#"{"confirm":true,"user_intent":"x"}"#, false).unwrap();
        assert_eq!(got, (true, None, r#"{"user_intent":"x"}"#.into()));
        assert_eq!(check("{}", true).unwrap().2, "{}");
    }

    #[test]
    fn only_true_confirms() {
        for value in ["\"true\"", "1", "null", "[true]", "false"] {
            assert!(!check(&format!("{{\"confirm\":{value}}}"), false).unwrap().0, "{value}");
        }
    }

    #[test]
    fn an_intent_says_something_and_is_short() {
        for (value, good) in [("\"\"", false), ("\"  \"", false), ("1", false), ("\"é\"", true)] {
            assert_eq!(
                check(&format!("{{\"user_intent\":{value}}}"), true).unwrap().1.is_some(),
                good,
                "{value}"
            );
        }
        for (length, good) in [(500, true), (501, false)] {
            let text = "é".repeat(length);
            assert_eq!(check(&format!("{{\"user_intent\":\"{text}\"}}"), true).unwrap().1.is_some(), good);
        }
    }

    #[test]
    fn said_twice_is_refused() {
        assert!(check(r#"{"confirm":false,"confirm":true}"#, false).is_none());
        assert!(check(r#"{"user_intent":"a","user_intent":"b"}"#, true).is_none());
        assert!(check(r#"{"confirm":true,"c\u006fnfirm":true}"#, false).is_none());
    }
}
