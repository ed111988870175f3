//! The authorization server: every endpoint and the text it follows.
//!
//! | endpoint | file | text |
//! |---|---|---|
//! | metadata | [`metadata`] | RFC 8414, RFC 9728 |
//! | `/register` | [`register`] | RFC 7591 |
//! | `/authorize` | [`authorize`] | OAuth 2.1 §4.1, RFC 9207, RFC 8707 |
//! | `/token` | [`token`] | OAuth 2.1 §4.1.3, §4.3 |
//! | `/revoke` | [`revoke`] | RFC 7009 |
//! | `/introspect` | [`introspect`] | RFC 7662 |
//! | `/jwks.json` | [`jwks`] | RFC 7517 |

pub mod authorize;
pub mod client_auth;
mod engine;
pub mod error;
pub mod guess;
pub mod introspect;
pub mod jwks;
pub mod metadata;
pub mod redirect_allowlist;
pub mod register;
pub mod revoke;
pub mod token;
