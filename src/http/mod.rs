//! What every face of the server shares about HTTP.

pub mod record;
