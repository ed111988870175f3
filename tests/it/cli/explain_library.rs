//! `portero explain --resource` and `--prompt`: what it says is what a read meets.

use serde_json::{Value, json};

use crate::gateway::shelf::{POLICY, Shelf};
use crate::support::TestApp;

const MORE: &str = r#"
[service.resource."notes://locked*"]
feature = "extra"
[service.resource."notes://secret*"]
hidden = true
[service.resource."notes://test*"]
modes = ["test"]
[service.resource."notes://open*"]
public = true
[service.prompt.plan]
scopes = ["notes:read"]
[service.prompt.mood]
scopes = ["mico:never"]
[service.prompt.lock]
feature = "extra"
[service.prompt.shut]
hidden = true
[service.prompt."sum up"]
scopes = []"#;

fn explain(app: &TestApp, what: &str, name: &str, token: &str) -> Value {
    let words = ["--json", "explain", "--service", "mico", what, name, "--token", "-"];
    let output = app.command(&words, Some(token));
    let value: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{what} {name}: {}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!(output.status.code(), Some(i32::from(value["allowed"] != true)), "{value}");
    assert_eq!(value["change"].as_array().unwrap().is_empty(), value["allowed"] == true, "{value}");
    assert_eq!(value[what.trim_start_matches('-')], name, "{value}");
    value
}

/// What the endpoint says: none if it gives the thing.
fn met(app: &TestApp, token: &str, method: &str, params: &Value) -> Option<String> {
    let reply =
        app.rpc(token, &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).json();
    if reply.get("result").is_some() {
        return None;
    }
    Some(reply["error"]["data"]["code"].as_str().unwrap_or_else(|| panic!("{reply}")).to_owned())
}

fn tokens(app: &TestApp) -> Vec<(&'static str, String)> {
    let ana = app.person("ana");
    let (due, idle) = (app.person("adela"), app.person("alma"));
    let narrow = app.pat(&ana, &["files:read", "mico:read"]).token;
    let tokens = vec![
        ("full", app.pat(&ana, &[]).token),
        ("oauth", app.connect(&narrow).access),
        ("narrow", narrow),
        ("due", app.pat(&due, &[]).token),
        ("inactive", app.pat(&idle, &[]).token),
        ("free", app.pat(&app.person_on("abel", Some("free")), &[]).token),
        ("garbage", "mico_pat_garbage".to_owned()),
    ];
    app.cli(&["workspace", "set-status", &due.workspace, "past_due"], None);
    app.cli(&["workspace", "set-status", &idle.workspace, "inactive"], None);
    tokens
}

#[test]
fn what_it_says_of_a_resource_is_what_a_read_meets() {
    let shelf = Shelf::start();
    let app = shelf.before(&format!("{POLICY}{MORE}")).start();
    let tokens = tokens(&app);
    for (who, token) in &tokens {
        for uri in [
            "notes://a1",
            "NOTES://a1",
            "notes://secret",
            "notes://locked",
            "notes://test",
            "nowhere://x",
            "notes://a1/",
            "no uri",
        ] {
            let said = explain(&app, "--resource", uri, token);
            let met = met(&app, token, "resources/read", &json!({"uri": uri}));
            // what a worker has is the worker's to say
            if met.as_deref() == Some("resource_not_found") && said["allowed"] == true {
                let last = said["steps"].as_array().unwrap().last().unwrap().clone();
                assert_eq!(last["step"], "worker", "{who} {uri}: {said}");
                continue;
            }
            assert_eq!(said["code"].as_str().map(str::to_owned), met, "{who} {uri}: {said}");
            assert!(!said.to_string().contains(token.as_str()), "the token is not repeated");
        }
    }
    let asked = shelf.seen().len();
    let said = explain(&app, "--resource", "notes://a1", &tokens[2].1);
    assert_eq!(
        said["scopes"],
        json!({"granted": ["files:read", "mico:read"], "effective": ["files:read", "mico:read"],
            "needed": ["notes:read"], "missing": ["notes:read"]})
    );
    assert_eq!((&said["code"], said["change"].as_array().unwrap().len()), (&json!("missing_scope"), 1));
    assert!(said["change"][0].as_str().unwrap().contains("notes:read"), "{said}");
    let said = explain(&app, "--resource", "notes://secret", &tokens[0].1);
    assert!(said["change"][0].as_str().unwrap().starts_with("the resource shown:"), "{said}");
    assert_eq!(shelf.seen().len(), asked, "no worker is asked on behalf of somebody");
}

#[test]
fn what_it_says_of_a_prompt_is_what_a_get_meets() {
    let shelf = Shelf::start();
    let app = shelf.before(&format!("{POLICY}{MORE}")).start();
    let tokens = tokens(&app);
    for (who, token) in &tokens {
        for name in ["plan", "mood", "lock", "shut", "no such prompt"] {
            let said = explain(&app, "--prompt", name, token);
            let met = met(&app, token, "prompts/get", &json!({"name": name}));
            assert_eq!(said["code"].as_str().map(str::to_owned), met, "{who} {name}: {said}");
        }
    }
    let said = explain(&app, "--prompt", "sum upp", &tokens[0].1);
    assert_eq!(said["change"], json!(["another name: sum up is near it"]));
    let said = explain(&app, "--prompt", "lock", &tokens[0].1);
    assert_eq!(said["code"], "feature_not_included", "{said}");
    assert_eq!(said["change"], json!(["a plan with the feature extra: no [plans.ID] has it"]));
}

#[test]
fn a_service_without_them_says_so() {
    let app = TestApp::start();
    let token = app.pat(&app.person("ana"), &[]).token;
    for (what, name, method, params) in [
        ("--resource", "notes://a1", "resources/read", json!({"uri": "notes://a1"})),
        ("--prompt", "plan", "prompts/get", json!({"name": "plan"})),
    ] {
        let said = explain(&app, what, name, &token);
        assert_eq!(said["code"].as_str().map(str::to_owned), met(&app, &token, method, &params), "{said}");
        assert_eq!(said["code"], "method_not_found");
    }
    for wrong in [&[][..], &["--tool", "a", "--prompt", "b"], &["--resource", "a://b", "--prompt", "b"]] {
        let words = [&["explain", "--service", "mico", "--token", &token], wrong].concat();
        assert_eq!(app.command(&words, None).status.code(), Some(2), "{wrong:?}: one thing is asked about");
    }
}
