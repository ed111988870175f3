//! Whatever comes, what leaves is JSON, short enough, and shortened in the promised order.

use serde_json::{Value, json};

use super::*;

const CAP: Cap = Cap { chars: 2000, language: Language::En };

fn shortened(cap: Cap, value: &Value) -> (Value, Value) {
    let got = cap.json(&value.to_string()).expect("too long");
    assert!(got.text.chars().count() <= cap.chars, "{} of {}", got.text.chars().count(), cap.chars);
    let envelope: Value = serde_json::from_str(&got.text).unwrap_or_else(|error| panic!("{error}: {got:?}"));
    let data: Value = serde_json::from_str(got.data()).unwrap();
    assert_eq!(envelope["data"], data);
    assert_eq!(envelope["truncated"], true);
    (envelope["note"].clone(), data)
}

#[test]
fn a_long_list_keeps_its_beginning() {
    let meetings: Vec<_> = (0..480).map(|id| json!({"id": id, "title": format!("Reunión {id}")})).collect();
    let (note, data) = shortened(CAP, &json!({"total": 480, "meetings": meetings, "tags": ["a", "b"]}));
    let shown = data["meetings"].as_array().unwrap();
    assert!(shown.len() > 35 && *shown == meetings[..shown.len()], "{}", shown.len());
    assert_eq!((&data["total"], &data["tags"]), (&json!(480), &json!(["a", "b"])));
    assert_eq!(
        note,
        format!(
            "Shortened answer: meetings, {} of 480. Ask for the rest by page (cursor, offset or limit) or with a \
             narrower filter.",
            shown.len()
        )
    );
    let (note, data) = shortened(Cap { language: Language::Es, ..CAP }, &json!(meetings));
    let shown = data.as_array().unwrap().len();
    assert!(
        note.as_str().unwrap().starts_with(&format!("Respuesta acortada: elementos, {shown} de 480. Pide"))
    );
}

#[test]
fn the_costly_list_gives_way_and_the_cheap_one_stays() {
    let long: Vec<_> = (0..900).collect();
    let short: Vec<_> = (0..90).collect();
    let (_, data) = shortened(CAP, &json!({"long": long, "short": short, "inner": [[1, 2, 3], [4]]}));
    assert_eq!((&data["short"], &data["inner"]), (&json!(short), &json!([[1, 2, 3], [4]])));
    assert!(data["long"].as_array().unwrap().len() > 200);
}

#[test]
fn texts_are_cut_when_lists_are_down_to_one_item() {
    let text = "Año \"nuevo\" \u{1F389}\n".repeat(500);
    let (note, data) = shortened(CAP, &json!({"notes": [text, text], "id": "m1"}));
    let cut = data["notes"][0].as_str().unwrap();
    assert_eq!((data["notes"].as_array().unwrap().len(), &data["id"]), (1, &json!("m1")));
    let whole = cut.strip_suffix('…').unwrap();
    assert!(text.starts_with(whole) && whole.chars().count() > 1000, "{}", whole.chars().count());
    assert!(note.as_str().unwrap().contains("1 of 2") && note.as_str().unwrap().contains("texts are cut"));
}

#[test]
fn no_escape_is_parted() {
    for (unit, decoded) in [("\\ud83c\\udf89", "\u{1F389}"), ("\\u00e9", "é"), ("\\n", "\n"), ("é", "é")] {
        for shift in 0..13 {
            let json = format!("[\"{}{}\"]", "x".repeat(shift), unit.repeat(1000));
            let got = Cap { chars: 900, language: Language::En }.json(&json).unwrap();
            let data: Value = serde_json::from_str(got.data()).unwrap();
            let text = data[0].as_str().unwrap().trim_start_matches('x').trim_end_matches('…');
            assert!(text.chars().all(|char| decoded.starts_with(char)), "{data}");
        }
    }
}

#[test]
fn objects_and_what_is_nested_too_deeply_fit_as_well() {
    let wide: serde_json::Map<_, _> = (0..5000).map(|n| (format!("key{n}"), json!(n))).collect();
    let (note, data) = shortened(CAP, &json!(wide));
    assert!(data.as_object().unwrap().len() > 80 && note.as_str().unwrap().contains("fields are missing"));
    let deep = format!("{}\"\\\"\"{}", "[".repeat(3000), "]".repeat(3000));
    let got = CAP.json(&deep).unwrap();
    let data: String = serde_json::from_str(got.data()).unwrap();
    assert!(got.text.chars().count() <= 2000 && deep.starts_with(data.trim_end_matches('…')));
    let number = "1".repeat(3000);
    let data: String = serde_json::from_str(CAP.json(&number).unwrap().data()).unwrap();
    assert!(number.starts_with(data.trim_end_matches('…')) && data.len() > 1500);
}

#[test]
fn what_fits_stays_as_it_is() {
    let exact = json!("é".repeat(1998)).to_string();
    assert_eq!((CAP.json(&exact), CAP.text(&"é".repeat(2000))), (None, None));
    let spaced = format!("{{{}\"a\": 1.10}}", " ".repeat(3000));
    let got = CAP.json(&spaced).unwrap();
    assert_eq!((got.text.as_str(), got.data()), ("{\"a\":1.10}", "{\"a\":1.10}"));
}

#[test]
fn other_text_is_cut_between_two_characters() {
    let text = "ñ\u{1F389}".repeat(2000);
    let got = CAP.content(&text).unwrap();
    let (shown, note) = got.split_once("…\n\n[").unwrap();
    assert!(text.starts_with(shown) && got.chars().count() <= 2000);
    assert!(note.starts_with("Shortened answer: the first 1610 of 4000 characters."), "{note}");
    assert!(CAP.content(&json!(vec![1; 3000]).to_string()).unwrap().starts_with("{\"truncated\":true"));
}

/// Documents out of a number: small and large, flat and nested, with every kind of value.
struct Random(u64, u32);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % below
    }

    fn text(&mut self) -> String {
        let length = if self.next(12) == 0 { self.next(900) } else { self.next(12) };
        let letters = ["a", "é", "\"", "\\", "\n", "\u{1F389}", " ", "\u{1}", "]", "{"];
        (0..length).map(|_| letters[usize::try_from(self.next(10)).unwrap()]).collect()
    }

    fn value(&mut self, depth: u64) -> Value {
        // no document has more than some hundred values
        self.1 = self.1.saturating_sub(1);
        match self.next(if depth > 5 || self.1 == 0 { 5 } else { 9 }) {
            0 => json!(null),
            1 => json!(self.next(2) == 0),
            2 => json!(self.next(1 << 50)),
            3 | 4 => json!(self.text()),
            5 | 6 => {
                let most = if self.next(3) == 0 { 120 } else { 6 };
                let count = self.next(most);
                (0..count).map(|_| self.value(depth + 1)).collect()
            }
            _ => {
                let count = self.next(9);
                let members = (0..count).map(|_| (self.text(), self.value(depth + 1)));
                Value::Object(members.collect())
            }
        }
    }
}

/// True if every list that is shown holds one item at most.
fn all_lists_short(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.len() <= 1 && items.iter().all(all_lists_short),
        Value::Object(members) => members.values().all(all_lists_short),
        _ => true,
    }
}

fn has_cut_text(value: &Value) -> bool {
    match value {
        Value::String(text) => text.ends_with('…'),
        Value::Array(items) => items.iter().any(has_cut_text),
        Value::Object(members) => members.values().any(has_cut_text),
        _ => false,
    }
}

/// True if `part` is what is left of `whole`: lists and objects from their beginnings, texts cut at their ends.
fn is_beginning(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::String(part), Value::String(whole)) => {
            part == whole || part.strip_suffix('…').is_some_and(|part| whole.starts_with(part))
        }
        (Value::Array(part), Value::Array(whole)) => {
            part.len() <= whole.len() && part.iter().zip(whole).all(|(part, whole)| is_beginning(part, whole))
        }
        (Value::Object(part), Value::Object(whole)) => part
            .iter()
            .zip(whole)
            .all(|((name, part), (own, whole))| name == own && is_beginning(part, whole)),
        (part, whole) => part == whole,
    }
}

#[test]
fn ten_thousand_documents_stay_json_and_short() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15, 0);
    let (mut shortened_count, mut cut_count) = (0, 0);
    for round in 0..10_000 {
        let cap = Cap { chars: 500 + usize::try_from(random.next(1500)).unwrap(), ..CAP };
        random.1 = 300;
        let value = random.value(0);
        let json = if round % 3 == 0 { format!("{value:#}") } else { value.to_string() };
        let Some(got) = cap.json(&json) else {
            assert!(json.chars().count() <= cap.chars);
            continue;
        };
        shortened_count += 1;
        assert!(got.text.chars().count() <= cap.chars, "round {round}");
        let whole: Value = serde_json::from_str(&got.text).unwrap_or_else(|error| panic!("{round}: {error}"));
        let data: Value = serde_json::from_str(got.data()).unwrap();
        if got.data() == got.text {
            assert_eq!(data, value);
            continue;
        }
        assert_eq!(whole["data"], data);
        assert!(is_beginning(&data, &value), "round {round}: {data} of {value}");
        if has_cut_text(&data) {
            cut_count += 1;
            assert!(all_lists_short(&data), "round {round}: a text was cut before the lists: {data}");
        }
    }
    assert!(shortened_count > 1500 && cut_count > 300, "{shortened_count} {cut_count}");
}

#[test]
fn sixteen_megabytes_are_shortened_in_passing() {
    let item = json!({"id": 1234, "title": "Reunión de equipo", "people": ["ana", "bruno"], "notes": "x".repeat(60)});
    let item = item.to_string();
    let many = vec![item.as_str(); (16 << 20) / item.len()].join(",");
    let json = format!("{{\"meetings\":[{many}]}}");
    let cap = Cap { chars: 20_000, language: Language::Es };
    let got = cap.json(&json).unwrap();
    let count = got.text.chars().count();
    assert!((19_000..=20_000).contains(&count), "{count}: what is allowed is used");
}
