//! From a reason to bytes: the one place where refusals get their form.
//!
//! Three styles of saying no (by status, as JSON-RPC errors, as tool results) differ only in [`form`]; the
//! words, numbers and data are the same.

use actix_web::http::header::{ALLOW, HeaderValue, RETRY_AFTER, USER_AGENT, WWW_AUTHENTICATE};
use actix_web::http::{Method, StatusCode};
use serde::Serialize;
use serde_json::json;

use super::answer::Answer;
use super::call::{Cx, Frame};
use super::challenge::Challenge;
use super::refusal::Reason;
use super::service::Service;
use super::{session, words};
use crate::config::{AnonymousChallenge, ErrorStyle, ErrorText, UpstreamErrors};
use crate::domain::verified::TokenKind;
use crate::mcp::error::Code;
use crate::mcp::result::{self, ToolText};

/// How long a client waits before it asks again.
const RETRY: HeaderValue = HeaderValue::from_static("2");
const ALLOWED: HeaderValue = HeaderValue::from_static("POST, OPTIONS");

/// What of this endpoint is left to who was refused a method.
fn allowed(cx: Cx<'_>) -> HeaderValue {
    if !session::keeps(cx.service) {
        return ALLOWED;
    }
    HeaderValue::from_static(match *cx.request.method() {
        Method::GET | Method::HEAD => "POST, DELETE, OPTIONS",
        Method::DELETE => "GET, POST, OPTIONS",
        _ => "GET, POST, DELETE, OPTIONS",
    })
}

/// The form of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// An HTTP status.
    Status(u16),
    /// HTTP 200 and a JSON-RPC error.
    Error,
    /// HTTP 200 and a tool result with `isError`.
    Result,
}

/// The answer of a refused request.
pub fn refuse(cx: Cx<'_>, frame: &Frame<'_>, reason: &Reason) -> Answer {
    match form(cx, frame, reason) {
        Form::Status(status) => by_status(cx, frame, reason, status),
        Form::Error => Answer::json(error(cx.service, frame, reason, 200), reason.label()),
        Form::Result => Answer::json(result_of(cx, frame, reason), reason.label()),
    }
}

fn result_of(cx: Cx<'_>, frame: &Frame<'_>, reason: &Reason) -> Vec<u8> {
    let challenge = matches!(reason, Reason::NoCredentials(_)).then(|| &challenge_of(cx).plain);
    tool(cx.service, frame, reason, challenge)
}

/// A refusal between the answers of a batch, where none has a status of its own.
pub fn in_batch(cx: Cx<'_>, frame: &Frame<'_>, reason: &Reason) -> Vec<u8> {
    match form(cx, frame, reason) {
        Form::Status(_) | Form::Error => error(cx.service, frame, reason, 200),
        Form::Result => result_of(cx, frame, reason),
    }
}

/// True if a refusal is said by its status.
pub fn is_by_status(cx: Cx<'_>, frame: &Frame<'_>, reason: &Reason) -> bool {
    matches!(form(cx, frame, reason), Form::Status(_))
}

/// A refusal by HTTP status, with the header that goes with it.
pub fn by_status(cx: Cx<'_>, frame: &Frame<'_>, reason: &Reason, status: u16) -> Answer {
    let challenge = challenge_of(cx);
    let mut answer = Answer::json(error(cx.service, frame, reason, status), reason.label());
    answer.status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    answer.header = match reason {
        Reason::NoCredentials(_) => Some((WWW_AUTHENTICATE, challenge.plain.clone())),
        Reason::BadCredentials(_) => Some((WWW_AUTHENTICATE, challenge.invalid.clone())),
        // a personal token cannot step up: a challenge would send its client to a sign-in that changes nothing.
        // The token of an external issuer is an OAuth token too: its client asks that issuer for more.
        Reason::MissingScope(facts) if facts.kind != TokenKind::Pat => {
            challenge.step_up(&facts.ask).map(|value| (WWW_AUTHENTICATE, value))
        }
        Reason::Method => Some((ALLOW, allowed(cx))),
        Reason::Unverifiable(_) => Some((RETRY_AFTER, RETRY)),
        Reason::Rate(_) | Reason::Streams => {
            reason.retry_after().map(|seconds| (RETRY_AFTER, HeaderValue::from(seconds)))
        }
        _ => None,
    };
    answer
}

/// A refusal inside a stream, where the status has long been sent.
pub fn in_stream(service: &Service, frame: &Frame<'_>, reason: &Reason) -> Vec<u8> {
    match service.style.errors {
        ErrorStyle::Jsonrpc => error(service, frame, reason, 200),
        ErrorStyle::Http | ErrorStyle::Tool => tool(service, frame, reason, None),
    }
}

/// The challenge of the spelling that was asked for: clients compare the metadata with the URL they typed.
fn challenge_of(cx: Cx<'_>) -> &Challenge {
    let slash = |path: &str| path.len() > 1 && path.ends_with('/');
    if slash(cx.request.path()) == slash(&cx.service.path) {
        &cx.service.challenge
    } else {
        &cx.service.twin_challenge
    }
}

fn form(cx: Cx<'_>, frame: &Frame<'_>, reason: &Reason) -> Form {
    let style = cx.service.style;
    let by_style = |http: Form| match style.errors {
        ErrorStyle::Http => http,
        ErrorStyle::Jsonrpc => Form::Error,
        ErrorStyle::Tool => Form::Result,
    };
    let result = if style.errors == ErrorStyle::Jsonrpc { Form::Error } else { Form::Result };
    let wanted = match reason.code() {
        Code::Unauthorized if frame.call && says_in_result(cx, reason) => Form::Result,
        Code::Unauthorized
        | Code::InvalidToken
        | Code::OriginNotAllowed
        | Code::MethodNotAllowed
        | Code::NotAcceptable
        | Code::UnsupportedMediaType
        | Code::TooLarge
        | Code::VerificationUnavailable
        | Code::SessionNotFound
        // what the stateless revision demands by status
        | Code::UnsupportedVersion
        | Code::MissingCapability
        | Code::HeaderMismatch => return Form::Status(reason.status()),
        // clients wait for a status, and no result can say it outside of calls
        Code::RateLimited if style.errors == ErrorStyle::Jsonrpc || !frame.call => Form::Status(429),
        Code::ParseError | Code::InvalidRequest => {
            return match (style.errors, reason) {
                (ErrorStyle::Http, _) | (_, Reason::Authorization(_) | Reason::NoSession) => Form::Status(400),
                _ => Form::Error,
            };
        }
        Code::MethodNotFound if frame.version.is_modern() => return Form::Status(404),
        Code::InvalidParams if matches!(reason, Reason::MetaMissing(_)) => return Form::Status(400),
        Code::MethodNotFound | Code::InvalidParams | Code::UnknownTool | Code::ResourceNotFound => Form::Error,
        // the reason and the way round are for the model to read, whatever the style
        Code::OperationExcluded => Form::Result,
        Code::ConfirmationRequired | Code::InvalidArguments | Code::WorkspaceBlocked => result,
        Code::MissingScope if frame.kind == TokenKind::Pat => result,
        Code::MissingScope
        | Code::NoPlan
        | Code::FeatureNotIncluded
        | Code::SubscriptionInactive
        | Code::CreditsExhausted
        | Code::RateLimited => by_style(Form::Status(reason.status())),
        Code::UpstreamUnavailable | Code::UpstreamTimeout => match style.upstream {
            UpstreamErrors::Status => Form::Status(reason.status()),
            UpstreamErrors::Result => result,
        },
    };
    match wanted {
        // nothing that is answered 200 can go without an id: the client would wait for ever
        Form::Error | Form::Result if frame.id.is_none() => Form::Status(reason.status()),
        Form::Result if !frame.call => Form::Error,
        wanted => wanted,
    }
}

/// ChatGPT opens its sign-in for a result that carries the challenge, Claude and most others for a 401.
fn says_in_result(cx: Cx<'_>, reason: &Reason) -> bool {
    let chatgpt = || cx.header(&USER_AGENT).is_some_and(|agent| agent.starts_with("openai-mcp/"));
    *reason == Reason::NoCredentials(true)
        && match cx.service.style.anonymous {
            AnonymousChallenge::Http => false,
            AnonymousChallenge::Result => true,
            AnonymousChallenge::Auto => chatgpt(),
        }
}

/// A JSON-RPC error. From status 400 on, code and message stand at the top too, for readers that know nothing
/// of JSON-RPC; at 200 an extra member would break the TypeScript SDK.
fn error(service: &Service, frame: &Frame<'_>, reason: &Reason, status: u16) -> Vec<u8> {
    let (message, hint) = words::words(reason, service);
    let mut out = Vec::with_capacity(512);
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    out.extend_from_slice(frame.id.map_or("null", |id| id.as_json()).as_bytes());
    let number = words::number(reason, frame.version.is_modern(), service);
    out.extend_from_slice(b",\"error\":{\"code\":");
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    out.extend_from_slice(b",\"message\":");
    result::write_string(&mut out, &message);
    out.extend_from_slice(b",\"data\":");
    write(&mut out, &words::data(reason, &hint, service));
    out.push(b'}');
    if status >= 400 {
        out.extend_from_slice(b",\"code\":");
        result::write_string(&mut out, reason.code().word());
        out.extend_from_slice(b",\"message\":");
        result::write_string(&mut out, &message);
    }
    out.push(b'}');
    out
}

/// Writing into memory cannot fail.
fn write(out: &mut Vec<u8>, value: &impl Serialize) {
    let _ = serde_json::to_writer(out, value);
}

/// The text of a tool result that says no, for models that read JSON.
#[derive(Serialize)]
struct Said<'a> {
    error: &'a str,
    code: &'a str,
    message: &'a str,
    hint: &'a str,
    status: u16,
}

/// A tool result that says no.
fn tool(service: &Service, frame: &Frame<'_>, reason: &Reason, challenge: Option<&HeaderValue>) -> Vec<u8> {
    let Some(id) = frame.id else { return error(service, frame, reason, 200) };
    let (message, hint) = words::words(reason, service);
    let text = match service.style.text {
        ErrorText::Plain => message.into_owned(),
        ErrorText::Json => {
            let (message, code) = (&*message, reason.code().word());
            let said = Said { error: message, code, message, hint: &hint, status: reason.status() };
            serde_json::to_string(&said).unwrap_or_default()
        }
    };
    let challenge = challenge.and_then(|value| value.to_str().ok());
    let meta =
        challenge.map(|text| format!("\"mcp/www_authenticate\":{}", json!([text]))).unwrap_or_default();
    let content = ToolText { text: &text, is_error: true, structured: None, meta: &meta };
    result::tool(id, frame.version, &service.info.trailer, content)
}
