//! Results that a worker made itself: whether they are any, and what the gateway changes in them.

use indexmap::IndexMap;
use serde_json::value::RawValue;

use super::cap::Cap;
use super::{jsonrpc, result};

type Members<'a> = IndexMap<String, &'a RawValue>;

/// Adds a member to `_meta`. `None` if the result or its `_meta` is no object.
pub fn mark(result: &str, name: &str, value: &str) -> Option<String> {
    let mut members: Members<'_> = serde_json::from_str(result).ok()?;
    let value: &RawValue = serde_json::from_str(value).ok()?;
    let mut meta: Members<'_> = match members.get("_meta") {
        Some(meta) => serde_json::from_str(meta.get()).ok()?,
        None => Members::new(),
    };
    meta.insert(name.to_owned(), value);
    let meta = serde_json::to_string(&meta).ok()?;
    members.insert("_meta".to_owned(), serde_json::from_str(&meta).ok()?);
    serde_json::to_string(&members).ok()
}

/// Shortens every text that is longer than the cap, and `structuredContent` alike. `None` if nothing is.
pub fn shorten(result: &str, cap: &Cap) -> Option<String> {
    if result.len() <= cap.chars {
        return None;
    }
    let mut members: Members<'_> = serde_json::from_str(result).ok()?;
    let content = members.get("content").and_then(|content| shorten_content(content.get(), cap));
    let structured = members.get("structuredContent").and_then(|value| cap.json(value.get()));
    if content.is_none() && structured.is_none() {
        return None;
    }
    if let Some(content) = &content {
        members.insert("content".to_owned(), serde_json::from_str(content).ok()?);
    }
    if let Some(structured) = &structured {
        // what could only be kept as a text is no object any more
        let data: &RawValue = serde_json::from_str(structured.data()).ok()?;
        if jsonrpc::is_object(data) {
            members.insert("structuredContent".to_owned(), data);
        } else {
            members.shift_remove("structuredContent");
        }
    }
    serde_json::to_string(&members).ok()
}

fn shorten_content(content: &str, cap: &Cap) -> Option<String> {
    let blocks: Vec<&RawValue> = serde_json::from_str(content).ok()?;
    let new: Vec<Option<String>> = blocks.iter().map(|block| shorten_block(block, cap)).collect();
    if new.iter().all(Option::is_none) {
        return None;
    }
    let all: Vec<&str> =
        blocks.iter().zip(&new).map(|(block, new)| new.as_deref().unwrap_or(block.get())).collect();
    Some(format!("[{}]", all.join(",")))
}

fn shorten_block(block: &RawValue, cap: &Cap) -> Option<String> {
    if block.get().len() <= cap.chars {
        return None;
    }
    let mut members: Members<'_> = serde_json::from_str(block.get()).ok()?;
    let text = members.get("text").and_then(|text| jsonrpc::text(text))?;
    let mut new = Vec::new();
    result::write_string(&mut new, &cap.content(&text)?);
    let new = String::from_utf8(new).ok()?;
    members.insert("text".to_owned(), serde_json::from_str(&new).ok()?);
    serde_json::to_string(&members).ok()
}

#[cfg(test)]
mod tests {
    use super::super::cap::Language;
    use super::*;
    use serde_json::{Value, json};

    fn read(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_mark_goes_beside_what_is_there() {
        let got = mark(r#"{"x":1.10,"content":[]}"#, "io.portero/replayed", "true").unwrap();
        assert_eq!(got, r#"{"x":1.10,"content":[],"_meta":{"io.portero/replayed":true}}"#);
        let got = mark(r#"{"_meta":{"a":1}}"#, "b", "true").unwrap();
        assert_eq!(read(&got)["_meta"], json!({"a": 1, "b": true}));
        assert_eq!((mark("[]", "b", "true"), mark(r#"{"_meta":1}"#, "b", "true")), (None, None));
    }

    #[test]
    fn texts_and_structured_content_are_shortened_alike() {
        let cap = Cap { chars: 1000, language: Language::En };
        let data = json!({"items": (0..900).collect::<Vec<_>>()});
        let result = json!({"structuredContent": data, "content": [
            {"type": "text", "text": data.to_string(), "annotations": {"priority": 1}},
            {"type": "text", "text": "short"},
            {"type": "image", "data": "a".repeat(3000), "mimeType": "image/png"},
            {"type": "text", "text": "palabra ".repeat(500)}
        ]});
        let got = read(&shorten(&result.to_string(), &cap).unwrap());
        let first = read(got["content"][0]["text"].as_str().unwrap());
        assert_eq!((&first["data"], &first["truncated"]), (&got["structuredContent"], &json!(true)));
        assert!(got["structuredContent"]["items"].as_array().unwrap().len() > 100);
        assert_eq!(got["content"][0]["annotations"], json!({"priority": 1}));
        assert_eq!((&got["content"][1], &got["content"][2]), (&result["content"][1], &result["content"][2]));
        let last = got["content"][3]["text"].as_str().unwrap();
        assert!(last.starts_with("palabra ") && last.contains("[Shortened answer") && last.len() <= 1010);
        let short = json!({"content": [{"type": "image", "data": "a".repeat(3000)}]}).to_string();
        assert_eq!(shorten(&short, &cap), None);
    }
}
