//! Ids of an upstream's on their way to a client and back.
//!
//! Two upstreams may both ask under the id 1, and both number their events from 1. What a client sees says whose it
//! is, and carries a tag of the key file's over the session: a client cannot answer what it was never asked, nor ask
//! for another session's events, and nobody has to remember which ids are out.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::domain::clock::Timestamp;
use crate::domain::secret::Digest;
use crate::identity::keys::Keys;

/// An upstream's own id is no longer than this; a longer one could not come back.
const MAX_OWN: usize = 512;
/// A client's, by then.
const MAX_WRAPPED: usize = 4096;

const REQUEST: &str = "session request";
const PROGRESS: &str = "session progress";
const EVENT: &str = "session event";

/// Wraps and unwraps the ids of one session.
pub struct Wrapper {
    session: String,
}

/// Whose an id is, and what it is there: JSON.
pub type Own = (String, String);

impl Wrapper {
    /// For the session whose id has this digest.
    pub fn new(session: Digest) -> Self {
        Self { session: session.to_hex() }
    }

    /// A request's id as the client sees it; `None` if it is too long.
    pub fn request(&self, keys: &Keys, now: Timestamp, upstream: &str, id: &str) -> Option<String> {
        self.wrapped(keys, now, REQUEST, upstream, id)
    }

    /// Whose request a client answers.
    pub fn answered(&self, keys: &Keys, text: &str) -> Option<Own> {
        self.own(keys, REQUEST, text)
    }

    /// A token under which the client tells a server of its progress.
    pub fn progress(&self, keys: &Keys, now: Timestamp, upstream: &str, token: &str) -> Option<String> {
        self.wrapped(keys, now, PROGRESS, upstream, token)
    }

    /// Whose request a client tells the progress of.
    pub fn told(&self, keys: &Keys, text: &str) -> Option<Own> {
        self.own(keys, PROGRESS, text)
    }

    /// The id of an event: the last one of each upstream's, so that all streams can be taken up where they were.
    pub fn event(&self, keys: &Keys, now: Timestamp, last: &BTreeMap<String, String>) -> Option<String> {
        let last =
            serde_json::to_string(last).ok().filter(|_| last.values().all(|id| id.len() <= MAX_OWN))?;
        self.tagged(keys, now, EVENT, &last)
    }

    /// The last events that a client has seen.
    pub fn seen(&self, keys: &Keys, text: &str) -> Option<BTreeMap<String, String>> {
        serde_json::from_str(&self.untagged(keys, EVENT, text)?).ok()
    }

    fn wrapped(&self, keys: &Keys, now: Timestamp, kind: &str, upstream: &str, id: &str) -> Option<String> {
        let both = serde_json::to_string(&(upstream, id)).ok().filter(|_| id.len() <= MAX_OWN)?;
        self.tagged(keys, now, kind, &both)
    }

    fn own(&self, keys: &Keys, kind: &str, text: &str) -> Option<Own> {
        serde_json::from_str(&self.untagged(keys, kind, text)?).ok()
    }

    fn tagged(&self, keys: &Keys, now: Timestamp, kind: &str, text: &str) -> Option<String> {
        let tag = keys.tag(now, kind, &[&self.session, text]);
        let whole = format!("{}.{tag}", URL_SAFE_NO_PAD.encode(text));
        (!tag.is_empty() && whole.len() <= MAX_WRAPPED).then_some(whole)
    }

    fn untagged(&self, keys: &Keys, kind: &str, text: &str) -> Option<String> {
        let (text, tag) = text.split_once('.').filter(|_| text.len() <= MAX_WRAPPED)?;
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        keys.verify_tag(kind, &[&self.session, &text], tag).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::doors::OsEntropy;

    const NOW: Timestamp = Timestamp::from_millis(5);

    fn keys() -> Keys {
        let folder = tempfile::tempdir().unwrap();
        Keys::read_or_make(&folder.path().join("keys"), &OsEntropy, NOW).unwrap()
    }

    #[test]
    fn what_goes_out_comes_back_to_the_same_upstream() {
        let (keys, own) = (keys(), Wrapper::new(Digest::of("a")));
        for id in ["1", "-7", "\"x\"", "\"\\u00e9\""] {
            let text = own.request(&keys, NOW, "notes", id).unwrap();
            assert_eq!(own.answered(&keys, &text), Some(("notes".into(), id.into())));
            assert_eq!(own.told(&keys, &text), None, "an id is no token");
            assert_eq!(Wrapper::new(Digest::of("b")).answered(&keys, &text), None, "another session's");
        }
        let token = own.progress(&keys, NOW, "notes", "1").unwrap();
        assert_eq!(own.told(&keys, &token), Some(("notes".into(), "1".into())));
    }

    #[test]
    fn what_was_never_given_out_is_nothing() {
        let (keys, own) = (keys(), Wrapper::new(Digest::of("a")));
        let text = own.request(&keys, NOW, "notes", "1").unwrap();
        let (head, tag) = text.split_once('.').unwrap();
        let other = URL_SAFE_NO_PAD.encode("[\"notes\",\"2\"]");
        for bad in
            ["", ".", "1", head, &format!("{other}.{tag}"), &format!("{head}."), &text[..text.len() - 1]]
        {
            assert_eq!(own.answered(&keys, bad), None, "{bad}");
        }
        assert_eq!(own.request(&keys, NOW, "notes", &"1".repeat(MAX_OWN + 1)), None);
        assert_eq!(own.request(&Keys::none(), NOW, "notes", "1"), None);
    }

    #[test]
    fn an_event_says_where_each_stream_was() {
        let (keys, own) = (keys(), Wrapper::new(Digest::of("a")));
        let last = BTreeMap::from([("notes".to_owned(), "e1".to_owned()), ("mail".into(), "é 7".into())]);
        let id = own.event(&keys, NOW, &last).unwrap();
        assert!(id.bytes().all(|byte| byte.is_ascii_graphic()), "{id}");
        assert_eq!(own.seen(&keys, &id), Some(last));
        assert_eq!(Wrapper::new(Digest::of("b")).seen(&keys, &id), None);
        let long = BTreeMap::from([("notes".to_owned(), "e".repeat(MAX_OWN + 1))]);
        assert_eq!(own.event(&keys, NOW, &long), None);
    }
}
