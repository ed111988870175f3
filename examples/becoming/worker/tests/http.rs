//! The same over HTTP: whose call it is, what a body may be, and what else is served.

use actix_web::http::StatusCode;
use actix_web::test::{TestRequest, call_service, init_service, read_body_json};
use actix_web::{App, web::Data};
use serde_json::{Value, json};

use super::super::Worker;
use super::super::http::routes;
use super::super::state::State;
use super::clock;

async fn send(request: TestRequest) -> (StatusCode, Option<String>, Value) {
    let state = State::new(&Worker { clock: clock().0 }).unwrap();
    let app = init_service(App::new().app_data(Data::new(state)).configure(routes)).await;
    let response = call_service(&app, request.to_request()).await;
    let cost = response.headers().get("x-portero-cost").map(|value| value.to_str().unwrap().to_owned());
    (response.status(), cost, read_body_json(response).await)
}

fn post(uri: &str, headers: &[(&'static str, &'static str)]) -> TestRequest {
    headers.iter().fold(TestRequest::post().uri(uri), |request, header| request.insert_header(*header))
}

#[actix_web::test]
async fn the_subject_decides_and_the_user_stands_in_for_it() {
    for (headers, first) in [
        (&[("x-portero-subject", "ana")][..], json!(123)),
        (&[("x-portero-subject", "ana"), ("x-portero-user", "bruno")], json!(123)),
        (&[("x-portero-user", "bruno")], json!(127)),
        (&[("x-portero-subject", ""), ("x-portero-user", "bruno")], json!(127)),
        (&[], Value::Null),
    ] {
        let (status, _, body) = send(post("/tools/list_sources", headers)).await;
        assert_eq!((status, &body["sources"][0]["id"]), (StatusCode::OK, &first), "{headers:?}");
    }
}

#[actix_web::test]
async fn headers_say_what_the_plan_includes_and_what_is_left() {
    for (features, academy) in [("academia", true), ("x academia y", true), ("academias", false), ("", false)]
    {
        let (_, _, body) = send(post("/tools/get_academy_status", &[("x-portero-features", features)])).await;
        assert_eq!(body["academy_access"], academy, "{features:?}");
    }
    let video = r#"{"url":"https://youtu.be/orilla-100"}"#;
    for (headers, cost) in [
        (&[("x-portero-subject", "ana")][..], "4"),
        (&[("x-portero-subject", "ana"), ("x-portero-credits", "3")], "3"),
        (&[("x-portero-subject", "ana"), ("x-portero-credits", "-2")], "0"),
    ] {
        let (status, charged, _) = send(post("/tools/add_source", headers).set_payload(video)).await;
        assert_eq!((status, charged.as_deref()), (StatusCode::OK, Some(cost)));
    }
    let (_, charged, _) = send(post("/tools/list_sources", &[])).await;
    assert!(charged.is_none(), "what costs nothing says nothing");
}

#[actix_web::test]
async fn a_body_is_an_object_or_nothing() {
    for body in ["{", "[]", "null", "3", "\u{feff}{}"] {
        let (status, _, body) = send(post("/tools/list_sources", &[]).set_payload(body)).await;
        assert_eq!(status, 400);
        assert_eq!(body, json!({"error": "arguments must be a JSON object"}));
    }
    let long = vec![b' '; (4 << 20) + 1];
    let (status, _, body) = send(post("/tools/list_sources", &[]).set_payload(long)).await;
    assert!(status == 413 && body["error"].is_string());
}

#[actix_web::test]
async fn the_catalog_and_the_lists_are_served() {
    for (path, list, count) in
        [("/resources", "resources", 3), ("/resources/templates", "resourceTemplates", 3)]
    {
        let (status, _, body) = send(TestRequest::get().uri(path)).await;
        assert_eq!((status, body[list].as_array().unwrap().len()), (StatusCode::OK, count));
    }
    assert_eq!(send(TestRequest::get().uri("/tools")).await.2.as_array().unwrap().len(), 20);
    assert_eq!(send(TestRequest::get().uri("/healthz")).await.0, 200);
    let read = |uri: &str| {
        TestRequest::get()
            .uri(&format!("/resources/read?uri={uri}"))
            .insert_header(("x-portero-subject", "ana"))
    };
    assert_eq!(send(read("becoming%3A%2F%2Fnotes%2F501")).await.0, 200);
    let (status, _, body) = send(read("becoming%3A%2F%2Fnotes%2F9")).await;
    assert_eq!(
        (status, body),
        (StatusCode::NOT_FOUND, json!({"error": "resource becoming://notes/9 not found"}))
    );
}
