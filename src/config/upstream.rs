//! `[[service.upstream]]`: what runs a service's tools.

use std::path::PathBuf;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use super::{
    error::{Findings, KeyPath},
    files::readable,
    oauth::positive,
    plan::{id_sentence, is_id},
    redact::{self, HeaderText, Secret},
    urls,
    value::Period,
};

/// What runs tools of a service.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpstreamConfig {
    /// Names it in logs, metrics and the assertion's `aud`.
    #[schemars(extend("x-allowed" = "letters, digits, - and _"))]
    pub id: String,
    /// How it is spoken to.
    pub kind: UpstreamKind,
    /// Where it is. An OpenAPI upstream may leave it to the document's `servers`.
    #[serde(default, serialize_with = "shown_url")]
    #[schemars(extend("x-allowed" = "an http or https URL"))]
    pub url: Option<String>,
    /// Worker: a file with its tools, an array of tool objects or `{"tools":[…]}`. A tool's `_meta["io.portero/domain"]`
    /// is the heading it comes under in `service tools --markdown`; clients are not told.
    #[schemars(extend("x-allowed" = "the path of a file", "x-default" = "`GET {url}/tools` is asked"))]
    pub catalog: Option<PathBuf>,
    /// Send a signed assertion of who calls what.
    #[serde(default)]
    pub assertion: bool,
    /// What tools need that no policy names.
    #[serde(default)]
    #[schemars(extend("x-default" = "`\"default\"`; `\"deny\"` for an MCP upstream"))]
    pub unlisted: Unlisted,
    /// How long a call may take.
    #[serde(default = "timeout")]
    pub timeout: Period,
    /// Headers sent with every request to it, such as the key it knows Portero by.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    #[schemars(with = "IndexMap<String, HeaderText>")]
    pub headers: IndexMap<String, Secret>,
    /// OpenAPI: the document's file, JSON or YAML.
    #[schemars(extend("x-allowed" = "the path of a file"))]
    pub document: Option<PathBuf>,
    /// OpenAPI: prefix of the three tools that find, describe and call any operation.
    #[schemars(extend("x-allowed" = "a prefix such as \"met\"", "x-default" = "none of the three tools"))]
    pub generic: Option<String>,
    /// OpenAPI: operations that are not to be reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<ExcludeConfig>,
}

/// How an upstream is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UpstreamKind {
    /// Plain HTTP: a POST for each tool.
    Worker,
    /// An MCP server over Streamable HTTP.
    Mcp,
    /// A REST API with an OpenAPI document.
    Openapi,
}

/// What tools need that no policy names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unlisted {
    /// The service's default scopes.
    #[default]
    Default,
    /// They are hidden.
    Deny,
}

/// An operation that is not to be reached, and what the model is told instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExcludeConfig {
    /// Its `operationId`, or a glob.
    pub operation: String,
    /// Why.
    pub reason: String,
    /// What to do in its place.
    pub instead: Option<String>,
}

fn timeout() -> Period {
    Period::seconds(30)
}

#[expect(clippy::ref_option, reason = "the signature is serde's")]
fn shown_url<S: Serializer>(url: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    url.as_deref().map(redact::url).serialize(serializer)
}

impl UpstreamConfig {
    pub(super) fn validate(&self, at: &KeyPath, out: &mut Findings) {
        out.refuse(!is_id(&self.id), &at.key("id"), id_sentence("upstream", &self.id));
        match &self.url {
            Some(url) => {
                if let Some(url) = urls::web(url, &at.key("url"), out) {
                    let surplus = url.query().is_some() || url.fragment().is_some();
                    out.refuse(
                        surplus,
                        &at.key("url"),
                        "has a query or fragment; a base URL without is allowed",
                    );
                }
            }
            None => out.refuse(
                self.kind != UpstreamKind::Openapi,
                &at.key("url"),
                "is missing; a worker and an MCP server have an http or https URL",
            ),
        }
        positive(self.timeout, &at.key("timeout"), out);
        self.validate_headers(&at.key("headers"), out);
        self.validate_kind(at, out);
    }

    fn validate_headers(&self, at: &KeyPath, out: &mut Findings) {
        for (name, value) in &self.headers {
            let known = http::HeaderName::try_from(name.as_str()).is_ok();
            out.refuse(!known, &at.key(name), "is no header name; letters, digits and - are allowed");
            let fits = http::HeaderValue::try_from(value.expose_secret()).is_ok();
            out.refuse(
                !fits,
                &at.key(name),
                "has a value that no header can carry; text in one line is allowed",
            );
        }
    }

    fn validate_kind(&self, at: &KeyPath, out: &mut Findings) {
        let openapi = self.kind == UpstreamKind::Openapi;
        let of_documents = [
            ("document", self.document.is_some()),
            ("generic", self.generic.is_some()),
            ("exclude", !self.exclude.is_empty()),
        ];
        for (key, present) in of_documents {
            out.refuse(
                present && !openapi,
                &at.key(key),
                "means nothing here; it is allowed with kind = \"openapi\"",
            );
        }
        out.refuse(
            self.catalog.is_some() && self.kind != UpstreamKind::Worker,
            &at.key("catalog"),
            "means nothing here; it is allowed with kind = \"worker\"",
        );
        out.refuse(
            openapi && self.document.is_none(),
            &at.key("document"),
            "is missing; an OpenAPI file is needed",
        );
        if let Some(generic) = &self.generic {
            out.refuse(
                !is_id(generic),
                &at.key("generic"),
                format!("{generic:?} is no tool prefix; up to 64 letters, digits, - and _ are allowed"),
            );
        }
        for (key, file) in [("catalog", &self.catalog), ("document", &self.document)] {
            if let Some(file) = file {
                readable(file, &at.key(key), out);
            }
        }
    }
}
