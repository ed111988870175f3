//! A value of a document together with where it stands.

use serde_json::Value;

/// A place in one of a document's files.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Spot {
    /// The file, by its number.
    pub(super) file: usize,
    /// A JSON pointer (RFC 6901).
    pub(super) pointer: String,
}

impl Spot {
    /// The place of a member.
    pub(super) fn child(&self, key: &str) -> Self {
        let mut pointer = String::with_capacity(self.pointer.len() + key.len() + 1);
        pointer.push_str(&self.pointer);
        push_key(&mut pointer, key);
        Self { file: self.file, pointer }
    }

    /// The last part of the pointer, without its escapes; empty for a whole file.
    pub(super) fn name(&self) -> String {
        let last = self.pointer.rsplit_once('/').map_or("", |(_, last)| last);
        last.replace("~1", "/").replace("~0", "~")
    }
}

/// Appends a member to a pointer (RFC 6901 §3).
pub(super) fn push_key(pointer: &mut String, key: &str) {
    pointer.push('/');
    for char in key.chars() {
        match char {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            char => pointer.push(char),
        }
    }
}

/// A value and its place.
#[derive(Debug, Clone)]
pub(super) struct Node<'d> {
    /// Where it stands.
    pub(super) spot: Spot,
    /// The value.
    pub(super) value: &'d Value,
}

impl<'d> Node<'d> {
    /// A member of an object.
    pub(super) fn get(&self, key: &str) -> Option<Self> {
        self.value.get(key).map(|value| Self { spot: self.spot.child(key), value })
    }

    /// A member that is text; empty if there is none.
    pub(super) fn text(&self, key: &str) -> &'d str {
        self.value.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// A member that is `true` or `false`.
    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        self.value.get(key).and_then(Value::as_bool)
    }

    /// The members of an object, in order.
    pub(super) fn members(&self) -> impl Iterator<Item = (&'d str, Self)> {
        let spot = self.spot.clone();
        let members = self.value.as_object().into_iter().flatten();
        members.map(move |(key, value)| (key.as_str(), Self { spot: spot.child(key), value }))
    }

    /// The items of an array, in order.
    pub(super) fn items(&self) -> impl Iterator<Item = Self> {
        let spot = self.spot.clone();
        let items = self.value.as_array().into_iter().flatten().enumerate();
        items.map(move |(index, value)| Self { spot: spot.child(&index.to_string()), value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pointers_are_escaped_both_ways() {
        let value = json!({"a/b": {"c~d": [1]}});
        let root = Node { spot: Spot { file: 0, pointer: String::new() }, value: &value };
        let inner = root.get("a/b").unwrap().get("c~d").unwrap();
        assert_eq!(inner.spot.pointer, "/a~1b/c~0d");
        assert_eq!(inner.spot.name(), "c~d");
        assert_eq!(inner.items().next().unwrap().spot.pointer, "/a~1b/c~0d/0");
        assert_eq!(value.pointer(&inner.spot.pointer), Some(inner.value));
        assert_eq!(root.spot.name(), "");
    }
}
