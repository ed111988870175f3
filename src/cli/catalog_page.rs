//! The catalog as a page for documentation: a table by domain, from the catalog in use.
//!
//! Domains come in the order in which the catalog names them first, tools in the catalog's order, so that the same
//! catalog always gives the same page.

use std::fmt::{self, Display, Write as _};

use serde_json::Value;

use crate::config::Language;
use crate::domain::tool::Confirm;
use crate::gateway::{Service, Tool};

/// The tools of a service that the page is about.
pub(super) struct Page<'a> {
    /// Its heading.
    pub title: &'a str,
    /// The service.
    pub service: &'a Service,
    /// Its tools as listed.
    pub listed: &'a [Value],
    /// The language of headings.
    pub language: Language,
}

struct Row {
    domain: Option<Box<str>>,
    cells: [String; 6],
}

impl Display for Page<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = Words::of(self.language);
        let catalog = self.service.catalog.load();
        let rows: Vec<Row> = self
            .listed
            .iter()
            .filter_map(|listed| Some(row(listed, catalog.get(listed.get("name")?.as_str()?)?, &words)))
            .collect();
        let domains = domains(&rows);
        let named = domains.iter().filter(|domain| domain.is_some()).count();
        writeln!(out, "# {}\n\n{}", cell(self.title), (words.count)(rows.len(), named))?;
        for domain in domains {
            let own: Vec<&Row> = rows.iter().filter(|row| row.domain.as_deref() == domain).collect();
            match domain {
                Some(domain) => writeln!(out, "\n## {} ({})\n", cell(domain), own.len())?,
                None if named > 0 => writeln!(out, "\n## {} ({})\n", words.other, own.len())?,
                None => writeln!(out)?,
            }
            writeln!(out, "| {} |\n|---|---|---|---|---|---|", words.columns.join(" | "))?;
            for row in own {
                writeln!(out, "| {} |", row.cells.join(" | "))?;
            }
        }
        Ok(())
    }
}

/// Every domain once; the tools without one come last.
fn domains(rows: &[Row]) -> Vec<Option<&str>> {
    let mut seen: Vec<Option<&str>> = Vec::new();
    for row in rows.iter().filter(|row| row.domain.is_some()).chain(rows) {
        let domain = row.domain.as_deref();
        if !seen.contains(&domain) {
            seen.push(domain);
        }
    }
    seen
}

fn row(listed: &Value, tool: &Tool, words: &Words) -> Row {
    let destroys = listed.pointer("/annotations/destructiveHint").and_then(Value::as_bool) == Some(true);
    let kind = match (tool.policy.read_only, destroys) {
        (true, _) => words.reads,
        (false, true) => words.deletes,
        (false, false) => words.writes,
    };
    let scopes: Vec<String> = tool.policy.scopes.iter().map(|scope| format!("`{}`", cell(scope))).collect();
    let confirm = match tool.policy.confirm {
        Confirm::No => "",
        Confirm::Yes => words.confirm,
        Confirm::Intent => words.intent,
    };
    let cost = Some(tool.price.cost).filter(|cost| *cost > 0);
    Row {
        domain: tool.outline.domain.clone(),
        cells: [
            format!("`{}`", tool.name),
            cell(&first_sentence(&tool.outline.text)),
            if tool.policy.public { words.public.to_owned() } else { scopes.join(" ") },
            kind.to_owned(),
            confirm.to_owned(),
            cost.map(|cost| cost.to_string()).unwrap_or_default(),
        ],
    }
}

/// Up to the first mark that ends a sentence before a line's end or the start of another one, as one line.
fn first_sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let opens = |rest: &str| {
        let next = rest.strip_prefix(' ').map(|rest| rest.trim_start_matches(['¿', '¡', '«', '"', '(', '`']));
        next.is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase() || c.is_numeric()))
    };
    let ends = text.char_indices().filter(|(_, c)| matches!(c, '.' | '!' | '?' | '…'));
    let mut ends = ends.map(|(at, c)| at + c.len_utf8());
    let end = ends.find(|end| text.get(*end..).is_some_and(opens)).unwrap_or(text.len());
    text.get(..end).unwrap_or(&text).to_owned()
}

/// A text that no table or page is broken by: catalogs are other people's.
fn cell(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    for c in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        match c {
            '|' | '\\' | '[' | ']' => {
                let _ = write!(cell, "\\{c}");
            }
            '<' => cell.push_str("&lt;"),
            '&' => cell.push_str("&amp;"),
            c if c.is_control() => {}
            c => cell.push(c),
        }
    }
    cell
}

struct Words {
    columns: [&'static str; 6],
    reads: &'static str,
    writes: &'static str,
    deletes: &'static str,
    public: &'static str,
    confirm: &'static str,
    intent: &'static str,
    other: &'static str,
    count: fn(usize, usize) -> String,
}

impl Words {
    fn of(language: Language) -> Self {
        match language {
            Language::En => Self {
                columns: ["Tool", "What it does", "Scopes", "Kind", "Confirm", "Credits"],
                reads: "reads",
                writes: "writes",
                deletes: "deletes",
                public: "public",
                confirm: "yes",
                intent: "yes, with the intent",
                other: "Others",
                count: |tools, domains| {
                    counted(tools, ["tool", "tools"], "in", domains, ["domain", "domains"])
                },
            },
            Language::Es => Self {
                columns: ["Tool", "Qué hace", "Scopes", "Tipo", "Confirma", "Créditos"],
                reads: "lee",
                writes: "escribe",
                deletes: "borra",
                public: "pública",
                confirm: "sí",
                intent: "sí, con la intención",
                other: "Otras",
                count: |tools, domains| {
                    counted(tools, ["tool", "tools"], "en", domains, ["dominio", "dominios"])
                },
            },
        }
    }
}

fn counted(tools: usize, tool: [&str; 2], within: &str, domains: usize, domain: [&str; 2]) -> String {
    let of =
        |number: usize, [one, many]: [&str; 2]| format!("{number} {}", if number == 1 { one } else { many });
    match domains {
        0 => format!("{}.", of(tools, tool)),
        domains => format!("{} {within} {}.", of(tools, tool), of(domains, domain)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_before_the_next_one() {
        for (text, first) in [
            ("Lists meetings.", "Lists meetings."),
            ("Lists meetings. Use it first.", "Lists meetings."),
            ("Lists meetings\nand more. ¿Y qué?", "Lists meetings and more."),
            ("Takes files, e.g. notes. Then sends.", "Takes files, e.g. notes."),
            ("Version 2.5 of it! And", "Version 2.5 of it!"),
            ("No end", "No end"),
            ("", ""),
        ] {
            assert_eq!(first_sentence(text), first, "{text}");
        }
    }

    #[test]
    fn nothing_of_a_catalog_breaks_the_page() {
        assert_eq!(cell("a | b\n<script> & [x](y)\u{7}"), "a \\| b &lt;script> &amp; \\[x\\](y)");
    }
}
