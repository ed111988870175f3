//! The rules as plain functions and values: no async, no I/O, no clock of its own.
//!
//! Everything here can be tested by calling it. Time and randomness come in through the two traits
//! [`clock::Clock`] and [`entropy::Entropy`].

pub mod brand;
pub mod change;
pub mod client;
pub mod clock;
pub mod credits;
pub mod decide;
pub mod entropy;
pub mod grant;
pub mod ids;
pub mod limit;
pub mod name;
pub mod obstacle;
pub mod pat;
pub mod pkce;
pub mod plan;
pub mod redirect_uri;
pub mod refresh;
pub mod resource;
pub mod scope;
pub mod secret;
pub mod service;
pub mod table;
pub mod tool;
pub mod user;
pub mod verified;
pub mod workspace;
