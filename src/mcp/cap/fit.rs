//! How much of each list, text and object is shown so that the whole fits.
//!
//! One number a kind is enough: what a list may cost leaves short lists whole and shortens the longest most.

use super::note::Note;
use crate::mcp::tree::{Node, Piece};

/// A text is cut no shorter than this, lest every identifier becomes useless.
const SHORT_TEXT: usize = 80;
/// Quotes and an ellipsis.
const CUT: usize = 3;

/// What may be shown, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Of a list, beyond its first item.
    list: usize,
    /// Of a text.
    text: usize,
    /// Of an object.
    object: usize,
}

impl Limits {
    /// Everything.
    pub const NONE: Self = Self { list: usize::MAX, text: usize::MAX, object: usize::MAX };
}

/// The widest limits within which the document takes at most `room` characters; `None` if it cannot.
pub fn limits(tree: &Node<'_>, room: usize) -> Option<Limits> {
    let lists = |list| Limits { list, ..Limits::NONE };
    let texts = |text| Limits { list: 0, text, object: usize::MAX };
    let objects = |object| Limits { list: 0, text: SHORT_TEXT, object };
    widest(tree, room, 0, lists)
        .or_else(|| widest(tree, room, SHORT_TEXT, texts))
        .or_else(|| widest(tree, room, 0, objects))
}

/// The greatest limit from `least` on that was found to fit. What fits grows with the limit, but for a few
/// characters: so the last one that was seen to fit is taken.
fn widest(tree: &Node<'_>, room: usize, least: usize, of: impl Fn(usize) -> Limits) -> Option<Limits> {
    let fits = |limit: usize| size(tree, &of(limit)) <= room;
    if !fits(least) {
        return None;
    }
    let (mut good, mut bad) = (least, room.max(least) + 1);
    while bad - good > 1 {
        let middle = good.midpoint(bad);
        if fits(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Some(of(good))
}

/// The characters that a document takes within limits, or a few more.
pub fn size(node: &Node<'_>, limits: &Limits) -> usize {
    match node {
        Node::Plain(piece) => piece.chars,
        Node::Text(piece) => piece.chars.min(limits.text),
        Node::List(items, _) => shown_items(items, limits).1,
        Node::Object(members) => shown_members(members, limits).1,
    }
}

/// How many items are shown, and what they cost with their brackets. The first one is always shown: of a list
/// without any item nobody can tell what it holds.
fn shown_items(items: &[Node<'_>], limits: &Limits) -> (usize, usize) {
    let mut cost = 2;
    for (index, item) in items.iter().enumerate() {
        let with = cost + size(item, limits) + usize::from(index > 0);
        if index > 0 && with > limits.list {
            return (index, cost);
        }
        cost = with;
    }
    (items.len(), cost)
}

fn shown_members(members: &[(Piece<'_>, Node<'_>)], limits: &Limits) -> (usize, usize) {
    let mut cost = 2;
    for (index, (key, value)) in members.iter().enumerate() {
        let with = cost + key.chars + 1 + size(value, limits) + usize::from(index > 0);
        if with > limits.object {
            return (index, cost);
        }
        cost = with;
    }
    (members.len(), cost)
}

/// Writes a document within limits and notes what it lacks.
pub fn write(out: &mut String, tree: &Node<'_>, limits: &Limits, note: &mut Note) {
    Writer { out, limits, note }.node(tree, None, 0);
}

struct Writer<'a> {
    out: &'a mut String,
    limits: &'a Limits,
    note: &'a mut Note,
}

impl Writer<'_> {
    fn node(&mut self, node: &Node<'_>, name: Option<Piece<'_>>, depth: usize) {
        match node {
            Node::Plain(piece) => self.out.push_str(piece.raw),
            Node::Text(piece) if piece.chars <= self.limits.text => self.out.push_str(piece.raw),
            Node::Text(piece) => {
                self.note.text();
                self.out.push_str(cut(piece.raw, self.limits.text));
                self.out.push_str("…\"");
            }
            Node::List(items, total) => {
                let (shown, _) = shown_items(items, self.limits);
                if shown < *total {
                    self.note.list(name.map(|piece| piece.raw), depth, shown, *total);
                }
                self.out.push('[');
                for (index, item) in items.iter().take(shown).enumerate() {
                    if index > 0 {
                        self.out.push(',');
                    }
                    self.node(item, name, depth + 1);
                }
                self.out.push(']');
            }
            Node::Object(members) => {
                let (shown, _) = shown_members(members, self.limits);
                if shown < members.len() {
                    self.note.members();
                }
                self.out.push('{');
                for (index, (key, value)) in members.iter().take(shown).enumerate() {
                    if index > 0 {
                        self.out.push(',');
                    }
                    self.out.push_str(key.raw);
                    self.out.push(':');
                    self.node(value, Some(*key), depth + 1);
                }
                self.out.push('}');
            }
        }
    }
}

/// The beginning of a text, with its quote, that leaves room for an ellipsis and the other quote in `limit`
/// characters. An escape is never parted, and no pair of them that is one character.
fn cut(raw: &str, limit: usize) -> &str {
    let room = limit.saturating_sub(CUT);
    let inside = raw.get(1..).unwrap_or_default();
    let (mut used, mut end) = (0, 1);
    let mut rest = inside.chars();
    loop {
        let before = rest.as_str();
        let length = unit(before);
        used += length;
        if length == 0 || used > room {
            return raw.get(..end).unwrap_or("\"");
        }
        for _ in 0..length {
            rest.next();
        }
        end += before.len() - rest.as_str().len();
    }
}

/// How many characters write the next one.
fn unit(text: &str) -> usize {
    let surrogate = |text: &str, range: [u8; 4]| {
        let digit = text.strip_prefix("\\u").filter(|rest| rest.len() >= 4).map(str::as_bytes);
        digit.is_some_and(|digits| {
            matches!(digits, [b'd' | b'D', second, ..] if range.contains(&second.to_ascii_lowercase()))
        })
    };
    let bytes = text.as_bytes();
    match bytes {
        [] | [b'"'] => 0,
        [b'\\', b'u', ..] => {
            let second = text.get(6..).unwrap_or_default();
            if surrogate(text, *b"89ab") && surrogate(second, *b"cdef") { 12 } else { 6 }
        }
        [b'\\', ..] => 2,
        _ => 1,
    }
}
