//! The newcomer's world: the Mico example with its worker, a person, a token, and what to paste where. Needs no
//! file, no network and no other program.

mod guide;
#[path = "../../examples/mico/worker/mod.rs"]
pub mod worker;

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::{Table, Value};

use crate::app::doors::{OsEntropy, SystemClock};
use crate::app::{App, Doors};
use crate::config::Config;
use crate::domain::ids::PlanId;
use crate::domain::pat::Mode;
use crate::domain::scope::ScopeSet;
use crate::domain::secret::base62;
use crate::identity::issue::NewPat;
use crate::identity::people::NewUser;
use crate::server::{Server, StartError};

const TOML: &str = include_str!("../../examples/mico/portero.toml");
const TOOLS: &str = include_str!("../../examples/mico/mico-tools.json");
/// The owner of the sample meetings.
const OWNER: &str = "ana";
const EMAIL: &str = "ana@example.com";
const PORT: u16 = 8080;

/// Why the demo does not come up.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// A file or port is not to be had.
    #[error("{0}: {1}")]
    Io(String, std::io::Error),
    /// The example's own configuration is at fault.
    #[error("the example's configuration: {0}")]
    Config(String),
    /// The server does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The person or the token could not be made.
    #[error("the demo's person could not be made: {0}")]
    Person(String),
}

/// What the demo shows.
pub(crate) struct World {
    /// The MCP endpoint.
    pub endpoint: String,
    /// Where people sign in.
    pub base: String,
    /// The person's mail address.
    pub email: &'static str,
    /// Their password, made at this start.
    pub password: String,
    /// A personal access token, made at this start.
    pub token: String,
    /// The configuration file that commands can be given.
    pub config: PathBuf,
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
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(at)?;
    let worker = listener.local_addr().map_err(at)?;
    let config = write_config(&dir, choose_port(port), worker)?;
    let loaded =
        Config::load(&config, std::iter::empty()).map_err(|faults| DemoError::Config(faults.to_string()))?;
    let doors = Doors { clock: Arc::new(SystemClock), entropy: Arc::new(OsEntropy) };
    let server = Server::build(Arc::new(loaded.config), doors).await?;
    let worker = actix_web::rt::spawn(worker::serve(listener));
    let world = people(&server.app, config).await?;
    guide::print(&world, json);
    server.run().await?;
    worker.abort();
    Ok(())
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

/// The example's configuration for this machine, in the demo's folder, so that commands can be given it.
fn write_config(dir: &Path, port: u16, worker: SocketAddr) -> Result<PathBuf, DemoError> {
    let broken = |what: &str| DemoError::Config(format!("{what} is missing"));
    let mut table: Table = TOML.parse().map_err(|error| DemoError::Config(format!("{error}")))?;
    let base = format!("http://127.0.0.1:{port}");
    let public =
        table.get("public_url").and_then(Value::as_str).ok_or_else(|| broken("public_url"))?.to_owned();
    let own_url = |value: &Value| Value::from(value.as_str().unwrap_or_default().replace(&public, &base));
    table.insert("public_url".into(), base.clone().into());
    table.insert("listen".into(), format!("127.0.0.1:{port}").into());
    table.remove("admin_listen");
    table.insert("database".into(), Table::from_iter([("url".into(), "sqlite://demo.db".into())]).into());
    let brand =
        table.get_mut("brand").and_then(|brands| brands.get_mut("mico")).ok_or_else(|| broken("brand"))?;
    rewrite(brand, "issuer", own_url);
    let services = table.get_mut("service").and_then(Value::as_array_mut);
    let service = services.and_then(|services| services.first_mut()).ok_or_else(|| broken("service"))?;
    rewrite(service, "resource", own_url);
    if let Some(own) = service.as_table_mut() {
        own.remove("protocol_versions");
    }
    let upstreams = service.get_mut("upstream").and_then(Value::as_array_mut);
    let upstream = upstreams.and_then(|all| all.first_mut()).ok_or_else(|| broken("upstream"))?;
    rewrite(upstream, "url", |_| format!("http://{worker}").into());
    let path = dir.join("portero.toml");
    let write = |path: &Path, text: &str| {
        std::fs::write(path, text).map_err(|error| DemoError::Io(path.display().to_string(), error))
    };
    write(&path, &toml::to_string_pretty(&table).map_err(|error| DemoError::Config(error.to_string()))?)?;
    write(&dir.join("mico-tools.json"), TOOLS)?;
    Ok(path)
}

fn rewrite(table: &mut Value, key: &str, with: impl Fn(&Value) -> Value) {
    if let Some(value) = table.get_mut(key) {
        *value = with(value);
    }
}

/// The person, with a password and a token of this start.
async fn people(app: &App, config: PathBuf) -> Result<World, DemoError> {
    let failed = |error: &dyn std::fmt::Display| DemoError::Person(error.to_string());
    let mut bits = [0u8; 9];
    app.entropy.fill(&mut bits);
    let password = base62(&bits, 13);
    let identity = &app.identity;
    let known = identity.store.user_by_email(EMAIL).await.map_err(|error| failed(&error))?;
    let user = if let Some(user) = known {
        identity.set_password(&user.id, &password, None).await.map_err(|error| failed(&error))?;
        user.id
    } else {
        let new = NewUser {
            email: EMAIL,
            name: "Ana",
            external_id: Some(OWNER),
            password: Some(&password),
            plan: Some(&PlanId::from("flow")),
        };
        identity.create_user(new).await.map_err(|error| failed(&error))?.0.id
    };
    let service = app.services.first().ok_or_else(|| failed(&"no service"))?;
    let workspace = identity.workspace_for(&user, None, None).await.map_err(|error| failed(&error))?;
    let new = NewPat {
        tokens: &service.brand.tokens,
        user: &user,
        workspace: &workspace.ok_or_else(|| failed(&"no workspace"))?,
        name: "demo",
        scopes: service.scopes.iter().collect::<ScopeSet>(),
        mode: Mode::Live,
        expires_at: None,
    };
    let made = identity.create_pat(new).await.map_err(|error| failed(&error))?;
    let (_, token) = made.ok_or_else(|| failed(&"the account is locked"))?;
    Ok(World {
        endpoint: service.resource.clone(),
        base: app.config.public_url.clone(),
        email: EMAIL,
        password,
        token: token.expose().to_owned(),
        config,
    })
}
