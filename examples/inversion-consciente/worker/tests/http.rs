//! The same tools over HTTP: whose call it is, how a no is said, what a body may be, and what else is served.

use std::collections::BTreeMap;

use actix_web::http::StatusCode;
use actix_web::test::{TestRequest, call_service, init_service, read_body_json};
use actix_web::{App, web::Data};
use serde_json::{Value, json};

use super::super::{Worker, routes};
use super::now;

struct Reply {
    status: StatusCode,
    kind: String,
    body: Value,
}

async fn send(request: TestRequest) -> Reply {
    let worker =
        Worker { aliases: BTreeMap::from([("7c0e".to_owned(), "bruno".to_owned())]), now: Some(now()) };
    let app = init_service(App::new().app_data(Data::new(worker)).configure(routes)).await;
    let response = call_service(&app, request.to_request()).await;
    let kind = response.headers().get("content-type").map(|value| value.to_str().unwrap().to_owned());
    Reply { status: response.status(), kind: kind.unwrap_or_default(), body: read_body_json(response).await }
}

fn post(tool: &str, body: &'static str) -> TestRequest {
    TestRequest::post().uri(&format!("/tools/{tool}")).set_payload(body)
}

#[actix_web::test]
async fn v031_the_subject_decides() {
    for (subject, limit) in [("ana", 20), ("bruno", 50), ("7c0e", 50), ("carla", 20)] {
        let reply = send(post("my_ai_usage", "").insert_header(("x-portero-subject", subject))).await;
        assert_eq!(
            (reply.status, &reply.body["messages_limit"]),
            (StatusCode::OK, &json!(limit)),
            "{subject}"
        );
    }
    let reply = send(post("my_ai_usage", "{}").insert_header(("x-portero-user", "bruno"))).await;
    assert_eq!(reply.body["isError"], true, "no other header does");
}

#[actix_web::test]
async fn v048_v049_a_tool_that_says_no_answers_a_whole_result() {
    for (tool, body, sentence) in [
        ("my_ai_usage", "{}", "Inicia sesión para usar esta herramienta."),
        ("get_article", r#"{"slug":"x"}"#, "No hay ningún artículo publicado con el slug «x»."),
        ("search_articles", r#"{"query":"a"}"#, "Busca al menos dos caracteres."),
    ] {
        let reply = send(post(tool, body)).await;
        assert_eq!((reply.status, reply.kind.as_str()), (StatusCode::OK, "application/vnd.mcp.result+json"));
        assert_eq!(reply.body, json!({ "content": [{ "type": "text", "text": sentence }], "isError": true }));
    }
}

#[actix_web::test]
async fn what_is_no_call_has_a_status() {
    for body in ["{", "[]", "null", "3"] {
        let reply = send(post("list_articles", body)).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{body}");
        assert_eq!(reply.body, json!({ "error": "Los argumentos tienen que ser un objeto JSON." }));
    }
    let reply = send(post("list_articles", "").set_payload(vec![b' '; (4 << 20) + 1])).await;
    assert_eq!(reply.status, StatusCode::PAYLOAD_TOO_LARGE);
    let reply = send(post("nada", "{}")).await;
    assert_eq!(
        (reply.status, reply.body["error"].as_str()),
        (StatusCode::NOT_FOUND, Some("No hay ninguna herramienta «nada»."))
    );
}

#[actix_web::test]
async fn the_catalog_and_the_health_are_served() {
    let reply = send(TestRequest::get().uri("/tools")).await;
    assert_eq!((reply.status, reply.body.as_array().unwrap().len()), (StatusCode::OK, 5));
    assert_eq!(send(TestRequest::get().uri("/healthz")).await.status, StatusCode::OK);
}
