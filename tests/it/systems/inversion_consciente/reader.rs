//! The tools of the person.

use serde_json::json;

use super::{Site, assert_newest_first, column, keys, samples, statement};

#[test]
fn v032_v040_my_ai_usage() {
    let site = Site::start();
    let token = site.token("ana");
    let today = json!({"date": "2026-06-15", "messages_used": 3, "messages_limit": 20,
        "messages_remaining": 17, "resets_at": "2026-06-16T00:00:00Z"});
    statement("V032", || {
        let reply = site.post(&token, samples::MY_AI_USAGE);
        assert_eq!(reply.status, 200, "{reply:?}");
        assert_eq!(reply.json()["result"]["structuredContent"], today);
    });
    statement("V040", || {
        for params in [json!({"name": "my_ai_usage"}), json!({"name": "my_ai_usage", "arguments": {}})] {
            let body = json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": params});
            let reply = site.post(&token, &body.to_string());
            assert_eq!(reply.json()["result"]["structuredContent"], today, "{params}");
        }
        let said = site.refused(&token, "my_ai_usage", json!({"user": "bruno"}));
        assert!(said.contains("user"), "there are no arguments: {said}");
        let newcomer = site.ask(&site.token("carla"), "my_ai_usage", json!({}));
        assert_eq!((&newcomer["messages_used"], &newcomer["messages_remaining"]), (&json!(0), &json!(20)));
    });
}

#[test]
fn v041_my_recent_messages() {
    let site = Site::start();
    let [ana, bruno] = ["ana", "bruno"].map(|subject| site.token(subject));
    statement("V041", || {
        for (token, conversation, count) in [(&ana, "cnv_a", 18), (&bruno, "cnv_b", 6)] {
            let found = site.ask(token, "my_recent_messages", json!({"limit": 50}));
            assert_eq!(found.as_array().unwrap().len(), count);
            assert_newest_first(&column(&found, "created_at"));
            assert!(
                column(&found, "conversation_id").iter().all(|id| id.starts_with(conversation)),
                "{found}"
            );
            assert_eq!(keys(&found[0]), ["id", "conversation_id", "role", "content", "created_at"]);
        }
        assert_eq!(site.ask(&ana, "my_recent_messages", json!({})).as_array().unwrap().len(), 10);
        assert_eq!(site.ask(&ana, "my_recent_messages", json!({"limit": 1})).as_array().unwrap().len(), 1);
        for limit in [json!(0), json!(51), json!("5")] {
            let said = site.refused(&ana, "my_recent_messages", json!({"limit": limit}));
            assert!(said.contains("limit"), "{said}");
        }
        assert_eq!(site.ask(&site.token("carla"), "my_recent_messages", json!({})), json!([]));
    });
}
