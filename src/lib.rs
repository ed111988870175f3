//! Portero
pub mod cluster;
pub mod domain;
pub mod identity;
pub mod store;
