//! Scopes and resources of an authorization request: narrowed where that is safe, refused where it is not.

use super::holds;
use crate::support::TestApp;
use crate::support::answer::assert_page;
use crate::support::flow::form_with;
use crate::support::http::{get, query_value};

/// A second service of the same brand, with a scope of its own.
const NOTES: &str = r#"
[[service]]
id = "notes"
brand = "mico"
name = "Notes"
resource = "{base}/notes"
accept = ["oauth"]
{notes}
[service.scopes."notes:read"]
title = { es = "Leer tus notas", en = "Read your notes" }
default = true
[[service.upstream]]
id = "notes"
kind = "worker"
url = "{worker}"
catalog = "notes.json"
"#;

const TOOLS: &str =
    r#"[{"name": "list_notes", "description": "Lists notes", "inputSchema": {"type": "object"}}]"#;

fn with_notes(default: &str) -> TestApp {
    TestApp::builder().with("tail", &NOTES.replace("{notes}", default)).file("notes.json", TOOLS).start()
}

/// The scope of the token that a request leads to, as its answer says it.
fn granted(app: &TestApp, client: &str, pat: &str, over: &[(&str, &str)]) -> String {
    let reply = app.consent(&app.authorize_url(client, over), pat, "allow");
    let code = query_value(reply.header("location").unwrap_or_else(|| panic!("{reply:?}")), "code").unwrap();
    app.redeem(client, &code).json()["scope"].as_str().expect("the granted scope is said").to_owned()
}

#[test]
fn scopes_are_narrowed_to_what_there_is() {
    let app = TestApp::start();
    let client = app.register("agent");
    let pat = app.pat(&app.person("ana"), &[]).token;
    let told = |scope: &str| app.told(&app.authorize_url(&client, &[("scope", scope)]));
    holds("C088", "unknown scopes are dropped, and the token's answer says what was granted", || {
        let openid = "openid profile email offline_access mico:read";
        assert_eq!(granted(&app, &client, &pat, &[("scope", openid)]), "mico:read");
    });
    holds("A-05", "a set, case-sensitive; unknown words are dropped, not refused (rules: section 2)", || {
        let twice = "mico:write mico:read mico:write";
        assert_eq!(granted(&app, &client, &pat, &[("scope", twice)]), "mico:read mico:write");
        assert_eq!(granted(&app, &client, &pat, &[("scope", "mico:read \"x\" a\\b")]), "mico:read");
        assert_eq!(told("MICO:READ"), "invalid_scope");
        let page = get(&app.authorize_url(&client, &[("scope", "")]));
        let ticked = form_with(&page, "transaction").fields.iter().any(|(name, _)| name == "scope");
        assert!(ticked && page.text().contains("mico:write"), "all are offered, the defaults ticked");
        assert_eq!(granted(&app, &client, &pat, &[("scope", "")]), "mico:read");
    });
    holds("N-071", "invalid_scope only where nothing is left (rules: section 2); too long is 414", || {
        for nothing in
            ["nothing:here", "mico:read\"", "mico\\read", "mico:read\tmico:write", "mico:réad", "*"]
        {
            assert_eq!(told(nothing), "invalid_scope", "{nothing}");
        }
        assert_eq!(told("offline_access openid"), "invalid_scope");
        let many = |count: usize| (0..count).map(|number| format!("s{number}")).collect::<Vec<_>>().join(" ");
        assert_eq!(told(&many(700)), "invalid_scope");
        assert_eq!(get(&app.authorize_url(&client, &[("scope", &many(10_000))])).status, 414);
    });
}

#[test]
fn a_request_names_one_service() {
    let app = with_notes("");
    let client = app.register("agent");
    let pat = app.pat(&app.person("ana"), &[]).token;
    let notes = format!("{}/notes", app.base);
    let told = |over: &[(&str, &str)]| app.told(&app.authorize_url(&client, over));
    holds("N-072", "a scope of another service is not to be had here", || {
        assert_eq!(told(&[("scope", "notes:read")]), "invalid_scope");
        assert_eq!(told(&[("scope", "mico:read"), ("resource", &notes)]), "invalid_scope");
        let both = [("scope", "mico:read notes:read"), ("resource", notes.as_str())];
        let page = get(&app.authorize_url(&client, &both));
        assert!(page.text().contains("notes:read") && !page.text().contains("value=\"mico:read\""));
    });
    holds("N-073", "a resource that is no URL of a service is refused; too many are", || {
        for foreign in [
            "mcp",
            "/functions/v1/mcp",
            &format!("{}#x", app.resource),
            "javascript:alert(1)",
            "https://other.example/mcp",
            &format!("{}/more", app.resource),
            &app.resource.replacen("http", "ftp", 1),
        ] {
            assert_eq!(told(&[("resource", foreign)]), "invalid_target", "{foreign}");
        }
        let url = app.authorize_url(&client, &[("resource", "")]);
        let many = |count: u32| {
            let each = |number| format!("&resource=https%3A%2F%2F{number}.example");
            (0..count).map(each).collect::<Vec<_>>().concat()
        };
        assert_eq!(app.told(&format!("{url}{}", many(50))), "invalid_target");
        assert_page(&get(&format!("{url}{}", many(100))), 400);
    });
    holds(
        "N-075",
        "a trailing slash is the same resource (rules: section 2), an escaped letter is not",
        || {
            let twin = format!("{}/", app.resource);
            assert_eq!(granted(&app, &client, &pat, &[("resource", &twin)]), "mico:read");
            let escaped = app.resource.replace("/mcp", "/%6dcp");
            assert_eq!(told(&[("resource", &escaped)]), "invalid_target");
        },
    );
    holds("A-07", "one service a request: two different ones are invalid_target", || {
        let url = app.authorize_url(&client, &[]);
        let second: String = form_urlencoded::byte_serialize(notes.as_bytes()).collect();
        assert_eq!(app.told(&format!("{url}&resource={second}")), "invalid_target");
        assert_eq!(get(&app.authorize_url(&client, &[("scope", ""), ("resource", &notes)])).status, 200);
    });
}

#[test]
fn a_request_that_names_no_service_means_the_obvious_one() {
    let app = with_notes("");
    let client = app.register("agent");
    let told = |over: &[(&str, &str)]| app.told(&app.authorize_url(&client, over));
    holds(
        "C106",
        "unknown: invalid_target; none: the only service, else the default, else invalid_target",
        || {
            assert_eq!(told(&[("resource", "https://other.example/mcp")]), "invalid_target");
            assert_eq!(
                told(&[("resource", ""), ("scope", "")]),
                "invalid_target",
                "two services, none the default"
            );
            let app = with_notes("default = true");
            let client = app.register("agent");
            let page = get(&app.authorize_url(&client, &[("resource", ""), ("scope", "")]));
            assert!(page.status == 200 && page.text().contains("Leer tus notas"), "{}", page.text());
            let app = TestApp::start();
            let client = app.register("agent");
            assert_eq!(get(&app.authorize_url(&client, &[("resource", "")])).status, 200, "the only one");
        },
    );
}
