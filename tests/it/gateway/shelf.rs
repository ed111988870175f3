//! Workers that offer more than tools: notes of two owners, listed page by page, files of everybody, and prompts.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::http::query_value;
use crate::support::worker::{Seen, answering};
use crate::support::{Builder, TestApp};

/// Two services' worth of workers behind one service.
pub struct Shelf {
    pub notes: String,
    pub files: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

fn resource(uri: &str) -> Value {
    json!({"uri": uri, "name": uri, "mimeType": "text/plain", "size": 3})
}

impl Shelf {
    pub fn start() -> Self {
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let log = |answer: fn(&Seen) -> (u16, Value)| {
            let seen = Arc::clone(&seen);
            answering(move |call| {
                seen.lock().unwrap().push(call.clone());
                let (status, json) = answer(call);
                (status, json.to_string())
            })
        };
        Self { notes: log(notes), files: log(files), seen: Arc::clone(&seen) }
    }

    /// What was asked on behalf of somebody, oldest first.
    pub fn seen(&self) -> Vec<Seen> {
        let seen = self.seen.lock().unwrap();
        seen.iter().filter(|seen| seen.header("x-portero-service").is_some()).cloned().collect()
    }

    /// A server of both, with more of its configuration in `policy`.
    pub fn before(&self, policy: &str) -> Builder {
        let scopes = "[service.scopes.\"notes:read\"]\n[service.scopes.\"files:read\"]";
        let upstream = |id: &str, url: &str| {
            format!(
                "[[service.upstream]]\nid = \"{id}\"\nkind = \"worker\"\nurl = \"{url}\"\ntimeout = \"2s\""
            )
        };
        let own = [
            scopes.to_owned(),
            upstream("notes", &self.notes),
            upstream("files", &self.files),
            policy.to_owned(),
        ];
        TestApp::builder().with("tail", &own.join("\n"))
    }
}

pub const POLICY: &str = r#"
[service.resource."notes://{id}"]
scopes = ["notes:read"]
[service.resource."files://*"]
scopes = ["files:read"]
"#;

/// Notes of ana (`a…`) and bruno (`b…`), each listed in two pages; the template stands for all of them.
fn notes(call: &Seen) -> (u16, Value) {
    let owner = call.header("x-portero-subject").unwrap_or_default();
    let own = owner.chars().next();
    let path = call.path.split('?').next().unwrap();
    match path {
        "/tools" => (200, json!({"tools": []})),
        "/resources/templates" => (
            200,
            json!({"resourceTemplates": [
                {"uriTemplate": "notes://{note_id}", "name": "note", "title": "A note", "mimeType": "text/plain"},
                {"uriTemplate": "odd://{kind}/{id}", "name": "odd"}]}),
        ),
        "/resources" => match (own, query_value(&call.path, "cursor").as_deref()) {
            (None, _) => (401, json!({"error": "for whom?"})),
            (Some(own), None) => {
                (200, json!({"resources": [resource(&format!("notes://{own}1"))], "nextCursor": "p 2/ñ"}))
            }
            (Some(own), Some("p 2/ñ")) => {
                (200, json!({"resources": [resource(&format!("notes://{own}2")), resource("bad uri")]}))
            }
            (Some(_), Some(_)) => (400, json!({"error": "no such page"})),
        },
        "/resources/read" => match query_value(&call.path, "uri").unwrap().as_str() {
            "notes://array" => (200, json!([])),
            "notes://shape" => (200, json!({"contents": [{"uri": "notes://shape"}]})),
            "notes://crash" => (500, json!({})),
            "notes://picky" => (422, json!({"error": "not that one"})),
            "notes://busy" => (429, json!({"error": "slow down"})),
            uri => match uri.strip_prefix("notes://").and_then(|id| id.chars().next()) {
                Some(first) if own == Some(first) => (
                    200,
                    json!({"contents": [{"uri": uri, "mimeType": "text/plain", "text": format!("of {owner}")}]}),
                ),
                Some('a' | 'b') => (403, json!({"error": "somebody else's"})),
                _ => (404, json!({"error": "no such note"})),
            },
        },
        "/prompts" => (
            200,
            json!({"prompts": [
                {"name": "sum up", "description": "Sums up.", "arguments": [
                    {"name": "note", "required": true}, {"name": "tone"}]},
                {"name": "plan", "description": "Plans."},
                {"name": "mood"}, {"name": "lock"}, {"name": "shut"}, {"name": "bent"}]}),
        ),
        "/prompts/bent" => (200, json!({"messages": [{"role": "system", "content": "x"}]})),
        path if path.starts_with("/prompts/") => {
            let text = format!("{owner} {path} {}", call.body);
            let message = json!({"role": "user", "content": {"type": "text", "text": text}});
            (200, json!({"description": "d", "messages": [message]}))
        }
        _ => (404, json!({"error": "not found"})),
    }
}

/// Files are everybody's, and one of them has a URI that no template has.
fn files(call: &Seen) -> (u16, Value) {
    match call.path.split('?').next().unwrap() {
        "/tools" => (200, json!([])),
        "/resources" => (200, json!({"resources": [resource("files://logo"), resource("loose://one")]})),
        "/resources/read" => {
            let uri = query_value(&call.path, "uri").unwrap();
            match uri.as_str() {
                "files://logo" => (200, json!({"contents": [{"uri": uri, "blob": "aGk="}]})),
                "loose://one" => (200, json!({"contents": [{"uri": uri, "text": "loose"}]})),
                _ => (404, json!({})),
            }
        }
        _ => (404, json!({"error": "not found"})),
    }
}

/// A request of the revisions with a handshake.
pub fn rpc(app: &TestApp, token: &str, method: &str, params: &Value) -> crate::support::Reply {
    app.rpc(token, &json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}))
}

/// One member of each item of a list.
pub fn members(reply: &crate::support::Reply, list: &str, member: &str) -> Vec<String> {
    let items = reply.json()["result"][list].as_array().unwrap_or_else(|| panic!("{reply:?}")).clone();
    items.iter().map(|item| item[member].as_str().unwrap().to_owned()).collect()
}
