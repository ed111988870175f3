//! Meteor's worker: a plain HTTP service that runs its tools and is its REST API, out of one table.
//!
//! It knows nothing of OAuth, MCP, plans or limits. A call has been checked by the time it gets here; headers say
//! whose it is. The folder names no crate path, so that another program can take it in by `#[path]`.
//!
//! | file | holds |
//! |---|---|
//! | `table`, `table/*.toml` | every operation: its route, its tool, what it takes, what it does |
//! | `does` | what an operation does, by the words of the table |
//! | `records` | listing, getting, creating, updating, deleting |
//! | `messages`, `tags`, `flows`, `runs`, `bulk`, `account`, `partners` | what is special |
//! | `arguments`, `text`, `fault` | reading what was asked, finding words, saying no |
//! | `world`, `call`, `seeds`, `state`, `time` | what there is, one turn at it, where it comes from, and when |
//! | `http` | the routes of tools and of the REST API |
//! | `print` | the files that come out of the table: catalogs, OpenAPI document, policies |

mod account;
mod arguments;
mod bulk;
mod call;
mod does;
mod fault;
mod flows;
mod http;
mod messages;
mod partners;
pub mod print;
mod records;
mod runs;
mod seeds;
mod state;
pub mod table;
mod tags;
#[cfg(test)]
mod tests;
mod text;
mod time;
mod world;

use std::io;
use std::net::TcpListener;
use std::sync::Arc;

/// Seconds since 1970, from whatever clock the program around it goes by.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// A worker. It keeps everything in memory: what is written is gone when it stops.
#[derive(Clone)]
pub struct Worker {
    /// What time it is.
    pub clock: Clock,
}

impl Default for Worker {
    fn default() -> Self {
        Self { clock: Arc::new(time::machine) }
    }
}

impl Worker {
    /// Serves the two owners of the sample data, `ana` and `bruno`, and the empty workspaces of everyone else,
    /// until the future is dropped.
    ///
    /// # Errors
    /// A listener that cannot be used, or a table or sample data that cannot be read.
    pub async fn serve(self, listener: TcpListener) -> io::Result<()> {
        http::run(self, listener).await
    }
}
