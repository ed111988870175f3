//! Connections: SQLite with one writer and several readers, PostgreSQL with one pool.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::{AnyPool, Connection as _};

use super::reader::Reader;
use crate::domain::change::Change;
use crate::domain::clock::Clock;
use crate::store::StoreError;

const CONNECTION_DEADLINE: Duration = Duration::from_secs(2);
const STATEMENT_DEADLINE_MS: u32 = 3000;

/// Which database this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Embedded, one node.
    Sqlite,
    /// Served, many nodes.
    Postgres,
}

pub(super) type Listener = Box<dyn Fn(&[Change]) + Send + Sync>;

/// The store. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    pub(super) writer: AnyPool,
    pub(in crate::store) reader: Reader,
    dialect: Dialect,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) committed: Arc<OnceLock<Listener>>,
}

impl Store {
    /// Prepares the pools for `url` without connecting yet, so that a database that is down at start is
    /// no reason not to start. A missing SQLite file is made with mode 0600.
    pub fn open(url: &str, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        sqlx::any::install_default_drivers();
        let unreadable = |error: sqlx::Error| StoreError::Unavailable(error.to_string());
        if let Some(path) = sqlite_path(url) {
            create_private(&path).map_err(|error| {
                StoreError::Unavailable(format!("cannot make or open {}: {error}", path.display()))
            })?;
            let options: AnyConnectOptions = url.parse().map_err(unreadable)?;
            let writer = sqlite_pool(1, "PRAGMA cache_size = -4000").connect_lazy_with(options.clone());
            let reader = Reader(sqlite_pool(5, "PRAGMA cache_size = -1000").connect_lazy_with(options));
            return Ok(Self { writer, reader, dialect: Dialect::Sqlite, clock, committed: Arc::default() });
        }
        let options: AnyConnectOptions = url.parse().map_err(unreadable)?;
        let pool = postgres_pool().connect_lazy_with(options);
        Ok(Self {
            writer: pool.clone(),
            reader: Reader(pool),
            dialect: Dialect::Postgres,
            clock,
            committed: Arc::default(),
        })
    }

    pub(in crate::store) fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }

    pub(in crate::store) fn writer(&self) -> &AnyPool {
        &self.writer
    }

    /// Which database this is.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Names the one function that hears of every change this process commits, before the committing call
    /// returns. Later calls are ignored.
    pub fn on_commit(&self, listener: impl Fn(&[Change]) + Send + Sync + 'static) {
        let _ = self.committed.set(Box::new(listener));
    }

    /// Asks the database for nothing, to see whether it answers.
    pub async fn ping(&self) -> Result<(), StoreError> {
        sqlx::query("SELECT 1").execute(&self.reader).await?;
        Ok(())
    }

    /// How far the database's clock is ahead of ours, in milliseconds; none where it has no clock of its own.
    pub async fn clock_offset(&self) -> Result<Option<i64>, StoreError> {
        if self.dialect == Dialect::Sqlite {
            return Ok(None);
        }
        let theirs: i64 = sqlx::query_scalar("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT")
            .fetch_one(&self.reader)
            .await?;
        Ok(Some(theirs - self.clock.now().millis()))
    }

    /// Closes every connection; what is asked afterwards fails as unavailable.
    pub async fn close(&self) {
        self.writer.close().await;
        self.reader.0.close().await;
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Store({:?})", self.dialect)
    }
}

/// The file of a `sqlite:` URL.
pub(super) fn sqlite_path(url: &str) -> Option<PathBuf> {
    let rest = url.strip_prefix("sqlite:")?;
    let rest = rest.strip_prefix("//").unwrap_or(rest);
    let rest = rest.split_once('?').map_or(rest, |(path, _)| path);
    Some(PathBuf::from(percent_encoding::percent_decode_str(rest).decode_utf8_lossy().as_ref()))
}

fn create_private(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

fn base(max: u32) -> AnyPoolOptions {
    AnyPoolOptions::new().max_connections(max).acquire_timeout(CONNECTION_DEADLINE)
}

/// Every connection has a cache of its own; what it does not hold is in the system's.
fn sqlite_pool(max: u32, cache: &'static str) -> AnyPoolOptions {
    base(max).test_before_acquire(false).after_connect(move |connection, _| {
        Box::pin(async move {
            for pragma in [
                "PRAGMA busy_timeout = 3000",
                "PRAGMA journal_mode = WAL",
                "PRAGMA synchronous = FULL",
                "PRAGMA secure_delete = ON",
                cache,
            ] {
                sqlx::query(pragma).execute(&mut *connection).await?;
            }
            Ok(())
        })
    })
}

/// A connection is tried after each use; before the next one again only if that was longer ago.
const TRIED: Duration = Duration::from_secs(1);

fn postgres_pool() -> AnyPoolOptions {
    let pool = base(16).test_before_acquire(false).before_acquire(|connection, meta| {
        Box::pin(async move {
            if meta.idle_for > TRIED {
                connection.ping().await?;
            }
            Ok(true)
        })
    });
    pool.after_connect(|connection, _| {
        Box::pin(async move {
            let statement = format!("SET statement_timeout = {STATEMENT_DEADLINE_MS}");
            sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&mut *connection).await?;
            sqlx::query("SET lock_timeout = 3000").execute(&mut *connection).await?;
            // compiling pays for statements that read much; each of these finds a few rows by their index
            sqlx::query("SET jit = off").execute(&mut *connection).await?;
            Ok(())
        })
    })
}
