//! Durable truth: one file per aggregate, SQL as named constants beside the mapping of rows to the domain.
//!
//! The same statements run on SQLite and PostgreSQL; what differs is in `sql`. The store knows no HTTP:
//! what is absent is `Option`, what fails is [`StoreError`]. Every change of authority writes its row into
//! `changes` in its own transaction.

pub mod audit;
pub mod changes;
pub mod clients;
pub mod codes;
pub mod credits;
mod error;
pub mod external;
pub mod grants;
pub mod idempotency;
pub mod keys;
pub mod pats;
pub mod rotation;
pub mod sessions;
mod sql;
pub mod tokens;
pub mod transactions;
pub mod users;
pub mod verification;
pub mod workspaces;

pub use error::StoreError;
pub use sql::{Dialect, MigrationState, Store, Tx};
