//! `portero openapi`: what a REST document would give, without a configuration.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::console::{Console, Facts, Table, clean, or_dash};
use super::outcome::Failure;
use crate::openapi::{Document, Operation, Request};

/// What to do with a REST document.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum OpenapiCommand {
    /// Read an OpenAPI 3.0 or 3.1 document and show its operations, or one of them with a call and its HTTP request
    #[command(after_help = "Example:\n  portero openapi preview api.yaml --operation listPets")]
    Preview {
        /// The document, JSON or YAML; other files that it refers to stand beside it or below
        file: PathBuf,
        /// Only this operation, with its schemas, an example call and the HTTP request that the call makes
        #[arg(long, value_name = "ID")]
        operation: Option<String>,
        /// Every operation in that detail, without the schemas of answers
        #[arg(long, conflicts_with = "operation")]
        all: bool,
    },
}

/// Runs the command.
pub fn run(command: &OpenapiCommand, console: &mut Console<'_>) -> Result<(), Failure> {
    let OpenapiCommand::Preview { file, operation, all } = command;
    let document = Document::load(file).map_err(|faults| Failure::usage(faults.join("\n")))?;
    match operation {
        Some(id) => {
            let operation = document.get(id).ok_or_else(|| unknown(file, id))?;
            console.answer(&detail(operation, true), &page(operation).trim_end())
        }
        None => overview(&document, *all, console),
    }
}

fn unknown(file: &Path, id: &str) -> Failure {
    Failure::refused(format!("{} has no operation `{id}`", file.display()))
}

fn overview(document: &Document, all: bool, console: &mut Console<'_>) -> Result<(), Failure> {
    let operations = document.operations().iter();
    let operations = operations.map(|own| if all { detail(own, false) } else { summary(own) });
    let value = json!({
        "title": document.title,
        "version": document.version,
        "servers": document.servers,
        "operations": operations.collect::<Vec<_>>(),
        "warnings": document.warnings(),
    });
    let mut text = format!("{}\n\n", heading(document));
    // writing to a String cannot fail
    if all {
        for operation in document.operations() {
            let _ = writeln!(text, "{}", page(operation));
        }
    } else {
        let _ = writeln!(text, "{}", table(document));
    }
    for operation in document.operations() {
        if let Some(says) = &operation.unavailable {
            let _ = writeln!(text, "unavailable: {}: {}", clean(&operation.id), clean(says));
        }
    }
    for warning in document.warnings() {
        let _ = writeln!(text, "warning: {}", clean(warning));
    }
    console.answer(&value, &text.trim_end())
}

fn heading(document: &Document) -> Facts {
    Facts::new([
        ("title", document.title.clone()),
        ("version", document.version.clone()),
        ("servers", or_dash((!document.servers.is_empty()).then(|| document.servers.join(", ")))),
        ("operations", document.operations().len().to_string()),
    ])
}

fn table(document: &Document) -> Table<6> {
    let rows = document.operations().iter().map(|own| {
        let title = if own.summary.is_empty() { &own.description } else { &own.summary };
        let title = title.lines().next().unwrap_or_default().to_owned();
        [own.id.clone(), own.method.to_string(), own.path.clone(), needs(own), does(own).to_owned(), title]
    });
    Table::new(["OPERATION", "METHOD", "PATH", "SCOPES", "DOES", "TITLE"], "it has no operations").rows(rows)
}

fn does(operation: &Operation) -> &'static str {
    match operation {
        own if own.unavailable.is_some() => "unavailable",
        own if own.reads() => "read",
        own if own.deletes() => "delete",
        _ => "write",
    }
}

/// What a caller needs: alternatives with `|` between them.
fn needs(operation: &Operation) -> String {
    let alternatives = operation.security.iter().map(|own| match own {
        own if own.is_public() => "public".to_owned(),
        own if own.scopes.is_empty() => "any".to_owned(),
        own => own.scopes.join(" "),
    });
    let mut shown: Vec<String> = Vec::new();
    for alternative in alternatives {
        if !shown.contains(&alternative) {
            shown.push(alternative);
        }
    }
    or_dash((!shown.is_empty()).then(|| shown.join(" | ")))
}

fn summary(operation: &Operation) -> Value {
    let security: Vec<_> = operation
        .security
        .iter()
        .map(|own| json!({"schemes": own.schemes, "scopes": own.scopes, "public": own.is_public()}))
        .collect();
    json!({
        "operation": operation.id,
        "method": operation.method.as_str(),
        "path": operation.path,
        "summary": operation.summary,
        "security": security,
        "does": if operation.reads() { "read" } else if operation.deletes() { "delete" } else { "write" },
        "unavailable": operation.unavailable,
        "deprecated": operation.deprecated,
    })
}

fn detail(operation: &Operation, answers: bool) -> Value {
    let mut value = summary(operation);
    let Some(members) = value.as_object_mut() else { return value };
    let parameters: Vec<_> = operation
        .parameters
        .iter()
        .map(|own| json!({"argument": own.argument, "name": own.name, "in": own.location.label(), "required": own.required}))
        .collect();
    let schema = operation.input_schema();
    let arguments = schema.get("properties").and_then(Value::as_object).map(|own| own.keys().cloned());
    let body: Vec<_> = arguments.into_iter().flatten().filter(|name| operation.is_in_body(name)).collect();
    members.insert("description".to_owned(), json!(operation.description));
    members.insert("tags".to_owned(), json!(operation.tags));
    members.insert("servers".to_owned(), json!(operation.servers));
    members.insert("parameters".to_owned(), json!(parameters));
    members.insert("body".to_owned(), json!(body));
    members.insert("inputSchema".to_owned(), schema);
    if answers {
        members.insert("outputSchema".to_owned(), json!(operation.output_schema()));
    }
    let calls = [("example", operation.example()), ("full_example", operation.full_example())];
    for (key, arguments) in calls {
        let call = arguments
            .map(|arguments| json!({"request": made(operation, &arguments), "arguments": arguments}));
        members.insert(key.to_owned(), json!(call));
    }
    value
}

/// The request that a call makes, or why it makes none.
fn made(operation: &Operation, arguments: &Map<String, Value>) -> Value {
    match operation.request(arguments) {
        Ok(request) => {
            let headers = request.headers.iter();
            let headers: Vec<_> = headers
                .map(|(name, value)| json!([name.as_str(), String::from_utf8_lossy(value.as_bytes())]))
                .collect();
            let body = request.body.as_ref().map(|(media, bytes)| {
                json!({"type": String::from_utf8_lossy(media.as_bytes()), "text": String::from_utf8_lossy(bytes)})
            });
            json!({"method": operation.method.as_str(), "target": request.target, "headers": headers, "body": body})
        }
        Err(fault) => json!({"refused": fault.to_string()}),
    }
}

fn page(operation: &Operation) -> String {
    let line = |text: &str| text.lines().map(clean).collect::<Vec<_>>().join("\n");
    let mut text = format!("{}\n", facts(operation));
    // writing to a String cannot fail
    if !operation.description.is_empty() {
        let _ = write!(text, "\n{}\n", line(&operation.description));
    }
    let rows = operation.parameters.iter().map(|own| {
        let required = if own.required { "required" } else { "" };
        [own.argument.clone(), own.location.label().to_owned(), own.name.clone(), required.to_owned()]
    });
    let parameters = Table::new(["ARGUMENT", "IN", "NAME", ""], "no parameters").rows(rows);
    let _ = write!(text, "\n{parameters}\n\ninput schema\n{:#}\n", operation.input_schema());
    match operation.example() {
        None => text.push_str("\nno example was found\n"),
        Some(arguments) => {
            let _ = write!(text, "\nexample\n{:#}\n", Value::Object(arguments.clone()));
            let made = operation.request(&arguments);
            let shown = made.map_or_else(|fault| fault.to_string(), |request| wire(operation, &request));
            let _ = write!(text, "\nrequest\n{}\n", line(&shown));
        }
    }
    text
}

fn facts(operation: &Operation) -> Facts {
    let mut facts = vec![
        ("operation", operation.id.clone()),
        ("method", operation.method.to_string()),
        ("path", operation.path.clone()),
        ("scopes", needs(operation)),
        ("does", does(operation).to_owned()),
        ("title", or_dash((!operation.summary.is_empty()).then_some(&operation.summary))),
    ];
    facts.extend(operation.unavailable.clone().map(|says| ("unavailable", says)));
    if !operation.servers.is_empty() {
        facts.push(("servers", operation.servers.join(", ")));
    }
    if operation.deprecated {
        facts.push(("deprecated", "true".to_owned()));
    }
    Facts::new(facts)
}

/// A request as it goes over the wire.
fn wire(operation: &Operation, request: &Request) -> String {
    let mut text = format!("{} {}\n", operation.method, request.target);
    let body = request.body.as_ref();
    let media = body.map(|(media, _)| ("content-type", media));
    let headers = request.headers.iter().map(|(name, value)| (name.as_str(), value));
    for (name, value) in headers.chain(media) {
        // writing to a String cannot fail
        let _ = writeln!(text, "{name}: {}", String::from_utf8_lossy(value.as_bytes()));
    }
    if let Some((_, bytes)) = body {
        let _ = write!(text, "\n{}\n", String::from_utf8_lossy(bytes));
    }
    text
}
