//! What Becoming's document promises its customers, statement by statement.
//!
//! The configuration of `examples/becoming` is served as it stands, with only its URLs changed, before the example's
//! own worker. Each statement has a number; `statement("B051", …)` is the check of the one it names, and the names of
//! the tests list the statements they hold. People connect an agent as they do in life: they sign in on the
//! authorization page and tick what it may do.
//!
//! | file | statements |
//! |---|---|
//! | `catalog` | B001 to B006, B047, B053: twenty tools, and what each asks for |
//! | `searching` | B008 to B017, B028 to B030: finding highlights |
//! | `sources` | B018 to B027, B054 to B059: sources, and adding to the library |
//! | `imports` | B031 to B036: what goes on in the background |
//! | `academy` | B038 to B046, B060 to B065: areas of interest and practices |
//! | `writing` | B047 to B052: confirmation, intent, and what a plan includes |
//! | `credits` | B066 to B073 |
//! | `resources` | B074 to B081 |
//! | `permissions` | B005 B006, B048, B082 to B097: eleven scopes |
//! | `errors` | B098 to B108 |
//! | `rates` | B104, B109 B110 |
//! | `paging` | B111 to B113 |

mod academy;
mod catalog;
mod credits;
mod errors;
mod imports;
mod paging;
mod permissions;
mod rates;
mod resources;
mod searching;
mod sources;
mod tools;
#[path = "../../../../examples/becoming/worker/mod.rs"]
mod worker;
mod writing;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::{Running, assert_all_checked, keys, statement};
use crate::pages::Browser;
use crate::support::answer::sent_on;
use crate::support::app::Builder;
use crate::support::callers::Person;
use crate::support::flow::{Connection, REDIRECT, connection, form_with};
use crate::support::http::query_value;
use crate::support::mcp::code;
use crate::support::{Reply, TestApp};

const TOML: &str = include_str!("../../../../examples/becoming/portero.toml");
const TOOLS: &str = include_str!("../../../../examples/becoming/becoming-tools.json");

/// The permissions in the document's order.
const SCOPES: [&str; 11] = [
    "highlights:read",
    "highlights:write",
    "sources:read",
    "sources:write",
    "notes:read",
    "themes:read",
    "themes:write",
    "practices:read",
    "practices:write",
    "reflections:read",
    "reflections:write",
];

/// The example's configuration, with `{base}`, `{listen}` and `{worker}` for its URLs and nothing else changed.
fn builder() -> Builder {
    let mut toml = TOML.to_owned();
    for (own, here) in [
        ("https://mcp.example.com", "{base}"),
        ("listen = \"127.0.0.1:8080\"", "listen = \"{listen}\""),
        ("admin_listen = \"127.0.0.1:9090\"", "admin_listen = \"127.0.0.1:0\""),
        ("http://127.0.0.1:9104", "{worker}"),
    ] {
        assert!(toml.contains(own), "the example no longer says {own}");
        toml = toml.replace(own, here);
    }
    TestApp::builder_from(&toml).file("becoming-tools.json", TOOLS)
}

/// The example's worker, with a clock that is moved by hand.
struct Library {
    running: Running,
    now: Arc<AtomicI64>,
}

impl Library {
    fn start() -> Self {
        // Noon of today: neither midnight nor the nightly sweep comes unasked.
        let days = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs() / 86_400;
        let now = Arc::new(AtomicI64::new(i64::try_from(days * 86_400 + 43_200).unwrap()));
        let own = Arc::clone(&now);
        let worker = worker::Worker { clock: Arc::new(move || own.load(Ordering::SeqCst)) };
        Self { running: Running::start(|listener| worker.serve(listener)), now }
    }
}

/// Becoming, running, with the two people its sample libraries belong to: Ana in La Academia, Bruno on the free plan.
struct Becoming {
    app: TestApp,
    ana: Person,
    bruno: Person,
    library: Option<Library>,
}

impl Becoming {
    fn start() -> Self {
        let library = Library::start();
        let mut builder = builder();
        builder.toml = builder.toml.replace("{worker}", &library.running.url);
        let app = builder.start();
        let ana = app.person_on("ana", Some("academia"));
        let bruno = app.person_on("bruno", Some("libre"));
        Self { app, ana, bruno, library: Some(library) }
    }

    fn as_ana(&self) -> Caller<'_> {
        connected(&self.app, &self.ana, &SCOPES)
    }

    fn as_bruno(&self) -> Caller<'_> {
        connected(&self.app, &self.bruno, &SCOPES)
    }

    /// Lets time pass for the worker alone.
    fn pass(&self, seconds: i64) {
        self.library.as_ref().unwrap().now.fetch_add(seconds, Ordering::SeqCst);
    }

    /// The worker's day, so many days from now.
    fn day(&self, ahead: i64) -> String {
        let now = self.library.as_ref().unwrap().now.load(Ordering::SeqCst);
        jiff::Timestamp::from_second(now + ahead * 86_400).unwrap().to_string()[..10].to_owned()
    }
}

/// What comes of a person's consent on the authorization page to these permissions.
fn allow(browser: &mut Browser<'_>, client: &str, scopes: &[&str]) -> Connection {
    let app = browser.app;
    let page = browser.get(&app.authorize_url(client, &[("scope", "")]));
    let mut form = form_with(&page, "transaction").set("decision", "allow");
    form.fields.retain(|(name, _)| name != "scope");
    form.fields.extend(scopes.iter().map(|scope| ("scope".to_owned(), (*scope).to_owned())));
    let done = browser.post(&form.action, &form.pairs());
    let location = sent_on(&done, REDIRECT).unwrap_or_else(|| panic!("not allowed: {}", done.text()));
    let reply = app.redeem(client, &query_value(&location, "code").expect("a code"));
    assert_eq!(reply.status, 200, "{reply:?}");
    connection(client, &reply)
}

/// An agent that a person has just connected.
fn connected<'a>(app: &'a TestApp, person: &Person, scopes: &[&str]) -> Caller<'a> {
    let mut browser = Browser::signed_in(app, person);
    let client = app.register("agente");
    Caller { app, token: allow(&mut browser, &client, scopes).access }
}

/// An agent that calls tools and reads resources.
struct Caller<'a> {
    app: &'a TestApp,
    token: String,
}

impl Caller<'_> {
    /// Sends a message, half a second after the last: as often as it may.
    fn rpc(&self, method: &str, params: &Value) -> Reply {
        self.app.advance(Duration::from_millis(500));
        self.app.rpc(&self.token, &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
    }

    fn call(&self, tool: &str, arguments: &Value) -> Reply {
        self.rpc("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// What a call gives that goes well.
    #[expect(clippy::needless_pass_by_value, reason = "arguments are written where they are passed")]
    fn ask(&self, tool: &str, arguments: Value) -> Value {
        given(&self.call(tool, &arguments), &format!("{tool} {arguments}"))
    }

    /// What a call gives that goes well and that a person has confirmed.
    fn write(&self, tool: &str, arguments: Value) -> Value {
        self.ask(tool, confirmed(arguments))
    }

    /// The number of a refusal: a JSON-RPC error at 200.
    #[expect(clippy::needless_pass_by_value, reason = "arguments are written where they are passed")]
    fn refused(&self, tool: &str, arguments: Value) -> i64 {
        number(&self.call(tool, &arguments), &format!("{tool} {arguments}"))
    }

    /// The same for a call that a person has confirmed.
    fn denied(&self, tool: &str, arguments: Value) -> i64 {
        self.refused(tool, confirmed(arguments))
    }

    fn read(&self, uri: &str) -> Reply {
        self.rpc("resources/read", &json!({"uri": uri}))
    }
}

/// Arguments with what a call has to bring that writes.
fn confirmed(mut arguments: Value) -> Value {
    arguments["confirm"] = true.into();
    arguments["user_intent"] = "Lo que la persona acaba de pedir.".into();
    arguments
}

/// The JSON that a tool's result holds: always 200, one text.
fn told(reply: &Reply) -> (bool, Value) {
    assert_eq!(reply.status, 200, "{reply:?}");
    let result = reply.json()["result"].clone();
    let failed = result["isError"].as_bool().unwrap_or_else(|| panic!("no isError: {}", reply.text()));
    let content = result["content"].as_array().unwrap_or_else(|| panic!("no content: {reply:?}"));
    assert_eq!((content.len(), content[0]["type"].as_str()), (1, Some("text")), "{reply:?}");
    (failed, serde_json::from_str(content[0]["text"].as_str().unwrap()).unwrap())
}

fn given(reply: &Reply, what: &str) -> Value {
    let (failed, body) = told(reply);
    assert!(!failed, "{what}: {body}");
    body
}

/// The number of a JSON-RPC error at 200, which has its usual members and no others.
fn number(reply: &Reply, what: &str) -> i64 {
    assert_eq!(reply.status, 200, "{what}: {reply:?}");
    let body = reply.json();
    let number = code(reply).unwrap_or_else(|| panic!("{what} is not refused: {body}"));
    assert_eq!(keys(&body), ["jsonrpc", "id", "error"], "{what}");
    assert_eq!(keys(&body["error"]), ["code", "message", "data"], "{what}");
    assert!(body["error"]["message"].as_str().is_some_and(|text| !text.is_empty()), "{what}");
    number
}

/// One member of every item of a list.
fn column(body: &Value, list: &str, key: &str) -> Vec<Value> {
    let items = body[list].as_array().unwrap_or_else(|| panic!("no {list}: {body}"));
    items.iter().map(|item| item[key].clone()).collect()
}

/// The ids of a list.
fn ids(body: &Value, list: &str) -> Vec<i64> {
    column(body, list, "id").iter().map(|id| id.as_i64().unwrap()).collect()
}

/// The document has 113 numbered statements; 7 and 37 were never given.
#[test]
fn every_statement_is_checked() {
    let sources = [
        include_str!("academy.rs"),
        include_str!("catalog.rs"),
        include_str!("credits.rs"),
        include_str!("errors.rs"),
        include_str!("imports.rs"),
        include_str!("paging.rs"),
        include_str!("permissions.rs"),
        include_str!("rates.rs"),
        include_str!("resources.rs"),
        include_str!("searching.rs"),
        include_str!("sources.rs"),
        include_str!("writing.rs"),
    ];
    assert_all_checked('B', 1..=113, &[7, 37], &sources);
}
