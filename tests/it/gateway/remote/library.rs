//! Resources, prompts and completions of MCP servers.

use serde_json::{Value, json};

use super::before_with;
use crate::support::TestApp;
use crate::support::mcp::code;
use crate::support::peer::{Kind, Peer, json_answer};

const POLICY: &str = r#"
[service.resource."note://open/{id}"]
scopes = ["mico:read"]
[service.resource."note://inner/{id}"]
scopes = ["mico:write"]
[service.prompt.summary]
scopes = ["mico:read"]
[service.prompt.inner]
scopes = ["mico:write"]
"#;

fn kind(of: Kind) -> Kind {
    let resource = |uri: &str| json!({"uri": uri, "name": uri});
    let prompt = |name: &str| json!({"name": name, "arguments": [{"name": "id", "required": true}]});
    Kind {
        resources: json!([
            resource("note://open/1"),
            resource("note://inner/1"),
            resource("note://other/1"),
            resource("note://open/2")
        ]),
        templates: json!([{"uriTemplate": "note://open/{id}", "name": "open"}, {"uriTemplate": "{bad", "name": "b"}]),
        prompts: json!([prompt("summary"), prompt("inner"), prompt("other")]),
        completes: true,
        page: 2,
        ..of
    }
}

fn ask(app: &TestApp, token: &str, method: &str, params: &Value) -> Value {
    app.rpc(token, &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).json()
}

fn all(app: &TestApp, token: &str, method: &str, list: &str, key: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let page = ask(app, token, method, &json!({"cursor": cursor}));
        let items = page["result"][list].as_array().unwrap_or_else(|| panic!("{page}")).clone();
        found.extend(items.iter().map(|item| item[key].as_str().unwrap().to_owned()));
        cursor = page["result"]["nextCursor"].clone();
        if cursor.is_null() {
            return found;
        }
    }
}

#[test]
fn lists_are_filtered_and_reads_are_decided() {
    for of in [Kind::modern(), Kind::stateless(), Kind::with_sessions()] {
        let peer = Peer::start(kind(of));
        let app = before_with(&peer, "", POLICY).start();
        let person = app.person("ana");
        let (token, reader) = (app.pat(&person, &[]).token, app.pat(&person, &["mico:read"]).token);
        let uris = |token: &str| all(&app, token, "resources/list", "resources", "uri");
        assert_eq!(uris(&reader), ["note://open/1", "note://open/2"]);
        assert_eq!(uris(&token), ["note://open/1", "note://inner/1", "note://open/2"]);
        let templates = all(&app, &reader, "resources/templates/list", "resourceTemplates", "uriTemplate");
        assert_eq!(templates, ["note://open/{id}"]);
        assert_eq!(all(&app, &reader, "prompts/list", "prompts", "name"), ["summary"]);
        let read = |token: &str, uri: &str| ask(&app, token, "resources/read", &json!({"uri": uri}));
        assert_eq!(read(&reader, "note://open/1")["result"]["contents"][0]["text"], "read");
        assert_eq!(read(&token, "note://inner/1")["result"]["contents"][0]["text"], "read");
        assert_eq!(peer.last("resources/read").header("x-portero-user"), Some(person.id.as_str()));
        let before = peer.of("resources/read").len();
        for uri in ["note://inner/1", "note://other/1", "note://else/1"] {
            assert!(read(&reader, uri).get("error").is_some(), "{uri}");
        }
        assert_eq!(peer.of("resources/read").len(), before, "nobody was asked");
        assert_eq!(read(&reader, "note://open/404")["error"]["code"], -32002);
        let reply = app.modern(&reader, "resources/read", &json!({"uri": "note://open/404"}), &[]);
        assert_eq!(code(&reply), Some(-32602));
        let modern = app.modern(&reader, "resources/read", &json!({"uri": "note://open/1"}), &[]).json();
        assert_eq!(
            (&modern["result"]["cacheScope"], &modern["result"]["ttlMs"]),
            (&json!("private"), &json!(0))
        );
        let got = ask(&app, &reader, "prompts/get", &json!({"name": "summary", "arguments": {"id": "9"}}));
        assert_eq!(got["result"]["messages"][0]["content"]["text"], "{\"id\":\"9\"}");
        for name in ["inner", "other"] {
            assert!(
                ask(&app, &reader, "prompts/get", &json!({"name": name, "arguments": {"id": "9"}}))
                    .get("error")
                    .is_some()
            );
        }
    }
}

#[test]
fn a_server_that_is_down_leaves_the_others_their_resources() {
    let (one, other) = (Peer::start(kind(Kind::modern())), Peer::asleep(kind(Kind::modern())));
    other.is_now(|kind| {
        kind.resources = json!([{"uri": "note://open/9", "name": "nine"}]);
        (kind.templates, kind.prompts) = (json!([]), json!([]));
    });
    other.wake();
    let second = format!("[[service.upstream]]\nid = \"more\"\nkind = \"mcp\"\nurl = \"{}\"", other.url);
    other.is_now(|kind| kind.tools = json!([]));
    let app = before_with(&one, &second, POLICY).start();
    let reader = app.pat(&app.person("ana"), &["mico:read"]).token;
    let uris = || all(&app, &reader, "resources/list", "resources", "uri");
    assert_eq!(uris(), ["note://open/1", "note://open/2", "note://open/9"]);
    one.fall();
    assert_eq!(uris(), ["note://open/9"]);
    let read = |uri: &str| ask(&app, &reader, "resources/read", &json!({"uri": uri}));
    assert_eq!(read("note://open/9")["result"]["contents"][0]["text"], "read");
    assert_eq!(read("note://open/1")["error"]["data"]["code"], "upstream_unavailable");
    one.wake();
    assert_eq!(
        super::within(super::SOON, "all of them", || Some(uris()).filter(|uris| uris.len() == 3)).len(),
        3
    );
}

#[test]
fn completions_are_for_whoever_may_use_what_is_completed() {
    let peer = Peer::start(kind(Kind::with_sessions()));
    let app = before_with(&peer, "", POLICY).start();
    let person = app.person("ana");
    let (token, reader) = (app.pat(&person, &[]).token, app.pat(&person, &["mico:read"]).token);
    let hello =
        ask(&app, &token, "initialize", &json!({"protocolVersion": "2025-11-25", "capabilities": {}}));
    assert_eq!(hello["result"]["capabilities"]["completions"], json!({}));
    let complete = |token: &str, of: Value| {
        ask(
            &app,
            token,
            "completion/complete",
            &json!({"ref": of, "argument": {"name": "id", "value": "ab"}}),
        )
    };
    let (summary, inner) =
        (json!({"type": "ref/prompt", "name": "summary"}), json!({"type": "ref/prompt", "name": "inner"}));
    assert_eq!(complete(&reader, summary)["result"]["completion"]["values"], json!(["ab"]));
    assert_eq!(complete(&token, inner.clone())["result"]["completion"]["values"], json!(["ab"]));
    let template = json!({"type": "ref/resource", "uri": "note://open/{id}"});
    assert_eq!(complete(&reader, template)["result"]["completion"]["values"], json!(["ab"]));
    let before = peer.of("completion/complete").len();
    for of in [
        inner,
        json!({"type": "ref/prompt", "name": "none"}),
        json!({"type": "ref/resource", "uri": "note://other/{id}"}),
        json!({}),
    ] {
        assert!(complete(&reader, of.clone()).get("error").is_some(), "{of}");
    }
    assert_eq!(peer.of("completion/complete").len(), before);
    let modern = app.modern(
        &reader,
        "completion/complete",
        &json!({"ref": {"type": "ref/prompt", "name": "summary"}, "argument": {"name": "id", "value": "x"}}),
        &[("mcp-name", "")],
    );
    assert_eq!(modern.json()["result"]["completion"]["values"], json!(["x"]), "{modern:?}");
    let without = TestApp::start();
    let token = without.pat(&without.person("ana"), &[]).token;
    assert_eq!(ask(&without, &token, "completion/complete", &json!({}))["error"]["code"], -32601);
}

#[test]
fn a_read_that_needs_input_asks_for_it() {
    let peer = Peer::start(kind(Kind::modern()));
    peer.script(|heard, stream| {
        let asks = matches!(heard.method(), "resources/read" | "prompts/get");
        let asks = asks && heard.message["params"].get("requestState").is_none();
        if asks {
            json_answer(stream, &heard.result(&json!({"resultType": "input_required", "requestState": "s"})));
        }
        asks
    });
    let app = before_with(&peer, "", POLICY).start();
    let token = app.pat(&app.person("ana"), &[]).token;
    for (method, params) in [
        ("resources/read", json!({"uri": "note://open/1"})),
        ("prompts/get", json!({"name": "summary", "arguments": {"id": "9"}})),
    ] {
        let asked = app.modern(&token, method, &params, &[]).json();
        assert_eq!(
            (&asked["result"]["resultType"], &asked["result"]["requestState"]),
            (&json!("input_required"), &json!("s"))
        );
        assert_eq!(asked["result"].get("ttlMs"), None, "what asks is not kept");
        let mut again = params.clone();
        again["requestState"] = "s".into();
        let done = app.modern(&token, method, &again, &[]).json();
        assert_eq!(done["result"]["resultType"], "complete", "{done}");
        assert!(ask(&app, &token, method, &params)["error"]["message"].as_str().unwrap().contains("input"));
    }
}
