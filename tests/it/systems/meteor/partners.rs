//! The partners' endpoint: another host, another catalog, the same brand.

use serde_json::{Value, json};

use super::{
    Caller, GENERIC, Meteor, PARTNERS, TOOLS, as_it_stands, ids, key, names, scopes, statement, told,
};
use crate::support::http::request;

fn partner_scopes() -> Vec<String> {
    ["partners:read", "partners:write"].map(str::to_owned).to_vec()
}

impl Meteor {
    fn partners(&self) -> String {
        format!("{}/mcp", self.app.base)
    }

    fn partner_call(&self, caller: &Caller<'_>, tool: &str, arguments: &Value) -> crate::support::Reply {
        let params = json!({"name": tool, "arguments": arguments});
        let body = json!({"jsonrpc": "2.0", "id": super::fresh(), "method": "tools/call", "params": params});
        caller.post(&self.partners(), &[], &body)
    }
}

/// The example under its own three names, asked as the proxy before it would.
#[test]
fn t053_the_two_endpoints_are_two_hosts() {
    let app = as_it_stands().start();
    let ana = app.person_on("ana", Some("pro"));
    let key = key(&app, &ana, "live", &partner_scopes());
    let bearer = format!("Bearer {}", key["token"].as_str().unwrap());
    let ask = |host: &str, path: &str| {
        let headers = [("host", host), ("authorization", &bearer), ("content-type", "application/json")];
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        request("POST", &format!("{}{path}", app.base), &headers, Some(body))
    };
    statement("T053", || {
        let partners = ask("api.partners.meteor.example", "/mcp");
        assert_eq!(partners.json()["result"]["tools"].as_array().unwrap().len(), 14, "{partners:?}");
        let customers = ask("api.met.meteor.example", "/api/v1/mcp");
        assert_eq!(customers.status, 421, "no other name is taken for one of ours");
        let here = ask("api.meteor.example", "/api/v1/mcp").json()["result"]["tools"].clone();
        assert_eq!(names(here.as_array().unwrap()), GENERIC);
        assert_eq!(ask("api.partners.meteor.example", "/api/v1/mcp").status, 404);
        assert_eq!(ask("api.meteor.example", "/mcp").status, 404);
        let metadata = |host: &str, path: &str| {
            let url = format!("{}/.well-known/oauth-protected-resource{path}", app.base);
            request("GET", &url, &[("host", host)], None).json()
        };
        let own = metadata("api.partners.meteor.example", "/mcp");
        assert_eq!(own["resource"], "https://api.partners.meteor.example/mcp");
        assert_eq!(own["scopes_supported"], json!(partner_scopes()));
        assert_eq!(own["authorization_servers"], json!(["https://api.meteor.example"]));
        assert_eq!(
            metadata("api.meteor.example", "/api/v1/mcp")["resource"],
            "https://api.meteor.example/api/v1/mcp"
        );
    });
}

#[test]
fn t054_t055_t056_t057_t058_the_key_decides_what_is_there() {
    let meteor = Meteor::start();
    let (workspace, partner) = (meteor.as_ana(), meteor.key(&meteor.ana, "live", &partner_scopes()));
    let (here, there) = (meteor.app.resource.clone(), meteor.partners());
    let catalog: Vec<Value> = serde_json::from_str(PARTNERS).unwrap();
    let customers: Vec<Value> = serde_json::from_str(TOOLS).unwrap();
    let own = partner.tools_at(&there);
    statement("T057", || assert_eq!((own.len(), catalog.len()), (14, 14)));
    statement("T058", || {
        assert_eq!(names(&own), names(&catalog));
        assert!(names(&own).iter().all(|name| name.starts_with("met_partner_")));
    });
    statement("T055", || {
        assert!(names(&customers).iter().all(|name| !name.starts_with("met_partner_")));
        assert!(scopes().iter().all(|scope| !partner_scopes().contains(scope)));
        let (first, second) = (workspace.tools_at(&here), partner.tools_at(&there));
        assert!(names(&first).iter().all(|name| !names(&second).contains(name)));
    });
    statement("T054", || {
        let here = partner.tools_at(&here);
        assert_eq!(names(&here), GENERIC, "nothing but what finds operations");
        let found = partner.ask("met_search_operations", json!({"query": "contactos"}));
        assert_eq!(found["operations"], json!([]), "and they find none");
        assert_eq!(workspace.tools().len(), 115);
    });
    statement("T056", || {
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
        let reply = workspace.post(&there, &[], &hello);
        assert_eq!(reply.json()["result"]["serverInfo"]["name"], "meteor-partners-mcp", "{reply:?}");
        assert_eq!(workspace.tools_at(&there), [Value::Null; 0]);
        let reply = meteor.partner_call(&workspace, "met_list_contacts", &json!({}));
        assert_eq!(reply.json()["error"]["data"]["code"], "unknown_tool", "{reply:?}");
        let (failed, body) = told(&meteor.partner_call(&workspace, "met_partner_list_clients", &json!({})));
        assert!(failed && body["code"] == "missing_scope", "{body}");
    });
}

#[test]
fn t059_the_partner_comes_from_the_key() {
    let meteor = Meteor::start();
    let ana = meteor.key(&meteor.ana, "live", &partner_scopes());
    let bruno = meteor.key(&meteor.bruno, "live", &partner_scopes());
    let ask = |caller: &Caller<'_>, tool: &str, arguments: Value| {
        let (failed, body) = told(&meteor.partner_call(caller, tool, &arguments));
        assert!(!failed, "{tool}: {body}");
        body
    };
    statement("T059", || {
        let other = json!({"partner_id": "par_51", "partner": "par_51", "workspace": meteor.bruno.workspace});
        assert_eq!(ask(&ana, "met_partner_get_profile", other.clone())["id"], "par_1");
        let clients = ask(&ana, "met_partner_list_clients", other);
        assert_eq!(ids(&clients), ["cli_1", "cli_2", "cli_3"]);
        assert_eq!(ask(&bruno, "met_partner_get_profile", json!({}))["id"], "par_51");
        let clients = ask(&bruno, "met_partner_list_clients", json!({"partner_id": "par_1"}));
        assert_eq!(ids(&clients), ["cli_51", "cli_52"]);
        let (failed, body) =
            told(&meteor.partner_call(&bruno, "met_partner_get_client", &json!({"client_id": "cli_1"})));
        assert!(failed && body["code"] == "not_found", "{body}");
        assert_eq!(ask(&ana, "met_partner_get_earnings", json!({}))["total"], 91_000);
    });
}
