//! `[service.tool.NAME]`: what a call must bring, and how it is run.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::{
    error::{Findings, KeyPath},
    oauth::positive,
    plan::{affordable, feature_sentence, is_feature},
    rate::RateConfig,
    scope::{is_scope, scope_sentence},
    value::{Period, Text},
};

/// What a tool, operation, resource or prompt demands of a call. Every key may be absent: policies whose names or
/// globs match are laid over each other, the longest match winning key by key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ToolPolicy {
    /// Scopes that a call needs, all of them; `[]` says that none is needed.
    #[schemars(extend("x-default" = "as the upstream's `unlisted` says"))]
    pub scopes: Option<Vec<String>>,
    /// No credential is needed.
    #[schemars(extend("x-default" = "`false`"))]
    pub public: Option<bool>,
    /// Plan feature that is needed beside the service's.
    pub feature: Option<String>,
    /// Ask for `confirm: true`, and with `"intent"` for a `user_intent` too.
    #[schemars(extend("x-default" = "`false`"))]
    pub confirm: Option<Confirm>,
    /// What would be lost, said when the confirmation is missing.
    pub confirm_message: Option<Text>,
    /// Modes that see it; `["live"]` hides it from test keys.
    #[schemars(extend("x-default" = "both"))]
    pub modes: Option<Vec<Mode>>,
    /// Credits that a call costs where the plan is metered: reserved before it is sent, given back if it fails. The worker
    /// may say in the `X-Portero-Cost` header of its answer what it really cost.
    #[schemars(extend("x-default" = "`0`"))]
    pub cost: Option<u64>,
    /// `false` lets a call pass free when too few credits are left, and tells the worker by `X-Portero-Credits`, which is
    /// then below the cost.
    #[schemars(extend("x-default" = "`true`"))]
    pub cost_required: Option<bool>,
    /// How often each caller may call it, beside the service's or plan's rate.
    pub rate: Option<RateConfig>,
    /// How long a call may take, in the place of the upstream's `timeout`.
    #[schemars(extend("x-default" = "the upstream's"))]
    pub timeout: Option<Period>,
    /// Characters that an answer is shortened to, in the place of the service's.
    #[schemars(extend("x-default" = "the service's"))]
    pub response_cap_chars: Option<u64>,
    /// How repeated calls of a tool that writes are told from new ones.
    #[schemars(extend("x-default" = "`\"client\"`"))]
    pub idempotency: Option<Idempotency>,
    /// Annotations that replace those of the catalog.
    #[schemars(extend("x-default" = "the catalog's"))]
    pub annotations: Option<AnnotationsConfig>,
    /// Neither listed nor callable.
    #[schemars(extend("x-default" = "`false`"))]
    pub hidden: Option<bool>,
    /// Send `structuredContent` although the tool declares no `outputSchema`.
    #[schemars(extend("x-default" = "`false`"))]
    pub structured: Option<bool>,
    /// The key that a list is put under in `structuredContent`; for example `articles`.
    #[schemars(extend("x-default" = "`\"items\"`"))]
    pub structured_key: Option<String>,
    /// Path below the worker's URL, in the place of `/tools/NAME`.
    #[schemars(extend("x-allowed" = "a path such as \"/meetings/list\""))]
    pub path: Option<String>,
    /// The `operationId` of an OpenAPI document that this tool calls.
    pub operation: Option<String>,
}

/// What a call must say before something happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirm {
    /// Nothing.
    Off,
    /// `confirm: true`.
    Required,
    /// `confirm: true` and a `user_intent`.
    Intent,
}

impl<'de> Deserialize<'de> for Confirm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::Bool(false) => Ok(Self::Off),
            serde_json::Value::Bool(true) => Ok(Self::Required),
            serde_json::Value::String(text) if text == "intent" => Ok(Self::Intent),
            _ => Err(Error::custom("false, true or \"intent\" is allowed")),
        }
    }
}

impl Serialize for Confirm {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Off => serializer.serialize_bool(false),
            Self::Required => serializer.serialize_bool(true),
            Self::Intent => serializer.serialize_str("intent"),
        }
    }
}

impl JsonSchema for Confirm {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Confirm".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": [false, true, "intent"] })
    }
}

/// Whether a credential acts for real or for trying out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// For real.
    Live,
    /// For trying out.
    Test,
}

/// How repeated calls of a tool that writes are told from new ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Idempotency {
    /// By the key that the client sends.
    #[default]
    Client,
    /// By the client's key, else by a digest of the call.
    Derived,
    /// Not at all.
    Off,
}

/// Annotations of a tool, named as the protocol names them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
pub struct AnnotationsConfig {
    /// What people read.
    pub title: Option<String>,
    /// It changes nothing.
    pub read_only_hint: Option<bool>,
    /// It may destroy something.
    pub destructive_hint: Option<bool>,
    /// Calling it again changes nothing more.
    pub idempotent_hint: Option<bool>,
    /// It reaches outside the service.
    pub open_world_hint: Option<bool>,
}

/// What a policy stands at, which decides which keys mean something there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PolicyOf {
    Tool,
    Operation,
    Resource,
    Prompt,
}

impl fmt::Display for PolicyOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tool => "tool",
            Self::Operation => "operation",
            Self::Resource => "resource",
            Self::Prompt => "prompt",
        })
    }
}

impl ToolPolicy {
    pub(super) fn validate(&self, of: PolicyOf, at: &KeyPath, out: &mut Findings) {
        for (index, scope) in self.scopes.iter().flatten().enumerate() {
            out.refuse(!is_scope(scope), &at.key("scopes").index(index), scope_sentence(scope));
        }
        if let Some(feature) = &self.feature {
            out.refuse(!is_feature(feature), &at.key("feature"), feature_sentence(feature));
        }
        let nowhere = self.modes.as_ref().is_some_and(Vec::is_empty);
        out.refuse(
            nowhere,
            &at.key("modes"),
            "is empty; \"live\", \"test\" or both are allowed (hidden = true hides it)",
        );
        if let Some(timeout) = self.timeout {
            positive(timeout, &at.key("timeout"), out);
        }
        affordable(self.cost, &at.key("cost"), out);
        cap(self.response_cap_chars, &at.key("response_cap_chars"), out);
        if let Some(path) = &self.path {
            out.refuse(
                !is_path(path),
                &at.key("path"),
                format!("{path:?} is no path; one that begins with / and has no ? # or space is allowed"),
            );
        }
        let both = self.path.is_some() && self.operation.is_some();
        out.refuse(both, &at.key("path"), "stands beside operation; one of them is allowed");
        self.refuse_meaningless(of, at, out);
    }

    /// A key that does nothing would be believed to do something.
    fn refuse_meaningless(&self, of: PolicyOf, at: &KeyPath, out: &mut Findings) {
        let of_calls = [
            ("confirm", self.confirm.is_some()),
            ("confirm_message", self.confirm_message.is_some()),
            ("cost", self.cost.is_some()),
            ("cost_required", self.cost_required.is_some()),
            ("idempotency", self.idempotency.is_some()),
        ];
        let of_tools = [
            ("annotations", self.annotations.is_some()),
            ("structured", self.structured.is_some()),
            ("structured_key", self.structured_key.is_some()),
            ("path", self.path.is_some()),
            ("operation", self.operation.is_some()),
        ];
        let calls = of_calls.iter().filter(|_| matches!(of, PolicyOf::Resource | PolicyOf::Prompt));
        let tools = of_tools.iter().filter(|_| of != PolicyOf::Tool);
        for (key, present) in calls.chain(tools) {
            out.refuse(*present, &at.key(key), format!("means nothing for a {of}; it is allowed for a tool"));
        }
    }
}

/// Whether a text is a path that can be appended to an origin or base URL.
pub(super) fn is_path(text: &str) -> bool {
    text.starts_with('/') && text.chars().all(|c| c.is_ascii_graphic() && !"?#\\\"<>".contains(c))
}

/// Notes a cap that leaves no room for the envelope which says that something was cut.
pub(super) fn cap(chars: Option<u64>, at: &KeyPath, out: &mut Findings) {
    let small = chars.is_some_and(|chars| chars < 500);
    out.refuse(small, at, format!("{} is too short; at least 500 is allowed", chars.unwrap_or_default()));
}
