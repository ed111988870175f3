//! No revision is told a number that it keeps for itself, whatever an operator configures.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::super::refusal::{Barred, PlanFacts, Reason, ScopeFacts};
use super::super::{build, words};
use super::{POLICY, World, config};
use crate::domain::decide::PlanLack;
use crate::domain::verified::TokenKind;
use crate::mcp::error::Code;

fn reasons() -> Vec<Reason> {
    let plan = |lack, own| Reason::Plan(Box::new(PlanFacts { lack, feature: None, plan: None, own }));
    let lacks = [PlanLack::NoPlan, PlanLack::FeatureNotIncluded, PlanLack::Inactive];
    let plans = lacks.into_iter().flat_map(|lack| [plan(lack, true), plan(lack, false)]);
    let scope = ScopeFacts { needed: "a".into(), ask: "a".into(), kind: TokenKind::Pat };
    let others = [
        Reason::Origin,
        Reason::Authorization("x"),
        Reason::NoCredentials(true),
        Reason::BadCredentials("x"),
        Reason::Unverifiable("x"),
        Reason::Method,
        Reason::NotAcceptable,
        Reason::MediaType,
        Reason::TooLarge(1),
        Reason::BodyBroken,
        Reason::Parse,
        Reason::Invalid("x"),
        Reason::NoMethod,
        Reason::Params("x"),
        Reason::MetaMissing("x"),
        Reason::Version("x".into()),
        Reason::Mismatch("x"),
        Reason::unknown_tool("x", "x"),
        Reason::unknown_operation("x", "x", "y".into()),
        Reason::Excluded(Arc::new(Barred { operation: "x".into(), reason: "x".into(), instead: None })),
        Reason::unknown_prompt("x", "x"),
        Reason::NoResource("x", "x".into()),
        Reason::MissingScope(Box::new(scope)),
        Reason::Blocked,
        Reason::Confirm("x".into(), true),
        Reason::Arguments("x".into()),
        Reason::Unavailable("x"),
        Reason::Timeout,
    ];
    let worker = Code::ALL.into_iter().map(|code| Reason::Worker(code, "x".into()));
    plans.chain(others).chain(worker).collect()
}

/// As the specifications say it: JSON-RPC 2.0 §5.1, and 2026-07-28 Base Protocol › Error Codes.
fn is_reserved(number: i64, modern: bool) -> bool {
    match number {
        -32700 | -32603..=-32600 => false,
        -32022..=-32020 => !modern,
        -32768..=-32100 => true,
        -32099..=-32000 => modern,
        _ => false,
    }
}

proptest! {
    #[test]
    fn no_number_is_one_that_the_revision_keeps_for_itself(
        own in prop::collection::vec((0usize..29, prop_oneof![-32800i64..-31900, any::<i64>()]), 0..8),
    ) {
        let config = config("http://127.0.0.1:1", "", POLICY).unwrap();
        let mut service = build::service(&config, &config.service[0]).unwrap();
        service.error_codes = own.into_iter().map(|(at, number)| (Code::ALL[at], number)).collect();
        for reason in reasons() {
            for modern in [false, true] {
                let number = words::number(&reason, modern, &service);
                prop_assert!(!is_reserved(number, modern), "{:?} {} {}", reason, number, modern);
                let three = matches!(number, -32022..=-32020);
                let own = matches!(
                    reason.code(),
                    Code::UnsupportedVersion | Code::MissingCapability | Code::HeaderMismatch
                );
                prop_assert!(!three || own, "{:?} {}", reason, number);
            }
        }
    }
}

#[actix_web::test]
async fn an_operators_number_is_said_where_it_may_be() {
    for style in ["http", "jsonrpc", "tool"] {
        let service =
            format!("errors = \"{style}\"\nerror_codes = {{ unknown_tool = -32003, missing_scope = -1 }}");
        let world = World::new(&service, POLICY).await;
        let number = async |modern: bool, token: &str, name: &str| {
            let params = json!({"name": name});
            let reply = if modern {
                world.modern(token, "tools/call", params, &[]).await
            } else {
                world.rpc(token, "tools/call", params).await
            };
            reply.json()["error"]["code"].as_i64()
        };
        assert_eq!(number(false, "pat", "nope").await, Some(-32003), "{style}");
        assert_eq!(number(true, "pat", "nope").await, Some(-32602), "{style}");
        if style == "jsonrpc" {
            assert_eq!(number(false, "pat", "delete_meeting").await, Some(-1));
            assert_eq!(number(true, "pat", "delete_meeting").await, Some(-1));
        }
    }
}

/// Of a tool that is not there, one that is hidden, one of the other mode and one that is locked away, nobody can
/// tell which it was.
#[actix_web::test]
async fn what_is_hidden_answers_as_what_is_absent() {
    for style in ["http", "jsonrpc", "tool"] {
        let service = format!("errors = \"{style}\"\nlocked = \"hide\"");
        let mut bodies = Vec::new();
        for (policy, name) in [
            (POLICY.to_owned(), "gone"),
            (format!("{POLICY}hidden = true"), "delete_meeting"),
            (format!("{POLICY}modes = [\"test\"]"), "delete_meeting"),
            (format!("{POLICY}feature = \"extra\""), "delete_meeting"),
            (POLICY.replace("mico:write", "mico:undeclared"), "delete_meeting"),
        ] {
            let world = World::new(&service, &policy).await;
            let legacy = world.call("full", name, json!({})).await;
            let modern = world.modern("full", "tools/call", json!({"name": name}), &[]).await;
            let text = |body: &[u8]| String::from_utf8_lossy(body).replace(name, "NAME");
            let head = |reply: &super::Reply| (reply.status, reply.headers.len());
            bodies.push((head(&legacy), text(&legacy.body), head(&modern), text(&modern.body)));
            assert_eq!(world.worker.calls(), 0);
        }
        assert!(bodies[0].1.contains("unknown_tool"), "{bodies:?}");
        assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
    }
}
