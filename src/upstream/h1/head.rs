//! The head of an answer (RFC 9112 §4, §6.3). Lengths that can be read in two ways are not read at all: whoever
//! stands between would see other messages than we do.

use std::mem::MaybeUninit;

use bytes::{Buf as _, BytesMut};
use http::{HeaderName, HeaderValue, StatusCode};
use httparse::{Header, ParserConfig, Response, Status};

use super::UNREADABLE;
use crate::upstream::client::{Failure, Noted, joined};

/// Of all heads of one answer together.
pub const MAX: usize = 64 << 10;
const MAX_HEADERS: usize = 64;

/// What of a head is needed.
#[derive(Debug)]
pub struct Head {
    /// Its status.
    pub status: StatusCode,
    /// What kind of body follows.
    pub content_type: Option<HeaderValue>,
    /// The headers that were asked for.
    pub noted: Noted<HeaderValue>,
    /// Where the body ends.
    pub framing: Framing,
    /// True if another request may follow on the connection.
    pub keep_alive: bool,
}

/// Where a body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// After so many bytes.
    Length(u64),
    /// Where the chunks say so.
    Chunked,
    /// Where the connection does.
    Close,
}

/// False if no head can end in what came after the first `seen` bytes: a head that trickles in is not read from
/// its beginning each time.
pub fn may_be_whole(input: &[u8], seen: usize) -> bool {
    let new = input.get(seen.saturating_sub(3)..).unwrap_or_default();
    if seen == 0 { !new.is_empty() } else { ends_in(new) }
}

fn ends_in(new: &[u8]) -> bool {
    new.windows(2).any(|pair| pair == b"\n\n") || new.windows(3).any(|three| three == b"\n\r\n")
}

/// Takes a head of at most `limit` bytes off the input; none if it is not whole yet.
pub fn take(input: &mut BytesMut, limit: usize, noted: Noted<&HeaderName>) -> Result<Option<Head>, Failure> {
    let mut headers = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut response = Response::new(&mut []);
    let parsed =
        ParserConfig::default().parse_response_with_uninit_headers(&mut response, input, &mut headers);
    let length = match parsed {
        Ok(Status::Complete(length)) if length <= limit => length,
        Ok(Status::Partial) => return Ok(None),
        Ok(Status::Complete(_)) | Err(_) => return Err(UNREADABLE),
    };
    let mut head = read(&response)?;
    head.noted = noted.map(|name| {
        let name = name?.as_str();
        let own = response.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
        own.fold(None, |before, header| joined(before, header.value))
    });
    input.advance(length);
    Ok(Some(head))
}

fn read(response: &Response<'_, '_>) -> Result<Head, Failure> {
    let status = response.code.and_then(|code| StatusCode::from_u16(code).ok()).ok_or(UNREADABLE)?;
    if status == StatusCode::SWITCHING_PROTOCOLS {
        return Err(UNREADABLE);
    }
    let newer = response.version == Some(1);
    let (mut length, mut chunked, mut content_type) = (None, false, None);
    let mut keep_alive = newer;
    for Header { name, value } in &*response.headers {
        if name.eq_ignore_ascii_case("content-length") {
            let this = number(value).ok_or(UNREADABLE)?;
            if length.is_some_and(|other| other != this) {
                return Err(UNREADABLE);
            }
            length = Some(this);
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            if chunked || !newer || !value.trim_ascii().eq_ignore_ascii_case(b"chunked") {
                return Err(UNREADABLE);
            }
            chunked = true;
        } else if name.eq_ignore_ascii_case("connection") {
            keep_alive = persists(value, keep_alive);
        } else if content_type.is_none() && name.eq_ignore_ascii_case("content-type") {
            content_type = text(value);
        }
    }
    let framing = match (length, chunked) {
        (Some(_), true) => return Err(UNREADABLE),
        _ if matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) => Framing::Length(0),
        (None, true) => Framing::Chunked,
        (Some(length), false) => Framing::Length(length),
        (None, false) => Framing::Close,
    };
    Ok(Head {
        status,
        content_type,
        noted: [None, None],
        framing,
        keep_alive: keep_alive && framing != Framing::Close,
    })
}

/// The usual type needs no copy.
fn text(value: &[u8]) -> Option<HeaderValue> {
    if value == b"application/json" {
        return Some(HeaderValue::from_static("application/json"));
    }
    HeaderValue::from_bytes(value).ok()
}

fn number(value: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(value.trim_ascii()).ok()?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// `close` counts in whatever company.
fn persists(value: &[u8], before: bool) -> bool {
    let mut options = value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    let named = |name: &'static [u8]| move |option: &[u8]| option.eq_ignore_ascii_case(name);
    if options.clone().any(named(b"close")) {
        return false;
    }
    before || options.any(named(b"keep-alive"))
}
