//! Portero
pub mod domain;
