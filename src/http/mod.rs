//! What every face of the server shares about HTTP.

pub mod answer;
pub mod bearer;
pub mod body;
pub mod client_ip;
pub mod cookies;
pub mod cors;
pub mod csrf;
pub mod document;
pub mod edge;
pub mod members;
pub mod record;
pub mod session;
pub mod strict;
pub mod unread;
