//! Text becomes a value: JSON or YAML, within bounds.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde_json::Value;
use serde_saphyr::options::DuplicateKeyPolicy;

/// Bytes of one file.
pub(super) const MAX_FILE: usize = 16 << 20;
/// Containers within containers; the same for JSON, whose reader has this bound of its own.
const MAX_DEPTH: usize = 127;
/// Values in one YAML file.
const MAX_NODES: usize = 2_000_000;
/// What aliases may repeat, counted in events: enough for shared fragments, too little for a bomb.
const MAX_REPEATED: usize = 200_000;

/// Reads a file.
///
/// # Errors
///
/// What is wrong with it, to be read behind its name.
pub(super) fn read(path: &Path) -> Result<(Value, usize), String> {
    let unreadable = |error: std::io::Error| format!("cannot be read: {error}");
    let file = File::open(path).map_err(unreadable)?;
    if !file.metadata().map_err(unreadable)?.is_file() {
        return Err("is no file".to_owned());
    }
    let limit = u64::try_from(MAX_FILE + 1).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > MAX_FILE {
        return Err(format!("is larger than {} MiB", MAX_FILE >> 20));
    }
    let text = std::str::from_utf8(&bytes).map_err(|error| format!("is no UTF-8: {error}"))?;
    let is_json = path.extension().is_some_and(|own| own.eq_ignore_ascii_case("json"));
    parse(text.trim_start_matches('\u{feff}'), is_json).map(|value| (value, bytes.len()))
}

/// What begins like JSON is mostly JSON; if not, YAML reads it, unless its name says JSON.
pub(super) fn parse(text: &str, is_json: bool) -> Result<Value, String> {
    if is_json || text.trim_start().starts_with('{') {
        match serde_json::from_str(text) {
            Ok(value) => return Ok(value),
            Err(error) if is_json => return Err(format!("is no JSON: {error}")),
            Err(_) => {}
        }
    }
    yaml(text).map_err(|error| format!("is no YAML that can be read: {error}"))
}

fn yaml(text: &str) -> Result<Value, String> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: 2 * MAX_NODES,
            max_nodes: MAX_NODES,
            max_depth: MAX_DEPTH,
            flow_nesting_limit: MAX_DEPTH,
            max_documents: 1,
            max_total_scalar_bytes: MAX_FILE,
            max_recorded_anchor_events: MAX_REPEATED,
            enforce_alias_anchor_ratio: false,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MAX_REPEATED },
        strict_booleans: true,
        null_as_string: true,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options)
        .map_err(|error| error.to_string().lines().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn yaml_is_read_as_yaml_1_2_says() {
        let text = "a: yes\nb: true\n200: {x: null}\nc: 1.0\nd: 2020-01-01\ne: |\n  two\n  lines\nf: &f [1]\ng: *f\nn: ~\n'on': 1\n";
        assert_eq!(
            parse(text, false).unwrap(),
            json!({"a": "yes", "b": true, "200": {"x": null}, "c": 1.0, "d": "2020-01-01", "e": "two\nlines\n",
                "f": [1], "g": [1], "n": null, "on": 1})
        );
        assert_eq!(parse(" {\"a\": 1}", false).unwrap(), json!({"a": 1}));
        assert_eq!(parse("{a: 1}", false).unwrap(), json!({"a": 1}));
        assert!(parse("{a: 1}", true).unwrap_err().starts_with("is no JSON"));
        assert!(parse("a: 1\na: 2\n", false).is_err(), "a key twice");
    }

    #[test]
    fn bombs_are_refused_quickly() {
        let deep = std::thread::Builder::new().stack_size(super::super::document::STACK);
        deep.spawn(refuse_bombs).unwrap().join().unwrap();
    }

    fn refuse_bombs() {
        let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
        for level in 1..12 {
            let alias = format!("*a{}", level - 1);
            bomb = format!("{bomb}a{level}: &a{level} [{}]\n", vec![alias; 10].join(","));
        }
        assert!(parse(&bomb, false).is_err());
        assert!(parse(&format!("{}{}", "[".repeat(500), "]".repeat(500)), false).is_err());
        assert!(parse(&format!("{{\"a\":{}{}}}", "[".repeat(500), "]".repeat(500)), true).is_err());
        let deep = (0..300).map(|level| " ".repeat(level) + "a:\n").collect::<Vec<_>>().concat();
        assert!(parse(&deep, false).is_err());
    }
}
