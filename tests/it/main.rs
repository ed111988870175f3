//! The black-box suite: real HTTP against a real server over a real database file.
#![cfg(test)]

mod support;

mod chaos;
mod cli;
mod cluster;
mod conformance;
mod gateway;
mod oauth;
mod pages;
mod permissions;
mod store;
mod systems;
