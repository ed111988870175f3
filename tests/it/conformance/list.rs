//! The list of rows, made from the sources.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/conformance/README.md");

/// What the list says first.
const HEAD: &str = "# What the black-box suite holds, row by row\n\n\
    Made by `UPDATE_DOCS=1 cargo test --test it conformance::list` from the calls of `holds` in the sources and the \
    reasons in `reasons/`; a test fails while this file is behind them. A row with several tests is held by all \
    of them together.\n";

/// Series in the order of the list, each with its heading.
const SERIES: [(&str, &str); 22] = [
    ("C", "Clients of the field"),
    ("W-", "Wire rules of every endpoint"),
    ("CORS-", "Cross-origin requests"),
    ("M-", "Authorization server metadata (RFC 8414)"),
    ("P-", "Protected resource metadata (RFC 9728)"),
    ("D-", "Dynamic client registration (RFC 7591)"),
    ("C-", "Client ID metadata documents"),
    ("DM-", "Registration management (RFC 7592)"),
    ("CA-", "Client authentication"),
    ("U-", "Sessions, sign-in, consent"),
    ("R-", "Redirect URIs"),
    ("A-", "Authorization endpoint"),
    ("X-", "PKCE (RFC 7636)"),
    ("G-", "Authorization codes"),
    ("K-", "Token endpoint"),
    ("F-", "Refresh tokens"),
    ("I-", "Resource indicators (RFC 8707)"),
    ("CC-", "Client credentials"),
    ("V-", "Revocation (RFC 7009)"),
    ("IN-", "Introspection (RFC 7662)"),
    ("B-", "Resource server (RFC 6750) and gateway"),
    ("N-", "Attacks and malformed input"),
];

/// A row: what it says, and the tests that hold it or the reason why none does.
#[derive(Default)]
struct Row {
    says: String,
    tests: Vec<String>,
    reason: Option<String>,
}

type Rows = BTreeMap<String, Row>;

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|ext| ext == "rs") && !path.ends_with("conformance/list.rs") {
            into.push(path);
        }
    }
    into.sort();
}

/// The first string literal in `text`, and what follows it.
fn literal(text: &str) -> Option<(String, &str)> {
    let rest = text.trim_start().strip_prefix('"')?;
    let mut out = String::new();
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((out, &rest[at + 1..])),
            '\\' => out.push(chars.next()?.1),
            c => out.push(c),
        }
    }
    None
}

/// The calls of `holds` in one file, each with the test it stands in.
fn calls(path: &Path, rows: &mut Rows) {
    let text = std::fs::read_to_string(path).unwrap();
    let shown = path.strip_prefix(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).unwrap();
    let module = shown.with_extension("").to_string_lossy().replace('/', "::").replace("::mod", "");
    let mut rest = text.as_str();
    while let Some(at) = rest.find("holds(") {
        let before = &text[..text.len() - rest.len() + at];
        rest = &rest[at + "holds(".len()..];
        if before.rsplit('\n').next().is_some_and(|line| line.trim_start().starts_with("//")) {
            continue;
        }
        let Some((id, after)) = literal(rest) else { continue };
        let (says, _) = literal(after.trim_start().trim_start_matches(',')).unwrap_or_default();
        assert!(!says.is_empty(), "{id} in {} does not say what it holds", shown.display());
        let function =
            before.rfind("\nfn ").map(|at| &before[at + 4..]).and_then(|text| text.split(['(', '<']).next());
        let name = format!("{module}::{}", function.unwrap_or_default());
        let row = rows.entry(id).or_default();
        if row.says.is_empty() {
            row.says = says;
        }
        if !row.tests.contains(&name) {
            row.tests.push(name);
        }
    }
}

/// `ID | what it says | why no test holds it`, a line each, in every file of `reasons/`.
fn reasons(rows: &mut Rows) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/conformance/reasons");
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            reason(line, rows);
        }
    }
}

fn reason(line: &str, rows: &mut Rows) {
    let mut parts = line.splitn(3, " | ");
    let (Some(id), Some(says), Some(why)) = (parts.next(), parts.next(), parts.next()) else {
        panic!("{line}: not `ID | what it says | why`");
    };
    let row = rows.entry(id.to_owned()).or_default();
    assert!(row.reason.replace(why.to_owned()).is_none(), "{id} has two reasons");
    if row.says.is_empty() {
        row.says = says.to_owned();
    }
}

/// The series of a number.
fn series(id: &str) -> &str {
    id.trim_end_matches(|c: char| c.is_ascii_digit())
}

fn rows() -> Rows {
    let mut rows = Rows::new();
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it"), &mut files);
    for file in files {
        calls(&file, &mut rows);
    }
    reasons(&mut rows);
    rows
}

fn list(rows: &Rows) -> String {
    let mut out = HEAD.to_owned();
    for (prefix, heading) in SERIES {
        let mut own = rows.iter().filter(|(id, _)| series(id) == prefix).peekable();
        if own.peek().is_none() {
            continue;
        }
        write!(out, "\n## {heading}\n\n| row | what holds | where |\n|---|---|---|\n").unwrap();
        for (id, row) in own {
            let mut at: Vec<_> = row.tests.iter().map(|test| format!("`{test}`")).collect();
            at.extend(row.reason.iter().cloned());
            writeln!(out, "| {id} | {} | {} |", row.says.replace('|', "\\|"), at.join("<br>")).unwrap();
        }
    }
    out + &super::suite::section()
}

#[test]
fn the_list_names_every_row_and_its_tests() {
    let rows = rows();
    for id in rows.keys() {
        assert!(SERIES.iter().any(|(prefix, _)| series(id) == *prefix), "{id} belongs to no series");
    }
    let list = list(&rows);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(FILE, &list).unwrap();
    }
    let kept = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(
        kept == list,
        "the list is behind the tests; run UPDATE_DOCS=1 cargo test --test it conformance::list"
    );
}

/// The rows that must be there: a row whose check is lost, or that gets no reason, fails.
#[test]
fn no_row_is_lost() {
    let rows = rows();
    let lost: Vec<_> =
        include_str!("rows.txt").split_whitespace().filter(|id| !rows.contains_key(*id)).collect();
    assert!(lost.is_empty(), "neither a test nor a reason: {lost:?}");
}
