//! Runs Meteor's worker alone: `cargo run --example meteor-worker [-- --listen 127.0.0.1:9103]`.
//!
//! `--print` writes one of the files beside it, as its table says they are.

mod worker;

use std::io::Write as _;
use std::net::{SocketAddr, TcpListener};

use clap::Parser;

use worker::print;

/// Answers Meteor's tool calls and its REST API over plain HTTP.
#[derive(Parser)]
#[command(name = "meteor-worker")]
struct Options {
    /// Address to listen on.
    #[arg(long, default_value = "127.0.0.1:9103")]
    listen: SocketAddr,
    /// Print a file of the example instead of serving.
    #[arg(long, value_name = "WHAT")]
    print: Option<print::What>,
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let options = Options::parse();
    if let Some(what) = options.print {
        let text = print::text(what).map_err(std::io::Error::other)?;
        return std::io::stdout().write_all(text.as_bytes());
    }
    let listener = TcpListener::bind(options.listen)?;
    eprintln!("meteor-worker listens on http://{}", listener.local_addr()?);
    tokio::select! {
        served = worker::Worker::default().serve(listener) => served,
        interrupted = tokio::signal::ctrl_c() => interrupted,
    }
}
