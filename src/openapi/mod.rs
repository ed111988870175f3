//! REST APIs by their OpenAPI documents: pure, without I/O.

pub mod search;
