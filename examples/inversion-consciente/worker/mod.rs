//! Inversión Consciente's tool worker: a plain HTTP service with a magazine's articles and its readers' chats.
//!
//! It knows nothing of OAuth, MCP sessions or schemas. A call has been checked by the time it gets here, and one
//! header says whose it is; without that header it is nobody's, and what is public is all there is. The folder
//! names no crate path, so that another program can take it in by `#[path]`.
//!
//! | file | holds |
//! |---|---|
//! | `http` | the routes, the headers, how answers are written |
//! | `tools` | tool name → function |
//! | `articles` | the three tools that anybody may use |
//! | `chat` | the two tools of the person |
//! | `arguments`, `text` | reading what was asked, searching |
//! | `data` | the articles, and the conversations of two owners, `ana` and `bruno` |

mod arguments;
mod articles;
mod chat;
mod data;
mod fault;
mod http;
#[cfg(test)]
mod tests;
mod text;
mod tools;

use std::collections::BTreeMap;
use std::io;
use std::net::TcpListener;

use actix_web::web::ServiceConfig;
use jiff::Timestamp;

pub use fault::Fault;
pub use tools::call;

/// The worker's routes, for an actix application that brings its own server.
/// A `Data<Worker>` in that application supplies the aliases and the time.
pub fn routes(cfg: &mut ServiceConfig) {
    http::routes(cfg);
}

/// A worker, with the ids that stand for the owners of its sample data.
#[derive(Clone, Debug, Default)]
pub struct Worker {
    /// Other id → owner, for an issuer whose users have ids of their own.
    pub aliases: BTreeMap<String, String>,
    /// The time it believes it is; the machine's if there is none. Conversations end a little before it.
    pub now: Option<Timestamp>,
}

impl Worker {
    /// Serves on `listener` until the future is dropped.
    pub async fn serve(self, listener: TcpListener) -> io::Result<()> {
        http::run(self, listener).await
    }

    fn owner<'a>(&'a self, subject: &'a str) -> &'a str {
        self.aliases.get(subject).map_or(subject, String::as_str)
    }

    #[expect(clippy::disallowed_methods, reason = "a program of its own, with the machine's clock")]
    fn time(&self) -> Timestamp {
        self.now.unwrap_or_else(Timestamp::now)
    }
}
