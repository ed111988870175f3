//! The same tools over HTTP: whose call it is, what a body may be, and what else is served.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use actix_web::http::StatusCode;
use actix_web::test::{TestRequest, call_service, init_service, read_body_json};
use actix_web::{App, web::Data};
use serde_json::{Value, json};

use super::super::{Worker, routes, serve};

async fn send(request: TestRequest) -> (StatusCode, Value) {
    let aliases = BTreeMap::from([("usr_1".to_owned(), "bruno".to_owned())]);
    let app = init_service(App::new().app_data(Data::new(Worker { aliases })).configure(routes)).await;
    let response = call_service(&app, request.to_request()).await;
    (response.status(), read_body_json(response).await)
}

async fn first_meeting(headers: &[(&'static str, &'static str)]) -> Value {
    let request = TestRequest::post().uri("/tools/list_meetings").set_payload(r#"{"limit":1}"#);
    let request = headers.iter().fold(request, |request, header| request.insert_header(*header));
    let (status, body) = send(request).await;
    assert_eq!(status, 200);
    body["meetings"][0]["id"].clone()
}

#[actix_web::test]
async fn the_subject_decides_and_the_user_stands_in_for_it() {
    assert_eq!(first_meeting(&[("x-portero-subject", "ana")]).await, "mtg_a29");
    assert_eq!(first_meeting(&[("x-portero-subject", "ana"), ("x-portero-user", "bruno")]).await, "mtg_a29");
    assert_eq!(first_meeting(&[("x-portero-user", "bruno")]).await, "mtg_b10");
    assert_eq!(first_meeting(&[("x-portero-subject", ""), ("x-portero-user", "bruno")]).await, "mtg_b10");
    assert_eq!(first_meeting(&[("x-portero-user", "usr_1")]).await, "mtg_b10");
    assert_eq!(first_meeting(&[("x-portero-user", "usr_2")]).await, Value::Null);
    assert_eq!(first_meeting(&[]).await, Value::Null);
}

#[actix_web::test]
async fn a_body_is_an_object_or_nothing() {
    let pending = || TestRequest::post().uri("/tools/list_pending_action_items");
    assert_eq!(send(pending()).await.0, 200);
    for body in ["{", "[]", "null", "3", "\u{feff}{}"] {
        let answer = send(pending().set_payload(body)).await;
        assert_eq!(answer, (StatusCode::BAD_REQUEST, json!({ "error": "arguments must be a JSON object" })));
    }
    let (status, body) = send(pending().set_payload(vec![b' '; (4 << 20) + 1])).await;
    assert_eq!(status, 413);
    assert!(body["error"].is_string());
}

#[actix_web::test]
async fn faults_have_a_status_and_a_json_error() {
    let post = |uri: &str| TestRequest::post().uri(uri).insert_header(("x-portero-subject", "ana"));
    let (status, body) = send(post("/tools/get_meeting").set_payload(r#"{"meeting_id":"mtg_b01"}"#)).await;
    assert_eq!((status, body), (StatusCode::NOT_FOUND, json!({ "error": "meeting 'mtg_b01' not found" })));
    assert_eq!(send(post("/tools/get_meeting")).await.0, 400);
    assert_eq!(send(post("/tools/n%C3%ADspero")).await.1, json!({ "error": "unknown tool 'níspero'" }));
}

#[actix_web::test]
async fn the_catalog_and_the_health_are_served() {
    let (status, tools) = send(TestRequest::get().uri("/tools")).await;
    assert_eq!((status, tools.as_array().unwrap().len()), (StatusCode::OK, 8));
    assert_eq!(send(TestRequest::get().uri("/healthz")).await.0, 200);
}

#[actix_web::test]
async fn it_serves_on_its_listener_until_it_is_dropped() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(serve(listener));
    let asked = actix_web::rt::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    });
    assert!(asked.await.unwrap().starts_with("HTTP/1.1 200"));
    server.abort();
    assert!(server.await.is_err_and(|error| error.is_cancelled()));
    assert!(TcpStream::connect(address).is_err(), "dropping the future stops the server");
}
