//! Prompts: listed for the caller, got from the worker.

use serde_json::json;

use super::shelf::{Shelf, members, rpc};
use crate::support::mcp::code;

const POLICY: &str = r#"
[service.prompt."*"]
scopes = ["mico:read"]
[service.prompt.plan]
scopes = ["notes:read"]
[service.prompt.mood]
modes = ["test"]
[service.prompt.lock]
feature = "extra"
[service.prompt.shut]
hidden = true
"#;

#[test]
fn a_prompt_is_filled_in_by_its_worker() {
    let shelf = Shelf::start();
    let app = shelf.before(POLICY).start();
    let person = app.person("ana");
    let token = app.pat(&person, &[]).token;
    let get = |name: &str, arguments: &serde_json::Value| {
        rpc(&app, &token, "prompts/get", &json!({"name": name, "arguments": arguments}))
    };
    let reply = get("sum up", &json!({"note": "a1", "tone": "dry"}));
    let text = "ana /prompts/sum%20up {\"note\":\"a1\",\"tone\":\"dry\"}";
    assert_eq!(
        reply.json()["result"],
        json!({"description": "d", "messages": [{"role": "user", "content": {"type": "text", "text": text}}]})
    );
    let asked = shelf.seen().pop().unwrap();
    assert_eq!(asked.header("x-portero-user"), Some(person.id.as_str()));
    assert_eq!(
        (asked.header("content-type"), asked.header("idempotency-key")),
        (Some("application/json"), None)
    );
    assert_eq!(
        get("plan", &json!(null)).json()["result"]["messages"][0]["content"]["text"],
        "ana /prompts/plan {}"
    );
    let before = shelf.seen().len();
    for arguments in
        [json!(null), json!({}), json!({"tone": "dry"}), json!({"note": 1}), json!(["a1"]), json!("a1")]
    {
        let reply = get("sum up", &arguments);
        assert_eq!((reply.status, code(&reply)), (200, Some(-32602)), "{arguments}");
    }
    assert_eq!(code(&rpc(&app, &token, "prompts/get", &json!({"name": 1}))), Some(-32602));
    assert_eq!(shelf.seen().len(), before);
    assert_eq!(code(&get("bent", &json!({}))), Some(-32099), "messages of no shape are not passed on");
}

#[test]
fn what_is_listed_is_what_may_be_got() {
    let shelf = Shelf::start();
    let app = shelf.before(POLICY).start();
    let person = app.person("ana");
    let names = |token: &str| members(&rpc(&app, token, "prompts/list", &json!({})), "prompts", "name");
    let (all, narrow) = (app.pat(&person, &[]).token, app.pat(&person, &["mico:read"]).token);
    assert_eq!(names(&all), ["sum up", "plan", "lock", "bent"]);
    assert_eq!(names(&narrow), ["sum up", "lock", "bent"]);
    assert!(names(&app.pat(&person, &["files:read"]).token).is_empty());
    let list = rpc(&app, &all, "prompts/list", &json!({})).json();
    let locked = &list["result"]["prompts"][2];
    assert_eq!(locked["_meta"]["io.portero/locked"]["feature"], "extra");
    assert_eq!(list["result"]["prompts"][0]["arguments"][0], json!({"name": "note", "required": true}));
    assert!(list["result"].get("ttlMs").is_none());
    let get = |token: &str, name: &str| rpc(&app, token, "prompts/get", &json!({"name": name}));
    let reply = get(&narrow, "plan");
    assert_eq!((reply.status, code(&reply)), (200, Some(-32002)));
    assert_eq!(reply.json()["error"]["data"]["scope"], "notes:read");
    assert_eq!((get(&all, "lock").status, code(&get(&all, "lock"))), (402, Some(-32010)));
    let told = |name: &str| {
        let reply = get(&all, name);
        (reply.status, reply.text().replace(name, "NAME"))
    };
    let absent = told("gone");
    assert!(absent.0 == 200 && absent.1.contains("-32602"), "{absent:?}");
    for name in ["shut", "mood", "../tools/list_meetings"] {
        assert_eq!(told(name), absent, "{name}");
    }
    let page = rpc(&app, &all, "prompts/list", &json!({"cursor": "x"}));
    assert_eq!(code(&page), Some(-32602));
}

#[test]
fn in_the_stateless_revision() {
    let shelf = Shelf::start();
    let app = shelf.before(POLICY).with("service", "locked = \"hide\"").start();
    let token = app.pat(&app.person("ana"), &[]).token;
    let list = app.modern(&token, "prompts/list", &json!({}), &[]);
    let result = &list.json()["result"];
    assert_eq!(members(&list, "prompts", "name"), ["sum up", "plan", "bent"]);
    assert!(result["ttlMs"].is_u64());
    assert_eq!((&result["cacheScope"], &result["resultType"]), (&json!("private"), &json!("complete")));
    let params = json!({"name": "plan"});
    let got = app.modern(&token, "prompts/get", &params, &[]).json();
    assert_eq!(got["result"]["resultType"], "complete");
    assert!(got["result"].get("ttlMs").is_none(), "what was made for one request is not kept");
    let wrong = app.modern(&token, "prompts/get", &params, &[("mcp-name", "sum up")]);
    assert_eq!((wrong.status, code(&wrong)), (400, Some(-32020)));
    for name in ["gone", "lock"] {
        let reply = app.modern(&token, "prompts/get", &json!({"name": name}), &[]);
        assert_eq!((reply.status, code(&reply)), (200, Some(-32602)), "{name}");
    }
}

#[test]
fn a_prompt_that_comes_twice_stops_the_start() {
    let shelf = Shelf::start();
    let twice = shelf.before("").with(
        "tail",
        &format!("[[service.upstream]]\nid = \"again\"\nkind = \"worker\"\nurl = \"{}\"", shelf.notes),
    );
    let laid = twice.lay();
    let output = crate::support::site::command(&laid.config, &["service", "list"], None);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("\"notes://{note_id}\" is there twice"), "{said}");
}
