//! The handshake and the envelope.

use serde_json::json;

use super::{BOTH, NAMES, PUBLIC, Site, column, keys, message, samples, statement};
use crate::support::Reply;
use crate::support::http::{raw, request};

#[test]
fn v004_v020_v021_v022_v023_initialize() {
    let site = Site::start();
    let token = site.token("ana");
    for bearer in [token.as_str(), ""] {
        let reply = site.post(bearer, samples::INITIALIZE);
        statement("V020", || {
            assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
        });
        let body = reply.json();
        let result = &body["result"];
        statement("V021", || assert_eq!(result["protocolVersion"], "2025-06-18"));
        statement("V022", || {
            assert_eq!(result["capabilities"], json!({"tools": {"listChanged": false}}));
        });
        statement("V023", || {
            assert_eq!(
                result["serverInfo"],
                json!({"name": "inversion-consciente-mcp", "title": "Inversión Consciente", "version": "0.1.0"})
            );
            assert_eq!(keys(result), ["protocolVersion", "capabilities", "serverInfo"]);
        });
    }
    statement("V004", || {
        for asked in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2099-01-01"] {
            let body = samples::INITIALIZE.replace("2025-06-18", asked);
            assert_eq!(site.post(&token, &body).json()["result"]["protocolVersion"], "2025-06-18", "{asked}");
        }
        let told = site.app.rpc_with(&token, &[("mcp-protocol-version", "2025-06-18")], samples::INITIALIZED);
        assert_eq!((told.status, told.body.len()), (202, 0));
        let other = site.app.rpc_with(&token, &[("mcp-protocol-version", "2025-03-26")], samples::LIST);
        assert_eq!(other.status, 400, "{other:?}");
        let discover = json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {}});
        assert_eq!(site.post(&token, &discover.to_string()).json()["error"]["code"], -32601);
    });
}

#[test]
fn v005_v036_every_answer_is_an_envelope_with_the_id_of_its_request() {
    let site = Site::start();
    let token = site.token("ana");
    statement("V005", || {
        for (body, member) in [
            (samples::INITIALIZE, "result"),
            (samples::LIST, "result"),
            (samples::LIST_ARTICLES, "result"),
            (samples::MY_AI_USAGE, "result"),
            (r#"{"jsonrpc":"2.0","id":5,"method":"ping"}"#, "result"),
            (r#"{"jsonrpc":"2.0","id":5,"method":"foo/bar"}"#, "error"),
        ] {
            let reply = site.post(&token, body);
            assert_eq!(reply.status, 200, "{reply:?}");
            assert_eq!(keys(&reply.json()), ["jsonrpc", "id", member], "{body}");
            assert_eq!(reply.json()["jsonrpc"], "2.0");
        }
        for version in ["\"1.0\"", "2", "null"] {
            let body = format!(r#"{{"jsonrpc":{version},"id":5,"method":"ping"}}"#);
            assert_eq!(site.post(&token, &body).json()["error"]["code"], -32600, "{version}");
        }
    });
    statement("V036", || {
        assert_eq!(site.post("", samples::LIST_ARTICLES).json()["id"], 3);
        assert_eq!(site.post(&token, samples::MY_AI_USAGE).json()["id"], 4);
        for id in ["0", "-1", "\"tres\"", "9007199254740993"] {
            let body = message("list_articles", &json!({})).replace("\"id\":9", &format!("\"id\":{id}"));
            let reply = site.post("", &body);
            assert!(reply.text().contains(&format!("\"id\":{id},")), "{id}: {reply:?}");
        }
    });
}

/// A POST as `curl` sends it, with exactly this `Accept`, or with none at all.
fn post_accepting(site: &Site, token: &str, accept: Option<&str>, body: &str) -> u16 {
    let accept = accept.map(|accept| format!("Accept: {accept}\r\n")).unwrap_or_default();
    let bearer = if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
    let host = site.app.authority();
    let answer = raw(
        host,
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             {bearer}{accept}Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .as_bytes(),
    );
    answer.split(' ').nth(1).unwrap_or_default().parse().unwrap_or_else(|_| panic!("no status: {answer}"))
}

#[test]
fn v006_v046_both_media_types_have_to_be_named() {
    let site = Site::start();
    let token = site.token("ana");
    let messages = [
        samples::INITIALIZE,
        samples::INITIALIZED,
        samples::LIST,
        samples::LIST_ARTICLES,
        samples::MY_AI_USAGE,
    ];
    let one_only = ["*/*", "application/json", "text/event-stream", "application/*, text/*", "text/html"];
    statement("V006", || {
        for body in messages {
            for bearer in [token.as_str(), ""] {
                for accept in one_only {
                    let status = post_accepting(&site, bearer, Some(accept), body);
                    assert_eq!(status, 406, "{accept}: {body}");
                }
            }
            let status = if body == samples::INITIALIZED { 202 } else { 200 };
            for accept in
                [BOTH, "text/event-stream,application/json", "application/json;q=0.9, text/event-stream"]
            {
                assert_eq!(post_accepting(&site, &token, Some(accept), body), status, "{accept}: {body}");
            }
        }
    });
    statement("V046", || {
        for body in messages {
            for bearer in [token.as_str(), ""] {
                assert_eq!(post_accepting(&site, bearer, None, body), 406, "{body}");
            }
        }
        let headers = [("content-type", "application/json"), ("accept", "*/*")];
        let reply = request("POST", &site.app.resource, &headers, Some(samples::LIST_ARTICLES));
        assert_eq!((reply.status, reply.header("content-type")), (406, Some("application/json")));
        assert_eq!(
            (reply.json()["code"].clone(), reply.json()["id"].clone()),
            (json!("not_acceptable"), json!(3))
        );
        let hint = reply.json()["error"]["data"]["hint"].as_str().unwrap().to_owned();
        assert!(hint.contains(BOTH), "{hint}");
    });
}

fn names(reply: &Reply) -> Vec<String> {
    column(&reply.json()["result"]["tools"], "name").into_iter().map(str::to_owned).collect()
}

#[test]
fn v024_v026_tools_list() {
    let site = Site::start();
    let token = site.token("ana");
    let listed = site.post(&token, samples::LIST);
    statement("V024", || {
        assert_eq!(listed.status, 200);
        assert_eq!(names(&listed), NAMES);
        assert_eq!(names(&site.post("", samples::LIST)), PUBLIC, "what anybody may use");
    });
    statement("V026", || {
        for tool in site.tools(&token) {
            let members = keys(&tool);
            assert_eq!(members[..5], ["name", "title", "description", "inputSchema", "annotations"]);
            // Where public tools and others stand side by side, each says which it is.
            assert_eq!(members[5..], ["securitySchemes"]);
            let public = PUBLIC.contains(&tool["name"].as_str().unwrap());
            let scheme = if public { "noauth" } else { "oauth2" };
            assert_eq!(tool["securitySchemes"][0]["type"], scheme, "{tool}");
            assert_eq!(tool["annotations"]["readOnlyHint"], true);
        }
    });
}
