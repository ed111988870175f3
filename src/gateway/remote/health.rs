//! Whether a server is there: said in the log once per change, and asked again every second while it is not.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What is known of it.
pub struct Health {
    down: AtomicBool,
    doubted: AtomicBool,
    changed: AtomicBool,
    said: Mutex<String>,
}

impl Health {
    /// Nothing yet.
    pub const fn new() -> Self {
        Self {
            down: AtomicBool::new(false),
            doubted: AtomicBool::new(false),
            changed: AtomicBool::new(false),
            said: Mutex::new(String::new()),
        }
    }

    /// It does not answer, or not as a server does.
    pub fn lost(&self, [service, upstream]: &[String; 2], cause: &'static str) {
        self.doubt();
        if !self.down.swap(true, Ordering::AcqRel) {
            tracing::warn!(
                service,
                upstream,
                cause,
                "the MCP server does not answer; asking again every second"
            );
        }
    }

    /// It answers.
    pub fn found(&self, [service, upstream]: &[String; 2]) {
        if self.down.swap(false, Ordering::AcqRel) {
            tracing::info!(service, upstream, "the MCP server answers again");
        }
    }

    /// True while it does not answer.
    pub fn is_down(&self) -> bool {
        self.down.load(Ordering::Acquire)
    }

    /// What is known of it may not hold any more.
    pub fn doubt(&self) {
        self.doubted.store(true, Ordering::Release);
    }

    /// True if it is to be asked what it is. Asking takes the doubt away.
    pub fn take_doubt(&self) -> bool {
        self.doubted.swap(false, Ordering::AcqRel)
    }

    /// Its lists are others.
    pub fn changed(&self) {
        self.changed.store(true, Ordering::Release);
    }

    /// True if it is to be asked at once.
    pub fn take_restless(&self) -> bool {
        let changed = self.changed.swap(false, Ordering::AcqRel);
        changed || self.is_down() || self.doubted.load(Ordering::Acquire)
    }

    /// Says what is left out of its lists, unless that was the last thing said.
    pub fn complain(&self, [service, upstream]: &[String; 2], faults: &[String]) {
        let text = faults.join("; ");
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if *said != text {
            if !text.is_empty() {
                tracing::warn!(service, upstream, faults = text, "left out of the MCP server's lists");
            }
            *said = text;
        }
    }
}
