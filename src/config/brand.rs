//! `[brand.ID]`: the product a customer knows.

use std::{fmt, path::PathBuf, str::FromStr};

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    error::{Findings, KeyPath},
    oauth::positive,
    plan::{id_sentence, is_id},
    urls,
    value::{Period, Unreadable, written_as_text},
};

/// The product a customer knows: name, colours, token prefixes, issuer.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BrandConfig {
    /// What people read.
    pub name: String,
    /// The issuer URL, the same in every document; `/authorize`, `/token` and the rest stand under it.
    #[serde(default)]
    #[schemars(length(min = 1), extend("x-default" = "`public_url`, or `public_url/ID` when there are several brands"))]
    pub issuer: String,
    /// What the brand's tokens begin with.
    #[serde(default)]
    #[schemars(extend("x-default" = "made of the brand's id"))]
    pub tokens: TokenPrefixes,
    /// Let the authorization page accept a personal access token as proof of who somebody is.
    #[serde(default)]
    pub authorize_with_pat: bool,
    /// The expiry first offered for a new personal access token; `pat_max_ttl` limits it.
    #[serde(default)]
    pub pat_expiry: PatExpiry,
    /// The longest life of a personal access token; with it there is no `"never"`.
    #[schemars(extend("x-default" = "no limit"))]
    pub pat_max_ttl: Option<Period>,
    /// Colour of buttons and links on the pages, `#rrggbb`.
    #[serde(default = "default_color")]
    #[schemars(regex(pattern = "^#[0-9a-fA-F]{6}$"), extend("x-allowed" = "a colour such as \"#1f6f5c\""))]
    pub color: String,
    /// An SVG, PNG, JPEG or WebP file, shown on the pages.
    #[schemars(extend("x-default" = "the name alone"))]
    pub logo: Option<PathBuf>,
}

/// What a brand's tokens begin with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TokenPrefixes {
    /// Personal access tokens; one prefix, or one for each mode.
    #[schemars(extend("x-default" = "`ID_pat_`"))]
    pub pat: PatPrefixes,
    /// OAuth access tokens.
    #[schemars(length(min = 1), extend("x-default" = "`ID_oat_`"))]
    pub oauth: String,
    /// OAuth refresh tokens.
    #[schemars(length(min = 1), extend("x-default" = "`ID_ort_`"))]
    pub refresh: String,
}

/// What a brand's personal access tokens begin with, by mode; the same where one prefix serves both.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PatPrefixes {
    /// Of tokens that act for real.
    pub live: String,
    /// Of tokens for trying out.
    pub test: String,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    One(String),
    ByMode { live: String, test: String },
}

impl<'de> Deserialize<'de> for PatPrefixes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Written::deserialize(deserializer)? {
            Written::One(prefix) => Self { live: prefix.clone(), test: prefix },
            Written::ByMode { live, test } => Self { live, test },
        })
    }
}

impl Serialize for PatPrefixes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (live, test) = (self.live.clone(), self.test.clone());
        let written = if live == test { Written::One(live) } else { Written::ByMode { live, test } };
        written.serialize(serializer)
    }
}

impl JsonSchema for PatPrefixes {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PatPrefixes".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let text = serde_json::json!({ "type": "string", "minLength": 1 });
        json_schema!({
            "anyOf": [text, {
                "type": "object",
                "properties": { "live": text, "test": text },
                "required": ["live", "test"],
                "additionalProperties": false
            }],
            "x-allowed": "a prefix, or { live = \"…\", test = \"…\" }"
        })
    }
}

/// When a personal access token ends unless told otherwise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PatExpiry {
    /// Not until it is revoked.
    #[default]
    Never,
    /// So long after it was made.
    After(Period),
}

impl FromStr for PatExpiry {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Self, Unreadable> {
        if text == "never" { Ok(Self::Never) } else { text.parse().map(Self::After) }
    }
}

impl fmt::Display for PatExpiry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Never => f.write_str("never"),
            Self::After(period) => period.fmt(f),
        }
    }
}

written_as_text!(PatExpiry, "portero-expiry", "\"never\", or a duration such as \"90d\"");

fn default_color() -> String {
    "#1f6f5c".to_owned()
}

impl BrandConfig {
    /// Fills in prefixes made of the brand's id, and the longest life there is where an end is needed.
    pub(super) fn resolve(&mut self, id: &str) {
        let stem = id.replace('-', "_");
        let fill = |prefix: &mut String, kind: &str| {
            if prefix.is_empty() {
                *prefix = format!("{stem}_{kind}_");
            }
        };
        fill(&mut self.tokens.pat.live, "pat");
        fill(&mut self.tokens.pat.test, "pat");
        fill(&mut self.tokens.oauth, "oat");
        fill(&mut self.tokens.refresh, "ort");
        if let (PatExpiry::Never, Some(longest)) = (self.pat_expiry, self.pat_max_ttl) {
            self.pat_expiry = PatExpiry::After(longest);
        }
    }

    pub(super) fn validate(&self, id: &str, at: &KeyPath, out: &mut Findings) {
        out.refuse(!is_id(id), at, id_sentence("brand", id));
        out.refuse(self.name.trim().is_empty(), &at.key("name"), "is empty; the product's name is allowed");
        urls::base(&self.issuer, &at.key("issuer"), out);
        if let PatExpiry::After(period) = self.pat_expiry {
            positive(period, &at.key("pat_expiry"), out);
        }
        if let Some(longest) = self.pat_max_ttl {
            positive(longest, &at.key("pat_max_ttl"), out);
            let beyond = matches!(self.pat_expiry, PatExpiry::After(period) if period > longest);
            out.refuse(
                beyond,
                &at.key("pat_expiry"),
                format!("{} is longer than pat_max_ttl; at most {longest} is allowed", self.pat_expiry),
            );
        }
        if let Some(logo) = &self.logo {
            let known = ["svg", "png", "jpg", "jpeg", "webp"];
            let kind = logo.extension().and_then(|kind| kind.to_str()).unwrap_or_default().to_ascii_lowercase();
            out.refuse(
                !known.contains(&kind.as_str()),
                &at.key("logo"),
                format!("{} is no picture; a .svg, .png, .jpg or .webp file is allowed", logo.display()),
            );
            super::files::readable(logo, &at.key("logo"), out);
        }
    }
}

/// Notes brands that share an issuer, and prefixes that do not tell a token's brand and kind.
pub(super) fn validate_together(brands: &IndexMap<String, BrandConfig>, at: &KeyPath, out: &mut Findings) {
    let mut issuers: Vec<(&str, &str)> = Vec::new();
    let mut prefixes = vec![
        Prefix { owner: "client secrets".to_owned(), text: "portero_ocs_".to_owned() },
        Prefix { owner: "registration tokens".to_owned(), text: "portero_rat_".to_owned() },
    ];
    for (id, brand) in brands {
        let here = at.key(id);
        match issuers.iter().find(|(issuer, _)| *issuer == brand.issuer) {
            Some((issuer, other)) => {
                out.error(&here.key("issuer"), format!("{issuer:?} is brand {other}'s; each brand has its own"));
            }
            None => issuers.push((&brand.issuer, id)),
        }
        let code = format!("{}_oac_", id.replace('-', "_"));
        prefixes.push(Prefix { owner: format!("brand {id}'s codes"), text: code });
        let tokens = &brand.tokens;
        let at = here.key("tokens");
        let of = |kind: &str, text: &String| Prefix { owner: format!("brand {id}'s {kind}"), text: text.clone() };
        if tokens.pat.live == tokens.pat.test {
            add(of("pat", &tokens.pat.live), &at.key("pat"), &mut prefixes, out);
        } else {
            add(of("pat.live", &tokens.pat.live), &at.key("pat").key("live"), &mut prefixes, out);
            add(of("pat.test", &tokens.pat.test), &at.key("pat").key("test"), &mut prefixes, out);
        }
        add(of("oauth", &tokens.oauth), &at.key("oauth"), &mut prefixes, out);
        add(of("refresh", &tokens.refresh), &at.key("refresh"), &mut prefixes, out);
    }
}

struct Prefix {
    owner: String,
    text: String,
}

/// Adds a prefix to those known, unless it is malformed or could be taken for another.
fn add(prefix: Prefix, at: &KeyPath, known: &mut Vec<Prefix>, out: &mut Findings) {
    let text = &prefix.text;
    let plain = !text.is_empty() && text.len() <= 32 && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !plain {
        out.error(at, format!("{text:?} is no prefix; up to 32 of the characters 0-9 A-Z a-z _ are allowed"));
        return;
    }
    let clash = known.iter().find(|other| other.text.starts_with(text.as_str()) || text.starts_with(&other.text));
    if let Some(other) = clash {
        out.error(
            at,
            format!(
                "{text:?} cannot be told from {:?} ({}); a prefix that neither begins another nor is begun by one is allowed",
                other.text, other.owner
            ),
        );
        return;
    }
    known.push(prefix);
}
