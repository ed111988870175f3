//! What servers say to clients of their own accord, and clients to them: requests, answers and notifications of the
//! revisions with sessions (2025-03-26 to 2025-11-25), as far as something between the two has to read them.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::jsonrpc;
use super::version::Version;

type Members<'a> = IndexMap<Cow<'a, str>, &'a RawValue>;

/// The members of an object; of two of one name the last. `None` for anything else.
fn members(json: &str) -> Option<Members<'_>> {
    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Read<'a>(#[serde(borrow)] IndexMap<Key<'a>, &'a RawValue>);
    #[derive(Deserialize, PartialEq, Eq, Hash)]
    #[serde(transparent)]
    struct Key<'a>(#[serde(borrow)] Cow<'a, str>);
    let read: Read<'_> = serde_json::from_str(json).ok()?;
    Some(read.0.into_iter().map(|(key, value)| (key.0, value)).collect())
}

/// The value at the end of a path of members.
pub fn find<'a>(json: &'a str, path: &[&str]) -> Option<&'a RawValue> {
    let (first, rest) = path.split_first()?;
    let value = *members(json)?.get(*first)?;
    if rest.is_empty() { Some(value) } else { find(value.get(), rest) }
}

/// The text at the end of a path of members.
pub fn find_text<'a>(json: &'a str, path: &[&str]) -> Option<Cow<'a, str>> {
    jsonrpc::text(find(json, path)?)
}

/// The same object with the value at the end of a path in another's place; `None` if there is none. The rest keeps
/// its own text: no number loses a digit.
pub fn replaced(json: &str, path: &[&str], new: &str) -> Option<String> {
    let (first, rest) = path.split_first()?;
    let mut all = members(json)?;
    let slot = all.get_mut(*first)?;
    let inner = if rest.is_empty() { new.to_owned() } else { replaced(slot.get(), rest, new)? };
    *slot = serde_json::from_str(&inner).ok()?;
    serde_json::to_string(&all).ok()
}

/// Text as JSON.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// What a client lets servers ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "u8", into = "u8")]
pub struct Abilities(u8);

impl Abilities {
    const SAMPLING: u8 = 1;
    const FORMS: u8 = 2;
    const URLS: u8 = 4;
    const ROOTS: u8 = 8;

    /// What is declared in the `capabilities` of `initialize`, under the revision that was agreed.
    pub fn declared(capabilities: &str, version: Version) -> Self {
        let named = |name: &str| find(capabilities, &[name]).filter(|raw| jsonrpc::is_object(raw));
        let bit = |there: bool, bit: u8| if there { bit } else { 0 };
        let elicitation = named("elicitation").filter(|_| version >= Version::V20250618);
        let mode = |name: &str| elicitation.is_some_and(|raw| find(raw.get(), &[name]).is_some());
        // forms are what an empty object means (2025-11-25, Elicitation › Capabilities)
        let forms = elicitation.is_some() && (mode("form") || !mode("url"));
        let urls = mode("url") && version >= Version::V20251125;
        Self(
            bit(named("sampling").is_some(), Self::SAMPLING)
                | bit(forms, Self::FORMS)
                | bit(urls, Self::URLS)
                | bit(named("roots").is_some(), Self::ROOTS),
        )
    }

    /// True if a server may ask this. Attack: a server that asks a person through a client that never said it can ask.
    pub fn allow(self, message: &str, method: &str) -> bool {
        let has = |bit: u8| self.0 & bit != 0;
        match method {
            "ping" => true,
            "sampling/createMessage" => has(Self::SAMPLING),
            "roots/list" => has(Self::ROOTS),
            "elicitation/create" => match find_text(message, &["params", "mode"]).as_deref() {
                None | Some("form") => has(Self::FORMS),
                Some("url") => has(Self::URLS),
                Some(_) => false,
            },
            _ => false,
        }
    }
}

/// What of a client's capabilities an upstream is told: what its questions can be passed on for.
pub fn passed(capabilities: &str) -> String {
    let all = members(capabilities).unwrap_or_default();
    let known = ["sampling", "elicitation", "roots"];
    let passed: Members<'_> = all
        .into_iter()
        .filter(|(name, value)| known.contains(&&**name) && jsonrpc::is_object(value))
        .collect();
    serde_json::to_string(&passed).unwrap_or_else(|_| "{}".to_owned())
}

/// What a server offers beside lists and calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "u8", into = "u8")]
pub struct Offers(u8);

impl Offers {
    /// Single resources can be watched.
    pub const SUBSCRIBE: Self = Self(1);
    /// It writes a log for its client.
    pub const LOGGING: Self = Self(2);
    /// It completes arguments.
    pub const COMPLETIONS: Self = Self(4);
    /// It says when its tools change.
    pub const TOOLS: Self = Self(8);
    /// It says when its resources change.
    pub const RESOURCES: Self = Self(16);
    /// It says when its prompts change.
    pub const PROMPTS: Self = Self(32);

    /// What is declared in the `capabilities` of an `initialize` result.
    pub fn declared(capabilities: &str) -> Self {
        let is_true = |path: &[&str]| find(capabilities, path).is_some_and(|raw| raw.get() == "true");
        let object = |name: &str| find(capabilities, &[name]).is_some_and(jsonrpc::is_object);
        let all = [
            (Self::SUBSCRIBE, is_true(&["resources", "subscribe"])),
            (Self::LOGGING, object("logging")),
            (Self::COMPLETIONS, object("completions")),
            (Self::TOOLS, is_true(&["tools", "listChanged"])),
            (Self::RESOURCES, is_true(&["resources", "listChanged"])),
            (Self::PROMPTS, is_true(&["prompts", "listChanged"])),
        ];
        all.into_iter().filter(|(_, there)| *there).fold(Self::default(), |sum, (offer, _)| sum.and(offer))
    }

    /// Both together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True if all of the other's are among them.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

macro_rules! bits {
    ($($name:ident),*) => {$(
        impl From<u8> for $name {
            fn from(bits: u8) -> Self {
                Self(bits)
            }
        }

        impl From<$name> for u8 {
            fn from(own: $name) -> Self {
                own.0
            }
        }
    )*};
}
bits!(Abilities, Offers);

/// What a server tells its client without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Its tools, resources or prompts are others now.
    Changed,
    /// A resource that is watched is another now.
    Updated,
    /// It gives up a question of its own.
    Cancelled,
    /// Progress, log lines, the end of an elicitation.
    Plain,
}

impl Told {
    /// The kind of a notification; `None` for what no revision knows.
    pub fn of(method: &str) -> Option<Self> {
        match method {
            "notifications/tools/list_changed"
            | "notifications/resources/list_changed"
            | "notifications/prompts/list_changed" => Some(Self::Changed),
            "notifications/resources/updated" => Some(Self::Updated),
            "notifications/cancelled" => Some(Self::Cancelled),
            "notifications/progress" | "notifications/message" | "notifications/elicitation/complete" => {
                Some(Self::Plain)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_is_replaced_and_the_rest_keeps_its_text() {
        let text = r#"{"id": 1, "params":{"a":1.10,"_meta":{"progressToken": "x","é\"":[ 2 ]}},"big":12345678901234567890123}"#;
        let new = replaced(text, &["params", "_meta", "progressToken"], "\"y\"").unwrap();
        let expected = r#"{"id":1,"params":{"a":1.10,"_meta":{"progressToken":"y","é\"":[ 2 ]}},"big":12345678901234567890123}"#;
        assert_eq!(new, expected);
        assert_eq!(find(&new, &["params", "_meta", "progressToken"]).map(RawValue::get), Some("\"y\""));
        for path in [&["nobody"][..], &["id", "x"], &["params", "a", "b"], &[]] {
            assert!(replaced(text, path, "1").is_none() && find(text, path).is_none(), "{path:?}");
        }
        assert!(replaced("[1]", &["a"], "1").is_none() && replaced("{", &["a"], "1").is_none());
    }

    #[test]
    fn a_server_asks_only_what_was_declared() {
        let ask = |capabilities: &str, version, message: &str, method: &str| {
            Abilities::declared(capabilities, version).allow(message, method)
        };
        let (old, new) = (Version::V20250618, Version::V20251125);
        assert!(ask("{}", new, "{}", "ping") && !ask("{}", new, "{}", "tools/call"));
        for (name, method) in [("sampling", "sampling/createMessage"), ("roots", "roots/list")] {
            assert!(ask(&format!("{{\"{name}\":{{}}}}"), Version::V20250326, "{}", method));
            assert!(!ask("{\"elicitation\":{}}", new, "{}", method));
            assert!(!ask(&format!("{{\"{name}\":true}}"), new, "{}", method));
        }
        let url = r#"{"params":{"mode":"url"}}"#;
        let elicit =
            |capabilities, version, message| ask(capabilities, version, message, "elicitation/create");
        assert!(elicit("{\"elicitation\":{}}", old, "{}") && elicit("{\"elicitation\":{}}", new, "{}"));
        assert!(!elicit("{\"elicitation\":{}}", Version::V20250326, "{}"));
        assert!(!elicit("{\"elicitation\":{}}", new, url));
        assert!(elicit(r#"{"elicitation":{"url":{}}}"#, new, url));
        assert!(!elicit(r#"{"elicitation":{"url":{}}}"#, new, "{}"));
        assert!(!elicit(r#"{"elicitation":{"url":{}}}"#, old, url));
        assert!(!elicit(r#"{"elicitation":{"form":{},"url":{}}}"#, new, r#"{"params":{"mode":"x"}}"#));
    }

    #[test]
    fn an_upstream_is_told_what_can_be_passed_on() {
        let text =
            r#"{"roots":{"listChanged":true},"experimental":{},"sampling":{},"tasks":{},"elicitation":1}"#;
        assert_eq!(passed(text), r#"{"roots":{"listChanged":true},"sampling":{}}"#);
        assert_eq!((passed("{}"), passed("[]")), ("{}".to_owned(), "{}".to_owned()));
    }

    #[test]
    fn what_a_server_offers() {
        let text = r#"{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":false},"logging":{}}"#;
        let own = Offers::declared(text);
        assert!(own.has(Offers::TOOLS) && own.has(Offers::SUBSCRIBE) && own.has(Offers::LOGGING));
        for other in [Offers::COMPLETIONS, Offers::PROMPTS, Offers::RESOURCES] {
            assert!(!own.has(other), "{other:?}");
        }
        assert_eq!(Offers::declared("{}"), Offers::default());
    }
}
