//! `portero openapi preview`, without a configuration.

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use super::said;
use crate::support::app::command;

const DOCUMENT: &str = "\
openapi: 3.1.0
info: {title: Pets, version: '1'}
servers: [{url: 'https://api.example.com/v1'}]
security: [{o: ['pets:read']}]
components:
  securitySchemes: {o: {type: oauth2, flows: {}}}
paths:
  /pets:
    get:
      operationId: listPets
      summary: All pets
      parameters: [{name: limit, in: query, schema: {type: integer, minimum: 1}}]
    post:
      operationId: createPet
      security: [{o: ['pets:write']}]
      requestBody: {required: true, content: {application/json: {schema: {$ref: 'pet.yaml'}}}}
  /pets/{id}:
    delete:
      operationId: deletePet
      security: []
      parameters: [{name: id, in: path, schema: {type: string}}]
  /pets/{id}/photo:
    get:
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {'200': {content: {image/png: {}}}}
";

fn preview(files: &[(&str, &str)], args: &[&str]) -> Output {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let path = dir.path().join(files[0].0);
    let args: Vec<&str> =
        ["openapi", "preview", path.to_str().unwrap()].into_iter().chain(args.iter().copied()).collect();
    command(Path::new("/nowhere/portero.toml"), &args, None)
}

fn pets(args: &[&str]) -> Output {
    let pet = "type: object\nrequired: [name]\nproperties: {name: {type: string}, id: {type: integer, readOnly: true}}\n";
    preview(&[("api.yaml", DOCUMENT), ("pet.yaml", pet)], args)
}

fn value(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", said(output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_table_of_operations() {
    let output = pets(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    for line in [
        vec!["title", "Pets"],
        vec!["servers", "https://api.example.com/v1"],
        vec!["listPets", "GET", "/pets", "pets:read", "read", "All", "pets"],
        vec!["createPet", "POST", "/pets", "pets:write", "write"],
        vec!["deletePet", "DELETE", "/pets/{id}", "public", "delete"],
        vec!["get_pets_id_photo", "GET", "/pets/{id}/photo", "pets:read", "unavailable"],
    ] {
        assert!(lines.contains(&line), "{line:?} in {text}");
    }
    assert!(text.contains("unavailable: get_pets_id_photo: it answers image/png"), "{text}");
    assert!(
        text.contains("warning: api.yaml#/paths/~1pets~1{id}/delete/parameters/0: is required"),
        "{text}"
    );
}

#[test]
fn one_operation_with_its_request() {
    let output = pets(&["--operation", "createPet"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("\nPOST /pets\ncontent-type: application/json\n\n{\"name\":\"example\"}\n"),
        "{text}"
    );

    let own = value(&pets(&["--operation", "createPet", "--json"]));
    assert_eq!(own["security"], json!([{"schemes": ["o"], "scopes": ["pets:write"], "public": false}]));
    assert_eq!(
        own["inputSchema"],
        json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"], "additionalProperties": false})
    );
    assert_eq!(own["example"]["arguments"], json!({"name": "example"}));
    assert_eq!(
        own["example"]["request"]["body"],
        json!({"type": "application/json", "text": "{\"name\":\"example\"}"})
    );

    let all = value(&pets(&["--all", "--json"]));
    let ids: Vec<_> = all["operations"].as_array().unwrap().iter().map(|own| &own["operation"]).collect();
    assert_eq!(ids, ["listPets", "createPet", "deletePet", "get_pets_id_photo"]);
    assert_eq!(all["operations"][0]["full_example"]["request"]["target"], "/pets?limit=1");
    assert_eq!(all["operations"][2]["example"]["request"]["target"], "/pets/example");
    assert_eq!(
        all["operations"][3]["unavailable"],
        "it answers image/png, which does not pass through a model"
    );
}

#[test]
fn what_is_wrong_is_said_at_once_and_what_is_missing_by_name() {
    let output = preview(&[("api.yaml", DOCUMENT)], &[]);
    assert_eq!(output.status.code(), Some(2));
    let at = "api.yaml#/paths/~1pets/post/requestBody/content/application~1json/schema: `pet.yaml` refers to pet.yaml";
    assert!(said(&output).contains(at), "{}", said(&output));

    let output = preview(&[("api.json", "{\"swagger\": \"2.0\"}")], &["--json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("Swagger 2"), "{}", said(&output));

    let output = pets(&["--operation", "nobody"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("has no operation `nobody`"), "{}", said(&output));

    let output = pets(&["--operation", "listPets", "--all"]);
    assert_eq!(output.status.code(), Some(2), "one or all");
}
