//! What an upstream says in a session, as the client is told it: questions under ids that say whose they are, changes,
//! log lines. What no client could have asked for is not passed on, and what it cannot do it is not asked.

use super::find::Held;
use super::seal::Leg;
use crate::domain::clock::Timestamp;
use crate::identity::keys::Keys;
use crate::mcp::duplex::{Told, find, find_text, quoted, replaced};
use crate::mcp::jsonrpc::{self, Incoming};

/// What becomes of a message.
#[derive(Debug, PartialEq, Eq)]
pub enum Passed {
    /// The client is told this.
    On(String),
    /// The same, and something is not what it was when it was read last.
    Changed(String),
    /// The client is told this if it may read the resource.
    Updated {
        /// The resource.
        uri: String,
        /// The message.
        json: String,
    },
    /// The upstream is told this at once.
    Back(String),
    /// Nobody is told.
    Nothing,
}

/// Translates a message of the upstream that a leg stands on. Answers are none of these: they belong to the request
/// that was made, and nobody made one here.
pub fn translate(held: &Held, leg: &Leg, keys: &Keys, now: Timestamp, json: &str) -> Passed {
    match jsonrpc::parse(json.as_bytes()) {
        Ok(Incoming::Request(request)) => {
            let id = request.id.as_json();
            if !held.session.abilities.allow(json, &request.method) {
                return refused(id, -32601, "Method not found");
            }
            let wrapped = held.wrapper.request(keys, now, &leg.upstream, id);
            let asked = wrapped.and_then(|id| replaced(json, &["id"], &quoted(&id)));
            match asked.and_then(|json| with_own_token(held, leg, keys, now, json)) {
                Some(json) => Passed::On(json),
                None => refused(id, -32600, "Invalid request: its id or progress token is too long"),
            }
        }
        Ok(Incoming::Notification(method)) => {
            told(held, leg, keys, now, json, &method).unwrap_or(Passed::Nothing)
        }
        Ok(Incoming::Response | Incoming::Batch) | Err(_) => Passed::Nothing,
    }
}

fn refused(id: &str, code: i32, message: &str) -> Passed {
    Passed::Back(format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{code},\"message\":\"{message}\"}}}}"
    ))
}

/// A question may ask to be told of its progress, under a token of the upstream's own.
fn with_own_token(held: &Held, leg: &Leg, keys: &Keys, now: Timestamp, json: String) -> Option<String> {
    const TOKEN: &[&str] = &["params", "_meta", "progressToken"];
    let Some(token) = find(&json, TOKEN) else { return Some(json) };
    let token = held.wrapper.progress(keys, now, &leg.upstream, token.get())?;
    replaced(&json, TOKEN, &quoted(&token))
}

fn told(held: &Held, leg: &Leg, keys: &Keys, now: Timestamp, json: &str, method: &str) -> Option<Passed> {
    Some(match Told::of(method)? {
        Told::Plain => Passed::On(json.to_owned()),
        Told::Changed => Passed::Changed(json.to_owned()),
        Told::Updated => {
            Passed::Updated { uri: find_text(json, &["params", "uri"])?.into_owned(), json: json.to_owned() }
        }
        Told::Cancelled => {
            const OWN: &[&str] = &["params", "requestId"];
            let own = find(json, OWN)?.get();
            let id = held.wrapper.request(keys, now, &leg.upstream, own)?;
            Passed::On(replaced(json, OWN, &quoted(&id))?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::seal::Session;
    use super::super::wrap::Wrapper;
    use super::*;
    use crate::app::doors::OsEntropy;
    use crate::domain::secret::Digest;
    use crate::mcp::duplex::{Abilities, Offers};
    use crate::mcp::version::Version;

    const NOW: Timestamp = Timestamp::from_millis(5);

    struct Bench(Keys, Held, Leg);

    fn bench(capabilities: &str) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let keys = Keys::read_or_make(&folder.path().join("keys"), &OsEntropy, NOW).unwrap();
        let version = Version::V20251125;
        let leg = Leg { upstream: "notes".into(), id: "n".into(), version, offers: Offers::default() };
        let session = Session {
            principal: "grant g".into(),
            service: "s".into(),
            version,
            issued_at: 0,
            abilities: Abilities::declared(capabilities, version),
            legs: vec![leg.clone()],
        };
        let digest = Digest::of("id");
        Bench(keys, Held { session, wrapper: Wrapper::new(digest), digest, streams: true }, leg)
    }

    impl Bench {
        fn hear(&self, json: &str) -> Passed {
            translate(&self.1, &self.2, &self.0, NOW, json)
        }
    }

    #[test]
    fn a_question_comes_back_to_where_it_was_asked() {
        let bench = bench(r#"{"elicitation":{}}"#);
        let question = r#"{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"n":1.50,"_meta":{"progressToken":"t"}}}"#;
        let Passed::On(json) = bench.hear(question) else { panic!() };
        let (id, token) =
            (find_text(&json, &["id"]).unwrap(), find_text(&json, &["params", "_meta", "progressToken"]));
        assert_eq!(bench.1.wrapper.answered(&bench.0, &id), Some(("notes".into(), "7".into())));
        assert_eq!(bench.1.wrapper.told(&bench.0, &token.unwrap()), Some(("notes".into(), "\"t\"".into())));
        assert!(json.contains(r#""n":1.50"#), "{json}");
        let given_up = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
        let Passed::On(json) = bench.hear(given_up) else { panic!() };
        assert_eq!(find_text(&json, &["params", "requestId"]), Some(id));
    }

    #[test]
    fn nobody_is_asked_what_it_cannot_do() {
        let bench = bench("{}");
        for method in ["elicitation/create", "sampling/createMessage", "roots/list", "tools/call", "x"] {
            let question = format!("{{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"{method}\"}}");
            let no = r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"Method not found"}}"#;
            assert_eq!(bench.hear(&question), Passed::Back(no.into()), "{method}");
        }
        assert!(matches!(bench.hear(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), Passed::On(_)));
        let long = format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{}\",\"method\":\"ping\"}}", "x".repeat(600));
        assert!(matches!(bench.hear(&long), Passed::Back(_)));
    }

    #[test]
    fn what_is_told_and_what_is_not() {
        let bench = bench("{}");
        let note = |method: &str, params: &str| {
            bench.hear(&format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{params}}}"))
        };
        assert!(matches!(note("notifications/message", "{\"level\":\"info\"}"), Passed::On(_)));
        assert!(matches!(note("notifications/tools/list_changed", "{}"), Passed::Changed(_)));
        let Passed::Updated { uri, .. } = note("notifications/resources/updated", "{\"uri\":\"a://b\"}")
        else {
            panic!()
        };
        assert_eq!(uri, "a://b");
        for (method, params) in [
            ("notifications/resources/updated", "{}"),
            ("notifications/cancelled", "{}"),
            ("notifications/initialized", "{}"),
            ("acme/anything", "{}"),
        ] {
            assert_eq!(note(method, params), Passed::Nothing, "{method}");
        }
        for message in [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "[]", "", "x"] {
            assert_eq!(bench.hear(message), Passed::Nothing, "{message}");
        }
    }
}
