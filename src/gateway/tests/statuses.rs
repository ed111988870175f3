//! Who, what and how: the order and the form of answers.

use super::*;

#[actix_web::test]
async fn anonymous_requests_find_the_sign_in_whatever_they_are() {
    let world = World::new("", POLICY).await;
    for method in [Method::GET, Method::HEAD, Method::POST, Method::DELETE, Method::PUT] {
        let request = test::TestRequest::with_uri("/functions/v1/mcp").method(method.clone());
        let reply = world.send(request.insert_header(("accept", "image/png"))).await;
        assert_eq!(reply.status, 401, "{method}");
        assert_eq!(
            reply.header("www-authenticate"),
            Some(
                "Bearer resource_metadata=\"http://127.0.0.1:8080/.well-known/oauth-protected-resource/functions/v1/mcp\", scope=\"mico:read\""
            )
        );
        assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
        assert!(reply.header("access-control-expose-headers").unwrap().contains("WWW-Authenticate"));
    }
    let reply = world.post("", "{", &[]).await;
    assert_eq!((reply.status, reply.json()["code"].as_str()), (401, Some("unauthorized")));
    let reply = world.post("", "{}", &[("authorization", "Basic dTpw")]).await;
    assert!(reply.status == 401 && !reply.header("www-authenticate").unwrap().contains("error="));
}

#[actix_web::test]
async fn the_challenge_names_the_spelling_that_was_asked() {
    let world = World::new("metadata_url = \"appended\"", POLICY).await;
    let ask = async |path: &str| {
        let reply = world.send(test::TestRequest::post().uri(path)).await;
        reply.header("www-authenticate").unwrap().to_owned()
    };
    assert!(
        ask("/functions/v1/mcp")
            .await
            .contains("8080/functions/v1/mcp/.well-known/oauth-protected-resource\"")
    );
    assert!(
        ask("/functions/v1/mcp/")
            .await
            .contains("8080/.well-known/oauth-protected-resource/functions/v1/mcp/\"")
    );
}

#[actix_web::test]
async fn bad_credentials_are_401_and_trouble_is_503() {
    let world = World::new("", POLICY).await;
    for token in ["unknown", "other", "Bearer pat"] {
        let reply = world.call(token, "list_meetings", json!({})).await;
        assert_eq!((reply.status, reply.json()["code"].as_str()), (401, Some("invalid_token")), "{token}");
        assert!(reply.header("www-authenticate").unwrap().starts_with("Bearer error=\"invalid_token\", "));
        assert_eq!(reply.json()["id"], Value::Null);
    }
    for value in ["Bearer", "Bearer a, Bearer b"] {
        let reply = world.post("", "{}", &[("authorization", value)]).await;
        assert_eq!((reply.status, reply.json()["code"].as_str()), (400, Some("invalid_request")), "{value}");
    }
    let reply = world.call("gone", "list_meetings", json!({})).await;
    assert_eq!((reply.status, reply.json()["code"].as_str()), (503, Some("verification_unavailable")));
    world.go_blind().await;
    let reply = world.call("pat", "list_meetings", json!({})).await;
    assert_eq!((reply.status, reply.header("retry-after")), (503, Some("2")));
    assert!(reply.header("www-authenticate").is_none());
}

#[actix_web::test]
async fn after_who_comes_the_method_then_the_plan_then_the_form() {
    let world = World::new("", POLICY).await;
    for method in [Method::GET, Method::DELETE, Method::PUT, Method::PATCH, Method::HEAD] {
        let request = test::TestRequest::with_uri("/functions/v1/mcp").method(method.clone());
        let reply =
            world.send(request.insert_header(("authorization", format!("Bearer {}", token("free"))))).await;
        assert_eq!((reply.status, reply.header("allow")), (405, Some("POST, OPTIONS")), "{method}");
    }
    for body in ["{", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"] {
        let reply = world.post("free", body, &[("accept", "image/png")]).await;
        assert_eq!((reply.status, reply.json()["code"].as_str()), (402, Some("feature_not_included")));
    }
    let reply = world.post("pat", "{", &[("accept", "image/png"), ("content-type", "text/plain")]).await;
    assert_eq!((reply.status, reply.json()["code"].as_str()), (406, Some("not_acceptable")));
    for (name, value) in [("content-type", "text/plain"), ("content-type", ""), ("content-encoding", "gzip")]
    {
        let reply = world.post("pat", "{", &[(name, value)]).await;
        assert_eq!(
            (reply.status, reply.json()["code"].as_str()),
            (415, Some("unsupported_media_type")),
            "{value}"
        );
    }
    let reply = world.post("pat", "x".repeat((4 << 20) + 1), &[]).await;
    assert_eq!((reply.status, reply.json()["code"].as_str()), (413, Some("too_large")));
    let reply = world.post("pat", "{", &[("content-type", "Application/JSON; charset=utf-8")]).await;
    assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (400, Some(-32700)));
}

#[actix_web::test]
async fn a_plan_refusal_says_all_that_a_program_needs() {
    let world = World::new("upgrade_url = \"https://mico.example/plans\"", POLICY).await;
    let reply = world.rpc("free", "initialize", json!({"protocolVersion": "2025-06-18"})).await;
    assert_eq!(
        reply.json(),
        json!({
            "jsonrpc": "2.0", "id": 7,
            "error": {"code": -32002, "message": "The plan does not include this.", "data": {
                "code": "feature_not_included",
                "hint": "Change to a plan that includes it. https://mico.example/plans",
                "plan": "free", "feature": "mcp", "upgrade_url": "https://mico.example/plans"
            }},
            "code": "feature_not_included", "message": "The plan does not include this."
        })
    );
    let reply = world.rpc("none", "ping", json!({})).await;
    assert_eq!((reply.status, reply.json()["code"].as_str()), (402, Some("no_plan")));
    let reply = world.rpc("inactive", "ping", json!({})).await;
    assert_eq!((reply.status, reply.json()["code"].as_str()), (402, Some("subscription_inactive")));
    let reply = world.modern("free", "tools/list", json!({}), &[]).await;
    assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (402, Some(-31002)));
}

#[actix_web::test]
async fn protocol_mistakes_have_their_codes() {
    let world = World::new("", POLICY).await;
    for (body, status, code) in [
        ("{", 400, -32700),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", 400, -32600),
        ("[]", 400, -32600),
        ("3", 400, -32600),
        ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", 400, -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"foo/bar\"}", 200, -32601),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}", 200, -32601),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", 200, -32602),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"nope\"}}",
            200,
            -32602,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}}",
            200,
            -32602,
        ),
    ] {
        let reply = world.post("pat", body, &[]).await;
        assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (status, Some(code)), "{body}");
        let members = reply.json().as_object().unwrap().len();
        assert_eq!(members, if status == 200 { 3 } else { 5 }, "{body}");
        assert_eq!(reply.header("content-type"), Some("application/json"));
    }
}

#[actix_web::test]
async fn messages_that_want_no_answer_get_none() {
    let world = World::new("", POLICY).await;
    for body in [
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"what/ever\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
    ] {
        let reply = world.post("pat", body, &[]).await;
        assert_eq!((reply.status, reply.body.len()), (202, 0), "{body}");
        assert!(reply.header("content-type").is_none());
    }
}

#[actix_web::test]
async fn pages_of_elsewhere_are_refused_and_preflights_answered() {
    let world = World::new("", POLICY).await;
    for origin in ["https://evil.example", "null"] {
        for method in [Method::POST, Method::OPTIONS] {
            let request = test::TestRequest::with_uri("/functions/v1/mcp").method(method);
            let reply = world.send(request.insert_header(("origin", origin))).await;
            assert_eq!((reply.status, reply.json()["code"].as_str()), (403, Some("origin_not_allowed")));
            assert!(reply.header("access-control-allow-origin").is_none());
        }
    }
    let request = test::TestRequest::with_uri("/functions/v1/mcp").method(Method::OPTIONS);
    let asked = "authorization,content-type,mcp-protocol-version,mcp-method,mcp-name,mcp-param-region,x-evil";
    let request = request
        .insert_header(("origin", "http://localhost:6274"))
        .insert_header(("access-control-request-method", "POST"))
        .insert_header(("access-control-request-headers", asked));
    let reply = world.send(request).await;
    assert_eq!((reply.status, reply.body.len()), (204, 0));
    let allowed = reply.header("access-control-allow-headers").unwrap();
    assert!(
        allowed.contains("mcp-param-region")
            && allowed.contains("authorization")
            && !allowed.contains("x-evil")
    );
    let reply = world
        .post(
            "pat",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
            &[("origin", "http://localhost:1")],
        )
        .await;
    assert_eq!((reply.status, reply.json()["result"].clone()), (200, json!({})));
    assert_eq!(
        (reply.header("cache-control"), reply.header("vary")),
        (Some("no-store"), Some("Authorization"))
    );
}

#[actix_web::test]
async fn both_types_where_the_service_asks_for_them() {
    let world = World::new("require_accept = true", POLICY).await;
    for accept in ["*/*", "application/json", "text/event-stream", ""] {
        let reply = world
            .post("pat", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", &[("accept", accept)])
            .await;
        assert_eq!(reply.status, 406, "{accept}");
        assert_eq!(reply.json()["id"], 1);
    }
    assert_eq!(world.rpc("pat", "ping", json!({})).await.status, 200);
}

#[actix_web::test]
async fn what_is_not_yet_done_stops_the_start() {
    for (service, policy) in [
        ("", "[service.prompt.x]\nrate = \"1/s\""),
        ("", "[service.resources.\"a://b\"]\nresponse_cap_chars = 20000"),
    ] {
        let base = base(config("http://127.0.0.1:1", service, policy).unwrap()).await;
        let faults = Gateway::build(&base.app).await.err().unwrap_or_else(|| panic!("{service}{policy}"));
        assert!(faults[0].contains("not available in this version"), "{faults:?}");
    }
}
