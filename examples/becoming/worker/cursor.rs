//! Cursors: where the next page begins, and of which list.
//!
//! A cursor names the list it was given for, so that one taken to another list is refused instead of skipping
//! half of it. It is no secret and holds none.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::fault::{Fault, invalid};

/// The list that pages are cut from: a tool with the filters it was asked with.
#[derive(Clone, Copy, Debug)]
pub(super) struct List(u32);

impl List {
    /// A list by everything that decides what is on it and in which order.
    pub(super) fn of(tool: &str, filters: &Value) -> Self {
        Self(crc32fast::hash(format!("{tool} {filters}").as_bytes()))
    }

    /// Where the asked page begins; none for the first.
    pub(super) fn start(self, arguments: Arguments<'_>) -> Result<Option<i64>, Fault> {
        let Some(cursor) = arguments.text("cursor")? else { return Ok(None) };
        let bytes = URL_SAFE_NO_PAD.decode(cursor).unwrap_or_default();
        let text = String::from_utf8(bytes).unwrap_or_default();
        let place = text.split_once('.').and_then(|(list, place)| {
            (list == format!("{:08x}", self.0))
                .then(|| place.parse::<i64>().ok().filter(|place| *place >= 0))?
        });
        match place {
            Some(place) => Ok(Some(place)),
            None => invalid("cursor is not one of this list; leave it out to begin again"),
        }
    }

    /// The `meta` of a page: how long it is, and the cursor of the next, `null` at the end.
    pub(super) fn meta(self, limit: usize, returned: usize, next: Option<i64>) -> Value {
        let cursor = next.map(|place| URL_SAFE_NO_PAD.encode(format!("{:08x}.{place}", self.0)));
        json!({ "limit": limit, "returned": returned, "next_cursor": cursor })
    }
}
