//! Calls that a person has to confirm.

use super::*;

const ASK: &str = "confirm = \"intent\"\nconfirm_message = \"The meeting is lost.\"";

#[actix_web::test]
async fn the_question_is_in_the_schema() {
    let world = World::new("", &format!("{POLICY}{ASK}")).await;
    let list = world.rpc("full", "tools/list", json!({})).await.json();
    let tool = &list["result"]["tools"][1];
    assert_eq!(tool["inputSchema"]["required"], json!(["confirm", "user_intent"]));
    assert!(tool["inputSchema"]["properties"].get("id").is_some());
    assert!(tool["description"].as_str().unwrap().contains("confirm: true"));
}

#[actix_web::test]
async fn nothing_happens_before_the_answer() {
    let world = World::new("", &format!("{POLICY}{ASK}")).await;
    for arguments in [
        json!({}),
        json!({"confirm": true}),
        json!({"confirm": "true", "user_intent": "x"}),
        json!({"confirm": 1, "user_intent": "x"}),
        json!({"confirm": true, "user_intent": " "}),
        json!({"confirm": true, "user_intent": "x".repeat(501)}),
    ] {
        let reply = world.call("full", "delete_meeting", arguments.clone()).await;
        assert_eq!((reply.status, reply.json()["result"]["isError"].clone()), (200, json!(true)));
        let text = reply.result_text();
        assert_eq!(text["code"], "confirmation_required", "{arguments}");
        assert!(text["error"].as_str().unwrap().contains("The meeting is lost."));
    }
    assert_eq!(world.worker.calls(), 0);
    let arguments = json!({"id": "m1", "confirm": true, "user_intent": "clean up, año"});
    assert_eq!(world.call("full", "delete_meeting", arguments).await.json()["result"]["isError"], false);
    let seen = world.worker.last();
    assert_eq!(seen.body, "{\"id\":\"m1\"}");
    assert_eq!(seen.headers["x-portero-confirmed"], "true");
    assert_eq!(seen.headers["x-portero-user-intent"], "clean%20up%2C%20a%C3%B1o");
}
