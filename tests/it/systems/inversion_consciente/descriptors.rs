//! The public manifest, and the fragment for those who insist on OpenAPI.

use serde_json::{Value, json};

use super::{NAMES, Site, column, keys, message, samples, statement};
use crate::support::http::get;

const DRAFT_07: &str = "http://json-schema.org/draft-07/schema#";

#[test]
fn v009_v025_v042_v051_the_manifest() {
    let site = Site::start();
    let token = site.token("ana");
    let reply = get(&format!("{}/mcp-manifest.json", site.app.base));
    statement("V009", || {
        assert_eq!(
            (reply.status, reply.header("content-type")),
            (200, Some("application/json")),
            "{reply:?}"
        );
        assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    });
    let manifest = reply.json();
    statement("V051", || {
        assert_eq!(keys(&manifest), ["name", "version", "tools"]);
        let info = site.post(&token, samples::INITIALIZE).json()["result"]["serverInfo"].clone();
        assert_eq!((&manifest["name"], &manifest["version"]), (&info["name"], &info["version"]));
        assert_eq!(column(&manifest["tools"], "name"), NAMES);
    });
    statement("V025", || assert_eq!(manifest["tools"], Value::from(site.tools(&token))));
    statement("V042", || {
        let catalog: Value = serde_json::from_str(super::TOOLS).unwrap();
        let listed = Value::from(site.tools(&token));
        for (index, name) in NAMES.iter().enumerate() {
            let schema = &catalog[index]["inputSchema"];
            assert_eq!(schema["$schema"], DRAFT_07, "{name}");
            // As text: the order of the members is the author's, too.
            for tools in [&manifest["tools"], &listed] {
                assert_eq!(tools[index]["inputSchema"].to_string(), schema.to_string(), "{name}");
            }
            assert!(jsonschema::draft7::new(schema).is_ok(), "{name}");
        }
    });
}

fn openapi(site: &Site) -> Value {
    let reply = get(&format!("{}/openapi.json", site.app.resource));
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")), "{reply:?}");
    reply.json()
}

#[test]
fn v052_v053_v054_v055_v056_v057_v058_the_openapi_fragment() {
    let site = Site::start();
    let document = openapi(&site);
    statement("V052", || {
        assert_eq!(document["openapi"], "3.1.0");
        assert_eq!(keys(&document), ["openapi", "info", "servers", "paths", "components"]);
        assert_eq!(keys(&document["paths"]), ["/mcp"]);
        assert_eq!(keys(&document["paths"]["/mcp"]), ["post"]);
        for name in ["JSONRPCRequest", "JSONRPCResponse"] {
            // Schemas of OpenAPI 3.1 are JSON Schema 2020-12.
            let schema = &document["components"]["schemas"][name];
            assert!(jsonschema::draft202012::new(schema).is_ok(), "{name}: {schema}");
        }
    });
    statement("V053", || {
        assert_eq!(document["info"], json!({"title": "Inversión Consciente MCP", "version": "0.1.0"}));
    });
    statement("V054", || assert_eq!(document["servers"], json!([{"url": site.app.base}])));
    let post = &document["paths"]["/mcp"]["post"];
    statement("V055", || {
        assert_eq!(post["summary"], "JSON-RPC endpoint (MCP Streamable HTTP)");
        assert_eq!(post["security"], json!([{"bearerAuth": []}]));
    });
    statement("V056", || {
        let schema = json!({"$ref": "#/components/schemas/JSONRPCRequest"});
        assert_eq!(
            post["requestBody"],
            json!({"required": true, "content": {"application/json": {"schema": schema}}})
        );
    });
    statement("V057", || {
        let schema = json!({"$ref": "#/components/schemas/JSONRPCResponse"});
        let answer = &post["responses"]["200"];
        assert_eq!(answer["description"], "JSON-RPC response (JSON or SSE stream)");
        assert_eq!(answer["content"]["application/json"], json!({"schema": schema}));
    });
    statement("V058", || {
        assert_eq!(
            document["components"]["securitySchemes"],
            json!({"bearerAuth": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}})
        );
    });
}

#[test]
fn v059_what_a_request_is() {
    let site = Site::start();
    let token = site.token("ana");
    let document = openapi(&site);
    let schema = &document["components"]["schemas"]["JSONRPCRequest"];
    statement("V059", || {
        assert_eq!(
            schema,
            &json!({
                "type": "object",
                "required": ["jsonrpc", "method"],
                "properties": {
                    "jsonrpc": {"type": "string", "const": "2.0"},
                    "id": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
                    "method": {"type": "string"},
                    "params": {"type": "object"},
                },
            })
        );
        let valid = jsonschema::draft202012::new(schema).unwrap();
        for body in [
            samples::INITIALIZE,
            samples::LIST,
            samples::LIST_ARTICLES,
            samples::MY_AI_USAGE,
            samples::INITIALIZED,
        ] {
            assert!(valid.is_valid(&serde_json::from_str(body).unwrap()), "{body}");
        }
        for body in [
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["list_articles"]}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
        ] {
            assert!(!valid.is_valid(&serde_json::from_str(body).unwrap()), "{body}");
            let reply = site.post(&token, body);
            assert_eq!(reply.json()["error"]["code"], -32600, "{body}: {reply:?}");
        }
    });
}

#[test]
fn v060_every_answer_is_what_the_fragment_says() {
    let site = Site::start();
    let token = site.token("ana");
    let document = openapi(&site);
    let schema = &document["components"]["schemas"]["JSONRPCResponse"];
    statement("V060", || {
        assert_eq!(
            schema,
            &json!({
                "type": "object",
                "properties": {
                    "jsonrpc": {"type": "string", "const": "2.0"},
                    "id": {"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
                    "result": {"type": "object"},
                    "error": {
                        "type": "object",
                        "properties": {"code": {"type": "integer"}, "message": {"type": "string"}},
                    },
                },
            })
        );
        let valid = jsonschema::draft202012::new(schema).unwrap();
        let unknown = message("delete_article", &json!({}));
        let missing = message("get_article", &json!({"slug": "nada"}));
        let beyond = message("list_articles", &json!({"limit": 51}));
        let mut statuses = Vec::new();
        for (bearer, accept, body) in [
            (token.as_str(), super::BOTH, samples::INITIALIZE),
            (&token, super::BOTH, samples::LIST),
            (&token, super::BOTH, samples::MY_AI_USAGE),
            (&token, super::BOTH, &unknown),
            ("", super::BOTH, samples::LIST_ARTICLES),
            ("", super::BOTH, samples::MY_AI_USAGE),
            ("", super::BOTH, &missing),
            ("", super::BOTH, &beyond),
            ("", super::BOTH, "{"),
            ("", super::BOTH, "[]"),
            ("nonsense", super::BOTH, samples::LIST),
            ("", "*/*", samples::LIST),
        ] {
            let reply = site.app.rpc_with(bearer, &[("accept", accept)], body);
            let answer = reply.json();
            assert!(valid.is_valid(&answer), "{body}: {answer}");
            assert!(answer.get("result").is_some() != answer.get("error").is_some(), "{answer}");
            statuses.push(reply.status);
        }
        assert_eq!(statuses, [200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 401, 406]);
    });
}
