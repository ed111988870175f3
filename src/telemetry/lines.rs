//! Where log lines gather: threads append, one thread writes out twenty times a second.
//!
//! Handing every line to another thread would wake that thread for every request; a write a line would be a system
//! call a request. So a line is an append under a short lock.

use std::io::{self, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

const EVERY: Duration = Duration::from_millis(50);
/// Beyond this the thread that logs writes out itself, so that a slow reader costs time and not memory.
const FULL: usize = 1024 * 1024;

/// The gathered lines.
#[derive(Clone, Default)]
pub struct Lines(Arc<Mutex<Vec<u8>>>);

/// Writes out what is left when it is dropped.
pub struct Guard {
    lines: Lines,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Lines {
    /// Begins to write out what gathers.
    pub fn start() -> (Self, Guard) {
        let lines = Self::default();
        let (stop, stopped) = mpsc::channel();
        let own = lines.clone();
        let thread = std::thread::Builder::new().name("log".to_owned()).spawn(move || {
            while stopped.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                own.write_out();
            }
        });
        let guard = Guard { lines: lines.clone(), stop: Some(stop), thread: thread.ok() };
        (lines, guard)
    }

    fn write_out(&self) {
        let gathered = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if !gathered.is_empty() {
            // A log that cannot be written is no reason to stop serving.
            let _ = io::stderr().lock().write_all(&gathered);
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        self.lines.write_out();
    }
}

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let full = {
            let mut gathered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            gathered.extend_from_slice(line);
            gathered.len() > FULL
        };
        if full {
            self.write_out();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}
