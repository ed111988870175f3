//! One operation: what a model is told of it, and the request that its arguments make.

use std::sync::Arc;

use http::{HeaderValue, Method};
use serde_json::{Map, Value};

use super::body::Body;
use super::request::{self, Fault, Request};
use super::sample;
use super::schema::{Fragment, Schemas, Side};

/// One operation of a document.
#[derive(Debug, Clone)]
pub struct Operation {
    /// `operationId`, or a name made of method and path.
    pub id: String,
    /// The method.
    pub method: Method,
    /// The path template, as the document writes it.
    pub path: String,
    /// `summary`, which may be empty.
    pub summary: String,
    /// `description`, which may be long or empty.
    pub description: String,
    /// `tags`.
    pub tags: Vec<String>,
    /// True if nobody should use it any more.
    pub deprecated: bool,
    /// What a caller needs, one of these; empty if the document says nothing.
    pub security: Vec<Alternative>,
    /// Base URLs of its own, instead of the document's; mostly empty.
    pub servers: Vec<String>,
    /// Why it cannot be called through a model: bytes do not pass through its context.
    pub unavailable: Option<String>,
    /// Its parameters, those that an argument cannot set left out.
    pub parameters: Vec<Parameter>,
    pub(super) parts: Parts,
}

/// What schemas and requests are made of.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts {
    pub(super) input: Fragment,
    pub(super) output: Option<Fragment>,
    pub(super) body: Option<Body>,
    pub(super) accept: Option<HeaderValue>,
    pub(super) schemas: Arc<Schemas>,
}

/// One way to be allowed: all of it is needed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Alternative {
    /// Names of security schemes; none means that anybody may call.
    pub schemes: Vec<String>,
    /// The scopes (or roles) that those schemes ask for, each once.
    pub scopes: Vec<String>,
}

impl Alternative {
    /// True if no credential is needed.
    pub fn is_public(&self) -> bool {
        self.schemes.is_empty()
    }
}

/// Where a parameter stands in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Location {
    /// In the path.
    Path,
    /// In the query.
    Query,
    /// A header.
    Header,
    /// A cookie.
    Cookie,
}

impl Location {
    /// All of them, in the order in which they choose names for arguments.
    pub const ALL: [Self; 4] = [Self::Path, Self::Query, Self::Header, Self::Cookie];

    /// The word of a document.
    pub fn label(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
        }
    }

    /// By the word of a document.
    pub(super) fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.label() == word)
    }
}

/// How arrays and objects become text (OpenAPI 3.1.1 §4.8.12.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Simple,
    Label,
    Matrix,
    Form,
    Space,
    Pipe,
    Deep,
}

impl Style {
    /// The style where none is named.
    pub(super) fn usual(location: Location) -> Self {
        match location {
            Location::Path | Location::Header => Self::Simple,
            Location::Query | Location::Cookie => Self::Form,
        }
    }

    /// By its word, if the location may have it.
    pub(super) fn of(location: Location, word: &str) -> Option<Self> {
        match (location, word) {
            (Location::Path | Location::Header, "simple") => Some(Self::Simple),
            (Location::Path, "label") => Some(Self::Label),
            (Location::Path, "matrix") => Some(Self::Matrix),
            (Location::Query | Location::Cookie, "form") => Some(Self::Form),
            (Location::Query, "spaceDelimited") => Some(Self::Space),
            (Location::Query, "pipeDelimited") => Some(Self::Pipe),
            (Location::Query, "deepObject") => Some(Self::Deep),
            _ => None,
        }
    }
}

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    /// In a style.
    Styled { style: Style, explode: bool, reserved: bool },
    /// As JSON.
    Json,
    /// As text, JSON where it is none.
    Text,
}

/// A parameter, as its argument is called and as the request names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The argument's name.
    pub argument: String,
    /// The name in the request.
    pub name: String,
    /// Where it stands.
    pub location: Location,
    /// True if a call has to have it.
    pub required: bool,
    /// `description`, which may be empty.
    pub description: String,
    pub(super) wire: Wire,
}

impl Operation {
    /// True if it only reads: GET and HEAD (RFC 9110 §9.2.1).
    pub fn reads(&self) -> bool {
        self.method == Method::GET || self.method == Method::HEAD
    }

    /// True for DELETE.
    pub fn deletes(&self) -> bool {
        self.method == Method::DELETE
    }

    /// The JSON Schema (2020-12) of the arguments, self-contained; put together anew for each asking.
    pub fn input_schema(&self) -> Value {
        self.parts.schemas.side(Side::Input).assemble(&self.parts.input)
    }

    /// The JSON Schema (2020-12) of what a success answers, if that is JSON and described.
    pub fn output_schema(&self) -> Option<Value> {
        let output = self.parts.output.as_ref()?;
        Some(self.parts.schemas.side(Side::Output).assemble(output))
    }

    /// Arguments that are good against the input schema, with what is required; nothing if none could be found.
    pub fn example(&self) -> Option<Map<String, Value>> {
        sample::arguments(&self.input_schema(), sample::Extent::Required)
    }

    /// The same with every argument that there is.
    pub fn full_example(&self) -> Option<Map<String, Value>> {
        sample::arguments(&self.input_schema(), sample::Extent::Everything)
    }

    /// The media type of the body, if there may be one.
    pub fn body_type(&self) -> Option<&HeaderValue> {
        self.parts.body.as_ref().map(|body| &body.media)
    }

    /// True if an argument stands in the body.
    pub fn is_in_body(&self, argument: &str) -> bool {
        self.parts.body.as_ref().is_some_and(|body| body.takes(argument))
    }

    /// The request that these arguments make. They are taken as good against the input schema; what the schema
    /// cannot say is refused here.
    ///
    /// # Errors
    ///
    /// The argument that cannot stand where its parameter is.
    pub fn request(&self, arguments: &Map<String, Value>) -> Result<Request, Fault> {
        request::build(self, arguments)
    }
}
