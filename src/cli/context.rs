//! What a command stands on: the configuration and the database, without a running server.
//!
//! Each command is a process of its own beside the servers. What it changes goes into the change log in its own
//! transaction, and that is how they see it.

use std::{fmt, future::Future, path::Path, sync::Arc};

use super::outcome::Failure;
use crate::app::{self, Doors, brand::Brand};
use crate::config::{Config, Loaded};
use crate::domain::ids::{PlanId, UserId, WorkspaceId};
use crate::domain::user::User;
use crate::domain::workspace::Workspace;
use crate::identity::Identity;
use crate::store::{Dialect, Store};

/// The configuration, the store and the use-cases over it.
pub struct Context {
    /// The configuration.
    pub config: Arc<Config>,
    /// Tokens, people, revocation.
    pub identity: Identity,
    /// Time and randomness.
    pub doors: Doors,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Context")
    }
}

/// Loads the configuration, this process's environment laid over it.
pub fn load(config_path: &Path) -> Result<Loaded, Failure> {
    if !config_path.exists() {
        let path = config_path.display();
        return Err(Failure::usage(format!(
            "there is no {path}; run `portero init` or `portero demo`, or name a file with --config"
        )));
    }
    // a variable that is no UTF-8 can be none of ours
    let env = std::env::vars_os()
        .filter_map(|(name, text)| Some((name.into_string().ok()?, text.into_string().ok()?)));
    Ok(Config::load(config_path, env)?)
}

/// Opens the configured database, whatever it holds.
pub fn open_store(config: &Config, doors: &Doors) -> Result<Store, Failure> {
    Ok(Store::open(config.database.url.expose_secret(), Arc::clone(&doors.clock))?)
}

/// Sees that the database is as this program needs it: the embedded one is migrated at once, a served one only
/// where the configuration allows it.
pub async fn ensure_migrated(config: &Config, store: &Store) -> Result<(), Failure> {
    if store.is_migrated().await? {
        return Ok(());
    }
    if store.dialect() == Dialect::Postgres && !config.database.migrate {
        return Err(Failure::refused(
            "the database is not migrated; run `portero migrate`, or set database.migrate = true",
        ));
    }
    match store.migrate().await {
        Ok(()) => Ok(()),
        // another process may have been quicker
        Err(_) if store.is_migrated().await? => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Runs one command's work to its end on this thread.
pub fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Failure::refused(format!("cannot start: {error}")))?.block_on(work)
}

impl Context {
    /// Loads the configuration and prepares the database, whatever it holds: for `migrate`.
    pub fn connect(config_path: &Path) -> Result<Self, Failure> {
        Self::over(load(config_path)?.config, Doors::system())
    }

    /// Loads the configuration and opens the database, ready for use.
    pub async fn open(config_path: &Path) -> Result<Self, Failure> {
        let context = Self::connect(config_path)?;
        ensure_migrated(&context.config, &context.identity.store).await?;
        Ok(context)
    }

    /// Over a configuration and doors that are there already.
    pub fn over(config: Config, doors: Doors) -> Result<Self, Failure> {
        let store = open_store(&config, &doors)?;
        let identity = app::identity(&config, &doors, store);
        Ok(Self { config: Arc::new(config), identity, doors })
    }

    /// Closes the database.
    pub async fn close(&self) {
        self.identity.store.close().await;
    }

    /// The user that an id or a mail address names.
    pub async fn user(&self, named: &str) -> Result<User, Failure> {
        let store = &self.identity.store;
        let user = match store.user(&UserId::from(named)).await? {
            None => store.user_by_email(named).await?,
            found => found,
        };
        user.ok_or_else(|| {
            Failure::refused(format!("there is no user {named}; `portero user list` shows them"))
        })
    }

    /// The workspace of an id.
    pub async fn workspace(&self, id: &str) -> Result<Workspace, Failure> {
        let workspace = self.identity.store.workspace(&WorkspaceId::from(id)).await?;
        workspace.ok_or_else(|| {
            Failure::refused(format!("there is no workspace {id}; `portero workspace list` shows them"))
        })
    }

    /// The plan of a name, which must be configured.
    pub fn plan(&self, named: &str) -> Result<PlanId, Failure> {
        if self.config.plans.contains_key(named) {
            return Ok(PlanId::from(named));
        }
        let known = listed(self.config.plans.keys(), "there is none: add a [plans.ID] section");
        Err(Failure::usage(format!("{named:?} is no plan of the configuration; {known}")))
    }

    /// The brand of a name; without a name, the only one.
    pub fn brand(&self, named: Option<&str>) -> Result<Brand, Failure> {
        let brands = &self.config.brand;
        let known = || listed(brands.keys(), "there is none: add a [brand.ID] section");
        let found = match (named, brands.len()) {
            (Some(named), _) => brands.get_key_value(named),
            (None, 1) => brands.first(),
            (None, _) => return Err(Failure::usage(format!("say which brand with --brand; {}", known()))),
        };
        let (id, brand) = found.ok_or_else(|| {
            Failure::usage(format!("{:?} is no brand of the configuration; {}", named.unwrap_or(""), known()))
        })?;
        Ok(Brand::new(id, brand))
    }
}

/// What is allowed in the place of a name that is not.
pub fn listed<'a>(names: impl Iterator<Item = &'a String>, none: &str) -> String {
    let names: Vec<&str> = names.map(String::as_str).collect();
    match names.as_slice() {
        [] => none.to_owned(),
        [only] => format!("only {only} is there"),
        several => format!("there are {}", several.join(", ")),
    }
}
