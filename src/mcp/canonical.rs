//! One form for all ways to write the same arguments (after RFC 8785): members sorted, no space, texts with the
//! fewest escapes.
//!
//! Other than there, numbers keep the digits they were written with: two ids that differ in the seventeenth digit
//! are two, and a call must not be taken for another one.

use std::borrow::Cow;

use super::result::write_string;
use super::tree::{self, Node, Piece};

/// Writes a JSON document in its canonical form; what cannot be read as a tree stays as it is.
pub fn canonical(json: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    match tree::read(json, usize::MAX) {
        Some(node) => write(&mut out, &node),
        None => out.extend_from_slice(json.as_bytes()),
    }
    out
}

fn write(out: &mut Vec<u8>, node: &Node<'_>) {
    match node {
        Node::Plain(piece) => out.extend_from_slice(piece.raw.as_bytes()),
        Node::Text(piece) => write_string(out, &text(*piece)),
        Node::List(items, _) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write(out, item);
            }
            out.push(b']');
        }
        Node::Object(members) => {
            let mut sorted: Vec<_> = members.iter().map(|(key, value)| (text(*key), value)).collect();
            // stable: of two members with one name the first stays the first
            sorted.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
            out.push(b'{');
            for (index, (key, value)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_string(out, &key);
                out.push(b':');
                write(out, value);
            }
            out.push(b'}');
        }
    }
}

fn text(piece: Piece<'_>) -> Cow<'_, str> {
    serde_json::from_str(piece.raw).map_or(Cow::Borrowed(piece.raw), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> String {
        String::from_utf8(canonical(json)).unwrap()
    }

    #[test]
    fn the_order_of_members_and_the_way_of_writing_do_not_matter() {
        let one = of(r#"{"b": [1, {"z":null,"a":"\u00e9\/"}], "a" : 1.10}"#);
        assert_eq!(one, r#"{"a":1.10,"b":[1,{"a":"é/","z":null}]}"#);
        assert_eq!(of("{\"a\":1.10,\"b\":[1,{\"a\":\"é/\",\n\"z\":null}]}"), one);
        // UTF-16 code units, as RFC 8785 sorts
        assert_eq!(of("{\"\u{ffff}\":1,\"\u{10000}\":2}"), "{\"\u{10000}\":2,\"\u{ffff}\":1}");
    }

    #[test]
    fn what_differs_stays_different() {
        for (one, other) in [
            ("[1,2]", "[2,1]"),
            ("{\"a\":1}", "{\"a\":\"1\"}"),
            ("9007199254740993", "9007199254740992"),
            ("{\"a\":1,\"a\":2}", "{\"a\":2,\"a\":1}"),
            ("{}", "{\"a\":null}"),
        ] {
            assert_ne!(of(one), of(other));
        }
    }
}
