//! Runs Mico's worker alone: `cargo run --example mico-worker [-- --listen 127.0.0.1:9101]`.

mod worker;

use std::net::{SocketAddr, TcpListener};

use clap::Parser;

/// Answers Mico's tool calls over plain HTTP.
#[derive(Parser)]
#[command(name = "mico-worker")]
struct Options {
    /// Address to listen on.
    #[arg(long, default_value = "127.0.0.1:9101")]
    listen: SocketAddr,
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind(Options::parse().listen)?;
    eprintln!("mico-worker listens on http://{}", listener.local_addr()?);
    tokio::select! {
        served = worker::serve(listener) => served,
        interrupted = tokio::signal::ctrl_c() => interrupted,
    }
}
