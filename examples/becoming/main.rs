//! Runs Becoming's worker alone: `cargo run --example becoming-worker [-- --listen 127.0.0.1:9104]`.

mod worker;

use std::net::{SocketAddr, TcpListener};

use clap::Parser;

/// Answers Becoming's tool calls over plain HTTP.
#[derive(Parser)]
#[command(name = "becoming-worker")]
struct Options {
    /// Address to listen on.
    #[arg(long, default_value = "127.0.0.1:9104")]
    listen: SocketAddr,
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind(Options::parse().listen)?;
    eprintln!("becoming-worker listens on http://{}", listener.local_addr()?);
    tokio::select! {
        served = worker::Worker::default().serve(listener) => served,
        interrupted = tokio::signal::ctrl_c() => interrupted,
    }
}
