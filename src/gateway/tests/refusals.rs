//! Every refusal in every style, revision and kind of credential, against one list; `docs/errors.md` is made of
//! the same list and of what is really said.

mod page;

use super::super::accept::Accepted;
use super::super::answer::Body;
use super::super::call::{Cx, Frame};
use super::super::refusal::{Barred, Reason, ScopeFacts};
use super::super::render;
use super::*;
use crate::domain::decide::PlanLack;
use crate::mcp::error::Code;
use crate::mcp::jsonrpc::Id;
use crate::mcp::version::Version;

/// How a refusal is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Say {
    /// By this status.
    Status(u16),
    /// HTTP 200 and a JSON-RPC error.
    Error,
    /// HTTP 200 and a result with `isError` that names this status.
    Result(u16),
}
use Say::{Error, Result as Tool, Status};

struct Row {
    code: Code,
    when: &'static str,
    reason: fn() -> Reason,
    /// Up to 2025-11-25, and in 2026-07-28.
    numbers: (i64, i64),
    /// In a call, in the styles `http`, `jsonrpc`, `tool`.
    says: [Say; 3],
    /// The same where there is no result to say it in, if it can happen there.
    outside: Option<[Say; 3]>,
    /// The kinds of credential it is about; none is all.
    kinds: &'static [TokenKind],
}

const STYLES: [&str; 3] = ["http", "jsonrpc", "tool"];
const KINDS: [TokenKind; 4] = [TokenKind::Pat, TokenKind::Oauth, TokenKind::Jwt, TokenKind::Anonymous];

fn same(status: u16) -> [Say; 3] {
    [Status(status); 3]
}

fn by_style(status: u16) -> [Say; 3] {
    [Status(status), Error, Tool(status)]
}

fn result(status: u16) -> [Say; 3] {
    [Tool(status), Error, Tool(status)]
}

const OWN: (i64, i64) = (-32002, -31002);
const INVALID: (i64, i64) = (-32600, -32600);
const UPSTREAM: (i64, i64) = (-32099, -32603);

fn row(code: Code, when: &'static str, numbers: (i64, i64), says: [Say; 3], reason: fn() -> Reason) -> Row {
    let outside = says.map(|say| if matches!(say, Tool(_)) { Error } else { say });
    Row { code, when, reason, numbers, says, outside: Some(outside), kinds: &[] }
}

fn scope(kind: TokenKind) -> Reason {
    let facts = ScopeFacts { needed: "mico:write".into(), ask: "mico:read mico:write".into(), kind };
    Reason::MissingScope(Box::new(facts))
}

fn plan(lack: PlanLack, own: bool) -> Reason {
    Reason::plan(lack, (lack != PlanLack::Inactive).then_some("mcp"), Some(&"free".into()), own)
}

/// The list. A refusal that nothing of this program makes yet stands under [`Reason::Worker`].
fn table() -> Vec<Row> {
    [of_credentials(), of_plans(), of_calls(), of_messages()].into_iter().flatten().collect()
}

/// Who asks.
fn of_credentials() -> Vec<Row> {
    use Code::*;
    vec![
        row(
            Unauthorized,
            "no credentials, and what was asked is not public",
            (-32001, -31001),
            same(401),
            || Reason::NoCredentials(false),
        ),
        row(
            InvalidToken,
            "unknown, expired, revoked, or for something else",
            (-32001, -31001),
            same(401),
            || Reason::BadCredentials("unknown"),
        ),
        Row {
            kinds: &[TokenKind::Oauth],
            ..row(MissingScope, "an OAuth token without a scope", OWN, by_style(403), || {
                scope(TokenKind::Oauth)
            })
        },
        Row {
            kinds: &[TokenKind::Jwt],
            ..row(MissingScope, "an external issuer's token without a scope", OWN, by_style(403), || {
                scope(TokenKind::Jwt)
            })
        },
        Row {
            kinds: &[TokenKind::Pat],
            ..row(MissingScope, "a personal access token without a scope", OWN, result(403), || {
                scope(TokenKind::Pat)
            })
        },
    ]
}

/// What is paid for.
fn of_plans() -> Vec<Row> {
    use Code::*;
    let own_feature = (-32010, -31010);
    vec![
        row(NoPlan, "the workspace has no plan", OWN, by_style(402), || plan(PlanLack::NoPlan, false)),
        row(NoPlan, "the same, for a tool's own feature", own_feature, by_style(402), || {
            plan(PlanLack::NoPlan, true)
        }),
        row(FeatureNotIncluded, "the plan lacks the service's feature", OWN, by_style(402), || {
            plan(PlanLack::FeatureNotIncluded, false)
        }),
        row(FeatureNotIncluded, "the plan lacks the tool's own feature", own_feature, by_style(402), || {
            plan(PlanLack::FeatureNotIncluded, true)
        }),
        row(SubscriptionInactive, "the workspace is inactive", OWN, by_style(402), || {
            plan(PlanLack::Inactive, false)
        }),
        row(WorkspaceBlocked, "the bill is overdue and the tool writes", OWN, result(403), || {
            Reason::Blocked
        }),
        row(CreditsExhausted, "the month's credits are used up", OWN, by_style(402), || {
            Reason::Worker(CreditsExhausted, "".into())
        }),
    ]
}

/// What is called.
fn of_calls() -> Vec<Row> {
    use Code::*;
    vec![
        row(ConfirmationRequired, "a person has to confirm first", (-32011, -31011), result(428), || {
            Reason::Confirm("The meeting would be lost.".into(), true)
        }),
        row(InvalidArguments, "the arguments do not fit", (-32011, -31011), result(400), || {
            Reason::Arguments("limit is at most 50".into())
        }),
        Row {
            outside: Some(same(429)),
            ..row(
                RateLimited,
                "too many calls",
                (-32004, -31004),
                [Status(429), Status(429), Tool(429)],
                || Reason::Worker(RateLimited, "".into()),
            )
        },
        row(
            UnknownTool,
            "absent, hidden, of another mode, or locked and hidden",
            (-32602, -32602),
            [Error; 3],
            || Reason::unknown_tool("hidden", "nope"),
        ),
        row(
            OperationExcluded,
            "an operation that is kept away from models",
            (-32602, -32602),
            [Tool(403); 3],
            || {
                Reason::Excluded(Arc::new(Barred {
                    operation: "purgeInvoices".into(),
                    reason: "It deletes them all at once.".into(),
                    instead: Some("deleteInvoice, one by one.".into()),
                }))
            },
        ),
        row(ResourceNotFound, "no such resource", (-32002, -32602), [Error; 3], || {
            Reason::Worker(ResourceNotFound, "".into())
        }),
        row(VerificationUnavailable, "token or plan could not be checked", UPSTREAM, same(503), || {
            Reason::Unverifiable("verification_unavailable")
        }),
        row(UpstreamUnavailable, "the worker is away or not understood", UPSTREAM, result(502), || {
            Reason::Unavailable("upstream_refused")
        }),
        row(UpstreamTimeout, "the worker takes too long", UPSTREAM, result(504), || Reason::Timeout),
    ]
}

/// How it is said.
fn of_messages() -> Vec<Row> {
    use Code::*;
    vec![
        row(ParseError, "the body is no JSON", (-32700, -32700), [Status(400), Error, Error], || {
            Reason::Parse
        }),
        row(InvalidRequest, "the body is no message", INVALID, [Status(400), Error, Error], || {
            Reason::Invalid("method is missing")
        }),
        row(MethodNotFound, "no such method (404 in 2026-07-28)", (-32601, -32601), [Error; 3], || {
            Reason::NoMethod
        }),
        row(InvalidParams, "parameters of the wrong shape", (-32602, -32602), [Error; 3], || {
            Reason::Params("name is a string")
        }),
        row(InvalidParams, "2026-07-28 without what its `_meta` needs", (-32602, -32602), same(400), || {
            Reason::MetaMissing("io.modelcontextprotocol/clientCapabilities")
        }),
        row(UnsupportedVersion, "a revision that is not served", (-32600, -32022), same(400), || {
            Reason::Version("2031-01-01".into())
        }),
        row(
            MissingCapability,
            "the client did not say that it can do this",
            (-32600, -32021),
            same(400),
            || Reason::Worker(MissingCapability, "".into()),
        ),
        row(
            HeaderMismatch,
            "a header says something else than the body",
            (-32600, -32020),
            same(400),
            || Reason::Mismatch("Mcp-Name"),
        ),
        row(NotAcceptable, "nothing in `Accept` can be answered", INVALID, same(406), || {
            Reason::NotAcceptable
        }),
        row(UnsupportedMediaType, "the body is not `application/json`", INVALID, same(415), || {
            Reason::MediaType
        }),
        row(TooLarge, "the body is too long", INVALID, same(413), || Reason::TooLarge(4_194_304)),
        row(MethodNotAllowed, "not a POST", INVALID, same(405), || Reason::Method),
        row(OriginNotAllowed, "an `Origin` that is not allowed", INVALID, same(403), || Reason::Origin),
        row(InvalidRequest, "no session id where one is needed", INVALID, same(400), || Reason::NoSession),
        row(SessionNotFound, "no such session of this caller's, or not any more", INVALID, same(404), || {
            Reason::Session("session_unknown")
        }),
    ]
}

/// What was said.
struct Said {
    say: Say,
    number: Option<i64>,
    header: Option<(String, String)>,
    message: String,
    hint: String,
    data: Value,
}

impl World {
    fn refused(&self, reason: &Reason, kind: TokenKind, version: Version, call: bool) -> Said {
        let service = web::Data::from(Arc::clone(self.gateway.service(&ServiceId::from("mico")).unwrap()));
        let request = test::TestRequest::post().uri("/functions/v1/mcp").to_http_request();
        let cx = Cx { app: &self.app, gateway: &self.gateway, service: &service, request: &request };
        let accepted = Accepted { json: true, stream: true };
        let frame = Frame { id: Some(Id::echo("7")), version, call, kind, accepted, tool: None };
        let answer = render::refuse(cx, &frame, reason);
        assert_eq!(answer.decision, reason.label());
        let Body::Json(body) = answer.body else { panic!("no body") };
        let json: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!((&json["jsonrpc"], &json["id"]), (&json!("2.0"), &json!(7)), "{json}");
        let header =
            answer.header.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
        let said = |say, json: &Value, text: &Value| Said {
            say,
            number: json["error"]["code"].as_i64(),
            header,
            message: text["message"].as_str().unwrap().to_owned(),
            hint: text["hint"].as_str().or(json["error"]["data"]["hint"].as_str()).unwrap().to_owned(),
            data: json["error"]["data"].clone(),
        };
        if let Some(result) = json.get("result") {
            assert_eq!((answer.status.as_u16(), &result["isError"]), (200, &json!(true)));
            let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
            let names: Vec<_> = text.as_object().unwrap().keys().map(String::as_str).collect();
            assert_eq!(names, ["error", "code", "message", "hint", "status"]);
            assert_eq!(
                (&text["error"], text["code"].as_str()),
                (&text["message"], Some(reason.code().word()))
            );
            return said(Tool(u16::try_from(text["status"].as_u64().unwrap()).unwrap()), &json, &text);
        }
        let members: Vec<_> = json.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(json["error"]["data"]["code"], reason.code().word());
        if answer.status == StatusCode::OK {
            assert_eq!(members, ["jsonrpc", "id", "error"], "an extra member breaks the TypeScript SDK");
            return said(Error, &json, &json["error"]);
        }
        assert_eq!(members, ["jsonrpc", "id", "error", "code", "message"]);
        assert_eq!(
            (&json["code"], &json["message"]),
            (&json["error"]["data"]["code"], &json["error"]["message"])
        );
        said(Status(answer.status.as_u16()), &json, &json["error"])
    }
}

/// A world of each style.
async fn worlds() -> Vec<World> {
    let mut worlds = Vec::new();
    for style in STYLES {
        let service = format!("errors = \"{style}\"\nupgrade_url = \"https://mico.example/plans\"");
        worlds.push(World::new(&service, POLICY).await);
    }
    worlds
}

fn expected(row: &Row, style: usize, version: Version, call: bool) -> Option<Say> {
    if row.code == Code::MethodNotFound && version.is_modern() {
        return Some(Status(404));
    }
    if call { Some(row.says[style]) } else { row.outside.map(|outside| outside[style]) }
}

fn check_header(row: &Row, said: &Said, context: &str) {
    let header = said.header.as_ref().map(|(name, value)| (name.as_str(), value.as_str()));
    let metadata =
        "resource_metadata=\"http://127.0.0.1:8080/.well-known/oauth-protected-resource/functions/v1/mcp\"";
    match (row.code, said.say) {
        (Code::Unauthorized, _) => {
            let (name, value) = header.unwrap();
            assert_eq!((name, value.contains("error=")), ("www-authenticate", false), "{context}");
            assert!(value.starts_with(&format!("Bearer {metadata}")), "{context}: {value}");
        }
        (Code::InvalidToken, _) => {
            let (name, value) = header.unwrap();
            assert_eq!(name, "www-authenticate");
            assert!(value.starts_with("Bearer error=\"invalid_token\", "), "{context}: {value}");
        }
        (Code::MissingScope, Status(403)) => {
            let value =
                format!("Bearer error=\"insufficient_scope\", scope=\"mico:read mico:write\", {metadata}");
            assert_eq!(header, Some(("www-authenticate", value.as_str())), "{context}");
        }
        (Code::VerificationUnavailable, _) => assert_eq!(header, Some(("retry-after", "2")), "{context}"),
        (Code::MethodNotAllowed, _) => assert_eq!(header, Some(("allow", "POST, OPTIONS")), "{context}"),
        // its header comes with the reason that knows when to ask again
        (Code::RateLimited, _) => {}
        _ => assert_eq!(header, None, "{context}"),
    }
}

#[actix_web::test]
async fn every_refusal_is_said_as_the_list_says() {
    let (worlds, table) = (worlds().await, table());
    let mut checked = 0;
    for row in &table {
        let reason = (row.reason)();
        assert_eq!(reason.code(), row.code);
        let kinds = if row.kinds.is_empty() { &KINDS[..] } else { row.kinds };
        for (style, world) in worlds.iter().enumerate() {
            for version in Version::ALL {
                for (kind, call) in kinds.iter().flat_map(|kind| [(*kind, true), (*kind, false)]) {
                    let context = format!(
                        "{} ({}) in {}, {}, {kind:?}, call {call}",
                        row.code.word(),
                        row.when,
                        STYLES[style],
                        version.label()
                    );
                    let Some(say) = expected(row, style, version, call) else { continue };
                    let said = world.refused(&reason, kind, version, call);
                    assert_eq!(said.say, say, "{context}");
                    let number = if version.is_modern() { row.numbers.1 } else { row.numbers.0 };
                    assert!(said.number.is_none_or(|own| own == number), "{context}: {:?}", said.number);
                    assert!(!said.hint.is_empty() && said.hint != said.message, "{context}");
                    check_header(row, &said, &context);
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 3000, "{checked}");
    for code in Code::ALL {
        assert!(table.iter().any(|row| row.code == code), "{code:?} is not in the list");
    }
}

#[actix_web::test]
async fn a_plan_refusal_tells_programs_where_to_go() {
    let worlds = worlds().await;
    for (lack, feature) in [(PlanLack::NoPlan, json!("mcp")), (PlanLack::Inactive, Value::Null)] {
        let said = worlds[0].refused(&plan(lack, false), TokenKind::Pat, Version::V20250618, true);
        let names: Vec<_> = said.data.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names, ["code", "hint", "plan", "feature", "upgrade_url"]);
        assert_eq!((&said.data["feature"], &said.data["plan"]), (&feature, &json!("free")));
        assert!(said.hint.ends_with("https://mico.example/plans"));
    }
    let said = worlds[2].refused(&Reason::Blocked, TokenKind::Pat, Version::V20250618, true);
    assert!(said.hint.contains("Tell the person") && said.hint.contains("Do not retry"), "{}", said.hint);
}
