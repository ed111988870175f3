//! Portero
pub mod cli;
pub mod cluster;
pub mod config;
pub mod domain;
pub mod identity;
pub mod store;
