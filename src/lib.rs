//! OAuth 2.1 authorization server and MCP resource gateway.

pub mod cli;
pub mod config;
pub mod domain;
pub mod http;
pub mod mcp;
