//! Pages: which slice was asked for, and the object that says where it stands.

use serde_json::{Value, json};

use super::arguments::clamped;

/// The largest page of the tools that list things.
const MOST: usize = 200;
/// Far beyond any list, and still exact as a number in every client.
const FURTHEST: usize = 1 << 31;

/// A page as asked for, brought into range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) offset: usize,
    pub(super) limit: usize,
}

impl Window {
    /// The page of most tools: 20 unless told, 200 at most.
    pub(super) fn usual(arguments: &Value) -> Self {
        Self::of(arguments, 20, MOST)
    }

    pub(super) fn of(arguments: &Value, default: usize, most: usize) -> Self {
        Self {
            offset: clamped(arguments, "offset", 0, 0, FURTHEST),
            limit: clamped(arguments, "limit", default, 1, most),
        }
    }

    pub(super) fn cut<'a, T>(&self, items: &'a [T]) -> &'a [T] {
        let end = self.offset.saturating_add(self.limit).min(items.len());
        items.get(self.offset..end).unwrap_or_default()
    }

    /// The pagination object of a list with `total` items.
    pub(super) fn of_total(&self, returned: usize, total: usize) -> Value {
        self.describe(returned, Some(total), self.after(returned, total))
    }

    /// The same where the total is not told, though the next page still is.
    pub(super) fn untold(&self, returned: usize, total: usize) -> Value {
        self.describe(returned, None, self.after(returned, total))
    }

    fn after(&self, returned: usize, total: usize) -> Option<usize> {
        let next = self.offset.saturating_add(returned);
        (returned > 0 && next < total).then_some(next)
    }

    fn describe(&self, returned: usize, total: Option<usize>, next: Option<usize>) -> Value {
        json!({
            "offset": self.offset,
            "limit": self.limit,
            "returned": returned,
            "total": total,
            "next_offset": next,
        })
    }
}
