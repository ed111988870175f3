//! Renders `docs/configuration.md`.

use std::{collections::HashMap, fmt::Write};

use serde_json::Value;

use super::schema::{Shape, schema};

const HEAD: &str = "# Configuration

Generated from the program (`UPDATE_DOCS=1 cargo test --lib config::`); not to be edited by hand.

Portero reads one TOML file, `portero.toml` unless `--config` names another. `portero init` writes one to begin with, \
`portero config check` says everything that is wrong with it at once, `portero config print` shows what is in effect, \
and `portero config schema` gives the JSON Schema that editors understand.

- Relative paths are taken from the file's folder.
- Public URLs, issuers and resources are `https`, or `http` on loopback hosts. URLs of upstreams, Redis and the \
database are free.
- `PORTERO__SECTION__KEY` in the environment overrides a key: `PORTERO__DATABASE__URL`, \
`PORTERO__SERVICE__MICO__UPSTREAM__MEETINGS__URL` (entries of lists by number or id). Values are read as TOML where \
they are TOML, else as text.
- Every secret has a `_file` twin, whose file is read in its place.
- Unknown keys are errors.
- Durations are written `\"500ms\"`, `\"30s\"`, `\"5min\"`, `\"1h\"`, `\"30d\"`; sizes `\"512KiB\"`, `\"4MiB\"`; rates \
`\"10/s\"`, `\"120/min\"`, `\"1000/h\"`. Texts for people are one string, or `{ es = \"…\", en = \"…\" }`.
";

/// The reference of all keys, as Markdown.
pub fn reference() -> String {
    let schema = schema();
    let mut page = Page { text: HEAD.to_owned(), seen: HashMap::new() };
    page.section("", "The file itself", "", Shape::new(&schema));
    page.text
}

struct Page<'a> {
    text: String,
    /// Definitions that stand in the page already, with the heading they stand under.
    seen: HashMap<&'a str, String>,
}

/// A table below a section.
struct Below<'a> {
    path: String,
    heading: String,
    intro: &'a str,
    shape: Shape<'a>,
}

impl<'a> Page<'a> {
    fn section(&mut self, path: &str, heading: &str, intro: &str, shape: Shape<'a>) {
        self.line(&format!("\n## {heading}\n"));
        if !intro.is_empty() {
            self.line(&format!("{intro}\n"));
        }
        if let Some(name) = shape.definition() {
            if let Some(known) = self.seen.get(name) {
                let same = format!("The same keys as {known}.");
                return self.line(&same);
            }
            self.seen.insert(name, heading.to_owned());
        }
        let mut below = Vec::new();
        let mut rows = String::new();
        for (key, place) in shape.properties() {
            match nested(path, key, place) {
                Some(table) => below.push(table),
                None => rows.push_str(&row(key, place, shape.requires(key))),
            }
        }
        if !rows.is_empty() {
            self.line("| key | allowed | default | what it is |\n|---|---|---|---|");
            self.text.push_str(&rows);
        }
        for table in below {
            self.section(&table.path, &table.heading, table.intro, table.shape);
        }
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }
}

/// A key that is a section of its own: a table, a list of tables, or tables by name.
fn nested<'a>(path: &str, key: &str, place: Shape<'a>) -> Option<Below<'a>> {
    let dotted = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    let intro = place.text("description").unwrap_or_default();
    let has_keys = |shape: &Shape<'_>| shape.properties().next().is_some();
    if has_keys(&place) {
        return Some(Below { heading: format!("`[{dotted}]`"), path: dotted, intro, shape: place });
    }
    if let Some(items) = place.items().filter(has_keys) {
        return Some(Below { heading: format!("`[[{dotted}]]`"), path: dotted, intro, shape: items });
    }
    let values = place.values().filter(has_keys)?;
    let name = format!("{dotted}.NAME");
    Some(Below { heading: format!("`[{name}]`"), path: name, intro, shape: values })
}

fn row(key: &str, place: Shape<'_>, required: bool) -> String {
    let default = match (place.text("x-default"), place.get("default")) {
        _ if required => "**required**".to_owned(),
        (Some(words), _) => words.to_owned(),
        (None, Some(value)) => format!("`{}`", literal(value)),
        (None, None) => "none".to_owned(),
    };
    let what = place.text("description").unwrap_or_default();
    let mut row = String::new();
    // writing to a String cannot fail
    let _ = writeln!(row, "| `{key}` | {} | {default} | {} |", cell(&allowed(place)), cell(what));
    row
}

/// What may stand there; of an enumeration also what each word means.
fn allowed(place: Shape<'_>) -> String {
    let each = place.items().filter(|items| items.get("enum").is_some()).unwrap_or(place);
    let Some(Value::Array(options)) = each.get("enum") else {
        return match place.values() {
            Some(values) => format!("by name, {}", values.expected()),
            None => place.expected(),
        };
    };
    let meanings = each.get("x-values");
    let one = |option: &Value| {
        let meaning = option.as_str().and_then(|name| meanings?.get(name)?.as_str());
        let meaning = meaning.filter(|meaning| option.as_str() != Some(*meaning));
        meaning.map_or_else(|| format!("`{option}`"), |meaning| format!("`{option}`: {meaning}"))
    };
    let list = options.iter().map(one).collect::<Vec<_>>().join("<br>");
    if place.items().is_some() { format!("a list of<br>{list}") } else { list }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", ")),
        Value::Object(table) if table.is_empty() => "{}".to_owned(),
        other => other.to_string(),
    }
}

/// A table's cell is one line, and its bars would end it.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}
