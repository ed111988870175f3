//! What is a person's own.

use serde_json::json;

use super::super::{Fault, call};
use super::{asks, column, keys, newest_first, now, refused};

#[test]
fn v040_the_questions_of_today_are_counted() {
    let ana = asks("ana", "my_ai_usage", json!({}));
    assert_eq!(
        ana,
        json!({"date": "2026-06-15", "messages_used": 3, "messages_limit": 20, "messages_remaining": 17,
            "resets_at": "2026-06-16T00:00:00Z"})
    );
    let bruno = asks("bruno", "my_ai_usage", json!({}));
    assert_eq!((&bruno["messages_used"], &bruno["messages_limit"]), (&json!(1), &json!(50)));
    let stranger = asks("carla", "my_ai_usage", json!({}));
    assert_eq!((&stranger["messages_used"], &stranger["messages_remaining"]), (&json!(0), &json!(20)));
    // Three hours earlier than the questions of three hours ago is yesterday.
    let early = call("ana", "my_ai_usage", &json!({}), "2026-06-15T01:00:00Z".parse().unwrap()).unwrap();
    assert_eq!((&early["date"], &early["messages_used"]), (&json!("2026-06-15"), &json!(0)));
}

#[test]
fn v041_messages_are_ones_own_latest_first() {
    for (owner, count) in [("ana", 18), ("bruno", 6)] {
        let found = asks(owner, "my_recent_messages", json!({ "limit": 50 }));
        assert_eq!(found.as_array().unwrap().len(), count);
        assert!(newest_first(&column(&found, "created_at")));
        assert_eq!(keys(&found[0]), ["id", "conversation_id", "role", "content", "created_at"]);
        assert_eq!((&found[0]["role"], &found[1]["role"]), (&json!("assistant"), &json!("user")));
        let own = format!("cnv_{}", &owner[..1]);
        assert!(column(&found, "conversation_id").iter().all(|id| id.starts_with(&own)), "{owner}");
        assert!(column(&found, "created_at").iter().all(|time| *time <= now().to_string().as_str()));
    }
    assert_eq!(asks("carla", "my_recent_messages", json!({})), json!([]));
}

#[test]
fn v049_nobody_in_particular_has_neither() {
    for tool in ["my_ai_usage", "my_recent_messages"] {
        let fault = refused("", tool, json!({}));
        assert_eq!(fault, Fault::NoSession);
        assert_eq!(fault.sentence(), "Inicia sesión para usar esta herramienta.");
    }
}
