//! Pools, transactions, migrations and the few places where the two databases differ.

mod migrate;
mod pool;
mod reader;
mod row;
mod transaction;

pub use migrate::MigrationState;
pub use pool::{Dialect, Store};
pub(super) use row::RowExt;
pub use transaction::Tx;
