//! STUB of the identity use-cases: only what the gateway calls.

pub mod verify;
