//! Sessions of the revisions up to 2025-11-25, for services with upstreams that keep some.
mod seal;
mod wrap;
