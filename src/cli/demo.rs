//! `portero demo`.

use std::path::PathBuf;

use super::Outcome;

/// Everything at once, to try.
#[derive(Debug, Clone, clap::Args)]
pub struct DemoArgs {
    /// Folder to keep the data in; a temporary one without it
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Port to listen on; 0 takes any that is free
    #[arg(long, default_value = "8080")]
    pub port: Option<u16>,
}

/// Runs the demo until it is stopped.
pub fn run(_args: &DemoArgs, _json: bool) -> Outcome {
    Outcome::Refused("demo is not linked into this program".to_owned())
}
