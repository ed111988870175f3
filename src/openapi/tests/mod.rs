//! Documents of every kind, read and called.

mod bodies;
mod faults;
mod generated;
mod hostile;
mod operations;
mod parameters;
mod references;
mod schemas;

use std::fs;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{Document, Fault, Operation, Request};

/// Loads a document from files in a folder of its own; the first is the document.
fn load(files: &[(&str, &str)]) -> Result<Document, Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    Document::load(&folder.path().join(files[0].0))
}

/// A document of this version with these members beside `openapi`.
fn document(version: &str, members: &Value) -> Document {
    let mut whole = json!({"openapi": version, "info": {"title": "t", "version": "1"}});
    whole.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    load(&[("api.json", &whole.to_string())]).unwrap_or_else(|faults| panic!("{}", faults.join("\n")))
}

/// The one operation at `POST /x` with these members.
fn operation(version: &str, members: &Value) -> Arc<Operation> {
    let document = document(version, &json!({"paths": {"/x": {"post": members}}}));
    Arc::clone(&document.operations()[0])
}

/// The operation at `GET PATH` with one parameter.
fn parameter(path: &str, parameter: &Value) -> Arc<Operation> {
    let document = document("3.1.0", &json!({"paths": {path: {"get": {"parameters": [parameter]}}}}));
    Arc::clone(&document.operations()[0])
}

fn arguments(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn call(operation: &Operation, value: &Value) -> Result<Request, Fault> {
    operation.request(&arguments(value))
}

fn target(operation: &Operation, value: &Value) -> String {
    call(operation, value).unwrap_or_else(|fault| panic!("{fault}")).target
}

fn accepts(schema: &Value, value: &Value) -> bool {
    assert!(jsonschema::draft202012::meta::is_valid(schema), "{schema:#}");
    jsonschema::draft202012::new(schema).unwrap().is_valid(value)
}

/// Every example is good against its schema and makes a request.
fn check_examples(document: &Document) {
    for operation in document.operations() {
        let schema = operation.input_schema();
        assert!(jsonschema::draft202012::meta::is_valid(&schema), "{}: {schema:#}", operation.id);
        for example in [operation.example(), operation.full_example()] {
            let example = example.unwrap_or_else(|| panic!("{} has no example: {schema:#}", operation.id));
            assert!(accepts(&schema, &Value::Object(example.clone())), "{}: {example:?}", operation.id);
            if operation.unavailable.is_none() {
                operation.request(&example).unwrap_or_else(|fault| panic!("{}: {fault}", operation.id));
            }
        }
        if let Some(output) = operation.output_schema() {
            assert!(jsonschema::draft202012::meta::is_valid(&output), "{}: {output:#}", operation.id);
        }
    }
}
