//! An OpenAPI document, read whole.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::files::Files;
use super::findings::Findings;
use super::node::Node;
use super::operation::Operation;
use super::read;
use super::schema::Converter;

/// Bytes of stack for reading: values may be nested more deeply than other threads are made for.
pub(super) const STACK: usize = 32 << 20;

/// An OpenAPI document, read whole.
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// `info.title`.
    pub title: String,
    /// `info.version`.
    pub version: String,
    /// Base URLs in document order, variables replaced by their defaults; they may be relative.
    pub servers: Vec<String>,
    operations: Vec<Arc<Operation>>,
    by_id: HashMap<String, Arc<Operation>>,
    warnings: Vec<String>,
}

impl Document {
    /// Reads a document, JSON or YAML, with every file that it refers to.
    ///
    /// # Errors
    ///
    /// Every fault at once, each with its file and pointer.
    pub fn load(path: &Path) -> Result<Self, Vec<String>> {
        let ended = std::thread::scope(|scope| {
            let reading =
                std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || Self::read(path));
            reading.ok()?.join().ok()
        });
        ended.unwrap_or_else(|| Err(vec![format!("{}: cannot be read", path.display())]))
    }

    fn read(path: &Path) -> Result<Self, Vec<String>> {
        let mut findings = Findings::default();
        let Some(files) = Files::load(path, &mut findings) else { return Self::default().ended(findings) };
        let Some(root) = files.root() else { return Self::default().ended(findings) };
        let Some(siblings) = is_3_1(&files, &root, &mut findings) else {
            return Self::default().ended(findings);
        };
        let mut converter = Converter::new(&files, findings, siblings);
        let info = root.get("info");
        let text = |key: &str| match info.as_ref().and_then(|info| info.value.get(key)) {
            Some(Value::String(text)) => text.clone(),
            // what YAML takes for a number
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let (title, version) = (text("title"), text("version"));
        let servers = read::servers(&mut converter, &root);
        let mut operations = read::operations(&mut converter, &root);
        if operations.is_empty() {
            converter.warn(&root.spot, "has no operations");
        }
        let (schemas, findings) = converter.finish();
        let schemas = Arc::new(schemas);
        for operation in &mut operations {
            operation.parts.schemas = Arc::clone(&schemas);
        }
        let operations: Vec<_> = operations.into_iter().map(Arc::new).collect();
        let by_id = operations.iter().map(|own| (own.id.clone(), Arc::clone(own))).collect();
        Self { title, version, servers, operations, by_id, warnings: Vec::new() }.ended(findings)
    }

    fn ended(self, findings: Findings) -> Result<Self, Vec<String>> {
        findings.finish().map(|warnings| Self { warnings, ..self })
    }

    /// The operations, in document order.
    pub fn operations(&self) -> &[Arc<Operation>] {
        &self.operations
    }

    /// The operation with this id.
    pub fn get(&self, id: &str) -> Option<&Arc<Operation>> {
        self.by_id.get(id)
    }

    /// What is odd in the document, and how it was read nevertheless.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// Which of the two a document is; what else it may be is a fault.
fn is_3_1(files: &Files, root: &Node<'_>, findings: &mut Findings) -> Option<bool> {
    let place = files.place(&root.spot);
    let version = root.text("openapi");
    let found = match version {
        own if own.starts_with("3.0.") || own == "3.0" => Some(false),
        own if own.starts_with("3.1.") || own == "3.1" => Some(true),
        "" if root.value.get("swagger").is_some() => {
            findings.fault(&place, "is a document of Swagger 2; OpenAPI 3.0 and 3.1 are read");
            None
        }
        "" => {
            findings.fault(&place, "has no `openapi` such as \"3.1.0\", so it is no OpenAPI document");
            None
        }
        other => {
            findings.fault(&place, format!("is of OpenAPI {other}; 3.0 and 3.1 are read"));
            None
        }
    };
    let dialect = root.text("jsonSchemaDialect");
    if !dialect.is_empty() && !dialect.contains("spec.openapis.org/oas/") && !dialect.contains("2020-12") {
        findings.warn(&place, format!("`jsonSchemaDialect` {dialect} is read as JSON Schema 2020-12"));
    }
    found
}
