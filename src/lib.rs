//! Portero
pub mod domain;
pub mod http;
pub mod mcp;
