//! Who gets what: every route, every kind of caller, the status.
//!
//! The table below is compared with what the server does and with what the server has: a route without its lines
//! fails, and so does a line of a route that is gone. Forms are posted without the page's own proof, so a signed-in
//! browser gets 403 where a foreign site would try; what each form does with its proof is tested with the pages.

use std::collections::BTreeSet;

use crate::pages::{Browser, HTML};
use crate::support::flow::connection;
use crate::support::http::{query_value, request};
use crate::support::{Reply, TestApp};

/// The columns of the table.
const CALLERS: [&str; 13] = [
    "nobody",     // no credential at all
    "garbage",    // a bearer that is no token
    "revoked",    // a personal access token that was revoked
    "refresh",    // a refresh token as bearer
    "pat",        // a personal access token with every scope
    "narrow",     // a personal access token without the tool's scope
    "planless",   // a personal access token of a workspace without the feature
    "app",        // an access token of an allowed client
    "narrow app", // an access token of a client that was allowed less
    "locked",     // a personal access token of a locked person
    "session",    // a signed-in browser
    "client",     // a confidential client, by its secret
    "introspect", // a resource server, by its introspection key
];

/// `{r}` is the resource, which is also the issuer.
const TABLE: &str = include_str!("permissions.txt");

struct Caller {
    name: &'static str,
    headers: Vec<(&'static str, String)>,
}

fn bearer(name: &'static str, token: &str) -> Caller {
    Caller { name, headers: vec![("authorization", format!("Bearer {token}"))] }
}

fn basic(name: &'static str, made: &serde_json::Value, id: &str, secret: &str) -> Caller {
    use base64::Engine as _;
    let text = |key: &str| made[key].as_str().unwrap_or_else(|| panic!("no {key}: {made}"));
    let pair = base64::engine::general_purpose::STANDARD.encode(format!("{}:{}", text(id), text(secret)));
    Caller { name, headers: vec![("authorization", format!("Basic {pair}"))] }
}

fn callers(app: &TestApp) -> Vec<Caller> {
    let ana = app.person("ana");
    let pat = app.pat(&ana, &[]);
    let revoked = app.pat(&ana, &[]);
    app.cli(&["token", "revoke", &revoked.id], None);
    let connection = app.connect(&pat.token);
    let gone = app.person("beto");
    let locked = app.pat(&gone, &[]);
    app.cli(&["user", "lock", &gone.email], None);
    let planless = app.pat(&app.person_on("caro", Some("free")), &[]);
    let client = app.register_with(&serde_json::json!({
        "client_name": "a web app", "redirect_uris": ["https://app.example.com/callback"],
        "token_endpoint_auth_method": "client_secret_basic"}));
    let key = app.cli(&["introspection-key", "create", "--name", "resource server"], None);
    let cookie = Browser::signed_in(app, &ana).header();
    vec![
        Caller { name: "nobody", headers: Vec::new() },
        bearer("garbage", "garbage"),
        bearer("revoked", &revoked.token),
        bearer("refresh", &connection.refresh),
        bearer("pat", &pat.token),
        bearer("narrow", &app.pat(&ana, &["mico:write"]).token),
        bearer("planless", &planless.token),
        bearer("app", &connection.access),
        bearer("narrow app", &narrow_app(app, &pat.token)),
        bearer("locked", &locked.token),
        Caller { name: "session", headers: vec![("cookie", cookie), ("accept", HTML.to_owned())] },
        basic("client", &client.json(), "client_id", "client_secret"),
        basic("introspect", &key, "id", "secret"),
    ]
}

/// An access token with the other scope alone.
fn narrow_app(app: &TestApp, pat: &str) -> String {
    let client = app.register("a careful agent");
    let url = app.authorize_url(&client, &[("scope", "mico:write")]);
    let reply = app.consent(&url, pat, "allow");
    let code = query_value(reply.header("location").unwrap(), "code").expect("a code");
    connection(&client, &app.redeem(&client, &code)).access
}

const CALL: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_meetings","arguments":{}}}"#;
const METADATA: &str = r#"{"client_name":"an agent","redirect_uris":["http://127.0.0.1:51234/callback"]}"#;
const FORM: &str = "grant_type=refresh_token&refresh_token=unknown&token=unknown";

fn ask(app: &TestApp, caller: &Caller, method: &str, path: &str) -> Reply {
    let (kind, body) = match method {
        "POST" if path.trim_end_matches('/') == RESOURCE => ("application/json", Some(CALL)),
        "POST" if path.ends_with("/register") => ("application/json", Some(METADATA)),
        "POST" => ("application/x-www-form-urlencoded", Some(FORM)),
        _ => ("", None),
    };
    let mut headers: Vec<(&str, &str)> =
        caller.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    if body.is_some() {
        headers.push(("content-type", kind));
    }
    if !headers.iter().any(|(name, _)| *name == "accept") {
        headers.push(("accept", "application/json, text/event-stream"));
    }
    request(method, &format!("{}{path}", app.base), &headers, body)
}

const RESOURCE: &str = "/functions/v1/mcp";
const METHODS: [&str; 5] = ["GET", "HEAD", "POST", "DELETE", "OPTIONS"];

fn line(method: &str, path: &str, statuses: &[u16]) -> String {
    let path = path.replace(RESOURCE, "{r}");
    let statuses: Vec<_> = statuses.iter().map(u16::to_string).collect();
    format!("{method:<8}{path:<58}{}", statuses.join(" "))
}

#[test]
fn every_route_answers_every_caller_as_the_table_says() {
    let app = TestApp::builder().with("service", "registry_name = \"com.mico/meetings\"").start();
    let callers = callers(&app);
    assert_eq!(callers.iter().map(|own| own.name).collect::<Vec<_>>(), CALLERS);
    let paths: BTreeSet<String> = app.routes.list().into_iter().map(|(_, path)| path).collect();
    let mut seen = Vec::new();
    for path in &paths {
        for method in METHODS {
            let statuses: Vec<u16> =
                callers.iter().map(|caller| ask(&app, caller, method, path).status).collect();
            seen.push(line(method, path, &statuses));
        }
    }
    let kept: Vec<&str> = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    if std::env::var_os("SHOW_PERMISSIONS").is_some() {
        println!("{}", seen.join("\n"));
    }
    let new: Vec<_> = seen.iter().filter(|line| !kept.contains(&line.as_str())).collect();
    let gone: Vec<_> = kept.iter().filter(|line| !seen.iter().any(|own| own == *line)).collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "answered, not in the table: {new:#?}\nin the table: {gone:#?}"
    );
}
