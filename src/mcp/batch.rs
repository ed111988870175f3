//! Batches of 2025-03-26: an array of messages in one body, cut into its messages without reading them.
//!
//! Attack: one body of millions of tiny messages, each with an answer of its own. Reading stops at the limit.

use std::fmt;

use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// How many messages one body may carry.
pub const MAX_MESSAGES: usize = 50;

/// What is wrong with a batch as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Not JSON.
    Parse,
    /// No message in it.
    Empty,
    /// More than [`MAX_MESSAGES`].
    TooMany,
}

/// True if the body begins as an array does: a batch, or nothing this protocol knows.
pub fn is_array(body: &[u8]) -> bool {
    body.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[')
}

/// The messages of an array, as they stand in the body.
///
/// # Errors
/// What is wrong with the array; its messages are not looked at.
pub fn split(body: &[u8]) -> Result<Vec<&RawValue>, Fault> {
    let text = std::str::from_utf8(body).map_err(|_| Fault::Parse)?;
    let batch: Batch<'_> = serde_json::from_str(text).map_err(|_| Fault::Parse)?;
    match batch.0.len() {
        0 => Err(Fault::Empty),
        1..=MAX_MESSAGES => Ok(batch.0),
        _ => Err(Fault::TooMany),
    }
}

/// At most one more than allowed.
struct Batch<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Batch<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Messages)
    }
}

struct Messages;

impl<'de> Visitor<'de> for Messages {
    type Value = Batch<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Batch<'de>, A::Error> {
        let mut messages = Vec::new();
        while messages.len() <= MAX_MESSAGES {
            match seq.next_element()? {
                Some(message) => messages.push(message),
                None => return Ok(Batch(messages)),
            }
        }
        // the rest is read past, so that what is no JSON at all is told as that
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Batch(messages))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(body: &str) -> Result<Vec<&str>, Fault> {
        split(body.as_bytes()).map(|all| all.into_iter().map(RawValue::get).collect())
    }

    #[test]
    fn messages_are_cut_out_as_they_stand() {
        assert_eq!(pieces(" [ {\"id\": 1.0},[2] ,\"x\"] \n"), Ok(vec!["{\"id\": 1.0}", "[2]", "\"x\""]));
        assert!(is_array(b" \n[1") && !is_array(b"{}") && !is_array(b"") && !is_array(b"1["));
    }

    #[test]
    fn what_is_no_batch() {
        assert_eq!(pieces("[]"), Err(Fault::Empty));
        for broken in ["[", "[1,]", "[1] 2", "{}", "[\u{0}]"] {
            assert_eq!(pieces(broken), Err(Fault::Parse), "{broken}");
        }
        assert_eq!(split(b"[\"\xff\"]").unwrap_err(), Fault::Parse);
        let many = |count: usize| format!("[{}]", vec!["1"; count].join(","));
        assert_eq!(pieces(&many(MAX_MESSAGES)).map(|all| all.len()), Ok(MAX_MESSAGES));
        assert_eq!(pieces(&many(MAX_MESSAGES + 1)), Err(Fault::TooMany));
        assert_eq!(pieces(&format!("{},", many(MAX_MESSAGES + 9))), Err(Fault::Parse));
    }
}
