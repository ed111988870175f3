//! Logs: one line a request and what the operator has to know, on standard error.
//!
//! `PORTERO_LOG` filters (`info` unless set, with actix's own start left out; the syntax is tracing's), `PORTERO_LOG_FORMAT=json` writes JSON.

mod lines;
mod request;

use std::io::IsTerminal as _;
use std::sync::OnceLock;

use tracing_subscriber::EnvFilter;

pub use lines::Guard;
use lines::Lines;
pub use request::RequestLine;

/// Where request lines go, and whether as JSON, once logging was started.
static REQUESTS: OnceLock<(Lines, bool)> = OnceLock::new();

/// Starts logging. Keep the guard: it writes what is left when it is dropped.
pub fn init() -> Guard {
    let (lines, guard) = Lines::start();
    let filter =
        EnvFilter::try_from_env("PORTERO_LOG").unwrap_or_else(|_| EnvFilter::new("info,actix_server=warn"));
    let json = std::env::var("PORTERO_LOG_FORMAT").is_ok_and(|format| format == "json");
    let _ = REQUESTS.set((lines.clone(), json));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(lines);
    if json {
        let _ = builder.json().flatten_event(true).with_current_span(false).try_init();
    } else {
        let _ = builder.with_ansi(std::io::stderr().is_terminal()).try_init();
    }
    guard
}
