//! Words, whatever their case and accents.

use serde_json::{Map, Value};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Lower case without accents.
pub(super) fn fold(text: &str) -> String {
    text.nfd().filter(|sign| !is_combining_mark(*sign)).flat_map(char::to_lowercase).collect()
}

/// True if every word stands somewhere in a record's texts.
pub(super) fn speaks_of(record: &Map<String, Value>, words: &str) -> bool {
    let mut texts = String::new();
    record.values().for_each(|value| gather(value, &mut texts));
    let texts = fold(&texts);
    fold(words).split_whitespace().all(|word| texts.contains(word))
}

fn gather(value: &Value, texts: &mut String) {
    match value {
        Value::String(text) => {
            texts.push_str(text);
            texts.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, texts)),
        Value::Object(members) => members.values().for_each(|member| gather(member, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
