//! `portero explain`: what it says is what a call meets.

use serde_json::{Value, json};

use crate::support::app::{Builder, logged};
use crate::support::callers::Pat;
use crate::support::{TestApp, on_both_databases};

on_both_databases!(what_it_says_is_what_a_call_meets, what_has_ended_is_named, a_look_is_no_use_of_a_token,);

impl TestApp {
    /// Runs it, and checks that the exit code says the same as the answer.
    fn explain(&self, tool: &str, who: &[&str], stdin: Option<&str>) -> Value {
        let words = [&["--json", "explain", "--service", "mico", "--tool", tool], who].concat();
        let output = self.command(&words, stdin);
        let value: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{who:?}: {}", String::from_utf8_lossy(&output.stderr)));
        assert_eq!(output.status.code(), Some(i32::from(value["allowed"] != true)), "{value}");
        assert_eq!(value["change"].as_array().unwrap().is_empty(), value["allowed"] == true, "{value}");
        value
    }

    fn status_of(&self, workspace: &str, status: &str) {
        self.cli(&["workspace", "set-status", workspace, status], None);
    }
}

fn step(value: &Value, name: &str) -> String {
    let steps = value["steps"].as_array().unwrap();
    let found =
        steps.iter().find(|step| step["step"] == name).unwrap_or_else(|| panic!("no {name}: {value}"));
    found["verdict"].as_str().unwrap().to_owned()
}

/// What a call is told: none if it passes.
fn told(app: &TestApp, token: &str, tool: &str) -> Option<String> {
    let body = app.call(token, tool, &json!({})).json();
    let text = body["result"]["content"][0]["text"]
        .as_str()
        .and_then(|text| serde_json::from_str::<Value>(text).ok());
    let code = match &body["error"] {
        Value::Null if body["result"]["isError"] == true => text.unwrap()["code"].clone(),
        error => error["data"]["code"].clone(),
    };
    code.as_str().map(str::to_owned)
}

const POLICY: &str = "[service.tool.hidden_tool]\nhidden = true\n[service.tool.undeclared_tool]\nscopes = [\"mico:never\"]\n\
    [service.tool.extra_tool]\nfeature = \"extra\"\n[service.tool.test_tool]\nmodes = [\"test\"]\n\
    [service.tool.public_tool]\npublic = true";

fn what_it_says_is_what_a_call_meets(builder: Builder) {
    let names = [
        "list_meetings",
        "delete_meeting",
        "hidden_tool",
        "undeclared_tool",
        "extra_tool",
        "test_tool",
        "public_tool",
    ];
    let tools: Vec<Value> = names.iter()
        .map(|name| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": *name == "list_meetings"}}))
        .collect();
    let app = builder.file("tools.json", &Value::from(tools).to_string()).with("tail", POLICY).start();
    let ana = app.person("ana");
    let narrow = app.pat(&ana, &["mico:read"]).token;
    let oauth = app.connect(&narrow).access;
    let due = app.person("dina");
    let idle = app.person("ines");
    let tokens = [
        ("full", app.pat(&ana, &[]).token),
        ("narrow", narrow),
        ("oauth", oauth),
        ("free", app.pat(&app.person_on("caro", Some("free")), &[]).token),
        ("planless", app.pat(&app.person_on("pia", None), &[]).token),
        ("due", app.pat(&due, &[]).token),
        ("inactive", app.pat(&idle, &[]).token),
        ("garbage", "mico_pat_garbage".to_owned()),
    ];
    app.status_of(&due.workspace, "past_due");
    app.status_of(&idle.workspace, "inactive");
    for (who, token) in &tokens {
        for tool in names.into_iter().chain(["no_such_tool"]) {
            let said = app.explain(tool, &["--token", "-"], Some(token));
            assert_eq!(
                said["code"].as_str().map(str::to_owned),
                told(&app, token, tool),
                "{who} {tool}: {said}"
            );
            assert!(!said.to_string().contains(token.as_str()), "the token is not repeated");
        }
    }
    what_would_have_to_change(&app, &tokens);
    assert!(!logged().contains(tokens[0].1.as_str()));
}

fn what_would_have_to_change(app: &TestApp, tokens: &[(&str, String)]) {
    let said = app.explain("delete_meeting", &["--token", &tokens[1].1], None);
    assert_eq!(
        said["scopes"],
        json!({"granted": ["mico:read"], "effective": ["mico:read"],
        "needed": ["mico:write"], "missing": ["mico:write"]})
    );
    assert_eq!(
        (step(&said, "scopes"), step(&said, "service"), step(&said, "user")),
        ("no".into(), "yes".into(), "yes".into())
    );
    assert!(said["change"][0].as_str().unwrap().contains("mico:write"));
    let said = app.explain("extra_tool", &["--token", &tokens[3].1], None);
    assert_eq!(
        said["change"].as_array().unwrap().len(),
        2,
        "all that is missing, not only the first: {said}"
    );
    assert!(
        said["change"][0].as_str().unwrap().contains("set-plan")
            && said["change"][0].as_str().unwrap().contains("flow")
    );
    let said = app.explain("list_meeting", &["--token", &tokens[0].1], None);
    assert!(said["change"][0].as_str().unwrap().contains("list_meetings is near it"), "{said}");
}

fn what_has_ended_is_named(builder: Builder) {
    let app = builder.start();
    let connect = |pat: &Pat| {
        let own = app.connect(&pat.token);
        let grants = app.cli(&["grant", "list", "--client", &own.client], None);
        let id = grants.as_array().unwrap().iter().find(|one| one["token"] == pat.id.as_str()).unwrap()["id"]
            .clone();
        (own, id.as_str().unwrap().to_owned())
    };
    let ana = app.person("ana");
    let pat = app.pat(&ana, &[]);
    let (own, grant) = connect(&pat);
    let pair = ["--user", ana.email.as_str(), "--client", own.client.as_str()];
    for who in [&["--grant", grant.as_str()][..], &pair, &["--token", &own.access], &["--token", &pat.token]]
    {
        let said = app.explain("list_meetings", who, None);
        assert_eq!((&said["allowed"], &said["caller"]["email"]), (&json!(true), &json!(ana.email)), "{said}");
        assert_eq!(said["caller"]["token"], pat.id.as_str(), "the token above is named: {said}");
    }
    // the access token ends alone, the connection lives on
    app.advance(std::time::Duration::from_secs(3601));
    // a command reads the machine's own clock, so the row is what is moved
    app.sql("UPDATE access_tokens SET expires_at = 1").unwrap();
    let said = app.explain("list_meetings", &["--token", &own.access], None);
    assert_eq!(
        (said["code"].as_str(), step(&said, "token"), step(&said, "grant")),
        (Some("invalid_token"), "no".into(), "yes".into())
    );
    assert_eq!(app.explain("list_meetings", &["--grant", &grant], None)["allowed"], true);
    app.cli(&["token", "revoke", &pat.id], None);
    let said = app.explain("list_meetings", &pair, None);
    assert_eq!(
        (said["code"].as_str(), step(&said, "token above"), step(&said, "user")),
        (Some("invalid_token"), "no".into(), "yes".into())
    );
    assert_eq!(step(&app.explain("list_meetings", &["--token", &pat.token], None), "token"), "no");
    let other = app.pat(&ana, &[]);
    let (own, grant) = connect(&other);
    app.cli(&["client", "disable", &own.client], None);
    assert_eq!(step(&app.explain("list_meetings", &["--grant", &grant], None), "client"), "no");
    app.cli(&["client", "enable", &own.client], None);
    let said = app.explain("list_meetings", &["--grant", &grant], None);
    assert_eq!(
        (step(&said, "client"), step(&said, "chain")),
        ("yes".into(), "no".into()),
        "what has ended stays ended"
    );
    app.cli(&["user", "lock", &ana.email], None);
    assert_eq!(step(&app.explain("list_meetings", &["--token", &other.token], None), "user"), "no");
    app.cli(&["user", "unlock", &ana.email], None);
    assert_eq!(step(&app.explain("list_meetings", &["--token", &other.token], None), "chain"), "no");
}

/// The first use of an access token tells a lost refresh from a replayed one.
fn a_look_is_no_use_of_a_token(builder: Builder) {
    let app = builder.start();
    let own = app.connect(&app.pat(&app.person("ana"), &[]).token);
    let used = || app.sql_number("SELECT COUNT(*) FROM access_tokens WHERE first_used_at IS NOT NULL");
    app.explain("list_meetings", &["--token", "-"], Some(&own.access));
    let tools = app.cli(&["service", "tools", "mico", "--as", "-"], Some(&own.access));
    assert_eq!(tools[0]["tools"].as_array().unwrap().len(), 1);
    assert_eq!(used(), 0);
    app.assert_alive(&own.access);
    assert_eq!(used(), 1);
}

#[test]
fn rates_and_credits_are_told() {
    let app = TestApp::builder()
        .with("service", "rate = \"120/min\"")
        .with("tail", "cost = 3\nrate = \"1/s\"")
        .with("top", "[plans.metered]\nfeatures = [\"mcp\"]\ncredits_per_month = 4")
        .start();
    let pat = app.pat(&app.person_on("ana", Some("metered")), &[]);
    let look = || app.explain("delete_meeting", &["--token", "-"], Some(&pat.token));
    let says = |value: &Value, name: &str| {
        let steps = value["steps"].as_array().unwrap();
        steps.iter().find(|step| step["step"] == name).unwrap()["says"].as_str().unwrap().to_owned()
    };
    let said = look();
    assert_eq!(said["allowed"], true);
    assert_eq!(
        says(&said, "rate"),
        "all calls: one every 500ms and 120 at once for each connection or token; \
         this tool: one every 1s and 1 at once for each connection or token"
    );
    assert_eq!(says(&said, "credits"), "costs 3; 4 of the month's 4 are left");
    assert_eq!(said, look(), "a look reserves nothing");
    assert_eq!(told(&app, &pat.token, "delete_meeting"), None);
    let said = crate::support::eventually("the charge", || {
        let said = look();
        says(&said, "credits").contains("1 of").then_some(said)
    });
    app.advance(std::time::Duration::from_secs(2));
    assert_eq!(
        (said["code"].as_str(), step(&said, "credits")),
        (Some("credits_exhausted"), "no".into()),
        "{said}"
    );
    assert_eq!(told(&app, &pat.token, "delete_meeting").as_deref(), Some("credits_exhausted"));
}

#[test]
fn people_read_a_table() {
    let app = TestApp::start();
    let ana = app.person("ana");
    let pat = app.pat(&ana, &["mico:read"]);
    let run = |tool: &str| {
        let output =
            app.command(&["explain", "--service", "mico", "--tool", tool, "--token", "-"], Some(&pat.token));
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, printed, _) = run("list_meetings");
    assert_eq!(code, Some(0));
    assert!(printed.starts_with("STEP") && printed.trim_end().ends_with("allowed"), "{printed}");
    let (code, printed, error) = run("delete_meeting");
    assert_eq!(code, Some(1));
    for part in
        ["missing: mico:write", "refused: missing_scope", "for a yes:", "confirmation", "rate", "credits"]
    {
        assert!(printed.contains(part), "{part} in {printed}");
    }
    assert!(error.contains("missing_scope") && !printed.contains(&pat.token));
}

#[test]
fn what_is_asked_wrongly() {
    let app = TestApp::start();
    let run =
        |words: &[&str]| app.command(&[&["explain", "--tool", "x"], words].concat(), None).status.code();
    assert_eq!(run(&["--service", "mico"]), Some(2), "nobody is named");
    assert_eq!(run(&["--service", "mico", "--user", "a@b.c"]), Some(2));
    assert_eq!(run(&["--service", "mico", "--client", "c"]), Some(2));
    assert_eq!(run(&["--service", "mico", "--token", "a", "--grant", "b"]), Some(2));
    assert_eq!(run(&["--service", "mico", "--token", "-"]), Some(2), "an empty line is no token");
    assert_eq!(run(&["--service", "nope", "--token", "a"]), Some(1));
    assert_eq!(run(&["--service", "mico", "--grant", "grt_x"]), Some(1));
    assert_eq!(run(&["--service", "mico", "--user", "a@b.c", "--client", "c"]), Some(1));
}

#[test]
fn the_catalog_as_a_caller_sees_it() {
    let app = TestApp::builder().with("tail", "hidden = true").start();
    let names = |who: &[&str], stdin| {
        let tools = app.cli(&[&["service", "tools", "mico"], who].concat(), stdin);
        let tools = tools[0]["tools"].as_array().unwrap().clone();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&[], None), ["list_meetings"], "what nobody sees is no part of the catalog");
    let ana = app.person("ana");
    assert_eq!(names(&["--as", &app.pat(&ana, &[]).token], None), ["list_meetings"]);
    assert_eq!(names(&["--as", "-"], Some(&app.pat(&ana, &["mico:write"]).token)), [""; 0]);
    let free = app.pat(&app.person_on("caro", Some("free")), &[]).token;
    let output = app.command(&["service", "tools", "mico", "--as", &free], None);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("feature_not_included"));
}
