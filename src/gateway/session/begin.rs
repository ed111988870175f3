//! `initialize`: a session at every upstream that keeps some, and one id for all of them.
//!
//! An upstream that is down is left out: the session lives without it, and calls to it are refused for want of a
//! session there until the client begins a new one. Whoever has no principal gets no session.

use bytes::Bytes;
use futures_util::future::join_all;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::reach::Reach;
use super::seal::{self, Leg, MAX_OWN, Session};
use crate::gateway::answer::Answer;
use crate::gateway::call::{Authenticated, Cx, Resolved};
use crate::gateway::library::Library;
use crate::gateway::refusal::Reason;
use crate::gateway::remote::hear::{self, Heard};
use crate::gateway::service::Upstream;
use crate::gateway::{methods, names};
use crate::mcp::duplex::{self, Abilities, Offers, find, find_text};
use crate::mcp::version::Version;
use crate::mcp::{carry, peer};
use crate::upstream::client::Failure;

/// What a client says of itself is passed on up to this length.
const MAX_SAID: usize = 4096;
const ID: &str = "initialize";

/// Answers `initialize`; with a session id where an upstream keeps sessions.
///
/// # Errors
/// An id that would fit no header.
pub async fn begin(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    call: &Resolved<'_>,
    body: &Bytes,
) -> Result<Answer, Reason> {
    let principal = caller.credential.as_ref().map(|own| own.principal());
    let Some(principal) = principal.filter(|_| super::keeps(cx.service)) else {
        return Ok(methods::initialize(cx, call, &cx.service.library.load().capabilities));
    };
    let said = Said::of(std::str::from_utf8(body).unwrap_or_default(), call.version);
    let all = cx.service.upstreams.iter().filter(|upstream| upstream.keeps_sessions());
    let legs = join_all(all.map(|upstream| said.open(cx, caller, upstream))).await;
    let mut session = Session {
        principal,
        service: cx.service.policy.id.as_str().to_owned(),
        version: call.version,
        issued_at: cx.app.clock.now().millis(),
        abilities: said.abilities,
        legs: Vec::new(),
    };
    let mut id = seal::seal(&cx.app.keys, &*cx.app.entropy, &session);
    for leg in legs.into_iter().flatten() {
        let upstream = leg.upstream.clone();
        session.legs.push(leg);
        if let Some(longer) = seal::seal(&cx.app.keys, &*cx.app.entropy, &session) {
            id = Some(longer);
        } else {
            tracing::warn!(upstream, "the session id has no room for this upstream's; left out");
            session.legs.pop();
        }
    }
    let offers = session.legs.iter().fold(Offers::default(), |sum, leg| sum.and(leg.offers));
    let capabilities = merged(&cx.service.library.load(), offers);
    let mut answer = methods::initialize(cx, call, &capabilities);
    let value = id.and_then(|id| id.parse().ok()).ok_or(Reason::Unverifiable("session_not_sealed"))?;
    answer.header = Some((names::SESSION_ID.clone(), value));
    Ok(answer)
}

/// What a client says in `initialize`, as upstreams are told it.
struct Said {
    message: Bytes,
    abilities: Abilities,
}

impl Said {
    fn of(body: &str, version: Version) -> Self {
        let part = |path: &[&str]| find(body, path).map(RawValue::get).filter(|text| text.len() <= MAX_SAID);
        let capabilities = part(&["params", "capabilities"]).unwrap_or("{}");
        let info = part(&["params", "clientInfo"]).filter(|info| find_text(info, &["name"]).is_some());
        let params = carry::object([
            ("protocolVersion", Some(duplex::quoted(version.label()).as_str())),
            ("capabilities", Some(&duplex::passed(capabilities))),
            ("clientInfo", Some(info.map_or_else(carry::client_info, str::to_owned).as_str())),
        ]);
        Self {
            message: peer::request(ID, "initialize", &params),
            abilities: Abilities::declared(capabilities, version),
        }
    }

    /// A session at one upstream; `None`, and a line in the log, if it gives none.
    async fn open(&self, cx: Cx<'_>, caller: &Authenticated<'_>, upstream: &Upstream) -> Option<Leg> {
        let reach = Reach::new(cx, caller, upstream)?;
        match self.ask(&reach, upstream).await {
            Ok(leg) => Some(leg),
            Err(failure) => {
                let cause = Reason::from(failure).label();
                tracing::warn!(upstream = upstream.id, cause, "no session at this upstream");
                None
            }
        }
    }

    async fn ask(&self, reach: &Reach, upstream: &Upstream) -> Result<Leg, Failure> {
        let unavailable = Failure::Unavailable;
        let replied = reach.post(None, &self.message).await?;
        let session = replied.session.ok_or(unavailable("upstream_without_session"))?;
        if session.len() > MAX_OWN {
            return Err(unavailable("upstream_session_too_long"));
        }
        let Heard::Result(result) = reach.within(hear::whole(replied.reply, ID)).await?? else {
            return Err(unavailable("upstream_refused_handshake"));
        };
        let version = find_text(&result, &["protocolVersion"]);
        let version = version.and_then(|label| Version::parse(&label)).filter(|version| !version.is_modern());
        Ok(Leg {
            upstream: upstream.id.clone(),
            id: session,
            version: version.ok_or(unavailable("upstream_speaks_no_known_revision"))?,
            offers: Offers::declared(find(&result, &["capabilities"]).map_or("{}", RawValue::get)),
        })
    }
}

/// What is really served: lists are the gateway's, and the rest what some upstream of the session offers.
fn merged(library: &Library, offers: Offers) -> String {
    let has = |offer: Offers| offers.has(offer);
    let mut all = Map::new();
    let mut add = |name: &str, value: Value| all.insert(name.to_owned(), value);
    add("tools", json!({"listChanged": has(Offers::TOOLS)}));
    if library.has_resources {
        let (subscribe, changes) = (has(Offers::SUBSCRIBE), has(Offers::RESOURCES));
        add("resources", json!({"subscribe": subscribe, "listChanged": changes}));
    }
    if library.has_prompts {
        add("prompts", json!({"listChanged": has(Offers::PROMPTS)}));
    }
    for (there, name) in [(has(Offers::LOGGING), "logging"), (library.completes, "completions")] {
        if there {
            add(name, json!({}));
        }
    }
    Value::Object(all).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upstream_hears_who_the_client_is_and_what_can_be_asked_of_it() {
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",
            "capabilities":{"elicitation":{},"tasks":{}},"clientInfo":{"name":"c","version":"1"}}}"#;
        let said = Said::of(body, Version::V20250618);
        let params = find(std::str::from_utf8(&said.message).unwrap(), &["params"]).unwrap().get();
        let expected = r#"{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}"#;
        assert_eq!(params, expected);
        let long = body.replace("\"c\"", &format!("\"{}\"", "c".repeat(MAX_SAID)));
        let said = Said::of(&long, Version::V20250618);
        let info = find_text(std::str::from_utf8(&said.message).unwrap(), &["params", "clientInfo", "name"]);
        assert_eq!(info.as_deref(), Some("portero"));
    }

    #[test]
    fn capabilities_are_what_is_really_served() {
        let mut library = Library::pending(true, true);
        library.completes = true;
        let all = Offers::SUBSCRIBE.and(Offers::LOGGING).and(Offers::PROMPTS);
        assert_eq!(
            merged(&library, all),
            r#"{"tools":{"listChanged":false},"resources":{"subscribe":true,"listChanged":false},"prompts":{"listChanged":true},"logging":{},"completions":{}}"#
        );
        assert_eq!(merged(&Library::default(), Offers::SUBSCRIBE), r#"{"tools":{"listChanged":false}}"#);
    }
}
