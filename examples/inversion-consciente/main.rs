//! Runs the magazine's worker alone:
//! `cargo run --example inversion-consciente-worker [-- --listen 127.0.0.1:9102 --owner SUBJECT=ana]`.

mod worker;

use std::net::{SocketAddr, TcpListener};

use clap::Parser;

/// Answers Inversión Consciente's tool calls over plain HTTP.
#[derive(Parser)]
#[command(name = "inversion-consciente-worker")]
struct Options {
    /// Address to listen on.
    #[arg(long, default_value = "127.0.0.1:9102")]
    listen: SocketAddr,
    /// Somebody who stands for an owner of the sample conversations, `ana` or `bruno`.
    #[arg(long, value_name = "SUBJECT=OWNER", value_parser = alias)]
    owner: Vec<(String, String)>,
}

fn alias(text: &str) -> Result<(String, String), String> {
    let (subject, owner) = text.split_once('=').ok_or("SUBJECT=OWNER is expected, such as 7c0e…=ana")?;
    Ok((subject.to_owned(), owner.to_owned()))
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let options = Options::parse();
    let listener = TcpListener::bind(options.listen)?;
    eprintln!("inversion-consciente-worker listens on http://{}", listener.local_addr()?);
    let worker = worker::Worker { aliases: options.owner.into_iter().collect(), now: None };
    tokio::select! {
        served = worker.serve(listener) => served,
        interrupted = tokio::signal::ctrl_c() => interrupted,
    }
}
