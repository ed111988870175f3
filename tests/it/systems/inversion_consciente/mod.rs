//! What Inversión Consciente's document promises those who write clients for it, statement by statement.
//!
//! The configuration of `examples/inversion-consciente` is served as it stands, with only its URLs changed, before
//! the example's own worker and behind an issuer of tokens that stands in for the company's. Each statement has a
//! number; `statement("V034", …)` is the check of the one it names, and the names of the tests list the statements
//! they hold.
//!
//! | file | statements |
//! |---|---|
//! | `discovery` | V003, V010 to V019: the endpoint, and how clients find the issuer |
//! | `protocol` | V004 to V006, V020 to V026, V036, V046: the handshake and the envelope |
//! | `tokens` | V007 V008, V031, V043 to V045: the issuer's tokens |
//! | `articles` | V027 to V030, V033 to V039, V065: the tools that anybody may use |
//! | `reader` | V032, V040 V041: the tools of the person |
//! | `errors` | V047 to V049: the forms of a no |
//! | `descriptors` | V009, V025, V042, V051 to V060: the manifest and the OpenAPI fragment |
//! | `sdks` | V061 to V064: what the official SDKs send |

mod articles;
mod descriptors;
mod discovery;
mod errors;
mod issuer;
mod protocol;
mod reader;
mod samples;
mod sdks;
mod tokens;
#[path = "../../../../examples/inversion-consciente/worker/mod.rs"]
mod worker;

use serde_json::{Value, json};

use super::{Running, assert_all_checked, keys, statement};
use crate::support::app::Builder;
use crate::support::{Reply, TestApp};
use issuer::Issuer;

const TOML: &str = include_str!("../../../../examples/inversion-consciente/portero.toml");
const TOOLS: &str = include_str!("../../../../examples/inversion-consciente/inversion-consciente-tools.json");

/// The tools in the catalog's order.
const NAMES: [&str; 5] =
    ["list_articles", "get_article", "search_articles", "my_ai_usage", "my_recent_messages"];
/// Those that anybody may use.
const PUBLIC: [&str; 3] = ["list_articles", "get_article", "search_articles"];
/// The two media types that a client has to name.
const BOTH: &str = "application/json, text/event-stream";

/// The example's configuration, with `{base}`, `{listen}`, `{issuer}` and `{worker}` for its URLs and nothing else
/// changed.
fn builder(issuer: &Issuer) -> Builder {
    let mut toml = TOML.to_owned();
    for (own, here) in [
        ("https://www.xn--inversinconsciente-w1b.com", "{base}"),
        ("https://ref.supabase.co/auth/v1", issuer.url.as_str()),
        ("listen = \"127.0.0.1:8080\"", "listen = \"{listen}\""),
        ("admin_listen = \"127.0.0.1:9090\"", "admin_listen = \"127.0.0.1:0\""),
        ("http://127.0.0.1:9102", "{worker}"),
    ] {
        assert!(toml.contains(own), "the example no longer says {own}");
        toml = toml.replace(own, here);
    }
    TestApp::builder_from(&toml).file("inversion-consciente-tools.json", TOOLS)
}

/// The example's worker, at a quarter past six in the evening.
fn magazine() -> Running {
    let now = Some("2026-06-15T18:15:00Z".parse().unwrap());
    Running::start(move |listener| worker::Worker { now, ..worker::Worker::default() }.serve(listener))
}

/// Inversión Consciente, running.
struct Site {
    app: TestApp,
    issuer: Issuer,
    magazine: Option<Running>,
}

impl Site {
    fn start() -> Self {
        Self::with(|toml| toml)
    }

    /// With another configuration than the example's.
    fn with(change: impl FnOnce(String) -> String) -> Self {
        let (issuer, magazine) = (Issuer::start(), magazine());
        let mut builder = builder(&issuer);
        builder.toml = change(builder.toml.replace("{worker}", &magazine.url));
        Self { app: builder.start(), issuer, magazine: Some(magazine) }
    }

    /// Before a worker that records what it is sent and answers an empty object.
    fn recording() -> Self {
        let issuer = Issuer::start();
        let app = builder(&issuer).start();
        app.worker.answers(200, "application/json", "{}");
        Self { app, issuer, magazine: None }
    }

    /// A token as the issuer gives it to somebody: good for an hour.
    fn token(&self, subject: &str) -> String {
        self.issuer.token(&self.issuer.claims(subject, self.app.now()))
    }

    /// A message with the headers that the document shows; without a token if that is empty.
    fn post(&self, token: &str, body: &str) -> Reply {
        self.app.rpc_with(token, &[], body)
    }

    fn call(&self, token: &str, tool: &str, arguments: &Value) -> Reply {
        self.app.call(token, tool, arguments)
    }

    /// The result of a call, whether it went well or not: always 200 and one text.
    fn result(&self, token: &str, tool: &str, arguments: &Value) -> Value {
        let reply = self.call(token, tool, arguments);
        assert_eq!(reply.status, 200, "{tool} {arguments}: {reply:?}");
        let result = reply.json()["result"].clone();
        let content = result["content"].as_array().unwrap_or_else(|| panic!("no content: {reply:?}"));
        assert_eq!((content.len(), content[0]["type"].as_str()), (1, Some("text")), "{reply:?}");
        result
    }

    /// What a call gives that goes well, as its text says it.
    #[expect(clippy::needless_pass_by_value, reason = "arguments are written where they are passed")]
    fn ask(&self, token: &str, tool: &str, arguments: Value) -> Value {
        let result = self.result(token, tool, &arguments);
        assert_eq!(result["isError"], false, "{tool} {arguments}: {result}");
        serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
    }

    /// The sentence of a call that cannot be answered.
    #[expect(clippy::needless_pass_by_value, reason = "arguments are written where they are passed")]
    fn refused(&self, token: &str, tool: &str, arguments: Value) -> String {
        let result = self.result(token, tool, &arguments);
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        assert!(result.get("structuredContent").is_none(), "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The entries of somebody's `tools/list`.
    fn tools(&self, token: &str) -> Vec<Value> {
        let listed = self.post(token, samples::LIST).json();
        listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("no tools: {listed}")).clone()
    }
}

/// A call with an id of its own.
fn message(tool: &str, arguments: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
        .to_string()
}

/// One member of every item of a list.
fn column<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    let items = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    items.iter().map(|item| item[key].as_str().unwrap_or_else(|| panic!("no {key}: {item}"))).collect()
}

/// Asserts that times, all UTC in one format, never rise.
fn assert_newest_first(times: &[&str]) {
    assert!(times.len() > 1 && times.windows(2).all(|pair| pair[0] >= pair[1]), "{times:?}");
}

/// The document's statements are numbered 3 to 65; 17, 18 and 50 were never given.
#[test]
fn every_statement_is_checked() {
    let sources = [
        include_str!("articles.rs"),
        include_str!("descriptors.rs"),
        include_str!("discovery.rs"),
        include_str!("errors.rs"),
        include_str!("protocol.rs"),
        include_str!("reader.rs"),
        include_str!("sdks.rs"),
        include_str!("tokens.rs"),
    ];
    assert_all_checked('V', 3..=65, &[17, 18, 50], &sources);
}
