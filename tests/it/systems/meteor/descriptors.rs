//! What the endpoint says of itself to whoever does not know it yet, from the catalog in use.

use serde_json::{Value, json};

use super::{Meteor, TOOLS, as_it_stands, builder, names, scopes, statement};
use crate::support::TestApp;
use crate::support::http::{Reply, request};

/// The page of the tools, as it is published.
const PAGE: &str = include_str!("../../../../examples/meteor/tools.md");
const SCHEMA: &str = include_str!("../../gateway/schemas/server-2025-12-11.json");
/// The host of the developers' pages, which has no service of its own.
const DEVELOPERS: &str = "developers.meteor.example";

fn at(app: &TestApp, host: &str, path: &str) -> Reply {
    let reply = request("GET", &format!("{}{path}", app.base), &[("host", host)], None);
    assert_eq!(reply.status, 200, "{host}{path}: {}", reply.text());
    reply
}

#[test]
fn t036_t037_t040_the_descriptors_on_the_developers_host() {
    let app = as_it_stands().start();
    statement("T036", || drop(at(&app, DEVELOPERS, "/.well-known/mcp.json").json()));
    let document = at(&app, DEVELOPERS, "/.well-known/mcp.json").json();
    statement("T037", || {
        assert_eq!(document["endpoint"], "https://api.meteor.example/api/v1/mcp");
        assert!(document["transport"].to_string().contains("streamable"), "{}", document["transport"]);
        let how = &document["authentication"];
        assert_eq!(how["schemes"], json!(["oauth2", "bearer"]), "{how}");
        assert_eq!(how["scopes"], json!(scopes()));
        let tools = document["tools"].as_array().unwrap();
        assert_eq!(tools.len(), 115);
    });
    statement("T040", || {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let schema = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
        for path in ["/server.json", "/.well-known/server.json"] {
            let server = at(&app, DEVELOPERS, path).json();
            let faults: Vec<_> = schema.iter_errors(&server).map(|fault| fault.to_string()).collect();
            assert!(faults.is_empty(), "{path}: {faults:?}");
            assert_eq!(server["name"], "example.meteor/meteor");
            assert_eq!(server["remotes"][0]["url"], "https://api.meteor.example/api/v1/mcp");
        }
    });
    statement("T036", || {
        let own = at(&app, "api.partners.meteor.example", "/.well-known/mcp.json").json();
        assert_eq!(own["endpoint"], "https://api.partners.meteor.example/mcp");
        assert_eq!(own["tools"].as_array().unwrap().len(), 14, "the other server has its own");
    });
}

#[test]
fn t038_t039_t045_they_are_what_the_server_has() {
    let meteor = Meteor::start();
    let listed = meteor.as_ana().tools();
    let published = |app: &TestApp| {
        let document = at(app, app.authority(), "/.well-known/mcp.json").json();
        document["tools"].as_array().unwrap().clone()
    };
    statement("T039", || {
        assert_eq!(
            published(&meteor.app),
            listed,
            "what is published is what a key that may do all is shown"
        );
    });
    let page = |app: &TestApp| {
        let done = app.command(&["service", "tools", "meteor", "--markdown"], None);
        assert!(done.status.success(), "{done:?}");
        String::from_utf8(done.stdout).unwrap()
    };
    statement("T045", || {
        let printed = page(&meteor.app);
        assert!(
            printed == PAGE,
            "`portero service tools meteor --markdown` gives another page than tools.md"
        );
        assert_eq!(PAGE.matches("\n## ").count(), 22, "21 domains, and the three that belong to none");
    });
    let mut catalog: Vec<Value> = serde_json::from_str(TOOLS).unwrap();
    catalog.push(json!({"name": "met_wave", "description": "Saludar.", "inputSchema": {"type": "object"}}));
    let mut builder = builder().file("meteor-tools.json", &json!(catalog).to_string());
    builder.toml = builder.toml.replace(
        "[service.tool.met_list_conversations]",
        "[service.tool.met_wave]\nscopes = [\"account:read\"]\n\n[service.tool.met_list_conversations]",
    );
    let app = builder.start();
    statement("T038", || {
        let tools = published(&app);
        assert!(names(&tools).contains(&"met_wave") && tools.len() == 116, "{}", tools.len());
    });
    statement("T045", || assert!(page(&app).contains("| `met_wave` | Saludar. |"), "{}", page(&app)));
}
