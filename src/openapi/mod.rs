//! OpenAPI 3.0 and 3.1 as plain values: a document becomes operations with input schemas, and arguments become
//! HTTP requests. It knows no gateway and opens no connection; the one thing it reads is files.
//!
//! A document is an operator's, but often written by somebody else, and arguments come from a model: reading is
//! bounded in bytes, depth and expansion, and no argument reaches a place that its parameter does not name.

mod body;
pub mod document;
mod files;
mod findings;
mod media;
mod node;
pub mod operation;
mod parse;
mod read;
pub mod request;
mod sample;
mod schema;
pub mod search;
#[cfg(test)]
mod tests;

pub use document::Document;
pub use operation::{Alternative, Location, Operation, Parameter};
pub use request::{Fault, Request};
