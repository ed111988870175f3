//! What a proxy in front is told.

use super::*;
use crate::gateway::verify;

async fn ask(world: &World, caller: &str, path: &str) -> Reply {
    let service = web::Data::from(Arc::clone(world.gateway.service(&ServiceId::from("mico")).unwrap()));
    let actix = Actix::new().app_data(world.app.clone()).app_data(world.gateway.clone()).app_data(service);
    let actix = test::init_service(actix.default_service(web::to(verify))).await;
    let mut request = test::TestRequest::get().uri(path);
    if !caller.is_empty() {
        request = request.insert_header(("authorization", format!("Bearer {}", token(caller))));
    }
    let response = test::call_service(&actix, request.to_request()).await;
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    Reply { status, headers, body: test::read_body(response).await.to_vec() }
}

#[actix_web::test]
async fn a_proxy_learns_who_it_is_or_why_not() {
    let world = World::new("errors = \"jsonrpc\"", "[service.tool.list_meetings]\npublic = true\n").await;
    let reply = ask(&world, "oauth", "/functions/v1/mcp/verify/x").await;
    assert_eq!((reply.status, reply.body.len()), (200, 0));
    assert_eq!(
        (reply.header("x-portero-user"), reply.header("x-portero-scopes")),
        (Some("usr_1"), Some("mico:read"))
    );
    for (token, query, status, code) in [
        ("", "", 401, "unauthorized"),
        ("unknown", "?deny=403", 401, "invalid_token"),
        ("free", "", 402, "feature_not_included"),
        ("free", "?deny=403", 403, "feature_not_included"),
        ("gone", "", 503, "verification_unavailable"),
    ] {
        let reply = ask(&world, token, &format!("/functions/v1/mcp/verify{query}")).await;
        assert_eq!((reply.status, reply.json()["code"].as_str()), (status, Some(code)), "{token} {query}");
        assert_eq!(reply.header("x-portero-code"), Some(code));
        assert_eq!(reply.header("www-authenticate").is_some(), status == 401);
    }
    let reply = ask(&world, "free", "/functions/v1/mcp/verify?deny=403").await;
    assert_eq!(reply.header("x-portero-status"), Some("402"));
}
