//! What a refusal says: a message for people, a hint for whoever has to act on it, data for programs.
//!
//! Nothing here says which check failed where that would help somebody who is guessing.

use std::borrow::Cow;

use serde::Serialize;

use super::refusal::{Barred, CreditFacts, Reason, Words};
use super::service::Service;
use crate::domain::decide::PlanLack;
use crate::domain::ids::PlanId;
use crate::mcp::error::{self, Code};
use crate::mcp::version::Version;

const fn fixed(message: &'static str, hint: &'static str) -> Words {
    (Cow::Borrowed(message), Cow::Borrowed(hint))
}

/// Message and hint.
pub fn words(reason: &Reason, service: &Service) -> Words {
    match reason {
        Reason::Origin => fixed(
            "This origin may not call this endpoint.",
            "Add it to allowed_origins, or call from this machine.",
        ),
        Reason::Authorization(_) => {
            fixed("The Authorization header is malformed.", "Send one header: Authorization: Bearer TOKEN.")
        }
        Reason::NoCredentials(_) => {
            fixed("Authentication is required.", "Sign in, or send a token as Authorization: Bearer TOKEN.")
        }
        Reason::BadCredentials("doubled_scheme") => {
            fixed("The token is not valid.", "The header says Bearer twice; say it once.")
        }
        Reason::BadCredentials(_) => fixed("The token is not valid.", "Sign in again, or make a new token."),
        Reason::Unverifiable("call_not_recorded") => fixed(
            "The call could not be written down, so it was not made.",
            "Try again in a moment, with the same idempotency key.",
        ),
        Reason::Unverifiable(_) => fixed(
            "Token or plan could not be verified.",
            "Try again in a moment; the token is not the problem.",
        ),
        Reason::Method => fixed("This endpoint takes POST alone.", "Send each message as a POST."),
        Reason::Plan(facts) => plan(facts.lack, service),
        Reason::NotAcceptable => {
            fixed("Nothing in Accept can be answered.", "Send Accept: application/json, text/event-stream.")
        }
        Reason::MediaType => fixed(
            "The body is not application/json.",
            "Send Content-Type: application/json and no Content-Encoding.",
        ),
        Reason::TooLarge(limit) => (
            Cow::Owned(format!("The body is longer than {limit} bytes.")),
            Cow::Borrowed("Send less at once."),
        ),
        Reason::BodyBroken => fixed("The body broke off.", "Send it again."),
        Reason::Parse => {
            fixed("Parse error: the body is not JSON.", "Send one JSON-RPC 2.0 message in UTF-8.")
        }
        Reason::Invalid(what) => {
            (Cow::Owned(format!("Invalid request: {what}.")), Cow::Borrowed("Send one JSON-RPC 2.0 message."))
        }
        Reason::NoMethod => fixed("Method not found.", "See the capabilities of this server."),
        Reason::Params(what) => {
            (Cow::Owned(format!("Invalid params: {what}.")), Cow::Borrowed("Correct the parameters."))
        }
        Reason::MetaMissing(what) => (
            Cow::Owned(format!("Invalid params: _meta needs {what}.")),
            Cow::Borrowed("Every request of this revision says its version and capabilities in _meta."),
        ),
        other => of_calls(other, service),
    }
}

fn plan(lack: PlanLack, service: &Service) -> Words {
    let (message, hint) = match lack {
        PlanLack::NoPlan => ("This workspace has no plan.", "Choose a plan that includes this."),
        PlanLack::FeatureNotIncluded => {
            ("The plan does not include this.", "Change to a plan that includes it.")
        }
        PlanLack::Inactive => {
            ("The subscription of this workspace is not active.", "Renew the subscription.")
        }
    };
    let hint = match &service.upgrade_url {
        Some(url) => Cow::Owned(format!("{hint} {url}")),
        None => Cow::Borrowed(hint),
    };
    (Cow::Borrowed(message), hint)
}

fn of_calls(reason: &Reason, service: &Service) -> Words {
    match reason {
        Reason::Version(requested) => (
            Cow::Owned(format!(
                "Unsupported protocol version: {}.",
                requested.chars().take(32).collect::<String>()
            )),
            Cow::Borrowed("Use one of the supported versions."),
        ),
        Reason::Mismatch(header) => (
            Cow::Owned(format!("Header mismatch: {header}.")),
            Cow::Borrowed("Headers have to repeat what the body says."),
        ),
        Reason::UnknownTool(_, name) => (
            Cow::Owned(format!("Unknown tool: {name}")),
            Cow::Borrowed("Ask tools/list which tools there are."),
        ),
        Reason::UnknownOperation(_, of) => unknown_operation(&of.0, &of.1),
        Reason::Excluded(barred) => excluded(barred),
        Reason::UnknownPrompt(_, name) => (
            Cow::Owned(format!("Unknown prompt: {name}")),
            Cow::Borrowed("Ask prompts/list which prompts there are."),
        ),
        Reason::NoResource(_, uri) => (
            Cow::Owned(format!("Resource not found: {uri}")),
            Cow::Borrowed("Ask resources/list and resources/templates/list which resources there are."),
        ),
        Reason::MissingScope(facts) => (
            Cow::Owned(format!("This needs the permission {}.", facts.needed)),
            Cow::Borrowed("Connect again and allow it, or use a token that has it."),
        ),
        Reason::Blocked => fixed(
            "This workspace has an overdue bill: it can read, but not change anything.",
            "Tell the person that the bill is overdue. Do not retry.",
        ),
        Reason::Rate(_) => rate(reason.retry_after().unwrap_or(1)),
        Reason::Credits(facts) => credits(facts, service),
        Reason::Confirm(loss, true) => {
            confirm(loss, "confirm: true and user_intent, what the person wants in 1 to 500 characters")
        }
        Reason::Confirm(loss, false) => confirm(loss, "confirm: true"),
        Reason::Arguments(what) => (Cow::Owned(what.clone().into()), Cow::Borrowed("Correct the arguments.")),
        Reason::Key(what) => (
            Cow::Owned(format!("Idempotency-Key: {what}.")),
            Cow::Borrowed("Repeat a call unchanged under its key; use a new key for every new call."),
        ),
        Reason::Unavailable("answer_not_kept") => fixed(
            "This call was done before. Its answer was too long to be kept and cannot be repeated.",
            "Do not call it again under another key: read with another tool what it did.",
        ),
        Reason::Timeout => fixed(
            "The service behind this tool took too long.",
            "Try again later; what was asked may still be happening.",
        ),
        Reason::Worker(_, message) => (Cow::Owned(message.clone().into()), Cow::Borrowed("See the message.")),
        _ => fixed("The service behind this tool is not available.", "Try again later."),
    }
}

fn unknown_operation(id: &str, search: &str) -> Words {
    (Cow::Owned(format!("Unknown operation: {id}")), Cow::Owned(format!("Find operations with {search}.")))
}

fn excluded(barred: &Barred) -> Words {
    let instead = match &barred.instead {
        Some(instead) => Cow::Owned(format!("Instead: {instead}")),
        None => Cow::Borrowed("Tell the person that this is not possible here."),
    };
    (Cow::Owned(format!("{} cannot be called here. {}", barred.operation, barred.reason)), instead)
}

fn rate(seconds: u64) -> Words {
    let unit = if seconds == 1 { "second" } else { "seconds" };
    (
        Cow::Borrowed("Too many calls in a short time."),
        Cow::Owned(format!("Wait {seconds} {unit}, then call again.")),
    )
}

fn credits(facts: &CreditFacts, service: &Service) -> Words {
    let CreditFacts { cost, left, renews, .. } = facts;
    let url = service.upgrade_url.as_ref().map(|url| format!(": {url}")).unwrap_or_default();
    let left = (*left).max(0);
    (
        Cow::Owned(format!("Not enough credits: this costs {cost}, and this month has {left} left.")),
        Cow::Owned(format!(
            "Tell the person. New credits come on {renews} (UTC), and a bigger plan has more{url}"
        )),
    )
}

fn confirm(loss: &str, what: &str) -> Words {
    (
        Cow::Owned(format!("This has to be confirmed first. {loss}").trim_end().to_owned()),
        Cow::Owned(format!("Ask the person. If they agree, repeat the call with {what}.")),
    )
}

/// The `data` of a refusal: its code, the hint, and what a program can use.
#[derive(Debug, Serialize)]
pub struct Data<'a> {
    code: &'static str,
    hint: &'a str,
    #[serde(flatten)]
    more: Option<More<'a>>,
}

/// What some refusals tell beside.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum More<'a> {
    Plan { plan: Option<&'a str>, feature: Option<&'a str>, upgrade_url: Option<&'a str> },
    Scope { scope: &'a str },
    Resource { uri: &'a str },
    Rate { retry_after: u64 },
    Version { supported: Vec<&'static str>, requested: String },
}

/// What a program is told of a refusal.
pub fn data<'a>(reason: &'a Reason, hint: &'a str, service: &'a Service) -> Data<'a> {
    let more = match reason {
        Reason::Plan(facts) => Some(More::Plan {
            plan: facts.plan.as_ref().map(PlanId::as_str),
            feature: facts.feature.as_deref(),
            upgrade_url: service.upgrade_url.as_deref(),
        }),
        Reason::Credits(facts) => Some(More::Plan {
            plan: Some(facts.plan.as_str()),
            feature: None,
            upgrade_url: service.upgrade_url.as_deref(),
        }),
        Reason::Rate(_) => reason.retry_after().map(|retry_after| More::Rate { retry_after }),
        Reason::MissingScope(facts) => Some(More::Scope { scope: &facts.needed }),
        Reason::NoResource(_, uri) => Some(More::Resource { uri }),
        Reason::Version(requested) => Some(More::Version {
            supported: service.versions.iter().map(Version::label).collect(),
            requested: requested.chars().take(32).collect(),
        }),
        _ => None,
    };
    Data { code: reason.code().word(), hint, more }
}

/// The JSON-RPC number: the service's own, or the table's.
pub fn number(reason: &Reason, modern: bool, service: &Service) -> i64 {
    let code = reason.code();
    // the protocol's own numbers are not the operator's to change
    let standard = matches!(
        code,
        Code::ParseError
            | Code::InvalidRequest
            | Code::MethodNotFound
            | Code::InvalidParams
            | Code::UnsupportedVersion
    );
    let own = service.error_codes.iter().find(|(own, _)| *own == code && !standard);
    // a number of the operator's that one revision keeps for itself is said in the others alone
    let own = own.filter(|(_, number)| error::may_be_emitted(*number, modern));
    let own_feature = matches!(reason, Reason::Plan(facts) if facts.own);
    own.map_or_else(|| i64::from(code.number(modern, own_feature)), |(_, number)| *number)
}
