//! Values that TOML has no type for: durations, sizes, languages, texts in several languages.

use std::{fmt, str::FromStr, time::Duration};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// Makes a type that is written as one TOML string, from its `FromStr` and `Display`.
///
/// The format's name leads the schema check to the same `FromStr`, so a value that passes always deserializes.
macro_rules! written_as_text {
    ($type:ty, $format:literal, $allowed:literal) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        impl schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "format": $format, "x-allowed": $allowed })
            }
        }
    };
}
pub(super) use written_as_text;

/// A text that does not say what its type wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub(super) &'static str);

/// A length of time, written `"500ms"`, `"30s"`, `"5min"`, `"1h"` or `"30d"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Period(Duration);

const DAY: u64 = 24 * 60 * 60;
const PERIOD: &str = "a duration such as \"500ms\", \"30s\", \"5min\", \"1h\" or \"30d\"";

impl Period {
    /// A number of whole seconds.
    pub const fn seconds(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    /// A number of days of 24 hours.
    pub const fn days(days: u64) -> Self {
        Self(Duration::from_secs(days * DAY))
    }

    /// The duration itself.
    pub const fn get(self) -> Duration {
        self.0
    }
}

impl FromStr for Period {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Self, Unreadable> {
        let (number, unit) = split_number(text).ok_or(Unreadable(PERIOD))?;
        let seconds = |each: u64| number.checked_mul(each).map(Duration::from_secs);
        let duration = match unit {
            "ms" => Some(Duration::from_millis(number)),
            "s" => seconds(1),
            "m" | "min" => seconds(60),
            "h" => seconds(60 * 60),
            "d" => seconds(DAY),
            _ => None,
        };
        // a century is further than any lifetime here, and keeps sums of times far from overflow
        duration.filter(|d| d.as_secs() <= 36_525 * DAY).map(Self).ok_or(Unreadable(PERIOD))
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs();
        if self.0.subsec_millis() > 0 {
            return write!(f, "{}ms", self.0.as_millis());
        }
        match [(DAY, "d"), (60 * 60, "h"), (60, "min")].iter().find(|(each, _)| seconds > 0 && seconds % each == 0) {
            Some((each, unit)) => write!(f, "{}{unit}", seconds / each),
            None => write!(f, "{seconds}s"),
        }
    }
}

written_as_text!(Period, "portero-duration", "a duration such as \"500ms\", \"30s\", \"5min\", \"1h\" or \"30d\"");

/// A number of bytes, written `"512KiB"` or `"4MiB"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteSize(u64);

const SIZE: &str = "a size such as \"65536B\", \"512KiB\" or \"4MiB\", of at most 1GiB";

impl ByteSize {
    /// A number of binary megabytes.
    pub const fn mebibytes(number: u64) -> Self {
        Self(number << 20)
    }

    /// The number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The number of bytes, as lengths in memory are counted.
    pub fn as_usize(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl FromStr for ByteSize {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Self, Unreadable> {
        let (number, unit) = split_number(text).ok_or(Unreadable(SIZE))?;
        let each = match unit {
            "B" => 1,
            "kB" | "KB" => 1000,
            "MB" => 1_000_000,
            "KiB" => 1 << 10,
            "MiB" => 1 << 20,
            "GiB" => 1 << 30,
            _ => return Err(Unreadable(SIZE)),
        };
        number.checked_mul(each).filter(|bytes| *bytes <= 1 << 30).map(Self).ok_or(Unreadable(SIZE))
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match [(1 << 20, "MiB"), (1 << 10, "KiB")].iter().find(|(each, _)| self.0 > 0 && self.0 % each == 0) {
            Some((each, unit)) => write!(f, "{}{unit}", self.0 / each),
            None => write!(f, "{}B", self.0),
        }
    }
}

written_as_text!(ByteSize, "portero-size", "a size such as \"65536B\", \"512KiB\" or \"4MiB\", of at most 1GiB");

fn split_number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at_checked(end)?;
    Some((number.parse().ok()?, unit))
}

/// A language of the pages and of texts shown to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Spanish.
    Es,
    /// English.
    En,
}

impl Language {
    /// The language's BCP 47 tag.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::Es => "es",
            Self::En => "en",
        }
    }
}

/// A text shown to people: one string for all languages, or one for each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Text {
    /// The same words whatever the language.
    Plain(String),
    /// Words by language; a language that is missing takes the other's.
    Localized(Localized),
}

/// The words of a [`Text`] by language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Localized {
    /// Spanish.
    pub es: Option<String>,
    /// English.
    pub en: Option<String>,
}

impl Text {
    /// The words for a reader of `language`, in the other language if that is all there is.
    pub fn get(&self, language: Language) -> &str {
        match self {
            Self::Plain(text) => text,
            Self::Localized(Localized { es, en }) => match language {
                Language::Es => es.as_deref().or(en.as_deref()),
                Language::En => en.as_deref().or(es.as_deref()),
            }
            .unwrap_or_default(),
        }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::Plain(text.to_owned())
    }
}

impl JsonSchema for Text {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words = serde_json::json!({ "type": "string", "minLength": 1 });
        json_schema!({
            "anyOf": [
                words,
                {
                    "type": "object",
                    "properties": { "es": words, "en": words },
                    "additionalProperties": false,
                    "minProperties": 1
                }
            ],
            "x-allowed": "a text, or one for each language: { es = \"…\", en = \"…\" }"
        })
    }
}

/// Stands in the schema for an address and port.
pub(super) struct AddressText;
/// Stands in the schema for a network in CIDR notation.
pub(super) struct NetworkText;

macro_rules! text_stand_in {
    ($type:ty, $format:literal, $allowed:literal) => {
        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "format": $format, "x-allowed": $allowed })
            }
        }
    };
}
text_stand_in!(AddressText, "portero-address", "an address and port such as \"127.0.0.1:8080\" or \"[::]:8080\"");
text_stand_in!(NetworkText, "portero-network", "a network such as \"10.0.0.0/8\" or an address such as \"::1\"");

/// Reads a network; an address alone is the network of itself.
pub(super) fn parse_network(text: &str) -> Option<ipnet::IpNet> {
    text.parse().ok().or_else(|| text.parse::<std::net::IpAddr>().ok().map(ipnet::IpNet::from))
}

/// Serde form of a list of networks.
pub(super) mod networks {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(networks: &[ipnet::IpNet], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(networks.iter().map(ToString::to_string))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ipnet::IpNet>, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)?;
        let network = |text: &String| super::parse_network(text).ok_or_else(|| Error::custom("not a network"));
        texts.iter().map(network).collect()
    }
}
