//! MCP servers behind the gateway: listed, called, and never believed.

mod eras;
mod hostile;
mod known;
mod library;
mod rules;
mod streams;

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::http::Reply;
use crate::support::peer::Peer;
use crate::support::{Builder, Stopwatch, TestApp};

const POLICY: &str = r#"
[service.tool.read_note]
scopes = ["mico:read"]
annotations = { readOnlyHint = true }
[service.tool.write_note]
scopes = ["mico:write"]
"#;

/// A service with its worker and this server, whose two tools policy names.
fn before(peer: &Peer) -> Builder {
    before_with(peer, "", POLICY)
}

/// The same with these lines of the upstream and these policies.
fn before_with(peer: &Peer, upstream: &str, policy: &str) -> Builder {
    let url = &peer.url;
    let own = format!("[[service.upstream]]\nid = \"notes\"\nkind = \"mcp\"\nurl = \"{url}\"\n{upstream}");
    TestApp::builder().with("tail", &format!("{own}\n{policy}"))
}

/// A server before this one, and a token with all scopes.
fn started(peer: &Peer) -> (TestApp, String) {
    let app = before(peer).start();
    let token = app.pat(&app.person("ana"), &[]).token;
    (app, token)
}

/// The names a caller sees.
fn names(app: &TestApp, token: &str) -> Vec<String> {
    let list = app.rpc(token, &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).json();
    let tools = list["result"]["tools"].as_array().unwrap_or_else(|| panic!("{list}")).clone();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// Waits up to `limit`: what happens by itself takes its second, and the machine its own.
fn within<T>(limit: Duration, what: &str, look: impl Fn() -> Option<T>) -> T {
    let watch = Stopwatch::start();
    while watch.elapsed() < limit {
        if let Some(seen) = look() {
            return seen;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("not within {limit:?}: {what}");
}

const SOON: Duration = Duration::from_secs(4);

/// The answer itself, also where it is the last event of a stream.
fn json(reply: &Reply) -> Value {
    if reply.header("content-type") != Some("text/event-stream") {
        return reply.json();
    }
    let last = reply.text().lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
    serde_json::from_str(last.unwrap_or_else(|| panic!("{reply:?}"))).unwrap()
}

/// The one text of a result.
fn text(reply: &Reply) -> Value {
    let json = json(reply);
    let text = json["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{json}"));
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

/// A refusal for want of the upstream.
fn is_unavailable(reply: &Reply) -> bool {
    reply.status == 200
        && json(reply)["result"]["isError"] == true
        && text(reply)["code"] == "upstream_unavailable"
}
