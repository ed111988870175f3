//! What the official SDKs send, in their order and with their headers. The SDKs themselves are driven against the
//! same example by `tests/clients/inversion-consciente`.

use serde_json::{Value, json};

use super::{BOTH, NAMES, Site, column, statement};
use crate::support::Reply;
use crate::support::http::request;

/// One program that uses an SDK.
struct Sdk<'a> {
    site: &'a Site,
    agent: &'static str,
    /// What its transport sends with every request, as its `requestInit` or its arguments say.
    bearer: String,
    /// What was agreed in the handshake; the transports repeat it from then on.
    version: String,
}

impl<'a> Sdk<'a> {
    fn new(site: &'a Site, agent: &'static str, token: &str) -> Self {
        Self { site, agent, bearer: format!("Bearer {token}"), version: String::new() }
    }

    fn send(&self, method: &str, accept: &str, body: Option<&Value>) -> Reply {
        let mut headers =
            vec![("accept", accept), ("user-agent", self.agent), ("accept-encoding", "gzip, deflate")];
        if self.bearer.len() > "Bearer ".len() {
            headers.push(("authorization", &self.bearer));
        }
        if body.is_some() {
            headers.push(("content-type", "application/json"));
        }
        if !self.version.is_empty() {
            headers.push(("mcp-protocol-version", &self.version));
        }
        request(method, &self.site.app.resource, &headers, body.map(Value::to_string).as_deref())
    }

    fn post(&self, body: &Value) -> Value {
        let reply = self.send("POST", BOTH, Some(body));
        assert_eq!(
            (reply.status, reply.header("content-type")),
            (200, Some("application/json")),
            "{reply:?}"
        );
        assert!(reply.header("mcp-session-id").is_none(), "no session, so none to end");
        assert_eq!(reply.json()["id"], body["id"], "{reply:?}");
        reply.json()["result"].clone()
    }

    /// The handshake, with the newest revision the SDK knows and the first id it gives.
    fn connect(&mut self, id: u64) {
        let hello = json!({"jsonrpc": "2.0", "id": id, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "my-client", "version": "0.1.0"}}});
        self.version = self.post(&hello)["protocolVersion"].as_str().unwrap().to_owned();
        assert_eq!(self.version, "2025-06-18");
        let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let reply = self.send("POST", BOTH, Some(&told));
        assert_eq!((reply.status, reply.body.len()), (202, 0));
    }
}

#[test]
fn v061_v062_v063_v064_the_official_sdks() {
    let site = Site::start();
    let token = site.token("ana");
    for (agent, id) in [("node", 0), ("python-httpx/0.28.1", 0)] {
        let mut sdk = Sdk::new(&site, agent, &token);
        statement("V063", || {
            sdk.connect(id);
            let channel = sdk.send("GET", "text/event-stream", None);
            assert_eq!(channel.status, 405, "what the transport takes for: no such channel");
            assert_eq!(channel.header("allow"), Some("POST, OPTIONS"));
        });
        let listed = sdk.post(&json!({"method": "tools/list", "jsonrpc": "2.0", "id": id + 1}));
        statement("V064", || assert_eq!(column(&listed["tools"], "name"), NAMES));
        let called = sdk.post(&json!({"method": "tools/call", "params": {"name": "list_articles",
            "arguments": {"category": "IA", "limit": 10}}, "jsonrpc": "2.0", "id": id + 2}));
        statement("V062", || {
            assert_eq!(called["isError"], false);
            assert_eq!(column(&called["structuredContent"]["articles"], "category"), ["IA"; 10]);
        });
        statement("V061", || {
            let own = sdk.post(&json!({"method": "tools/call", "params": {"name": "my_ai_usage",
                "arguments": {}, "_meta": {"progressToken": 3}}, "jsonrpc": "2.0", "id": id + 3}));
            assert_eq!(own["structuredContent"]["messages_used"], 3);
        });
    }
}

/// Whoever has no token connects all the same, and calls what is public.
#[test]
fn v063_an_sdk_without_a_token_connects() {
    let site = Site::start();
    let mut sdk = Sdk::new(&site, "node", "");
    statement("V063", || {
        sdk.connect(0);
        assert_eq!(sdk.send("GET", "text/event-stream", None).status, 405);
        let called = sdk.post(&json!({"method": "tools/call", "params": {"name": "list_articles",
            "arguments": {"category": "IA", "limit": 10}}, "jsonrpc": "2.0", "id": 1}));
        assert_eq!(called["isError"], false);
    });
}
