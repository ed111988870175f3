//! `portero demo`.

use std::path::PathBuf;

use super::Outcome;

/// Everything at once, to try.
#[derive(Debug, Clone, clap::Args)]
pub struct DemoArgs {
    /// Folder to keep the data in; a temporary one without it
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Port to listen on; 0 takes any that is free [default: 8080, or any if that is taken]
    #[arg(long)]
    pub port: Option<u16>,
}

/// Runs the demo until it is stopped.
pub fn run(args: &DemoArgs, json: bool) -> Outcome {
    let _logs = crate::telemetry::init();
    let demo = crate::demo::run(args.data_dir.as_deref(), args.port, json);
    match actix_web::rt::System::new().block_on(demo) {
        Ok(()) => Outcome::Done,
        Err(error) => Outcome::Refused(error.to_string()),
    }
}
