//! `portero service`.

use std::path::Path;

use super::Outcome;

/// What to do with services.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum ServiceCommand {
    /// List the configured services
    #[command(after_help = "Example:\n  portero service list")]
    List,
    /// See that upstreams answer and that their tools fit the policy
    #[command(after_help = "Example:\n  portero service check mico")]
    Check {
        /// Only this service
        service: Option<String>,
    },
    /// Print the tools
    #[command(after_help = "Example:\n  portero service tools mico --markdown")]
    Tools {
        /// Only this service
        service: Option<String>,
        /// As the caller with this token would see them
        #[arg(long = "as", value_name = "TOKEN")]
        as_token: Option<String>,
        /// As a Markdown page
        #[arg(long)]
        markdown: bool,
    },
}

/// Runs the command.
pub fn run(_command: &ServiceCommand, _config_path: &Path, _json: bool) -> Outcome {
    Outcome::Refused("service is not linked into this program".to_owned())
}
