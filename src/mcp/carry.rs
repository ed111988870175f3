//! `params` on their way to a server of another revision than its caller's: what is the caller's goes on, what is
//! the gateway's is made anew.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde_json::json;
use serde_json::value::RawValue;

use super::jsonrpc::is_object;
use super::version::Version;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const INFO: &str = "io.modelcontextprotocol/clientInfo";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
const PROGRESS_TOKEN: &str = "progressToken";
const OWN: &str = "io.portero/";

/// What a client can do that a gateway can carry: a server asks for it in its answer, and gets it with the next
/// request. Tasks it would have to follow up, and nobody here does.
const CARRIED: [&str; 4] = ["elicitation", "sampling", "roots", "extensions"];
const TASKS: &str = "io.modelcontextprotocol/tasks";

type Members<'a> = IndexMap<Cow<'a, str>, &'a RawValue>;

/// How this gateway introduces itself.
pub fn client_info() -> String {
    json!({"name": "portero", "version": env!("CARGO_PKG_VERSION")}).to_string()
}

/// `_meta` for a server that speaks `to`, out of the caller's own; `token` is the gateway's name for the call where the
/// caller wants to be told of progress. `None` if nothing is left to say.
pub fn meta(own: Option<&RawValue>, from: Version, to: Version, token: Option<&str>) -> Option<String> {
    let both = from.is_modern() && to.is_modern();
    let mut members: Members<'_> = own
        .filter(|raw| is_object(raw))
        .and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default();
    let capabilities = members.get(CAPABILITIES).filter(|_| both).and_then(|raw| capabilities(raw));
    members.retain(|name, _| match &**name {
        PROGRESS_TOKEN | VERSION | CAPABILITIES => false,
        INFO | LOG_LEVEL => both,
        name => !name.starts_with(OWN),
    });
    let mut made: Vec<(&str, Box<RawValue>)> = Vec::new();
    let mut add = |name, json: String| made.extend(RawValue::from_string(json).ok().map(|raw| (name, raw)));
    if let Some(token) = token {
        add(PROGRESS_TOKEN, json!(token).to_string());
    }
    if to.is_modern() {
        add(VERSION, json!(to.label()).to_string());
        add(CAPABILITIES, capabilities.unwrap_or_else(|| "{}".to_owned()));
        if !members.contains_key(INFO) {
            add(INFO, client_info());
        }
    }
    for (name, value) in &made {
        members.insert(Cow::Borrowed(name), value);
    }
    if members.is_empty() { None } else { serde_json::to_string(&members).ok() }
}

fn capabilities(raw: &RawValue) -> Option<String> {
    let mut members: Members<'_> = serde_json::from_str(raw.get()).ok()?;
    members.retain(|name, _| CARRIED.contains(&&**name));
    let extensions = members.get("extensions").and_then(|raw| {
        let mut own: Members<'_> = serde_json::from_str(raw.get()).ok()?;
        own.shift_remove(TASKS)?;
        RawValue::from_string(serde_json::to_string(&own).ok()?).ok()
    });
    if let Some(extensions) = &extensions {
        members.insert(Cow::Borrowed("extensions"), extensions);
    }
    serde_json::to_string(&members).ok()
}

/// An object of these members, each JSON; what is `None` is left out.
pub fn object<'a>(members: impl IntoIterator<Item = (&'a str, Option<&'a str>)>) -> String {
    let mut out = String::from("{");
    for (name, value) in members {
        let Some(value) = value else { continue };
        if out.len() > 1 {
            out.push(',');
        }
        out.push('"');
        out.push_str(name);
        out.push_str("\":");
        out.push_str(value);
    }
    out.push('}');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn carried(own: &Value, from: Version, to: Version, token: Option<&str>) -> Option<Value> {
        let raw = RawValue::from_string(own.to_string()).unwrap();
        meta(Some(&raw), from, to, token).map(|text| serde_json::from_str(&text).unwrap())
    }

    #[test]
    fn between_stateless_revisions_the_callers_words_pass() {
        let own = json!({
            VERSION: "2026-07-28", INFO: {"name": "c", "version": "1"}, LOG_LEVEL: "info", "progressToken": 7,
            "io.portero/idempotency-key": "k", "io.portero/x": 1, "com.acme/x": 1.5, "traceparent": "t",
            CAPABILITIES: {"elicitation": {}, "tasks": {}, "extensions": {TASKS: {}, "ui": {}}},
        });
        let got = carried(&own, Version::V20260728, Version::V20260728, Some("p")).unwrap();
        let expected = json!({
            VERSION: "2026-07-28", INFO: {"name": "c", "version": "1"}, LOG_LEVEL: "info", "progressToken": "p",
            "com.acme/x": 1.5, "traceparent": "t",
            CAPABILITIES: {"elicitation": {}, "extensions": {"ui": {}}},
        });
        assert_eq!(got, expected);
    }

    #[test]
    fn across_eras_each_gets_what_its_own_knows() {
        let modern =
            json!({VERSION: "2026-07-28", CAPABILITIES: {"elicitation": {}}, INFO: {}, LOG_LEVEL: "info"});
        assert_eq!(carried(&modern, Version::V20260728, Version::V20251125, None), None);
        let own = json!({"progressToken": 1, "com.acme/x": 1, CAPABILITIES: {"elicitation": {}}});
        let got = carried(&own, Version::V20251125, Version::V20260728, None).unwrap();
        assert_eq!((&got[VERSION], &got[CAPABILITIES]), (&json!("2026-07-28"), &json!({})));
        assert_eq!((&got[INFO]["name"], &got["com.acme/x"]), (&json!("portero"), &json!(1)));
        assert_eq!(got.get("progressToken"), None);
    }
}
