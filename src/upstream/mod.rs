//! Everything that leaves this process over HTTP, and nothing else does.

pub mod assertion;
pub mod client;
mod h1;
pub mod identity_headers;
pub mod jwks;
pub mod mcp;
pub mod rest;
pub mod worker;
