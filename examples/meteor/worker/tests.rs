//! What Meteor's worker promises, without a gateway before it.

use std::sync::Arc;

use actix_web::test;
use actix_web::web::Data;
use serde_json::{Map, Value, json};

use super::Worker;
use super::call::Caller;
use super::http::routes;
use super::state::State;
use super::table::{Operation, Table};

/// 2026-06-15T18:00:00Z.
const NOW: i64 = 1_781_546_400;

fn state() -> State {
    State::new(&Worker { clock: Arc::new(|| NOW) }).unwrap()
}

fn of(subject: &str) -> Caller {
    Caller { workspace: format!("wsp_{subject}"), subject: subject.to_owned(), ..Caller::default() }
}

/// What a tool gives, or the status and code of its no.
fn call(state: &State, caller: &Caller, tool: &str, arguments: Value) -> Result<Value, (u16, String)> {
    let operation = state.table.tool(tool).unwrap();
    let Value::Object(sent) = arguments else { panic!("{tool}: arguments are an object") };
    state.call(caller, operation, sent).map_err(|fault| {
        let (status, body) = fault.answer();
        assert_eq!(body["status"], status);
        for member in ["error", "hint"] {
            assert!(body[member].as_str().is_some_and(|text| !text.is_empty()), "{member} in {body}");
        }
        (status, body["code"].as_str().unwrap().to_owned())
    })
}

fn ids(page: &Value) -> Vec<&str> {
    page["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect()
}

fn refused(status: u16, code: &str) -> Result<Value, (u16, String)> {
    Err((status, code.to_owned()))
}

#[test]
async fn lists_are_filtered_and_go_on_page_by_page() {
    let state = state();
    let ana = of("ana");
    let list = |tool, arguments| call(&state, &ana, tool, arguments).unwrap();
    let first = list("met_list_items", json!({"collection_id": "col_1", "limit": 2}));
    assert_eq!(first["pagination"], json!({"total": 5, "returned": 2, "next_cursor": "ite_2"}));
    let second = list("met_list_items", json!({"collection_id": "col_1", "limit": 2, "cursor": "ite_2"}));
    assert_eq!(ids(&second), ["ite_3", "ite_4"]);
    let last = list("met_list_items", json!({"collection_id": "col_1", "limit": 2, "cursor": "ite_4"}));
    assert_eq!((ids(&last), &last["pagination"]["next_cursor"]), (vec!["ite_5"], &Value::Null));
    let found = list("met_list_items", json!({"collection_id": "col_1", "search": "LUCIA despachar"}));
    assert_eq!(ids(&found), ["ite_1"]);
    assert_eq!(ids(&list("met_list_contacts", json!({"tag_id": "tag_2"}))), ["cto_2", "cto_3"]);
    assert_eq!(ids(&list("met_list_tasks", json!({"status": "todo", "assignee_id": "mem_2"}))), ["tas_1"]);
    assert_eq!(ids(&list("met_list_conversations", json!({"limit": 2}))), ["con_5", "con_4"], "newest first");
}

#[test]
async fn arguments_are_read_strictly_and_what_is_not_taken_is_ignored() {
    let state = state();
    let ana = of("ana");
    let invalid = refused(400, "invalid_arguments");
    for (tool, arguments) in [
        ("met_list_contacts", json!({"limit": 0})),
        ("met_list_contacts", json!({"limit": 101})),
        ("met_list_contacts", json!({"limit": "2"})),
        ("met_list_contacts", json!({"cursor": "cto_99"})),
        ("met_create_contact", json!({})),
        ("met_create_contact", json!({"name": ""})),
        ("met_create_contact", json!({"name": 7})),
        ("met_list_conversations", json!({"status": "ajar"})),
        ("met_create_reminder", json!({"title": "x", "due_at": "mañana"})),
        ("met_update_contact", json!({"contact_id": "cto_1"})),
        ("met_update_contact", json!({"contact_id": "cto_1", "name": ""})),
        ("met_import_contacts", json!({"rows": []})),
        ("met_import_contacts", json!({"rows": [{"name": "Uno"}, {"phone": "1"}]})),
        ("met_replace_flow_draft", json!({"flow_id": "flo_1", "steps": [{"type": "dance"}]})),
        ("met_run_integration", json!({"integration_id": "int_1", "action": "explode"})),
    ] {
        assert_eq!(call(&state, &ana, tool, arguments.clone()), invalid, "{tool} {arguments}");
    }
    let total = |tool, arguments| call(&state, &ana, tool, arguments).unwrap()["pagination"]["total"].clone();
    assert_eq!(total("met_list_contacts", json!({})), 4, "an import with one bad row imports nothing");
    let made = call(&state, &ana, "met_create_contact", json!({"name": "Uno", "id": "cto_1", "admin": true}));
    let made = made.unwrap();
    assert_eq!((made["id"].as_str(), made.get("admin")), (Some("cto_1001"), None));
    assert_eq!(made["created_at"], "2026-06-15T18:00:00Z");
}

#[test]
async fn what_is_named_has_to_be_there() {
    let state = state();
    let ana = of("ana");
    let absent = refused(404, "not_found");
    for (tool, arguments) in [
        ("met_get_contact", json!({"contact_id": "cto_99"})),
        ("met_get_contact", json!({"contact_id": "cto_01"})),
        ("met_get_contact", json!({"contact_id": "tag_1"})),
        ("met_get_contact", json!({"contact_id": "cto_51"})),
        ("met_update_flow_step", json!({"flow_id": "flo_2", "step_id": "stp_1", "type": "wait"})),
        ("met_create_item", json!({"collection_id": "col_9", "data": {"a": 1}})),
        ("met_tag_contacts_bulk", json!({"tag_id": "tag_3", "contact_ids": ["cto_1", "cto_99"]})),
        ("met_list_messages", json!({"conversation_id": "con_99"})),
    ] {
        assert_eq!(call(&state, &ana, tool, arguments.clone()), absent, "{tool} {arguments}");
    }
    let contact = call(&state, &ana, "met_get_contact", json!({"contact_id": "cto_1"})).unwrap();
    assert_eq!(contact["tag_ids"], json!(["tag_1"]), "all of a bulk or nothing");
}

#[test]
async fn what_belongs_to_something_goes_with_it() {
    let state = state();
    let ana = of("ana");
    let run = |tool, arguments| call(&state, &ana, tool, arguments);
    run("met_delete_field", json!({"field_id": "fie_2"})).unwrap();
    let item = run("met_get_item", json!({"item_id": "ite_1"})).unwrap();
    assert_eq!(item["data"], json!({"cliente": "Lucía Mesa", "estado": "por despachar"}));
    run("met_delete_collection", json!({"collection_id": "col_1"})).unwrap();
    assert_eq!(run("met_get_item", json!({"item_id": "ite_1"})), refused(404, "not_found"));
    let events = run("met_list_events", json!({"type": "collection.deleted"})).unwrap();
    assert_eq!(events["items"][0]["resource_id"], "col_1");
}

#[test]
async fn a_snapshot_replaces_what_is_called_the_same() {
    let state = state();
    let ana = of("ana");
    let run = |tool, arguments| call(&state, &ana, tool, arguments).unwrap();
    let done = run("met_install_snapshot", json!({"snapshot_id": "sna_1"}));
    assert_eq!((done["installed"].as_array().unwrap().len(), &done["replaced"]), (3, &json!(1)));
    let collections = run("met_list_collections", json!({}));
    assert_eq!(collections["items"][0]["name"], "Pedidos");
    assert_ne!(ids(&collections), ["col_1"]);
    let again = run("met_install_snapshot", json!({"snapshot_id": "sna_1"}));
    assert_eq!(again["replaced"], 3);
}

#[test]
async fn a_flow_without_steps_is_not_published() {
    let state = state();
    let ana = of("ana");
    let run = |tool, arguments| call(&state, &ana, tool, arguments);
    assert_eq!(run("met_publish_flow", json!({"flow_id": "flo_2"})), refused(409, "draft_invalid"));
    let steps = json!([{"type": "message", "settings": {"text": "Hola"}}, {"type": "wait"}]);
    let draft = run("met_replace_flow_draft", json!({"flow_id": "flo_2", "steps": steps})).unwrap();
    assert_eq!(draft["steps"].as_array().unwrap().len(), 2);
    assert_eq!(run("met_publish_flow", json!({"flow_id": "flo_2"})).unwrap()["version"], 1);
}

#[test]
async fn a_sample_belongs_to_the_first_workspace_of_its_owner() {
    let state = state();
    let total = |workspace: &str, subject: &str| {
        let caller = Caller { workspace: workspace.to_owned(), ..of(subject) };
        call(&state, &caller, "met_list_contacts", json!({})).unwrap()["pagination"]["total"].clone()
    };
    assert_eq!(total("one", "ana"), 4);
    assert_eq!(total("two", "ana"), 0, "a second workspace is empty");
    assert_eq!(total("one", "bruno"), 4, "whoever is let in sees what is there");
    assert_eq!(total("three", "carla"), 0);
}

/// The operation of a route with its examples, as a request of the REST API.
fn rest(own: &Operation) -> test::TestRequest {
    let (mut path, mut query, mut body) = (own.path.clone(), Vec::new(), Map::new());
    for take in own.takes.iter().filter(|take| take.required || own.method == "PATCH") {
        let (name, value) = (&take.name, take.argument.example.clone());
        if own.in_path(name) {
            path = path.replace(&format!("{{{name}}}"), value.as_str().unwrap());
        } else if own.writes() {
            body.insert(name.clone(), value);
        } else {
            query.push(format!("{name}={}", value.as_str().unwrap()));
        }
    }
    let uri = format!("/api/v1{path}?{}", query.join("&"));
    let request = test::TestRequest::with_uri(&uri).method(own.method.parse().unwrap());
    let request = request.insert_header(("X-Portero-Subject", "ana"));
    if body.is_empty() { request } else { request.set_json(Value::Object(body)) }
}

/// Each on sample data of its own.
#[test]
async fn every_operation_is_at_its_route() {
    let table = Table::read().unwrap();
    assert!(table.operations.len() >= 120, "{}", table.operations.len());
    for own in &table.operations {
        let app = actix_web::App::new().app_data(Data::new(state())).configure(routes);
        let app = test::init_service(app).await;
        let response = test::call_service(&app, rest(own).to_request()).await;
        let expected = if own.excluded.is_some() { 501 } else { 200 };
        let status = response.status().as_u16();
        let body = test::read_body(response).await;
        assert_eq!(status, expected, "{}: {}", own.id, String::from_utf8_lossy(&body));
    }
}

#[test]
async fn tools_are_called_by_name_each_at_its_endpoint() {
    let app = actix_web::App::new().app_data(Data::new(state())).configure(routes);
    let app = test::init_service(app).await;
    for (uri, body, status) in [
        ("/tools/met_list_contacts", "", 200),
        ("/tools/met_list_contacts", "{}", 200),
        ("/tools/met_list_contacts", "[1]", 400),
        ("/tools/met_nothing", "{}", 404),
        ("/tools/met_partner_list_clients", "{}", 404),
        ("/partners/tools/met_partner_list_clients", "{}", 200),
        ("/partners/tools/met_list_contacts", "{}", 404),
        ("/api/v1/nothing", "{}", 404),
    ] {
        let request = test::TestRequest::post().uri(uri).set_payload(body);
        let response = test::call_service(&app, request.to_request()).await;
        assert_eq!(response.status().as_u16(), status, "{uri} {body}");
    }
    for (uri, count) in [("/tools", 112), ("/partners/tools", 14)] {
        let response = test::call_service(&app, test::TestRequest::get().uri(uri).to_request()).await;
        let tools: Vec<Value> = test::read_body_json(response).await;
        assert_eq!(tools.len(), count, "{uri}");
    }
}
