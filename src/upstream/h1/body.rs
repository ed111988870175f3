//! The body of an answer, and the way of its connection back into the pool.

use bytes::{Buf as _, Bytes, BytesMut};

use super::connection::Connection;
use super::head::Framing;
use super::{RESET, UNREADABLE, pool};
use crate::upstream::client::Failure;

/// A chunk's line with its extensions.
const MAX_LINE: usize = 4 << 10;
const MAX_TRAILERS: usize = 16 << 10;
/// Of a chunk's size: more than any machine holds, less than overflows.
const MAX_DIGITS: usize = 15;

/// A body that reads itself from its connection. If the answer ended exactly where it said, the connection goes
/// back into the pool; in every other case, also if this is dropped before, it is closed.
#[derive(Debug)]
pub struct Body {
    connection: Option<Connection>,
    reusable: bool,
    /// What was there already with the head, where that is all of it.
    whole: Option<Bytes>,
    left: Left,
}

#[derive(Debug)]
enum Left {
    Length(u64),
    Chunks(Chunks),
    Close,
}

#[derive(Debug)]
enum Chunks {
    Size,
    Data(u64),
    DataEnd,
    Trailers(usize),
}

enum Step {
    Data(Bytes),
    More,
    End,
}

impl Body {
    /// What follows a head on this connection.
    pub fn new(mut connection: Connection, framing: Framing, reusable: bool) -> Self {
        let mut whole = None;
        let left = match framing {
            Framing::Length(length) => match usize::try_from(length) {
                Ok(length) if length <= connection.input.len() => {
                    whole = (length > 0).then(|| connection.input.split_to(length).freeze());
                    Left::Length(0)
                }
                _ => Left::Length(length),
            },
            Framing::Chunked => Left::Chunks(Chunks::Size),
            Framing::Close => Left::Close,
        };
        let mut body = Self { connection: Some(connection), reusable, whole, left };
        if matches!(body.left, Left::Length(0)) {
            body.finish();
        }
        body
    }

    /// The next piece; none at the end. Nothing is lost if the caller gives up waiting and asks again.
    pub async fn chunk(&mut self) -> Option<Result<Bytes, Failure>> {
        if let Some(whole) = self.whole.take() {
            return Some(Ok(whole));
        }
        loop {
            let connection = self.connection.as_mut()?;
            match self.left.step(&mut connection.input) {
                Ok(Step::Data(data)) => {
                    if matches!(self.left, Left::Length(0)) {
                        self.finish();
                    }
                    return Some(Ok(data));
                }
                Ok(Step::End) => {
                    self.finish();
                    return None;
                }
                Ok(Step::More) => {}
                Err(failure) => return Some(Err(self.fail(failure))),
            }
            match (connection.fill(self.left.expected()).await, &self.left) {
                (Ok(0), Left::Close) => {
                    self.connection = None;
                    return None;
                }
                (Ok(0) | Err(_), _) => return Some(Err(self.fail(RESET))),
                (Ok(_), _) => {}
            }
        }
    }

    fn fail(&mut self, failure: Failure) -> Failure {
        self.connection = None;
        failure
    }

    fn finish(&mut self) {
        if let Some(mut connection) = self.connection.take()
            && self.reusable
            && connection.input.is_empty()
        {
            connection.trim();
            pool::put(connection);
        }
    }
}

impl Left {
    fn expected(&self) -> usize {
        match self {
            Self::Length(left) | Self::Chunks(Chunks::Data(left)) => {
                usize::try_from(*left).unwrap_or(usize::MAX)
            }
            Self::Chunks(_) | Self::Close => 0,
        }
    }

    fn step(&mut self, input: &mut BytesMut) -> Result<Step, Failure> {
        match self {
            Self::Length(left) => Ok(take(input, left)),
            Self::Chunks(chunks) => chunks.step(input),
            Self::Close if input.is_empty() => Ok(Step::More),
            Self::Close => Ok(Step::Data(input.split().freeze())),
        }
    }
}

impl Chunks {
    /// RFC 9112 §7.1, and nothing that is merely similar.
    fn step(&mut self, input: &mut BytesMut) -> Result<Step, Failure> {
        loop {
            match self {
                Self::Size => {
                    let Some(line) = line(input, MAX_LINE)? else { return Ok(Step::More) };
                    *self = match size(&line).ok_or(UNREADABLE)? {
                        0 => Self::Trailers(MAX_TRAILERS),
                        size => Self::Data(size),
                    };
                }
                Self::Data(0) => *self = Self::DataEnd,
                Self::Data(left) => return Ok(take(input, left)),
                Self::DataEnd => match input.get(..2) {
                    Some(b"\r\n") => {
                        input.advance(2);
                        *self = Self::Size;
                    }
                    Some(_) => return Err(UNREADABLE),
                    None => return Ok(Step::More),
                },
                Self::Trailers(limit) => {
                    let Some(line) = line(input, *limit)? else { return Ok(Step::More) };
                    if line.is_empty() {
                        return Ok(Step::End);
                    }
                    *limit = limit.saturating_sub(line.len());
                }
            }
        }
    }
}

fn take(input: &mut BytesMut, left: &mut u64) -> Step {
    let length = usize::try_from(*left).map_or(input.len(), |left| left.min(input.len()));
    if length == 0 {
        return Step::More;
    }
    *left -= length as u64;
    Step::Data(input.split_to(length).freeze())
}

/// Takes a line off, without its end. One that ends in anything but CR LF is none.
fn line(input: &mut BytesMut, limit: usize) -> Result<Option<BytesMut>, Failure> {
    let Some(end) = input.iter().position(|byte| *byte == b'\n') else {
        return if input.len() > limit { Err(UNREADABLE) } else { Ok(None) };
    };
    let mut line = input.split_to(end + 1);
    let bare = line.strip_suffix(b"\r\n").ok_or(UNREADABLE)?.len();
    line.truncate(bare);
    if bare > limit || line.contains(&b'\r') { Err(UNREADABLE) } else { Ok(Some(line)) }
}

fn size(line: &[u8]) -> Option<u64> {
    let digits = line.split(|byte| *byte == b';').next()?.trim_ascii_end();
    let fits = (1..=MAX_DIGITS).contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit);
    u64::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| fits)?, 16).ok()
}
