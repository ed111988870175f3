//! A document becomes operations: one file for each kind of object in it.

mod body;
mod id;
mod parameter;
mod paths;
mod response;
mod security;
mod servers;

pub(super) use paths::read as operations;
pub(super) use servers::read as servers;
