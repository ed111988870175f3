//! A REST API behind the gateway: curated tools, and the three that reach every operation.

mod answers;
mod catalog;
mod config;
mod decisions;
mod property;
mod requests;
mod search;
mod writes;

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::TestApp;
use crate::support::app::Builder;
use crate::support::http::Reply;
use crate::support::worker::{Seen, answering};

pub const DOCUMENT: &str = include_str!("billing.yaml");

/// What stands in the configuration beside an API; `{policy}` is a test's own.
const UPSTREAM: &str = r#"
{policy}
[[service.upstream]]
id = "billing"
kind = "openapi"
url = "{api}/v1"
document = "billing.yaml"
generic = "met"
{more}
exclude = [
  { operation = "purge*", reason = "It deletes every invoice at once.", instead = "Call deleteInvoice for each." },
]
[service.upstream.headers]
"X-Api-Key" = "s3cret"
"#;

/// A curated tool of nearly every kind of operation.
pub const CURATED: &str = r#"
[service.tool.invoices_list]
operation = "listInvoices"
[service.tool.invoice_delete]
operation = "deleteInvoice"
[service.tool.invoice_create]
operation = "createInvoice"
"#;

/// An API that answers each call by what it sees, and remembers it.
pub struct Api {
    pub url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Api {
    /// It answers its calls' number, method and path.
    pub fn start() -> Self {
        Self::answering(|seen, count| {
            (200, json!({"n": count, "method": seen.method, "path": seen.path}).to_string())
        })
    }

    pub fn answering(answer: impl Fn(&Seen, usize) -> (u16, String) + Send + Sync + 'static) -> Self {
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let shared = Arc::clone(&seen);
        let url = answering(move |own| {
            let mut all = shared.lock().unwrap();
            all.push(own.clone());
            answer(own, all.len())
        });
        Self { url, seen }
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub fn last(&self) -> Seen {
        self.seen().pop().expect("the API was called")
    }
}

/// A configuration with this policy and these more keys of the upstream before an API.
pub fn before(builder: Builder, api: &str, policy: &str, more: &str) -> Builder {
    let upstream = UPSTREAM.replace("{policy}", policy).replace("{api}", api).replace("{more}", more);
    builder.with("tail", &upstream).file("billing.yaml", DOCUMENT)
}

pub fn start(api: &Api, policy: &str) -> TestApp {
    before(TestApp::builder(), &api.url, policy, "").start()
}

/// A generic call.
pub fn call(app: &TestApp, token: &str, operation: &str, arguments: &Value) -> Reply {
    app.call(token, "met_call_operation", &json!({"operation": operation, "arguments": arguments}))
}

pub fn describe(app: &TestApp, token: &str, operation: &str) -> Reply {
    app.call(token, "met_describe_operation", &json!({"operation": operation}))
}

/// The ids that a search finds.
pub fn found(app: &TestApp, token: &str, query: &str) -> Vec<String> {
    let said = text(&app.call(token, "met_search_operations", &json!({"query": query, "limit": 50})));
    let all = said["operations"].as_array().unwrap_or_else(|| panic!("{said}"));
    all.iter().map(|one| one["operation"].as_str().unwrap().to_owned()).collect()
}

/// The JSON in the text of a result.
pub fn text(reply: &Reply) -> Value {
    let reply = reply.json();
    let text = reply["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{reply}"));
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

pub fn is_error(reply: &Reply) -> bool {
    reply.json()["result"]["isError"].as_bool().unwrap_or_else(|| panic!("{reply:?}"))
}

/// The code of a refusal, in whatever form it comes.
pub fn code(reply: &Reply) -> String {
    let whole = reply.json();
    let named = [&whole["code"], &whole["error"]["data"]["code"]].into_iter().find_map(Value::as_str);
    match named {
        Some(code) => code.to_owned(),
        None => text(reply)["code"].as_str().unwrap_or_default().to_owned(),
    }
}
