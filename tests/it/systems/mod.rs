//! Whole systems, as their documents promise them to customers.
//!
//! Each document's statements are numbered. A check is run under the number of the statement it holds, and a system's
//! last test fails if a number has no check.

mod becoming;
mod inversion_consciente;
mod meteor;
mod mico;

use std::future::Future;
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;

/// One check of one statement; a failure names it.
fn statement(id: &str, check: impl FnOnce()) {
    if let Err(cause) = catch_unwind(AssertUnwindSafe(check)) {
        let said = cause.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| cause.downcast_ref::<&str>().copied()).unwrap_or_default();
        panic!("{id} does not hold: {said}");
    }
}

/// Asserts that every statement of a document has its check in these sources; some numbers were never given.
fn assert_all_checked(letter: char, numbers: RangeInclusive<u32>, never_given: &[u32], sources: &[&str]) {
    // Only quoted numbers count: those that a check is run under.
    let unchecked: Vec<String> = numbers
        .filter(|number| !never_given.contains(number))
        .map(|number| format!("\"{letter}{number:03}\""))
        .filter(|id| !sources.iter().any(|text| text.contains(id.as_str())))
        .collect();
    assert!(unchecked.is_empty(), "{unchecked:?}");
}

/// An example's worker on a thread of its own, until it is dropped.
struct Running {
    url: String,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn start<F: Future<Output = io::Result<()>>>(
        serve: impl FnOnce(TcpListener) -> F + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let thread = std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                tokio::select! {
                    served = serve(listener) => served.unwrap(),
                    // it is dropped with what holds it
                    _ = stopped => {}
                }
            });
        });
        Self { url, stop: Some(stop), thread: Some(thread) }
    }
}

impl Running {
    /// A connection that its one thread of work holds.
    fn witness(&self) -> io::Result<TcpStream> {
        let mut witness = TcpStream::connect(self.url.trim_start_matches("http://"))?;
        witness.set_read_timeout(Some(Duration::from_secs(5)))?;
        witness.write_all(b"GET /healthz HTTP/1.1\r\nHost: worker\r\n\r\n")?;
        let _ = witness.read(&mut [0; 1024])?;
        Ok(witness)
    }
}

impl Drop for Running {
    /// It has gone when what it held is closed: until then its thread may still answer on connections that are kept.
    fn drop(&mut self) {
        let witness = self.witness();
        drop(self.stop.take());
        let ended = self.thread.take().map(JoinHandle::join);
        let _ = witness.and_then(|mut witness| witness.read_to_end(&mut Vec::new()));
        assert!(std::thread::panicking() || matches!(ended, Some(Ok(()))), "the worker broke");
    }
}

/// The members of an object in their order.
fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap_or_else(|| panic!("no object: {value}")).keys().map(String::as_str).collect()
}
