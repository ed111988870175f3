//! The one line of a request.
//!
//! It is written straight to where lines gather: laid out by the general machinery it cost more than checking the
//! token. Where logging was not started by [`super::init`] (in tests) it goes through tracing like everything else.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::Write as _;
use std::net::IpAddr;

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
    pub address: IpAddr,
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
    static SECOND: RefCell<(i64, String)> = const { RefCell::new((i64::MIN, String::new())) };
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
        let mut number = itoa::Buffer::new();
        push_time(text, *at);
        push(text, "  INFO request: id=", id);
        text.push_str(" address=");
        push_address(text, *address);
        push(text, " method=", method);
        // What a client chose is quoted, so that no path can be read as another line or field.
        push_quoted(text, " path=", path);
        push(text, " status=", number.format(*status));
        push(text, " service=", service);
        push_quoted(text, " tool=", tool);
        push(text, " decision=", decision);
        push(text, " ms=", number.format(*ms));
        text.push('\n');
    }
}

fn push(text: &mut String, name: &str, value: &str) {
    text.push_str(name);
    text.push_str(value);
}

fn push_quoted(text: &mut String, name: &str, value: &str) {
    text.push_str(name);
    let plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\'));
    if plain {
        text.extend(["\"", value, "\""]);
    } else {
        // a string takes everything
        let _ = write!(text, "{value:?}");
    }
}

fn push_address(text: &mut String, address: IpAddr) {
    let IpAddr::V4(address) = address else {
        let _ = write!(text, "{address}");
        return;
    };
    for (index, octet) in address.octets().into_iter().enumerate() {
        push(text, if index == 0 { "" } else { "." }, itoa::Buffer::new().format(octet));
    }
}

/// RFC 3339 with milliseconds. The second is kept as text: many lines share one.
fn push_time(text: &mut String, at: i64) {
    let (second, millis) = (at.div_euclid(1000), at.rem_euclid(1000));
    SECOND.with_borrow_mut(|(kept, shown)| {
        if *kept != second {
            let when = jiff::Timestamp::from_second(second).unwrap_or_default();
            shown.clear();
            let _ = write!(shown, "{when:.0}");
            shown.truncate(shown.len().saturating_sub(1));
            *kept = second;
        }
        push(
            text,
            shown,
            if millis < 10 {
                ".00"
            } else if millis < 100 {
                ".0"
            } else {
                "."
            },
        );
    });
    push(text, itoa::Buffer::new().format(millis), "Z");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_a_client_chose_breaks_out_of_its_field() {
        let mut line = RequestLine {
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
        line.at = 1_796_000_067_045;
        line.address = [0; 16].into();
        line.path = "/mcp";
        line.lay_out(false, &mut text);
        let (first, second) = text.split_once('\n').unwrap();
        assert_eq!(
            second,
            "2026-11-30T00:54:27.045Z  INFO request: id=x-1 address=:: method=POST path=\"/mcp\" status=404 \
             service=mico tool=\"t\\u{1b}[31m\" decision=unknown_tool ms=3\n"
        );
        assert_eq!(
            first,
            "1970-01-01T00:00:00.000Z  INFO request: id=x-1 address=127.0.0.1 method=POST \
             path=\"/a\\\" status=200\\nINFO\" status=404 service=mico tool=\"t\\u{1b}[31m\" \
             decision=unknown_tool ms=3"
        );
    }
}
