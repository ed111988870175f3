//! Mico's tool worker: a plain HTTP service that answers eight questions about meetings.
//!
//! It knows nothing of OAuth, MCP, plans or limits. A call has been checked by the time it gets
//! here, and one header says whose it is. The folder names no crate path, so that another program
//! can take it in by `#[path]`.
//!
//! | file | holds |
//! |---|---|
//! | `http` | the routes and the headers |
//! | `tools` | tool name → function |
//! | `meetings`, `transcript`, `actions`, `shared` | the tools |
//! | `arguments`, `page`, `text` | reading what was asked, cutting pages, searching |
//! | `data` | the sample meetings of two owners, `ana` and `bruno` |

mod actions;
mod arguments;
mod data;
mod fault;
mod http;
mod meetings;
mod page;
mod shared;
#[cfg(test)]
mod tests;
mod text;
mod tools;
mod transcript;

use std::collections::BTreeMap;
use std::io;
use std::net::TcpListener;

use actix_web::web::ServiceConfig;
use serde_json::Value;

pub use tools::call;

/// The worker's routes, for an actix application that brings its own server.
/// A `Data<Worker>` in that application supplies the aliases.
pub fn routes(cfg: &mut ServiceConfig) {
    http::routes(cfg);
}

/// Serves the two owners under their own names until the future is dropped.
pub async fn serve(listener: TcpListener) -> io::Result<()> {
    Worker::default().serve(listener).await
}

/// What a tool answers: an HTTP status and a JSON body.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// 200, or why not: 400 for the arguments, 404 for what is not there, 500 for the data.
    pub status: u16,
    /// The result, or `{"error": "…"}`.
    pub body: Value,
}

/// A worker, with the ids that stand for the owners of its sample data.
#[derive(Clone, Debug, Default)]
pub struct Worker {
    /// Other id → owner, for a program whose users have ids of their own.
    pub aliases: BTreeMap<String, String>,
}

impl Worker {
    /// Serves on `listener` until the future is dropped.
    pub async fn serve(self, listener: TcpListener) -> io::Result<()> {
        http::run(self, listener).await
    }

    fn owner<'a>(&'a self, subject: &'a str) -> &'a str {
        self.aliases.get(subject).map_or(subject, String::as_str)
    }
}
