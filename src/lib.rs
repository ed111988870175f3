//! Portero
pub mod app;
pub mod cli;
pub mod cluster;
pub mod config;
pub mod domain;
pub mod gateway;
pub mod http;
pub mod identity;
pub mod jobs;
pub mod mcp;
pub mod oauth;
pub mod pages;
pub mod store;
pub mod upstream;
