//! What is fast and may be lost: the verification cache and counters. Losing any of it makes an answer slower,
//! never wrong.

pub mod counters;
pub mod freshness;
mod generations;
pub mod known;
pub mod limits;
mod names;
pub mod verified;
