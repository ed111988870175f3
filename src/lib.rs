//! OAuth 2.1 authorization server and MCP resource gateway.

pub mod pages;
