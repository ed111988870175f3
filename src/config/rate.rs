//! How many calls in how long: `{ per = "grant", limit = "120/min", burst = 40 }`.

use std::{borrow::Cow, fmt, num::NonZeroU32, str::FromStr, time::Duration};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use super::value::{Unreadable, written_as_text};
use crate::domain::limit::{Limit, Per, Rate};

/// A limit on how often something may be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RateConfig {
    /// Whose calls are counted together.
    pub per: RatePer,
    /// How many calls in how long.
    pub limit: RateLimit,
    /// How many calls may come at once; the limit's number if absent.
    pub burst: Option<NonZeroU32>,
}

impl RateConfig {
    /// How many calls may come at once.
    pub fn burst(&self) -> NonZeroU32 {
        self.burst.unwrap_or(self.limit.count)
    }

    /// As callers are held to it.
    pub fn rate(&self) -> Rate {
        let per = match self.per {
            RatePer::Grant => Per::Grant,
            RatePer::User => Per::User,
            RatePer::Workspace => Per::Workspace,
        };
        Rate { per, limit: Limit::new(self.limit.count, self.limit.window.get(), self.burst()) }
    }
}

/// Whose calls a rate counts together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RatePer {
    /// One connection: a grant, or a personal access token; an anonymous caller's address.
    #[default]
    Grant,
    /// A person, through all connections.
    User,
    /// A workspace, whoever calls for it.
    Workspace,
}

/// A number of calls in a second, minute or hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// How many.
    pub count: NonZeroU32,
    /// In how long.
    pub window: RateWindow,
}

/// The time in which a rate's calls are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateWindow {
    /// `/s`
    Second,
    /// `/min`
    Minute,
    /// `/h`
    Hour,
}

impl RateWindow {
    /// The window's length.
    pub const fn get(self) -> Duration {
        match self {
            Self::Second => Duration::from_secs(1),
            Self::Minute => Duration::from_mins(1),
            Self::Hour => Duration::from_hours(1),
        }
    }
}

impl FromStr for RateLimit {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Self, Unreadable> {
        let wrong = Unreadable("a rate such as \"10/s\", \"120/min\" or \"1000/h\"");
        let (count, window) = text.split_once('/').ok_or(wrong)?;
        let window = match window {
            "s" => RateWindow::Second,
            "min" => RateWindow::Minute,
            "h" => RateWindow::Hour,
            _ => return Err(wrong),
        };
        if !count.bytes().all(|b| b.is_ascii_digit()) {
            return Err(wrong);
        }
        Ok(Self { count: count.parse().map_err(|_| wrong)?, window })
    }
}

impl fmt::Display for RateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let window = match self.window {
            RateWindow::Second => "s",
            RateWindow::Minute => "min",
            RateWindow::Hour => "h",
        };
        write!(f, "{}/{window}", self.count)
    }
}

written_as_text!(RateLimit, "portero-rate", "a rate such as \"10/s\", \"120/min\" or \"1000/h\"");

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Short(RateLimit),
    Long {
        #[serde(default)]
        per: RatePer,
        limit: RateLimit,
        burst: Option<NonZeroU32>,
    },
}

impl<'de> Deserialize<'de> for RateConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Written::deserialize(deserializer)? {
            Written::Short(limit) => Self { per: RatePer::default(), limit, burst: None },
            Written::Long { per, limit, burst } => Self { per, limit, burst },
        })
    }
}

impl JsonSchema for RateConfig {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Rate".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let limit = RateLimit::json_schema(generator);
        json_schema!({
            "anyOf": [
                limit,
                {
                    "type": "object",
                    "properties": {
                        "per": { "enum": ["grant", "user", "workspace"], "default": "grant" },
                        "limit": limit,
                        "burst": { "type": "integer", "minimum": 1, "maximum": u32::MAX }
                    },
                    "required": ["limit"],
                    "additionalProperties": false
                }
            ],
            "x-allowed": "a rate such as \"120/min\" (also /s and /h), or { per = \"grant\" | \"user\" | \"workspace\", limit = \"120/min\", burst = 40 }"
        })
    }
}
