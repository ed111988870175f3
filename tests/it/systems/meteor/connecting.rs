//! Clients that a person allows: from the bare URL to the revoked connection.

use scraper::{Html, Selector};
use serde_json::{Value, json};

use super::{Caller, Meteor, names, statement};
use crate::pages::Browser;
use crate::support::answer::sent_on;
use crate::support::callers::Person;
use crate::support::flow::{Connection, REDIRECT, connection, form_with};
use crate::support::http::{get, query_value, request};

/// What the client asks for.
const ASKED: &str = "contacts:read tags:read tags:write";

/// The authorization page of a client, as a signed-in person sees it.
fn page(browser: &mut Browser<'_>, client: &str) -> crate::support::Reply {
    let url = browser.app.authorize_url(client, &[("scope", ASKED)]);
    let page = browser.get(&url);
    assert_eq!(page.status, 200, "{page:?}");
    page
}

/// Allows everything that was asked, in a workspace if one is named.
fn allow(browser: &mut Browser<'_>, client: &str, workspace: Option<&str>) -> Connection {
    let form = form_with(&page(browser, client), "transaction").set("decision", "allow");
    let form = workspace.map_or(form.clone(), |workspace| form.set("workspace", workspace));
    let done = browser.post(&form.action, &form.pairs());
    let location = sent_on(&done, REDIRECT).unwrap_or_else(|| panic!("not allowed: {}", done.text()));
    let reply = browser.app.redeem(client, &query_value(&location, "code").expect("a code"));
    assert_eq!(reply.status, 200, "{reply:?}");
    connection(client, &reply)
}

fn connected<'a>(meteor: &'a Meteor, person: &Person) -> (Connection, Caller<'a>) {
    let app = &meteor.app;
    let own = allow(&mut Browser::signed_in(app, person), &app.register("mi-agente"), None);
    let token = own.access.clone();
    (own, Caller { app, token })
}

#[test]
fn t001_t007_t008_t014_t015_from_the_bare_url_to_a_call() {
    let meteor = Meteor::start();
    let app = &meteor.app;
    let first = request("POST", &app.resource, &[("content-type", "application/json")], Some("{}"));
    let challenge = first.header("www-authenticate").unwrap_or_default().to_owned();
    statement("T014", || {
        assert_eq!(first.status, 401);
        assert!(challenge.starts_with("Bearer ") && !challenge.contains("error="), "{challenge}");
    });
    statement("T015", || {
        let named = challenge.split("resource_metadata=\"").nth(1).unwrap().split('"').next().unwrap();
        let resource = get(named).json();
        assert_eq!(resource["resource"], app.resource.as_str());
        let issuer = resource["authorization_servers"][0].as_str().unwrap();
        let server = get(&format!("{issuer}/.well-known/oauth-authorization-server")).json();
        assert_eq!(server["code_challenge_methods_supported"], json!(["S256"]));
        let metadata = json!({"client_name": "mi-agente", "redirect_uris": [REDIRECT]}).to_string();
        let registered = request(
            "POST",
            server["registration_endpoint"].as_str().unwrap(),
            &[("content-type", "application/json")],
            Some(&metadata),
        );
        assert_eq!(registered.status, 201, "{registered:?}");
    });
    let (own, agent) = connected(&meteor, &meteor.ana);
    statement("T008", || {
        assert!(own.access.starts_with("met_oat_") && own.refresh.starts_with("met_ort_"));
        assert_eq!(own.scope, ASKED);
    });
    statement("T001", || {
        let tools = agent.tools();
        assert_eq!(names(&tools)[..3], ["met_list_contacts", "met_search_contacts", "met_get_contact"]);
        assert_eq!(agent.ask("met_list_tags", json!({}))["pagination"]["total"], 3);
    });
    statement("T007", || {
        // Over Streamable HTTP alone: nothing runs on the client's machine, and nothing is kept between calls.
        let reply = agent.rpc("ping", &json!({}));
        assert!(reply.status == 200 && reply.header("mcp-session-id").is_none(), "{reply:?}");
    });
}

#[test]
fn t016_t017_the_person_signs_in_and_sees_what_is_asked() {
    let meteor = Meteor::start();
    let app = &meteor.app;
    let client = app.register("mi-agente");
    statement("T016", || {
        let mut browser = Browser::new(app);
        let anonymous = browser.get(&app.authorize_url(&client, &[("scope", ASKED)]));
        assert!(form_with(&anonymous, "password").fields.iter().any(|(name, _)| name == "email"));
        // A key proves no identity here: the person signs in.
        assert!(!anonymous.text().contains("personal_access_token"));
    });
    statement("T017", || {
        let mut browser = Browser::signed_in(app, &meteor.ana);
        browser.language = "es-ES";
        let page = page(&mut browser, &client);
        let html = Html::parse_document(page.text());
        let boxes = Selector::parse("input[name=scope]").unwrap();
        let offered: Vec<_> = html.select(&boxes).map(|own| own.attr("value").unwrap()).collect();
        assert_eq!(offered.join(" "), ASKED);
        for title in ["Ver tus contactos", "Ver tus etiquetas", "Crear y poner etiquetas", "mi-agente"] {
            assert!(page.text().contains(title), "{title}");
        }
    });
}

#[test]
fn t018_the_connection_belongs_to_the_workspace_that_is_open() {
    let meteor = Meteor::recording();
    let app = &meteor.app;
    let made = app.cli(
        &["workspace", "create", "--name", "Tienda dos", "--plan", "pro", "--owner", &meteor.ana.email],
        None,
    );
    let other = made["id"].as_str().unwrap();
    let mut browser = Browser::signed_in(app, &meteor.ana);
    let client = app.register("mi-agente");
    let workspace = |own: &Connection| {
        let agent = Caller { app, token: own.access.clone() };
        agent.call("met_list_tags", &json!({}));
        app.worker.last().header("x-portero-workspace").unwrap().to_owned()
    };
    statement("T018", || {
        let html = page(&mut browser, &client);
        let html = Html::parse_document(html.text());
        let ticked = "[name=workspace] option[selected], [name=workspace][checked]";
        let open: Vec<_> =
            html.select(&Selector::parse(ticked).unwrap()).map(|own| own.attr("value").unwrap()).collect();
        assert_eq!(open, [meteor.ana.workspace.as_str()], "the one of the session");
        let own = allow(&mut browser, &client, None);
        assert_eq!(workspace(&own), meteor.ana.workspace);
        let chosen = allow(&mut browser, &client, Some(other));
        assert_eq!(workspace(&chosen), other);
        assert_eq!(workspace(&own), meteor.ana.workspace, "the first one stays where it was");
    });
}

#[test]
fn t019_t020_it_renews_itself_and_is_revoked_in_the_settings() {
    let meteor = Meteor::start();
    let app = &meteor.app;
    let (own, agent) = connected(&meteor, &meteor.ana);
    let renewed = {
        app.advance(std::time::Duration::from_secs(3601));
        assert_eq!(agent.rpc("ping", &json!({})).status, 401, "an hour");
        let reply = app.refresh(&own.client, &own.refresh);
        assert_eq!(reply.status, 200, "{reply:?}");
        Caller { app, token: reply.json()["access_token"].as_str().unwrap().to_owned() }
    };
    statement("T019", || assert_eq!(renewed.rpc("ping", &json!({})).status, 200));
    statement("T020", || {
        let mut browser = Browser::signed_in(app, &meteor.ana);
        browser.language = "es-ES";
        let apps = browser.get("/settings/apps");
        for words in ["Ajustes", "Desarrolladores", "Apps autorizadas", "mi-agente"] {
            assert!(apps.text().contains(words), "{words}");
        }
        let grants = app.cli(&["grant", "list", "--user", &meteor.ana.email], None);
        let grant = grants[0]["id"].as_str().unwrap();
        let form = form_with(&browser.get(&format!("/settings/apps/disconnect?grant={grant}")), "grant");
        assert_eq!(browser.post("/settings/apps/disconnect", &form.pairs()).status, 303);
        assert_eq!(renewed.rpc("ping", &json!({})).status, 401);
    });
}

/// The texts that the page of an endpoint offers to be copied, as they are read.
fn snippets(meteor: &Meteor) -> String {
    let page = Browser::signed_in(&meteor.app, &meteor.ana).get("/settings/connect");
    let html = Html::parse_document(page.text());
    let code = Selector::parse("pre").unwrap();
    html.select(&code).map(|own| own.text().collect::<String>()).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn t027_to_t030_what_is_pasted_into_each_client() {
    let meteor = Meteor::start();
    let text = snippets(&meteor);
    let url = meteor.app.resource.as_str();
    let written = |needle: &str| assert!(text.contains(needle), "{needle} in {text}");
    statement("T027", || {
        written(&format!(
            "claude mcp add --transport http meteor {url} \\\n  --header \"Authorization: Bearer met_live_…\""
        ));
    });
    let json: Vec<Value> = text.split("\n\n").filter_map(|own| serde_json::from_str(own).ok()).collect();
    let bearer = json!({"Authorization": "Bearer met_live_…"});
    let offers = |own: &Value| json.iter().any(|snippet| snippet["mcpServers"]["meteor"] == *own);
    statement("T028", || assert!(offers(&json!({"url": url, "headers": bearer})), "{text}"));
    statement("T029", || assert!(offers(&json!({"url": url, "headers": bearer})), "{text}"));
    statement("T030", || assert!(offers(&json!({"serverUrl": url, "headers": bearer})), "{text}"));
}
