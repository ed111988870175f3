//! `[[service]]`: one protected resource.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    jwt::JwtConfig, rate::RateConfig, scope::ScopeConfig, tool_policy::ToolPolicy, upstream::UpstreamConfig,
};

/// One protected resource: an MCP endpoint with its tools, scopes, policy and upstreams.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own in the file")]
pub struct ServiceConfig {
    /// Names it on the command line, in logs and in the admin API.
    #[schemars(extend("x-allowed" = "letters, digits, - and _"))]
    pub id: String,
    /// The brand it belongs to.
    #[schemars(extend("x-allowed" = "the id of a brand"))]
    pub brand: String,
    /// What people read.
    pub name: String,
    /// Its exact public URL; host and path are routed by it.
    #[schemars(extend("x-allowed" = "https://…, or http://… on a loopback host"))]
    pub resource: String,
    /// Kinds of credentials that it accepts.
    #[serde(default = "accept")]
    pub accept: Vec<Accept>,
    /// The one taken when a client names no resource; gives the host its root forms.
    #[serde(default)]
    pub default: bool,
    /// Plan feature that every request needs, `initialize` included.
    #[schemars(extend("x-allowed" = "a feature of a plan"))]
    pub feature: Option<String>,
    /// Answer 406 unless `Accept` names `application/json` and `text/event-stream`.
    #[serde(default)]
    pub require_accept: bool,
    /// Which tools are listed.
    #[serde(default)]
    pub list: ListMode,
    /// What becomes of tools that the caller's plan does not include.
    #[serde(default)]
    pub locked: Locked,
    /// Where to go for a bigger plan.
    #[schemars(extend("x-allowed" = "an http or https URL"))]
    pub upgrade_url: Option<String>,
    /// How refusals after authentication are said.
    #[serde(default)]
    pub errors: ErrorStyle,
    /// Text of a refusal in the `tool` style.
    #[serde(default)]
    pub error_text: ErrorText,
    /// JSON-RPC numbers by refusal code, in the place of the usual ones.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub error_codes: IndexMap<String, i64>,
    /// How a protected call without a token is answered where other tools are public.
    #[serde(default)]
    pub anonymous_challenge: AnonymousChallenge,
    /// How often a caller may call tools: each `grant` (a connection, a personal access token, the user of a JWT), `user`
    /// or `workspace`. Anonymous callers are counted by address, with everything that they send.
    #[schemars(extend("x-default" = "no limit"))]
    pub rate: Option<RateConfig>,
    /// Characters that an answer is shortened to, as valid JSON.
    #[schemars(extend("x-default" = "no cap"))]
    pub response_cap_chars: Option<u64>,
    /// Check arguments against the tool's `inputSchema`.
    #[serde(default)]
    pub validate_arguments: bool,
    /// Which resource metadata URL the challenge names.
    #[serde(default)]
    pub metadata_url: MetadataUrl,
    /// How an upstream's failure is said.
    #[serde(default)]
    pub upstream_errors: UpstreamErrors,
    /// Take batches of the revision 2025-03-26, each message checked alone. A header `Idempotency-Key` speaks for one
    /// call: with more than one request in a batch it is refused, and each call has its own key in
    /// `_meta["io.portero/idempotency-key"]`.
    #[serde(default)]
    pub batches: bool,
    /// MCP revisions that are served.
    #[serde(default = "protocol_versions")]
    pub protocol_versions: Vec<ProtocolVersion>,
    /// What the service says of itself.
    #[serde(default)]
    pub server_info: ServerInfoConfig,
    /// Path of a public file with the catalog, on the resource's host.
    #[schemars(extend("x-allowed" = "a path such as \"/mcp-manifest.json\""))]
    pub manifest_path: Option<String>,
    /// Publish descriptors: `/.well-known/mcp.json`, `/server.json`, the server card and its place in
    /// `/.well-known/ai-catalog.json`, `openapi.json`.
    #[serde(default = "yes")]
    pub descriptors: bool,
    /// Name in registries, of 3 to 200 characters. Without it there is no `server.json`.
    #[schemars(extend("x-allowed" = "a domain backwards, a slash and a name, such as \"com.example/meetings\""))]
    pub registry_name: Option<String>,
    /// One sentence for descriptors, of up to 100 characters; what is longer is cut between words.
    #[schemars(extend("x-default" = "the title"))]
    pub description: Option<String>,
    /// The product's website, for descriptors.
    #[schemars(extend("x-allowed" = "an http or https URL"))]
    pub website: Option<String>,
    /// What a person can allow, in the order it is shown.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub scopes: IndexMap<String, ScopeConfig>,
    /// Tokens of an external issuer; only with `accept = ["jwt"]`.
    pub jwt: Option<JwtConfig>,
    /// What runs its tools.
    #[serde(default)]
    pub upstream: Vec<UpstreamConfig>,
    /// Policy by tool name or glob.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub tool: IndexMap<String, ToolPolicy>,
    /// Policy by `operationId` or glob, for OpenAPI operations.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub operation: IndexMap<String, ToolPolicy>,
    /// Policy by resource URI, template or glob. Written `[service.resources."URI"]`, since TOML has room for one
    /// `resource` only and that is the service's URL; `[service.resource."URI"]` is read as the same.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub resources: IndexMap<String, ToolPolicy>,
    /// Policy by prompt name or glob.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub prompt: IndexMap<String, ToolPolicy>,
}

impl ServiceConfig {
    /// Whether credentials of this kind are accepted.
    pub fn accepts(&self, kind: Accept) -> bool {
        self.accept.contains(&kind)
    }
}

fn accept() -> Vec<Accept> {
    vec![Accept::Pat, Accept::Oauth]
}

fn protocol_versions() -> Vec<ProtocolVersion> {
    ProtocolVersion::ALL.to_vec()
}

fn yes() -> bool {
    true
}

/// A kind of credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Accept {
    /// Personal access tokens of the brand.
    Pat,
    /// OAuth access tokens of the brand.
    Oauth,
    /// JWTs of the external issuer under `jwt`.
    Jwt,
}

/// Which tools are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ListMode {
    /// Those the caller may use.
    #[default]
    Granted,
    /// Also those that only a scope is missing for.
    All,
}

/// What becomes of tools that the caller's plan does not include.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Locked {
    /// Listed and marked; a call says where to upgrade.
    #[default]
    Show,
    /// Not listed, and unknown to a call.
    Hide,
}

/// How refusals after authentication are said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorStyle {
    /// By HTTP status.
    #[default]
    Http,
    /// As a JSON-RPC error at HTTP 200.
    Jsonrpc,
    /// As a tool result with `isError`.
    Tool,
}

/// Text of a refusal in the `tool` style.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorText {
    /// JSON with `error`, `code`, `message`, `hint` and `status`.
    #[default]
    Json,
    /// The message alone.
    Plain,
}

/// How a protected call without a token is answered where other tools are public.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnonymousChallenge {
    /// As the client's family understands it.
    #[default]
    Auto,
    /// 401 and the challenge.
    Http,
    /// A tool result with `isError` and the challenge in `_meta`.
    Result,
}

/// Which resource metadata URL the challenge names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MetadataUrl {
    /// `/.well-known/oauth-protected-resource` before the resource's path.
    #[default]
    Inserted,
    /// `/.well-known/oauth-protected-resource` after the resource's path.
    Appended,
}

/// How an upstream's failure is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UpstreamErrors {
    /// HTTP 200 with `isError`.
    #[default]
    Result,
    /// HTTP 502 or 504.
    Status,
}

/// A revision of the Model Context Protocol, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum ProtocolVersion {
    /// 2024-11-05
    #[serde(rename = "2024-11-05")]
    V2024_11_05,
    /// 2025-03-26
    #[serde(rename = "2025-03-26")]
    V2025_03_26,
    /// 2025-06-18
    #[serde(rename = "2025-06-18")]
    V2025_06_18,
    /// 2025-11-25
    #[serde(rename = "2025-11-25")]
    V2025_11_25,
    /// 2026-07-28
    #[serde(rename = "2026-07-28")]
    V2026_07_28,
}

impl ProtocolVersion {
    /// Every revision, oldest first.
    pub const ALL: [Self; 5] =
        [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];

    /// The revision as the protocol writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }
}

/// What a service says of itself to clients.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ServerInfoConfig {
    /// Name for programs.
    #[schemars(extend("x-default" = "the service's id"))]
    pub name: String,
    /// Name for people.
    #[schemars(extend("x-default" = "the service's name"))]
    pub title: String,
    /// Version of the catalog.
    #[schemars(extend("x-default" = "`\"1.0.0\"`"))]
    pub version: String,
    /// What a model is told about using the service.
    pub instructions: Option<String>,
    /// One sentence about it; the service's `description` if absent.
    pub description: Option<String>,
    /// Its website; the service's `website` if absent.
    #[schemars(extend("x-allowed" = "an http or https URL"))]
    pub website: Option<String>,
}

impl ServiceConfig {
    /// Fills in what follows from other keys.
    pub(super) fn resolve(&mut self) {
        let info = &mut self.server_info;
        let fill = |text: &mut String, with: &str| {
            if text.is_empty() {
                with.clone_into(text);
            }
        };
        fill(&mut info.name, &self.id);
        fill(&mut info.title, &self.name);
        fill(&mut info.version, "1.0.0");
        info.description = info.description.take().or_else(|| self.description.clone());
        info.website = info.website.take().or_else(|| self.website.clone());
        for (name, scope) in &mut self.scopes {
            scope.resolve(name);
        }
    }
}
