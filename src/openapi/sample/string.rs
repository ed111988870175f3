//! Texts for formats, patterns and lengths.

use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::{Value, json};

use super::flat::Flat;

/// Characters of a text that is made for a length.
const MAX: usize = 4096;

/// A text that is good for a schema.
pub(super) fn sample(flat: &Flat<'_>, turn: usize) -> Option<Value> {
    let least = flat.count("minLength").unwrap_or(0);
    let most = flat.count("maxLength").unwrap_or(usize::MAX);
    if least > most || least > MAX {
        return None;
    }
    if let Some(pattern) = flat.text("pattern") {
        return patterned(pattern, least, most, turn).map(Value::from);
    }
    let text = flat.text("format").and_then(formatted).unwrap_or(match flat.text("contentEncoding") {
        Some("base64" | "base64url") => "ZXhhbXBsZQ",
        _ => "example",
    });
    let count = text.chars().count();
    Some(if count > most {
        json!(text.chars().take(most).collect::<String>())
    } else if count < least {
        json!(text.chars().cycle().take(least).collect::<String>())
    } else {
        json!(text)
    })
}

fn formatted(format: &str) -> Option<&'static str> {
    Some(match format {
        "date-time" | "datetime" => "2026-01-31T12:00:00Z",
        "date" | "full-date" => "2026-01-31",
        "time" => "12:00:00Z",
        "duration" => "P1D",
        "email" | "idn-email" => "ana@example.com",
        "hostname" | "idn-hostname" => "www.example.com",
        "ipv4" | "ip" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "uri" | "url" | "iri" => "https://example.com/",
        "uri-reference" | "iri-reference" | "json-pointer" => "/example",
        "uri-template" => "/example/{id}",
        "uuid" | "guid" => "3f2b6c1e-8a4d-4c7b-9e21-5d0f7a9b3c64",
        "relative-json-pointer" => "0",
        "regex" => "^example$",
        "byte" | "base64" | "base64url" => "ZXhhbXBsZQ==",
        _ => return None,
    })
}

/// A text that a pattern finds, as long as is wanted.
fn patterned(pattern: &str, least: usize, most: usize, turn: usize) -> Option<String> {
    // escapes that ECMA-262 has and this reader has not
    let plain = pattern.replace("\\/", "/").replace("\\-", "\\x2d");
    let plain = without_lookaround(&plain);
    // a pattern that also finds nothing is shown with something
    let least = least.max(1).min(most);
    let hir = regex_syntax::ParserBuilder::new().build().parse(&plain).ok()?;
    (0..=least + 1).take(300).find_map(|more| {
        let mut text = String::new();
        write(&hir, more, turn, &mut text);
        let count = text.chars().count();
        if count < least && !plain.ends_with('$') {
            text.extend(std::iter::repeat_n('0', least - count));
        }
        let count = text.chars().count();
        (count >= least && count <= most).then_some(text)
    })
}

/// A pattern without conditions on what stands around, which this reader has not; mostly they forbid what nobody would
/// write as an example.
fn without_lookaround(pattern: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(at) = ["(?!", "(?=", "(?<!", "(?<="].iter().filter_map(|own| rest.find(own)).min() {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        rest = from.get(group_length(from)..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// Bytes of the group that a text begins with.
fn group_length(text: &str) -> usize {
    let (mut depth, mut escaped, mut in_class) = (0usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b']' => in_class = false,
            b'[' => in_class = true,
            b'(' if !in_class => depth += 1,
            b')' if !in_class => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// The shortest text, with as many repetitions more as are allowed.
fn write(hir: &Hir, more: usize, turn: usize, out: &mut String) {
    if out.len() > MAX {
        return;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(class) => out.extend(character(class)),
        HirKind::Capture(capture) => write(&capture.sub, more, turn, out),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write(part, more, turn, out)),
        HirKind::Alternation(all) => {
            if let Some(one) = all.get(turn % all.len().max(1)) {
                write(one, more, turn, out);
            }
        }
        HirKind::Repetition(own) => {
            let wanted = usize::try_from(own.min).unwrap_or(0) + more;
            let most = own.max.and_then(|max| usize::try_from(max).ok()).unwrap_or(usize::MAX);
            for _ in 0..wanted.min(most).min(MAX) {
                write(&own.sub, more, turn, out);
                if out.len() > MAX {
                    return;
                }
            }
        }
    }
}

/// A plain character of a class: a small letter, a digit, a capital, or the first.
fn character(class: &Class) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.iter().map(|range| (range.start(), range.end())).collect(),
        Class::Bytes(class) => {
            class.iter().map(|range| (char::from(range.start()), char::from(range.end()))).collect()
        }
    };
    let has = |wanted: char| ranges.iter().any(|(start, end)| (*start..=*end).contains(&wanted));
    let plain = ('a'..='z').chain('0'..='9').chain('A'..='Z').chain("-_. /:@".chars()).find(|own| has(*own));
    plain.or_else(|| ranges.first().map(|(start, _)| *start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_find_their_samples() {
        for (pattern, least, most) in [
            ("^[a-z]{2}$", 0, 9),
            ("^cus_[A-Za-z0-9]+$", 10, 20),
            ("^\\d{4}-\\d{2}$", 0, 9),
            ("^(a|b)*$", 3, 5),
            ("x", 4, 4),
            ("^[^/]+\\/[^/]+$", 0, 9),
            ("^[\\w\\-]+$", 1, 9),
            ("^(?!usage$)(?!([)]|x\\)))[a-z]+.*$", 1, 9),
        ] {
            let text = patterned(pattern, least, most, 0).unwrap_or_else(|| panic!("{pattern}"));
            let schema = json!({"pattern": pattern, "minLength": least, "maxLength": most});
            assert!(
                jsonschema::draft202012::new(&schema).unwrap().is_valid(&json!(text)),
                "{pattern} {text}"
            );
        }
    }
}
