//! The server: production and tests build the same thing.

mod listen;

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::{App as Actix, HttpServer, web};

use crate::admin;
use crate::app::{App, Doors};
use crate::config::{Config, DatabaseKind};
use crate::gateway::{self, Gateway};
use crate::identity::follow::Follower;
use crate::identity::keys::{Keys, KeysError};
use crate::jobs::{self, clock, credits_flush, sweep, usage_flush};
use crate::routes::Routes;
use crate::store::{Store, StoreError};
use listen::Parts;

const MIGRATE_AGAIN: Duration = Duration::from_secs(2);

/// Why a server does not start. Each text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The key file cannot be used.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// The database's file or URL cannot be used at all.
    #[error("database: {0}")]
    Store(#[from] StoreError),
    /// The database has to be migrated first.
    #[error("the database is not migrated: run `portero migrate`, or set `database.migrate = true`")]
    NotMigrated,
    /// The configuration cannot be run; one fault a line.
    #[error("{}", .0.join("\n"))]
    Faults(Vec<String>),
    /// The address is not to be had.
    #[error(
        "cannot listen on {address}: {error}; another program may be using the port (see `listen` and `admin_listen`)"
    )]
    Listen {
        /// Which address.
        address: SocketAddr,
        /// What the system says.
        error: std::io::Error,
    },
    /// The server broke off.
    #[error("the server stopped: {0}")]
    Io(#[from] std::io::Error),
}

/// A server that is ready to run.
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    /// Stops it.
    pub handle: ServerHandle,
    /// What it runs on, for tests and for the demo.
    pub app: web::Data<App>,
    /// Every path.
    pub routes: web::Data<Routes>,
    gateway: web::Data<Gateway>,
    edge: actix_web::dev::Server,
    admin: Option<actix_web::dev::Server>,
    migrated: bool,
}

impl Server {
    /// Opens everything and binds the port. A database or a worker that cannot be reached is a warning: the
    /// server comes up and answers 503 until they are back.
    pub async fn build(config: Arc<Config>, doors: Doors) -> Result<Self, StartError> {
        if config.cluster.redis_url.is_some() {
            tracing::warn!(
                "cluster.redis_url is not used in this version: nodes see changes within a quarter of a second"
            );
        }
        let keys = keys(&config, &doors)?;
        let store = Store::open(config.database.url.expose_secret(), Arc::clone(&doors.clock))?;
        let migrated = migrate(&config, &store).await?;
        let app = web::Data::new(App::new(Arc::clone(&config), doors, store, keys));
        let gateway = web::Data::new(Gateway::build(&app).await.map_err(StartError::Faults)?);
        let routes = web::Data::new(Routes::build(&app, &gateway).map_err(StartError::Faults)?);
        let (listener, address) = bind(config.listen)?;
        let admin = match config.admin_listen {
            Some(address) => Some(admin_server(app.clone(), bind(address)?.0)?),
            None => None,
        };
        let parts = Parts { app: app.clone(), gateway: gateway.clone(), routes: routes.clone() };
        let edge = listen::listen(listener, address, parts)?;
        Ok(Self { address, handle: edge.handle(), app, routes, gateway, edge, admin, migrated })
    }

    /// Serves until it is told to stop, with the jobs beside it. What was gathered is written before it returns.
    pub async fn run(mut self) -> Result<(), StartError> {
        let mut jobs = self.jobs();
        if let Some(admin) = self.admin.take() {
            jobs.push(actix_web::rt::spawn(async move {
                if let Err(error) = admin.await {
                    tracing::error!(%error, "the operator's listener stopped");
                }
            }));
        }
        let outcome = self.edge.await;
        for job in jobs {
            job.abort();
        }
        usage_flush::run_once(&self.app).await;
        credits_flush::run_once(&self.app).await;
        self.app.identity.store.close().await;
        Ok(outcome?)
    }

    fn jobs(&self) -> Vec<actix_web::rt::task::JoinHandle<()>> {
        let app = &self.app;
        let follower = Follower::new(
            app.identity.store.clone(),
            Arc::clone(&app.identity.verified),
            Arc::clone(&app.clock),
        );
        let mut jobs = vec![
            actix_web::rt::spawn(follower.run()),
            actix_web::rt::spawn(every(usage_flush::EVERY, app.clone(), async |app: &App| {
                usage_flush::run_once(app).await;
            })),
            actix_web::rt::spawn(every(credits_flush::EVERY, app.clone(), async |app: &App| {
                credits_flush::run_once(app).await;
            })),
            actix_web::rt::spawn(every(sweep::EVERY, app.clone(), async |app: &App| {
                sweep::run_once(app).await;
            })),
            actix_web::rt::spawn(clock::run(app.clone().into_inner())),
            actix_web::rt::spawn(jobs::keys::run(app.clone().into_inner())),
            actix_web::rt::spawn(gateway::keep_keys(
                self.gateway.clone().into_inner(),
                app.clone().into_inner(),
            )),
            actix_web::rt::spawn(gateway::keep_fresh(
                self.gateway.clone().into_inner(),
                app.clone().into_inner(),
            )),
        ];
        if !self.migrated {
            jobs.push(actix_web::rt::spawn(migrate_later(app.clone())));
        }
        jobs
    }
}

fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let listen = |error| StartError::Listen { address, error };
    let listener = TcpListener::bind(address).map_err(listen)?;
    let bound = listener.local_addr().map_err(listen)?;
    Ok((listener, bound))
}

fn admin_server(app: web::Data<App>, listener: TcpListener) -> Result<actix_web::dev::Server, StartError> {
    let server =
        HttpServer::new(move || Actix::new().app_data(app.clone()).default_service(web::to(admin::dispatch)));
    Ok(server.workers(1).disable_signals().listen(listener)?.run())
}

async fn every(pause: Duration, app: web::Data<App>, work: impl AsyncFn(&App)) {
    loop {
        actix_web::rt::time::sleep(pause).await;
        work(&app).await;
    }
}

fn keys(config: &Config, doors: &Doors) -> Result<Keys, KeysError> {
    let path: &Path = &config.keys.file;
    match config.database.kind() {
        // Several nodes share one file, so no node may make its own.
        Some(DatabaseKind::Postgres) => Keys::read(path),
        _ => Keys::read_or_make(path, doors.entropy.as_ref(), doors.clock.now()),
    }
}

fn migrates_itself(config: &Config) -> bool {
    config.database.migrate || !matches!(config.database.kind(), Some(DatabaseKind::Postgres))
}

/// True if the database is ready; false if it cannot be reached yet.
async fn migrate(config: &Config, store: &Store) -> Result<bool, StartError> {
    if let Err(error) = store.ping().await {
        tracing::error!(%error, "the database cannot be reached; answering 503 until it can");
        return Ok(false);
    }
    if migrates_itself(config) {
        store.migrate().await?;
        return Ok(true);
    }
    if store.is_migrated().await? { Ok(true) } else { Err(StartError::NotMigrated) }
}

async fn migrate_later(app: web::Data<App>) {
    loop {
        actix_web::rt::time::sleep(MIGRATE_AGAIN).await;
        match migrate(&app.config, &app.identity.store).await {
            Ok(true) => return tracing::info!("the database can be reached"),
            Ok(false) => {}
            Err(error) => tracing::error!(%error, "the database can be reached but not used"),
        }
    }
}
