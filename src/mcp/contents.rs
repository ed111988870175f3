//! What a worker answers for a resource or a prompt: checked to be of the right shape, then copied as it is.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::jsonrpc::{is_object, text};

/// Reads an object; a derived reader alone would take an array for one.
fn object<'a, T: Deserialize<'a>>(json: &'a str) -> Option<T> {
    json.trim_start().starts_with('{').then(|| serde_json::from_str(json).ok()).flatten()
}

#[derive(Deserialize)]
struct Read<'a> {
    #[serde(borrow)]
    contents: &'a RawValue,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    uri: &'a RawValue,
    #[serde(borrow, default, rename = "mimeType")]
    mime_type: Option<&'a RawValue>,
    #[serde(borrow, default)]
    text: Option<&'a RawValue>,
    #[serde(borrow, default)]
    blob: Option<&'a RawValue>,
}

impl Content<'_> {
    fn is_right(&self) -> bool {
        let one = match (self.text, self.blob) {
            (Some(own), None) => text(own).is_some(),
            (None, Some(blob)) => text(blob).is_some_and(|blob| STANDARD.decode(&*blob).is_ok()),
            _ => false,
        };
        one && text(self.uri).is_some() && self.mime_type.is_none_or(|kind| text(kind).is_some())
    }
}

/// The array of `{"contents":[…]}`: each with its `uri` and either `text` or `blob` (base64). `None` if it is
/// anything else.
pub fn contents(json: &[u8]) -> Option<&str> {
    let read: Read<'_> = object(std::str::from_utf8(json).ok()?)?;
    let items: Vec<&RawValue> = serde_json::from_str(read.contents.get()).ok()?;
    let right =
        |item: &&RawValue| object::<Content<'_>>(item.get()).is_some_and(|content| content.is_right());
    items.iter().all(right).then(|| read.contents.get())
}

#[derive(Deserialize)]
struct Got<'a> {
    #[serde(borrow, default)]
    description: Option<&'a RawValue>,
    #[serde(borrow)]
    messages: &'a RawValue,
}

#[derive(Deserialize)]
struct Message<'a> {
    role: Role,
    #[serde(borrow)]
    content: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    User,
    Assistant,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: &'a RawValue,
}

/// Description and messages of `{"messages":[…]}`, as JSON: each has a `role` and one block of `content`. `None`
/// if it is anything else.
pub fn messages(json: &[u8]) -> Option<(Option<&str>, &str)> {
    let got: Got<'_> = object(std::str::from_utf8(json).ok()?)?;
    let items: Vec<&RawValue> = serde_json::from_str(got.messages.get()).ok()?;
    let right = |item: &&RawValue| {
        object::<Message<'_>>(item.get()).is_some_and(
            |Message { role: Role::User | Role::Assistant, content }| {
                is_object(content)
                    && object::<Block<'_>>(content.get()).is_some_and(|block| text(block.kind).is_some())
            },
        )
    };
    let described = got.description.is_none_or(|own| text(own).is_some());
    (described && items.iter().all(right)).then(|| (got.description.map(RawValue::get), got.messages.get()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_of_the_right_shape() {
        let good = r#"[{"uri":"x://a","mimeType":"text/plain","text":"1.10"},{"uri":"x://b","blob":"aGk="}]"#;
        assert_eq!(contents(format!(" {{\"contents\": {good},\"x\":1}}").as_bytes()), Some(good));
        assert_eq!(contents(b"{\"contents\":[]}"), Some("[]"));
        for bad in [
            "",
            "{}",
            "[]",
            "[[]]",
            r#"{"contents":{}}"#,
            r#"{"contents":["x"]}"#,
            r#"{"contents":[["x://a","text"]]}"#,
            r#"{"contents":[{"text":"a"}]}"#,
            r#"{"contents":[{"uri":"x://a"}]}"#,
            r#"{"contents":[{"uri":"x://a","text":1}]}"#,
            r#"{"contents":[{"uri":"x://a","text":"a","blob":"aGk="}]}"#,
            r#"{"contents":[{"uri":"x://a","blob":"%"}]}"#,
            r#"{"contents":[{"uri":"x://a","text":"a","text":"b"}]}"#,
            r#"{"contents":[],"contents":[]}"#,
        ] {
            assert_eq!(contents(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!(contents(b"{\"contents\":[\xff]}"), None);
    }

    #[test]
    fn messages_of_the_right_shape() {
        let good = r#"[{"role":"user","content":{"type":"text","text":"hi"}}]"#;
        let whole = format!("{{\"description\":\"d\",\"messages\":{good}}}");
        assert_eq!(messages(whole.as_bytes()), Some((Some("\"d\""), good)));
        assert_eq!(messages(b"{\"messages\":[]}"), Some((None, "[]")));
        for bad in [
            "{}",
            r#"{"messages":[{"role":"system","content":{"type":"text"}}]}"#,
            r#"{"messages":[{"role":"user","content":"hi"}]}"#,
            r#"{"messages":[{"role":"user","content":{}}]}"#,
            r#"{"messages":[],"description":1}"#,
        ] {
            assert_eq!(messages(bad.as_bytes()), None, "{bad}");
        }
    }
}
