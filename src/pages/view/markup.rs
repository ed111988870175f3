//! Sentences with elements inside, without anybody gluing HTML.

use std::fmt;

use askama::filters::{Html, HtmlSafe, escape};

use super::locale::Value;

/// HTML whose every piece was escaped when it was put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Markup(String);

impl fmt::Display for Markup {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl HtmlSafe for Markup {}

impl Markup {
    /// A point in time: what people read, with the exact moment for machines and on hover.
    pub(super) fn time(datetime: &str, exact: &str, shown: &str) -> Self {
        Self(format!(
            "<time datetime=\"{}\" title=\"{}\">{}</time>",
            escaped(datetime),
            escaped(exact),
            escaped(shown)
        ))
    }
}

/// One value inside a sentence, and the element it stands in.
#[derive(Clone, Copy)]
pub enum Piece<'a> {
    /// Plain words.
    Text(&'a str),
    /// A name somebody chose: isolated, so that its writing direction cannot reorder the sentence around it.
    Name(&'a str),
    /// What the reader must not overlook, such as a host.
    Strong(&'a str),
    /// A value to be read letter by letter.
    Code(&'a str),
    /// A link to a page of ours.
    Link(&'a str, &'a str),
    /// A number, which also picks the plural.
    Count(i64),
    /// HTML made before.
    Html(&'a Markup),
}

impl Piece<'_> {
    fn html(self) -> String {
        match self {
            Self::Text(text) => escaped(text),
            Self::Name(name) => format!("<bdi>{}</bdi>", escaped(name)),
            Self::Strong(text) => format!("<strong><bdi>{}</bdi></strong>", escaped(text)),
            Self::Code(text) => format!("<code>{}</code>", escaped(text)),
            Self::Link(href, text) => format!("<a href=\"{}\">{}</a>", escaped(href), escaped(text)),
            Self::Count(number) => number.to_string(),
            Self::Html(markup) => markup.0.clone(),
        }
    }
}

/// Private-use characters that no sentence contains; a piece's text is only put in after the sentence is escaped.
const OPEN: char = '\u{E000}';
const CLOSE: char = '\u{E001}';

/// Has the sentence written with a placeholder for each piece, escapes it, and then sets the pieces in.
pub(super) fn fill(
    sentence: impl FnOnce(&[(&'static str, Value<'_>)]) -> String,
    pieces: &[(&'static str, Piece<'_>)],
) -> Markup {
    let values: Vec<(&'static str, Value<'_>)> = pieces
        .iter()
        .enumerate()
        .map(|(index, (name, piece))| match piece {
            Piece::Count(number) => (*name, Value::from(*number)),
            _ => (*name, Value::from(format!("{OPEN}{index}{CLOSE}"))),
        })
        .collect();
    let sentence = sentence(&values);
    let mut html = String::with_capacity(sentence.len() * 2);
    for part in with_code(&escaped(&sentence)).split(OPEN) {
        match part.split_once(CLOSE) {
            Some((index, rest)) => {
                let piece = index.parse::<usize>().ok().and_then(|index| pieces.get(index));
                html.push_str(&piece.map(|(_, piece)| piece.html()).unwrap_or_default());
                html.push_str(rest);
            }
            None => html.push_str(part),
        }
    }
    Markup(html)
}

/// Sets what a sentence puts between backticks as code. The pieces are not in yet, so none of theirs count.
fn with_code(sentence: &str) -> String {
    let parts = sentence.split('`').enumerate();
    parts
        .map(|(index, part)| if index % 2 == 1 { format!("<code>{part}</code>") } else { part.to_owned() })
        .collect()
}

fn escaped(text: &str) -> String {
    match escape(text, Html) {
        Ok(safe) => safe.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_calls_itself_cannot_become_html() {
        let said = fill(
            |values| match values {
                [(_, Value::String(client)), (_, Value::String(host))] => {
                    format!("<{client}> at {host} & on")
                }
                _ => String::new(),
            },
            &[("client", Piece::Name("<b>\u{E000}1\u{E001}")), ("host", Piece::Strong("a\"b"))],
        );
        assert_eq!(
            said.to_string(),
            "&#60;<bdi>&#60;b&#62;\u{E000}1\u{E001}</bdi>&#62; at <strong><bdi>a&#34;b</bdi></strong> &#38; on"
        );
    }
}
