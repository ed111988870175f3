//! Becoming's tool worker: a plain HTTP service that keeps people's highlights, sources, notes and practices.
//!
//! It knows nothing of OAuth, MCP, plans or limits. A call has been checked by the time it gets here; headers say
//! whose it is, what their plan includes and how many credits are left. The folder names no crate path, so that
//! another program can take it in by `#[path]`.
//!
//! | file | holds |
//! |---|---|
//! | `http` | the routes and the headers |
//! | `tools` | tool name → function |
//! | `highlights`, `sources`, `passages`, `imports`, `sweep` | the library |
//! | `search`, `embedding`, `text` | full text, meaning, and both together |
//! | `themes`, `timeline`, `practices`, `plans`, `generations` | La Academia |
//! | `resources` | what is read by URI |
//! | `arguments`, `cursor`, `fault` | reading what was asked, pages, saying no |
//! | `world`, `seeds`, `state`, `time` | what there is, where it comes from, and when |

mod arguments;
mod cursor;
mod embedding;
mod fault;
mod generations;
mod highlights;
mod http;
mod imports;
mod passages;
mod plans;
mod practices;
mod resources;
mod search;
mod seeds;
mod sources;
mod state;
mod sweep;
#[cfg(test)]
mod tests;
mod text;
mod themes;
mod time;
mod timeline;
mod tools;
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
    /// Serves the two owners of the sample data, `ana` and `bruno`, and the empty libraries of everyone else,
    /// until the future is dropped.
    ///
    /// # Errors
    /// A listener that cannot be used, or sample data that cannot be read.
    pub async fn serve(self, listener: TcpListener) -> io::Result<()> {
        http::run(self, listener).await
    }
}
