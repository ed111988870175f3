//! `portero serve`.

use std::path::Path;

use super::Outcome;

/// The server.
#[derive(Debug, Clone, clap::Args)]
pub struct ServeArgs {}

/// Runs the server until it is stopped.
pub fn run(_args: &ServeArgs, _config_path: &Path) -> Outcome {
    Outcome::Refused("serve is not linked into this program".to_owned())
}
