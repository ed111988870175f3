//! One operation: what a model is told of it, and the request that its arguments make.

use http::{HeaderMap, Method};
use serde_json::{Map, Value, json};

use super::request::{Fault, Request};

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
        json!({"type": "object", "additionalProperties": false})
    }

    /// The JSON Schema (2020-12) of what a success answers, if that is JSON and described.
    pub fn output_schema(&self) -> Option<Value> {
        None
    }

    /// Arguments that are good against the input schema, with what is required; nothing if none could be found.
    pub fn example(&self) -> Option<Map<String, Value>> {
        Some(Map::new())
    }

    /// The request that these arguments make. They are taken as good against the input schema; what the schema
    /// cannot say is refused here.
    ///
    /// # Errors
    ///
    /// The argument that cannot stand where its parameter is.
    pub fn request(&self, arguments: &Map<String, Value>) -> Result<Request, Fault> {
        match arguments.keys().next() {
            Some(name) => Err(Fault { argument: name.clone(), reason: "is no argument".to_owned() }),
            None => Ok(Request { target: self.path.clone(), headers: HeaderMap::new(), body: None }),
        }
    }
}
