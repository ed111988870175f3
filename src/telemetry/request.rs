//! The one line of a request.
//!
//! It is written straight to where lines gather: laid out by the general machinery it cost more than checking the
//! token. Where logging was not started by [`super::init`] (in tests) it goes through tracing like everything else.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::Write as _;

use serde::Serialize;

use super::REQUESTS;

/// What is logged of a request: neither headers nor queries, since credentials travel there.
#[derive(Debug, Serialize)]
pub struct RequestLine<'a> {
    /// When it was answered, in milliseconds since the Unix epoch.
    pub at: i64,
    /// Its id.
    pub id: &'a str,
    /// Where it came from.
    pub address: std::net::IpAddr,
    /// Its method.
    pub method: &'a str,
    /// Its path.
    pub path: &'a str,
    /// The status of the answer.
    pub status: u16,
    /// The service that was asked, or `-`.
    pub service: &'a str,
    /// The tool that was called, or `-`.
    pub tool: &'a str,
    /// What was decided, or `-`.
    pub decision: &'a str,
    /// How long it took, in milliseconds.
    pub ms: u128,
}

thread_local! {
    static BUFFER: RefCell<String> = const { RefCell::new(String::new()) };
}

impl RequestLine<'_> {
    /// Writes the line, if lines of requests are wanted.
    pub fn write(&self) {
        if !tracing::enabled!(target: "request", tracing::Level::INFO) {
            return;
        }
        let Some((lines, json)) = REQUESTS.get() else { return self.trace() };
        BUFFER.with_borrow_mut(|text| {
            text.clear();
            self.lay_out(*json, text);
            let _ = lines.clone().write_all(text.as_bytes());
        });
    }

    fn trace(&self) {
        let Self { at: _, id, address, method, path, status, service, tool, decision, ms } = self;
        tracing::info!(target: "request", id, %address, method, path, status, service, tool, decision, ms);
    }

    fn lay_out(&self, json: bool, text: &mut String) {
        if json {
            text.push_str(&serde_json::to_string(self).unwrap_or_default());
            text.push('\n');
            return;
        }
        let Self { at, id, address, method, path, status, service, tool, decision, ms } = self;
        let when = jiff::Timestamp::from_millisecond(*at).unwrap_or_default();
        // What a client chose is quoted, so that no path can be read as another line or field.
        let _ = writeln!(
            text,
            "{when:.3}  INFO request: id={id} address={address} method={method} path={path:?} status={status} \
             service={service} tool={tool:?} decision={decision} ms={ms}"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_a_client_chose_breaks_out_of_its_field() {
        let line = RequestLine {
            at: 0,
            id: "x-1",
            address: [127, 0, 0, 1].into(),
            method: "POST",
            path: "/a\" status=200\nINFO",
            status: 404,
            service: "mico",
            tool: "t\u{1b}[31m",
            decision: "unknown_tool",
            ms: 3,
        };
        let mut text = String::new();
        line.lay_out(false, &mut text);
        assert_eq!(
            text,
            "1970-01-01T00:00:00.000Z  INFO request: id=x-1 address=127.0.0.1 method=POST \
             path=\"/a\\\" status=200\\nINFO\" status=404 service=mico tool=\"t\\u{1b}[31m\" \
             decision=unknown_tool ms=3\n"
        );
    }
}
