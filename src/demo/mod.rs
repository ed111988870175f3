//! The newcomer's world: the example systems with their workers, a person, tokens, and what to paste where. Needs no
//! file, no network and no other program.

mod configuration;
pub mod examples;
mod guide;
mod issuer;
mod people;

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use configuration::Addresses;
use examples::ALL;
use issuer::Issuer;

use crate::app::Doors;
use crate::app::doors::{OsEntropy, SystemClock};
use crate::config::Config;
use crate::server::{Server, StartError};

const PORT: u16 = 8080;

/// Why the demo does not come up.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// A file or port is not to be had.
    #[error("{0}: {1}")]
    Io(String, std::io::Error),
    /// The example's own configuration is at fault.
    #[error("the examples' configuration: {0}")]
    Config(String),
    /// The server does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The person or the tokens could not be made.
    #[error("the demo's person could not be made: {0}")]
    Person(String),
}

/// Runs the demo until it is stopped. Without a folder everything is gone afterwards; `port` 0 takes any.
pub async fn run(data_dir: Option<&Path>, port: Option<u16>, json: bool) -> Result<(), DemoError> {
    let temporary = match data_dir {
        Some(_) => None,
        None => Some(tempfile::tempdir().map_err(|error| DemoError::Io("a temporary folder".into(), error))?),
    };
    let dir = data_dir.or(temporary.as_ref().map(tempfile::TempDir::path)).unwrap_or(Path::new("."));
    let at = |error| DemoError::Io(dir.display().to_string(), error);
    std::fs::create_dir_all(dir).map_err(at)?;
    let dir = dir.canonicalize().map_err(at)?;
    let doors = Doors { clock: Arc::new(SystemClock), entropy: Arc::new(OsEntropy) };
    let issuer = Issuer::new(&doors).ok_or_else(|| DemoError::Person("no key could be made".to_owned()))?;
    let (keys, issuer_address) = listener()?;
    let mut beside = vec![actix_web::rt::spawn(issuer::serve(issuer.published(), keys))];
    let mut workers = Vec::with_capacity(ALL.len());
    for example in &ALL {
        let (listener, address) = listener()?;
        beside.push(actix_web::rt::spawn((example.worker)(listener)));
        workers.push(address);
    }
    let config = write(&dir, &Addresses { port: choose_port(port), workers, issuer: issuer_address })?;
    let loaded =
        Config::load(&config, std::iter::empty()).map_err(|faults| DemoError::Config(faults.to_string()))?;
    let server = Server::build(Arc::new(loaded.config), doors).await?;
    let world = people::people(&server.app, &issuer, config).await?;
    guide::print(&world, json);
    server.run().await?;
    for task in beside {
        task.abort();
    }
    Ok(())
}

/// Any free port of this machine's own.
fn listener() -> Result<(TcpListener, SocketAddr), DemoError> {
    let at = |error| DemoError::Io("a port of this machine".to_owned(), error);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(at)?;
    let address = listener.local_addr().map_err(at)?;
    Ok((listener, address))
}

/// The asked port; else the usual one, or any if that is taken.
fn choose_port(asked: Option<u16>) -> u16 {
    let free = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).and_then(|own| own.local_addr());
    match asked {
        Some(port) if port > 0 => port,
        Some(_) => free(0).map_or(PORT, |address| address.port()),
        None => free(PORT).or_else(|_| free(0)).map_or(PORT, |address| address.port()),
    }
}

/// The examples' configuration for this machine, in the demo's folder, so that commands can be given it.
fn write(dir: &Path, at: &Addresses) -> Result<PathBuf, DemoError> {
    let table = configuration::merged(&ALL, at).map_err(DemoError::Config)?;
    let text = toml::to_string_pretty(&table).map_err(|error| DemoError::Config(error.to_string()))?;
    let put = |path: &Path, text: &str| {
        std::fs::write(path, text).map_err(|error| DemoError::Io(path.display().to_string(), error))
    };
    let path = dir.join("portero.toml");
    put(&path, &text)?;
    for (name, text) in ALL.iter().flat_map(|example| example.files) {
        put(&dir.join(name), text)?;
    }
    Ok(path)
}
