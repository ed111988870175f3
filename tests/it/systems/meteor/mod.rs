//! What Meteor's document promises those who connect an agent to it, statement by statement.
//!
//! The configuration of `examples/meteor` is served as it stands, with only its URLs changed, before the example's own
//! worker. Each statement has a number; `statement("T071", …)` is the check of the one it names, and the names of the
//! tests list the statements they hold.
//!
//! | file | statements |
//! |---|---|
//! | `catalog` | T042 to T044, T060 to T062, T069: the tools and what is said of them |
//! | `operating` | T002 to T004, T061, T104 to T106, T108: what the tools do |
//! | `keys` | T009, T013, T022 to T025, T032 to T034, T052, T092, T107, T111 to T113: live and test keys |
//! | `connecting` | T001, T007 T008, T014 to T020, T027 to T030: clients that people allow |
//! | `confirmation` | T071 to T083 |
//! | `answers` | T084 to T089: how long answers are, and calls that come twice |
//! | `refusals` | T090, T093 to T098: the forms of a no |
//! | `energy` | T109, T111 |
//! | `descriptors` | T036 to T040, T045: what is published of the catalog |
//! | `generic` | T005, T047 to T051, T064 to T067, T080, T091, T099 to T103: any operation of the API |
//! | `partners` | T053 to T059 |

mod answers;
mod catalog;
mod confirmation;
mod connecting;
mod descriptors;
mod energy;
mod generic;
mod keys;
mod operating;
mod partners;
mod refusals;
#[path = "../../../../examples/meteor/worker/mod.rs"]
mod worker;

use serde_json::{Map, Value, json};

use super::{Running, assert_all_checked, statement};
use crate::support::app::Builder;
use crate::support::callers::Person;
use crate::support::http::request;
use crate::support::{Reply, TestApp};
use worker::table::{Operation, Table};

const TOML: &str = include_str!("../../../../examples/meteor/portero.toml");
const TOOLS: &str = include_str!("../../../../examples/meteor/meteor-tools.json");
const PARTNERS: &str = include_str!("../../../../examples/meteor/meteor-partners-tools.json");
const OPENAPI: &str = include_str!("../../../../examples/meteor/openapi.yaml");
/// Where the example's worker is, as its configuration says.
const WORKER: &str = "http://127.0.0.1:9103";

/// The domains in the document's order of themes.
const DOMAINS: [&str; 21] = [
    "conversations",
    "messages",
    "channels",
    "contacts",
    "tags",
    "quick_replies",
    "broadcasts",
    "reminders",
    "mets",
    "skills",
    "functions",
    "flows",
    "automations",
    "collections",
    "fields",
    "views",
    "items",
    "tasks",
    "integrations",
    "events",
    "account",
];

/// Every permission of the customers' endpoint.
fn scopes() -> Vec<String> {
    DOMAINS.iter().flat_map(|own| [format!("{own}:read"), format!("{own}:write")]).collect()
}

/// Those that only read.
fn reading() -> Vec<String> {
    DOMAINS.iter().map(|own| format!("{own}:read")).collect()
}

/// The example's configuration, with `{listen}` and `{worker}` for its addresses and nothing else changed.
fn as_it_stands() -> Builder {
    let mut toml = TOML.to_owned();
    for (own, here) in [
        ("listen = \"127.0.0.1:8080\"", "listen = \"{listen}\""),
        ("admin_listen = \"127.0.0.1:9090\"", "admin_listen = \"127.0.0.1:0\""),
        (WORKER, "{worker}"),
    ] {
        assert!(toml.contains(own), "the example no longer says {own}");
        toml = toml.replace(own, here);
    }
    TestApp::builder_from(&toml)
        .file("meteor-tools.json", TOOLS)
        .file("meteor-partners-tools.json", PARTNERS)
        .file("openapi.yaml", OPENAPI)
}

/// The same, with its three hosts in one.
fn builder() -> Builder {
    let mut builder = as_it_stands();
    for host in ["developers", "api.partners", "api"] {
        let origin = format!("https://{host}.meteor.example");
        assert!(builder.toml.contains(&origin), "the example no longer says {origin}");
        builder.toml = builder.toml.replace(&origin, "{base}");
    }
    builder
}

/// The example's worker.
fn running() -> Running {
    Running::start(|listener| worker::Worker::default().serve(listener))
}

/// Meteor, running, with the two people its sample workspaces belong to.
struct Meteor {
    app: TestApp,
    ana: Person,
    bruno: Person,
    _running: Option<Running>,
}

impl Meteor {
    fn start() -> Self {
        let running = running();
        let mut builder = builder();
        builder.toml = builder.toml.replace("{worker}", &running.url);
        Self::on(builder, Some(running))
    }

    /// Before a worker that writes down what it is sent.
    fn recording() -> Self {
        Self::on(builder(), None)
    }

    fn on(builder: Builder, running: Option<Running>) -> Self {
        let app = builder.start();
        let ana = app.person_on("ana", Some("pro"));
        let bruno = app.person_on("bruno", Some("inicial"));
        Self { app, ana, bruno, _running: running }
    }

    /// A key of somebody's, of a mode and with these permissions.
    fn key(&self, person: &Person, mode: &str, scopes: &[String]) -> Caller<'_> {
        let new = key(&self.app, person, mode, scopes);
        Caller { app: &self.app, token: new["token"].as_str().unwrap().to_owned() }
    }

    /// Ana with a live key that may do everything.
    fn as_ana(&self) -> Caller<'_> {
        self.key(&self.ana, "live", &scopes())
    }

    fn as_bruno(&self) -> Caller<'_> {
        self.key(&self.bruno, "live", &scopes())
    }

    /// What the recording worker was called with of tools.
    fn seen(&self) -> usize {
        self.app.worker.seen().len()
    }
}

/// Makes a key: `{"id","token",…}`.
fn key(app: &TestApp, person: &Person, mode: &str, scopes: &[String]) -> Value {
    let mut arguments =
        vec!["token", "create", "--user", &person.email, "--brand", "meteor", "--name", "llave"];
    arguments.extend(["--mode", mode]);
    for scope in scopes {
        arguments.extend(["--scope", scope]);
    }
    app.cli(&arguments, None)
}

/// Somebody's agent.
struct Caller<'a> {
    app: &'a TestApp,
    token: String,
}

impl Caller<'_> {
    fn post(&self, url: &str, headers: &[(&str, &str)], body: &Value) -> Reply {
        let bearer = format!("Bearer {}", self.token);
        let mut all = vec![
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("authorization", bearer.as_str()),
        ];
        all.extend_from_slice(headers);
        request("POST", url, &all, Some(&body.to_string()))
    }

    fn rpc(&self, method: &str, params: &Value) -> Reply {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.post(&self.app.resource, &[], &body)
    }

    /// A call under an id of its own, so that it is no repetition of another.
    fn call(&self, tool: &str, arguments: &Value) -> Reply {
        self.call_as(&fresh(), tool, arguments)
    }

    fn call_as(&self, id: &str, tool: &str, arguments: &Value) -> Reply {
        let params = json!({"name": tool, "arguments": arguments});
        let body = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        self.post(&self.app.resource, &[], &body)
    }

    /// What a call gives that goes well.
    #[expect(clippy::needless_pass_by_value, reason = "arguments are written where they are passed")]
    fn ask(&self, tool: &str, arguments: Value) -> Value {
        let (failed, body) = told(&self.call(tool, &arguments));
        assert!(!failed, "{tool} {arguments}: {body}");
        body
    }

    /// The same for one that a person has confirmed.
    fn confirm(&self, tool: &str, mut arguments: Value) -> Value {
        arguments["confirm"] = true.into();
        self.ask(tool, arguments)
    }

    /// Calls an operation of the API by its id.
    fn operation(&self, id: &str, arguments: &Value) -> Reply {
        self.call("met_call_operation", &json!({"operation": id, "arguments": arguments}))
    }

    /// What a call is told that is refused: `code`, `hint`, `status`.
    #[expect(clippy::needless_pass_by_value, reason = "arguments are written where they are passed")]
    fn refused(&self, tool: &str, arguments: Value) -> Value {
        let (failed, body) = told(&self.call(tool, &arguments));
        assert!(failed, "{tool} {arguments}: {body}");
        body
    }

    /// The entries of `tools/list`, over all pages.
    fn tools(&self) -> Vec<Value> {
        self.tools_at(&self.app.resource)
    }

    fn tools_at(&self, url: &str) -> Vec<Value> {
        let (mut tools, mut cursor) = (Vec::new(), Value::Null);
        loop {
            let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
            let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params});
            let reply = self.post(url, &[], &body);
            assert_eq!(reply.status, 200, "{reply:?}");
            let result = reply.json()["result"].clone();
            tools.extend(result["tools"].as_array().unwrap_or_else(|| panic!("{reply:?}")).iter().cloned());
            cursor = result["nextCursor"].clone();
            if cursor.is_null() {
                return tools;
            }
        }
    }
}

fn fresh() -> String {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    format!("call-{}", NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
}

/// Whether a result is an error, and the JSON that it holds: always 200, one text.
fn told(reply: &Reply) -> (bool, Value) {
    assert_eq!(reply.status, 200, "{reply:?}");
    let result = reply.json()["result"].clone();
    let failed = result["isError"].as_bool().unwrap_or_else(|| panic!("no isError: {}", reply.text()));
    let content = result["content"].as_array().unwrap_or_else(|| panic!("no content: {reply:?}"));
    assert_eq!((content.len(), content[0]["type"].as_str()), (1, Some("text")), "{reply:?}");
    (failed, serde_json::from_str(content[0]["text"].as_str().unwrap()).unwrap())
}

/// The code of a no, whether it is a result or an error.
fn code(reply: &Reply) -> Option<String> {
    let body = reply.json();
    let text = body["result"]["content"][0]["text"].as_str();
    let told: Value = text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let code = told["code"].as_str().or(body["error"]["data"]["code"].as_str());
    code.map(str::to_owned)
}

/// The three that reach any operation, in their order.
const GENERIC: [&str; 3] = ["met_search_operations", "met_describe_operation", "met_call_operation"];

/// The names of tools.
fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

/// The ids of a page.
fn ids(page: &Value) -> Vec<&str> {
    page["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect()
}

fn table() -> Table {
    Table::read().unwrap()
}

/// Arguments that an operation needs, by the examples of the table; they name what Ana has. An update brings all.
fn example(own: &Operation) -> Value {
    let required = own.takes.iter().filter(|take| take.required || own.method == "PATCH");
    let members: Map<_, _> =
        required.map(|take| (take.name.clone(), take.argument.example.clone())).collect();
    Value::Object(members)
}

/// The document's statements are numbered 1 to 113; some numbers were never given. 31 is a program that Codex starts, which
/// `tests/clients/meteor` runs; 110, an audit of every run, has nothing to be read from: calls are not written down.
#[test]
fn every_statement_is_checked() {
    let sources = [
        include_str!("answers.rs"),
        include_str!("catalog.rs"),
        include_str!("confirmation.rs"),
        include_str!("connecting.rs"),
        include_str!("descriptors.rs"),
        include_str!("energy.rs"),
        include_str!("generic.rs"),
        include_str!("keys.rs"),
        include_str!("operating.rs"),
        include_str!("partners.rs"),
        include_str!("refusals.rs"),
    ];
    let never_given = [6, 10, 11, 12, 21, 26, 35, 41, 46, 63, 68, 70];
    let elsewhere = [31, 110];
    assert_all_checked('T', 1..=113, &[&never_given[..], &elsewhere].concat(), &sources);
}
