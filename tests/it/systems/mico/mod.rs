//! What Mico's document promises its customers, statement by statement.
//!
//! The configuration of `examples/mico` is served as it stands, with only its URLs changed, before the example's
//! own worker. Each statement has a number; `statement("M051", …)` is the check of the one it names, and the
//! names of the tests list the statements they hold.
//!
//! | file | statements |
//! |---|---|
//! | `protocol` | M002 M003 M008, M010 to M024: the endpoint and the protocol |
//! | `authentication` | M025 to M028, M043 to M047, M105: tokens |
//! | `plans` | M005 M006, M104, M106 to M108: what a plan includes |
//! | `oauth` | M025, M029 to M042, M045: clients that people allow |
//! | `pages` | M009, M026 M027: what people see |
//! | `meetings`, `transcripts`, `shared` | M001, M004, M048 to M090: the eight tools |
//! | `results` | M091 to M098: the form of results |
//! | `errors` | M099 to M104, M109 M110: the form of refusals |

mod authentication;
mod errors;
mod meetings;
mod oauth;
mod pages;
mod plans;
mod protocol;
mod results;
mod shared;
mod transcripts;
#[path = "../../../../examples/mico/worker/mod.rs"]
mod worker;

use serde_json::{Value, json};

use super::{Running, assert_all_checked, keys, statement};
use crate::support::app::Builder;
use crate::support::callers::{Pat, Person};
use crate::support::{Reply, TestApp};

const TOML: &str = include_str!("../../../../examples/mico/portero.toml");
const TOOLS: &str = include_str!("../../../../examples/mico/mico-tools.json");

/// The tools in the catalog's order.
const NAMES: [&str; 8] = [
    "list_meetings",
    "get_meeting",
    "get_meeting_transcript",
    "get_recurring_meeting_history",
    "search_meetings",
    "list_pending_action_items",
    "search_shared_notes",
    "get_shared_note",
];

/// The example's configuration, with `{base}`, `{listen}` and `{worker}` for its URLs and nothing else changed.
fn builder() -> Builder {
    let mut toml = TOML.to_owned();
    for (own, here) in [
        ("https://mcp.example.com", "{base}"),
        ("listen = \"127.0.0.1:8080\"", "listen = \"{listen}\""),
        ("admin_listen = \"127.0.0.1:9090\"", "admin_listen = \"127.0.0.1:0\""),
        ("http://127.0.0.1:9101", "{worker}"),
    ] {
        assert!(toml.contains(own), "the example no longer says {own}");
        toml = toml.replace(own, here);
    }
    TestApp::builder_from(&toml).file("mico-tools.json", TOOLS)
}

/// Mico, running, with the two people its sample meetings belong to.
struct Mico {
    app: TestApp,
    ana: Person,
    bruno: Person,
    meetings: Option<Running>,
}

impl Mico {
    fn start() -> Self {
        let meetings = Running::start(worker::serve);
        let mut builder = builder();
        builder.toml = builder.toml.replace("{worker}", &meetings.url);
        let app = builder.start();
        let (ana, bruno) = (app.person("ana"), app.person("bruno"));
        Self { app, ana, bruno, meetings: Some(meetings) }
    }

    /// A personal access token as somebody makes it who names no scope.
    fn pat(&self, person: &Person) -> Pat {
        self.app.pat(person, &[])
    }

    fn as_ana(&self) -> Caller<'_> {
        Caller { app: &self.app, token: self.pat(&self.ana).token }
    }

    fn as_bruno(&self) -> Caller<'_> {
        Caller { app: &self.app, token: self.pat(&self.bruno).token }
    }
}

/// Somebody who calls tools.
struct Caller<'a> {
    app: &'a TestApp,
    token: String,
}

impl Caller<'_> {
    fn rpc(&self, method: &str, params: &Value) -> Reply {
        self.app.rpc(&self.token, &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
    }

    /// The result of a call, whether it went well or not: always 200, one text, JSON in it.
    fn result(&self, tool: &str, arguments: &Value) -> (bool, Value) {
        let reply = self.app.call(&self.token, tool, arguments);
        assert_eq!(reply.status, 200, "{reply:?}");
        let result = reply.json()["result"].clone();
        let failed = result["isError"].as_bool().unwrap_or_else(|| panic!("no isError: {reply:?}"));
        let content = result["content"].as_array().unwrap_or_else(|| panic!("no content: {reply:?}"));
        assert_eq!((content.len(), content[0]["type"].as_str()), (1, Some("text")), "{reply:?}");
        (failed, serde_json::from_str(content[0]["text"].as_str().unwrap()).unwrap())
    }

    /// What a call gives that goes well.
    #[expect(clippy::needless_pass_by_value, reason = "arguments are written where they are passed")]
    fn ask(&self, tool: &str, arguments: Value) -> Value {
        let (failed, body) = self.result(tool, &arguments);
        assert!(!failed, "{tool} {arguments}: {body}");
        body
    }

    /// The `error` of a call that cannot be answered.
    #[expect(clippy::needless_pass_by_value, reason = "arguments are written where they are passed")]
    fn refused(&self, tool: &str, arguments: Value) -> String {
        let (failed, body) = self.result(tool, &arguments);
        assert!(failed, "{tool} {arguments}: {body}");
        body["error"].as_str().unwrap_or_else(|| panic!("no error: {body}")).to_owned()
    }

    /// Asserts a page's usual and largest length: what is asked beyond them is adjusted, never refused.
    fn adjusts_limit(&self, tool: &str, arguments: &Value, usual: i64, most: i64) {
        let limit = |asked: Option<i64>| {
            let mut arguments = arguments.clone();
            if let Some(asked) = asked {
                arguments["limit"] = asked.into();
            }
            self.ask(tool, arguments)["pagination"]["limit"].as_i64().unwrap()
        };
        assert_eq!(limit(None), usual, "{tool} without a limit");
        for (asked, used) in [(1, 1), (7, 7), (0, 1), (-1, 1), (most, most), (99_999, most)] {
            assert_eq!(limit(Some(asked)), used, "{tool} with limit {asked}");
        }
    }

    /// Asserts that a page's `offset` is 0 unless said, and skips results from the front.
    fn skips(&self, tool: &str, arguments: &Value, list: &str) {
        let from = |offset: Value| {
            let mut arguments = arguments.clone();
            arguments["limit"] = 5.into();
            if !offset.is_null() {
                arguments["offset"] = offset;
            }
            let body = self.ask(tool, arguments);
            (body["pagination"]["offset"].clone(), body[list].as_array().unwrap().clone())
        };
        let (offset, first) = from(Value::Null);
        assert_eq!(offset, 0, "{tool} without an offset");
        let (offset, second) = from(json!(1));
        assert_eq!(offset, 1, "{tool}");
        assert!(first.len() > 1 && first[1..] == second[..first.len() - 1], "{tool}: {first:?} {second:?}");
        assert_eq!(from(json!(-5)).0, 0, "{tool} with offset -5");
    }
}

/// One member of every item of a list.
fn column<'a>(body: &'a Value, list: &str, key: &str) -> Vec<&'a str> {
    let items = body[list].as_array().unwrap_or_else(|| panic!("no {list}: {body}"));
    items.iter().map(|item| item[key].as_str().unwrap_or_else(|| panic!("no {key}: {item}"))).collect()
}

/// The ids of a list of meetings.
fn ids(body: &Value) -> Vec<&str> {
    column(body, "meetings", "id")
}

/// Asserts that times, all UTC in one format, never rise.
fn assert_newest_first(times: &[&str]) {
    assert!(times.len() > 1 && times.windows(2).all(|pair| pair[0] >= pair[1]), "{times:?}");
}

/// The document has 110 numbered statements; number 7 was never given.
#[test]
fn every_statement_is_checked() {
    let sources = [
        include_str!("authentication.rs"),
        include_str!("errors.rs"),
        include_str!("meetings.rs"),
        include_str!("oauth.rs"),
        include_str!("pages.rs"),
        include_str!("plans.rs"),
        include_str!("protocol.rs"),
        include_str!("results.rs"),
        include_str!("shared.rs"),
        include_str!("transcripts.rs"),
    ];
    assert_all_checked('M', 1..=110, &[7], &sources);
}
