//! A JSON document as a tree over its own text: numbers keep their digits, texts their escapes, members their order.
//!
//! What is read here was checked to be JSON before. What is nested deeper than most readers go is no tree.

/// Values inside each other.
const MAX_DEPTH: usize = 128;

/// A token as it was written, and how many characters that are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The token; a text with its quotes.
    pub raw: &'a str,
    /// Unicode scalar values of it.
    pub chars: usize,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node<'a> {
    /// A number, `true`, `false` or `null`.
    Plain(Piece<'a>),
    /// A text.
    Text(Piece<'a>),
    /// A list: its first items, and how many there are.
    List(Vec<Node<'a>>, usize),
    /// An object: its members in order, repeated ones included.
    Object(Vec<(Piece<'a>, Node<'a>)>),
}

/// Reads a document. Of a list only those items become part of the tree that could be shown in `most` characters
/// if every list in them held one item; the others are counted. `None` for what is nested too deeply.
pub fn read(json: &str, most: usize) -> Option<Node<'_>> {
    let mut reader = Reader { text: json, at: 0, most };
    reader.value(0).map(|(node, _)| node)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    most: usize,
}

impl<'a> Reader<'a> {
    fn peek(&mut self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.at..)?;
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Steps over one byte of punctuation; true if it was this one.
    fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    /// The value here, and the fewest characters it takes with one item in each list.
    fn value(&mut self, depth: usize) -> Option<(Node<'a>, usize)> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.peek()? {
            b'"' => self.string().map(|piece| (Node::Text(piece), piece.chars)),
            b'[' => self.list(depth),
            b'{' => self.object(depth),
            _ => {
                let end = self.ahead(|byte| matches!(byte, b',' | b']' | b'}') || byte.is_ascii_whitespace());
                self.piece(end).map(|piece| (Node::Plain(piece), piece.chars))
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<(Node<'a>, usize)> {
        self.at += 1;
        let (mut items, mut count, mut least, mut cost) = (Vec::new(), 0, 2, 2);
        while !self.eat(b']') {
            if cost > self.most {
                self.skip()?;
            } else {
                let (item, own) = self.value(depth + 1)?;
                cost += own + usize::from(count > 0);
                if count == 0 {
                    least = cost;
                }
                items.push(item);
            }
            count += 1;
            self.eat(b',');
        }
        Some((Node::List(items, count), least))
    }

    fn object(&mut self, depth: usize) -> Option<(Node<'a>, usize)> {
        self.at += 1;
        let (mut members, mut least) = (Vec::new(), 2);
        while !self.eat(b'}') {
            self.peek()?;
            let key = self.string()?;
            self.eat(b':');
            let (value, own) = self.value(depth + 1)?;
            least += key.chars + 1 + own + usize::from(!members.is_empty());
            members.push((key, value));
            self.eat(b',');
        }
        Some((Node::Object(members), least))
    }

    fn string(&mut self) -> Option<Piece<'a>> {
        let end = self.string_end()?;
        self.piece(end)
    }

    /// Where the text that begins here ends, its quote included.
    fn string_end(&self) -> Option<usize> {
        let mut escaped = false;
        let inside = self.text.as_bytes().get(self.at + 1..)?;
        let length = inside.iter().position(|byte| {
            let closes = *byte == b'"' && !escaped;
            escaped = *byte == b'\\' && !escaped;
            closes
        })?;
        Some(self.at + length + 2)
    }

    fn ahead(&self, ends: impl Fn(u8) -> bool) -> usize {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        self.at + rest.iter().position(|byte| ends(*byte)).unwrap_or(rest.len())
    }

    fn piece(&mut self, end: usize) -> Option<Piece<'a>> {
        let raw = self.text.get(self.at..end).filter(|raw| !raw.is_empty())?;
        self.at = end;
        Some(Piece { raw, chars: raw.chars().count() })
    }

    /// Steps over a value without reading it.
    fn skip(&mut self) -> Option<()> {
        let mut depth = 0usize;
        loop {
            match self.peek()? {
                b'"' => self.at = self.string_end()?,
                b'[' | b'{' => {
                    depth += 1;
                    self.at += 1;
                    continue;
                }
                b']' | b'}' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' => {
                    self.at += 1;
                    continue;
                }
                _ => {
                    let end = self.ahead(|byte| !byte.is_ascii_alphanumeric() && !b"+-.".contains(&byte));
                    self.piece(end)?;
                }
            }
            if depth == 0 {
                return Some(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_read_as_it_stands() {
        let Some(Node::Object(members)) = read(r#" {"a" : [1.10, "é\"]", null] ,"a":{}} "#, usize::MAX)
        else {
            panic!("an object");
        };
        let raw = |raw, chars| Piece { raw, chars };
        let items =
            vec![Node::Plain(raw("1.10", 4)), Node::Text(raw(r#""é\"]""#, 6)), Node::Plain(raw("null", 4))];
        assert_eq!(
            members,
            [(raw("\"a\"", 3), Node::List(items, 3)), (raw("\"a\"", 3), Node::Object(Vec::new()))]
        );
    }

    #[test]
    fn items_that_cannot_be_shown_are_counted() {
        let json = r#"[ {"a":[1,2,{"b":"]"}]} , "x}" ,[[]], -1.5e+3, true ,{}]"#;
        for (most, kept) in [(2, 1), (11, 2), (16, 3), (usize::MAX, 6)] {
            let Some(Node::List(items, total)) = read(json, most) else { panic!("a list") };
            assert_eq!((items.len(), total), (kept, 6), "{most}");
        }
    }

    #[test]
    fn what_is_nested_too_deeply_is_no_tree() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(read(&nested(MAX_DEPTH + 1), 9).is_some() && read(&nested(MAX_DEPTH + 2), 9).is_none());
        for broken in ["", "[", "{", "{\"a\"", "[1,", "\"", "{\"a\":"] {
            assert!(read(broken, 9).is_none(), "{broken}");
        }
    }
}
