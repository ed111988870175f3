//! OAuth 2.1 authorization server and MCP resource gateway.

pub mod app;
pub mod cli;
pub mod config;
pub mod domain;
pub mod gateway;
pub mod http;
pub mod identity;
pub mod mcp;
pub mod upstream;
