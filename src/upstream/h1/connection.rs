//! A connection and its two buffers.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::Poll;

use bytes::BytesMut;
use http::uri::Authority;
use tokio::io::{AsyncReadExt as _, AsyncWrite as _};
use tokio::net::TcpStream;

/// What one read takes at most, unless more is known to come.
const PIECE: usize = 8 << 10;
const LARGE_PIECE: usize = 64 << 10;
const SCANTY: usize = 1 << 10;

/// How much of a request went out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// All of it.
    Whole,
    /// Some of it: the other side closed, or answers already.
    Partly,
    /// Not a byte.
    Nothing,
}

/// A connection that one call has for itself. Dropping it closes it.
#[derive(Debug)]
pub struct Connection {
    /// Whom it leads to.
    pub authority: Authority,
    /// What came and was not taken yet.
    pub input: BytesMut,
    /// The request.
    pub output: Vec<u8>,
    stream: TcpStream,
}

impl Connection {
    /// A fresh one.
    pub fn new(authority: Authority, stream: TcpStream) -> Self {
        Self { authority, input: BytesMut::new(), output: Vec::new(), stream }
    }

    /// True if the other side has neither closed it nor said anything unasked.
    pub fn is_quiet(&self) -> bool {
        self.stream.try_read(&mut [0]).is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }

    /// Sends what `output` holds, and then `rest`.
    pub async fn send(&mut self, rest: &[u8]) -> Sent {
        let mut sent = Sent::Nothing;
        for mut part in [self.output.as_slice(), rest] {
            while !part.is_empty() {
                match write(&mut self.stream, part).await {
                    Ok(0) | Err(_) => return sent,
                    Ok(length) => part = part.get(length..).unwrap_or_default(),
                }
                sent = Sent::Partly;
            }
        }
        Sent::Whole
    }

    /// Reads what is there, waiting if nothing is; `expected` is how much is known to come. What was read stays
    /// in `input` if the caller gives up.
    pub async fn fill(&mut self, expected: usize) -> io::Result<usize> {
        if self.input.is_empty() || self.input.capacity() - self.input.len() < SCANTY {
            self.input.reserve(expected.clamp(PIECE, LARGE_PIECE));
        }
        self.stream.read_buf(&mut self.input).await
    }

    /// Lets go of what a large answer needed.
    pub fn trim(&mut self) {
        if self.input.capacity() > PIECE {
            self.input = BytesMut::new();
        }
        if self.output.capacity() > LARGE_PIECE {
            self.output = Vec::new();
        }
    }
}

/// Writes once. Who answers before having read everything may never read it, so an answer ends the waiting.
async fn write(stream: &mut TcpStream, part: &[u8]) -> io::Result<usize> {
    poll_fn(|context| match Pin::new(&mut *stream).poll_write(context, part) {
        Poll::Pending => stream.poll_read_ready(context).map(|_| Ok(0)),
        written @ Poll::Ready(_) => written,
    })
    .await
}
