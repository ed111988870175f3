//! Logs: one line a request and what the operator has to know, on standard error.
//!
//! `PORTERO_LOG` filters (`info` unless set; the syntax is tracing's), `PORTERO_LOG_FORMAT=json` writes JSON.

use std::io::IsTerminal as _;

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

/// Starts logging. Lines are written by a thread of their own, so that a slow terminal holds up no call; the
/// guard writes what is left when it is dropped.
pub fn init() -> WorkerGuard {
    // The thread flushes whenever it has caught up: under load many lines go out in one write.
    let out = std::io::BufWriter::with_capacity(64 * 1024, std::io::stderr());
    let (writer, guard) = NonBlockingBuilder::default().lossy(false).finish(out);
    let filter = EnvFilter::try_from_env("PORTERO_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer);
    if std::env::var("PORTERO_LOG_FORMAT").is_ok_and(|format| format == "json") {
        let _ = builder.json().flatten_event(true).with_current_span(false).try_init();
    } else {
        let _ = builder.with_ansi(std::io::stderr().is_terminal()).try_init();
    }
    guard
}
