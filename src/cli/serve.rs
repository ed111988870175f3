//! `portero serve`.

use std::path::Path;
use std::sync::Arc;

use super::Outcome;
use super::context;
use super::outcome::Failure;
use crate::app::Doors;
use crate::server::{Server, StartError};

/// The server.
#[derive(Debug, Clone, clap::Args)]
pub struct ServeArgs {}

/// Runs the server until it is stopped.
pub fn run(_args: &ServeArgs, config_path: &Path) -> Outcome {
    serve(config_path).into()
}

fn serve(config_path: &Path) -> Result<(), Failure> {
    let loaded = context::load(config_path)?;
    let _logs = crate::telemetry::init();
    for warning in &loaded.warnings {
        tracing::warn!("{warning}");
    }
    let config = Arc::new(loaded.config);
    actix_web::rt::System::new().block_on(async {
        let server = Server::build(config, Doors::system()).await?;
        tracing::info!(address = %server.address, public_url = %server.app.config.public_url, "ready");
        for service in &server.app.services {
            tracing::info!(service = %service.id, resource = %service.resource, issuer = %service.brand.issuer, "serves");
        }
        server.run().await
    })?;
    Ok(())
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Faults(_) => Self::Usage(error.to_string()),
            _ => Self::Refused(error.to_string()),
        }
    }
}
