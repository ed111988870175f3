//! What `portero.toml` says of scopes, tools and operations.

use std::fmt::Write as _;

use super::super::table::{Mark, Operation, Table, Words};

fn quoted(text: &str) -> String {
    // The basic strings of TOML and the strings of JSON are alike for what is written here.
    serde_json::Value::from(text).to_string()
}

fn words(words: &Words) -> String {
    format!("{{ es = {}, en = {} }}", quoted(&words.es), quoted(&words.en))
}

/// Two permissions a domain, with what people read.
pub(super) fn scopes(table: &Table, partner: bool) -> String {
    let mut text = String::new();
    for own in table.domains.iter().filter(|own| own.partner == partner) {
        for (what, title) in [("read", &own.read), ("write", &own.write)] {
            let _ = write!(text, "[service.scopes.\"{}:{what}\"]\ntitle = {}\n\n", own.id, words(title));
        }
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// One policy a tool.
pub(super) fn tools(table: &Table, partner: bool) -> String {
    let mut text = String::new();
    for own in table.of(partner) {
        if let Some(tool) = &own.tool {
            let _ = write!(text, "[service.tool.{tool}]\nscopes = [\"{}\"]\n{}\n", own.scope(), more(own));
        }
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// One policy for every operation of the customers' that asks for more than its permission.
pub(super) fn operations(table: &Table) -> String {
    let mut text = String::new();
    for own in table.of(false).filter(|own| own.excluded.is_none() && !more(own).is_empty()) {
        let _ = write!(text, "[service.operation.{}]\n{}\n", own.id, more(own));
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// What no agent reaches, why, and what to do instead; partners' operations all for one reason.
pub(super) fn exclude(table: &Table) -> String {
    let mut text = String::new();
    for own in table.of(false) {
        let Some((reason, instead)) = &own.excluded else { continue };
        let _ = write!(
            text,
            "[[service.upstream.exclude]]\noperation = {}\nreason = {}\ninstead = {}\n\n",
            quoted(&own.id),
            quoted(&reason.es),
            quoted(&instead.es)
        );
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// What a call of it asks for beside its permission.
fn more(own: &Operation) -> String {
    let mut text = String::new();
    if own.is(Mark::Live) {
        text.push_str("modes = [\"live\"]\n");
    }
    if own.energy > 0 {
        let _ = writeln!(text, "cost = {}", own.energy);
    }
    if own.is(Mark::Looks) {
        // Only a call that may cost something is told what is left; the worker says that it was nothing.
        text.push_str("cost = 1\ncost_required = false\n");
    }
    if let Some(loses) = &own.loses {
        let _ = writeln!(text, "confirm = true\nconfirm_message = {}", words(loses));
    }
    text
}
