//! The Model Context Protocol as plain values: reading messages and writing answers, without I/O.
//!
//! Everything here works on bytes and text that came from outside, so every function is total: hostile
//! input ends in a refusal, never in a panic, and never in work beyond its own length.

pub mod arguments;
pub mod batch;
pub mod canonical;
pub mod cap;
pub mod carry;
pub mod contents;
pub mod duplex;
pub mod error;
pub mod headers;
pub mod jsonrpc;
pub mod method;
pub mod offer;
pub mod own_result;
pub mod peer;
pub mod result;
pub mod sse;
pub mod tool;
pub mod translate;
pub mod tree;
pub mod uri;
pub mod uri_template;
pub mod version;
