//! The forms of a no.

use serde_json::json;

use super::{Site, keys, message, samples, statement};

#[test]
fn v047_an_error_of_the_protocol_stands_in_place_of_a_result() {
    let site = Site::start();
    let token = site.token("ana");
    statement("V047", || {
        for (body, code) in [
            (r#"{"jsonrpc":"2.0","id":9,"method":"foo/bar"}"#.to_owned(), -32601),
            (r#"{"jsonrpc":"2.0","id":9,"method":"resources/list"}"#.to_owned(), -32601),
            (message("delete_article", &json!({})), -32602),
            (message("List_articles", &json!({})), -32602),
            (r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{}}"#.to_owned(), -32602),
        ] {
            let reply = site.post(&token, &body);
            assert_eq!(reply.status, 200, "{body}: {reply:?}");
            let answer = reply.json();
            assert_eq!(keys(&answer), ["jsonrpc", "id", "error"], "{body}");
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(9), &json!(code)), "{body}");
            assert!(answer["error"]["message"].as_str().is_some_and(|text| !text.is_empty()), "{answer}");
        }
        let reply = site.post(&token, "{");
        assert_eq!((reply.status, reply.json()["error"]["code"].clone()), (200, json!(-32700)));
        assert!(reply.json()["id"].is_null() && reply.json().get("result").is_none());
    });
}

#[test]
fn v048_v049_what_a_tool_cannot_do_is_a_result_with_one_sentence() {
    let site = Site::start();
    let token = site.token("ana");
    statement("V048", || {
        let reply = site.call("", "get_article", &json!({"slug": "nada"}));
        assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
        assert_eq!(
            reply.json()["result"],
            json!({
                "content": [{"type": "text", "text": "No hay ningún artículo publicado con el slug «nada»."}],
                "isError": true,
            })
        );
        for arguments in [json!({"query": "a"}), json!({})] {
            let said = site.refused(&token, "search_articles", arguments);
            assert!(said.contains("query") && !said.starts_with('{'), "a sentence: {said}");
        }
    });
    statement("V049", || {
        for tool in ["my_ai_usage", "my_recent_messages"] {
            let reply = site.call("", tool, &json!({}));
            assert_eq!((reply.status, reply.header("www-authenticate")), (200, None), "{reply:?}");
            let result = &reply.json()["result"];
            assert_eq!(result["isError"], true);
            let said = result["content"][0]["text"].as_str().unwrap();
            assert!(!said.is_empty() && !said.starts_with('{'), "{said}");
            let challenge = result["_meta"]["mcp/www_authenticate"][0].as_str().unwrap();
            assert!(challenge.starts_with("Bearer resource_metadata=\""), "{challenge}");
            assert!(challenge.contains("scope=\"openid email profile\""), "{challenge}");
        }
        assert_eq!(site.post("", samples::MY_AI_USAGE).json()["id"], 4);
    });
}

/// A worker that is gone is nobody's token.
#[test]
fn v048_a_worker_that_is_gone_is_a_result_too() {
    let mut site = Site::start();
    let token = site.token("ana");
    assert_eq!(site.post(&token, samples::MY_AI_USAGE).json()["result"]["isError"], false);
    drop(site.magazine.take().unwrap());
    statement("V048", || {
        let said = site.refused(&token, "my_ai_usage", json!({}));
        assert!(!said.is_empty() && !said.starts_with('{'), "{said}");
        assert_eq!(site.post(&token, samples::LIST).status, 200, "the rest goes on");
    });
}
