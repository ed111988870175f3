//! Why a request is refused: the rich reason inside, one public code outside.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use super::remote::talk::OWN_SESSION_GONE;
use crate::domain::decide::PlanLack;
use crate::domain::ids::PlanId;
use crate::domain::verified::TokenKind;
use crate::mcp::error::Code;
use crate::upstream::client::Failure;

/// A reason, with all that is known. What of it is told is [`super::words`]'s business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// An `Origin` that is not allowed.
    Origin,
    /// More than one `Authorization`, or one that is no credential at all.
    Authorization(&'static str),
    /// No credentials. True where a public tool stands beside the protected one that was asked.
    NoCredentials(bool),
    /// Bad credentials; the word is for logs.
    BadCredentials(&'static str),
    /// Token or plan could not be checked; the word is for logs.
    Unverifiable(&'static str),
    /// Not a POST.
    Method,
    /// No session id where one is needed.
    NoSession,
    /// To this caller there is no such session; the word is for logs.
    Session(&'static str),
    /// Too many streams are open.
    Streams,
    /// The plan lacks something.
    Plan(Box<PlanFacts>),
    /// Nothing in `Accept` can be answered.
    NotAcceptable,
    /// The body is no JSON by its own account.
    MediaType,
    /// The body is longer than this.
    TooLarge(usize),
    /// The body broke off.
    BodyBroken,
    /// The body is no JSON.
    Parse,
    /// The body is no message.
    Invalid(&'static str),
    /// No such method.
    NoMethod,
    /// Parameters of the wrong shape.
    Params(&'static str),
    /// A stateless request without what it has to say of itself.
    MetaMissing(&'static str),
    /// A revision that is not served.
    Version(Box<str>),
    /// A header says something else than the body.
    Mismatch(&'static str),
    /// To this caller there is no such tool; the word is for logs.
    UnknownTool(&'static str, Box<str>),
    /// To this caller there is no such operation of a REST API: the word is for logs, then its id, and the tool that
    /// finds others.
    UnknownOperation(&'static str, Box<(Box<str>, String)>),
    /// An operation that the operator keeps away from models.
    Excluded(Arc<Barred>),
    /// To this caller there is no such prompt; the word is for logs.
    UnknownPrompt(&'static str, Box<str>),
    /// To this caller there is no such resource; the word is for logs.
    NoResource(&'static str, Box<str>),
    /// Declared scopes are missing: what the operation needs, and what a step-up should ask for.
    MissingScope(Box<ScopeFacts>),
    /// The bill is overdue and the tool writes.
    Blocked,
    /// Called too often; how long to wait.
    Rate(Duration),
    /// The credits of the month do not suffice.
    Credits(Box<CreditFacts>),
    /// A person has to confirm; what would be lost, and whether an intent is asked for.
    Confirm(Box<str>, bool),
    /// Arguments that cannot be used.
    Arguments(Box<str>),
    /// An idempotency key that cannot be used.
    Key(&'static str),
    /// The upstream cannot be reached or understood; the word is for logs.
    Unavailable(&'static str),
    /// The upstream took too long.
    Timeout,
    /// A worker's own no, where it is said as a JSON-RPC error: code, message.
    Worker(Code, Box<str>),
}

/// An operation that no model may call, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Barred {
    /// Its id.
    pub operation: Box<str>,
    /// Why.
    pub reason: Box<str>,
    /// What to do in its place.
    pub instead: Option<Box<str>>,
}

/// What a plan refusal knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanFacts {
    /// What is lacking.
    pub lack: PlanLack,
    /// The feature.
    pub feature: Option<String>,
    /// The plan the workspace is on.
    pub plan: Option<PlanId>,
    /// True if the tool itself asks for the feature.
    pub own: bool,
}

/// What a refusal for want of credits knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditFacts {
    /// The plan the workspace is on.
    pub plan: PlanId,
    /// What the call costs.
    pub cost: u64,
    /// What is left; below zero where more was used.
    pub left: i64,
    /// The day on which there are new ones.
    pub renews: String,
}

/// What a scope refusal knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeFacts {
    /// What the operation needs.
    pub needed: String,
    /// What a step-up should ask for: that and what is granted, since some clients replace instead of adding.
    pub ask: String,
    /// A PAT cannot step up.
    pub kind: TokenKind,
}

impl Reason {
    /// The public code.
    pub fn code(&self) -> Code {
        match self {
            Self::Origin => Code::OriginNotAllowed,
            Self::Authorization(_) | Self::BodyBroken | Self::Invalid(_) | Self::NoSession => {
                Code::InvalidRequest
            }
            Self::Session(_) => Code::SessionNotFound,
            Self::NoCredentials(_) => Code::Unauthorized,
            Self::BadCredentials(_) => Code::InvalidToken,
            Self::Unverifiable(_) => Code::VerificationUnavailable,
            Self::Method => Code::MethodNotAllowed,
            Self::Plan(facts) => match facts.lack {
                PlanLack::NoPlan => Code::NoPlan,
                PlanLack::FeatureNotIncluded => Code::FeatureNotIncluded,
                PlanLack::Inactive => Code::SubscriptionInactive,
            },
            Self::NotAcceptable => Code::NotAcceptable,
            Self::MediaType => Code::UnsupportedMediaType,
            Self::TooLarge(_) => Code::TooLarge,
            Self::Parse => Code::ParseError,
            Self::NoMethod => Code::MethodNotFound,
            Self::Params(_) | Self::MetaMissing(_) | Self::UnknownPrompt(..) => Code::InvalidParams,
            Self::Version(_) => Code::UnsupportedVersion,
            Self::Mismatch(_) => Code::HeaderMismatch,
            Self::UnknownTool(..) | Self::UnknownOperation(..) => Code::UnknownTool,
            Self::Excluded(_) => Code::OperationExcluded,
            Self::NoResource(..) => Code::ResourceNotFound,
            Self::MissingScope(_) => Code::MissingScope,
            Self::Blocked => Code::WorkspaceBlocked,
            Self::Rate(_) | Self::Streams => Code::RateLimited,
            Self::Credits(_) => Code::CreditsExhausted,
            Self::Confirm(..) => Code::ConfirmationRequired,
            Self::Arguments(_) | Self::Key(_) => Code::InvalidArguments,
            Self::Unavailable(_) => Code::UpstreamUnavailable,
            Self::Timeout => Code::UpstreamTimeout,
            Self::Worker(code, _) => *code,
        }
    }

    /// The word for logs and metrics: more than is told outside, never anything a client wrote.
    pub fn label(&self) -> &'static str {
        match self {
            Self::Authorization(label)
            | Self::BadCredentials(label)
            | Self::Unverifiable(label)
            | Self::UnknownTool(label, _)
            | Self::UnknownOperation(label, _)
            | Self::UnknownPrompt(label, _)
            | Self::NoResource(label, _)
            | Self::Session(label)
            | Self::Unavailable(label) => label,
            Self::NoSession => "session_missing",
            Self::Streams => "streams_limited",
            Self::MetaMissing(_) => "meta_missing",
            Self::BodyBroken => "body_broken",
            other => other.code().word(),
        }
    }

    /// The status where it is told by status, and the `status` that a result tells.
    pub fn status(&self) -> u16 {
        match self.code() {
            Code::Unauthorized | Code::InvalidToken => 401,
            Code::NoPlan | Code::FeatureNotIncluded | Code::SubscriptionInactive | Code::CreditsExhausted => {
                402
            }
            Code::MissingScope
            | Code::WorkspaceBlocked
            | Code::OperationExcluded
            | Code::OriginNotAllowed => 403,
            Code::ResourceNotFound | Code::MethodNotFound | Code::UnknownTool | Code::SessionNotFound => 404,
            Code::MethodNotAllowed => 405,
            Code::NotAcceptable => 406,
            Code::TooLarge => 413,
            Code::UnsupportedMediaType => 415,
            Code::ConfirmationRequired => 428,
            Code::RateLimited => 429,
            Code::UpstreamUnavailable => 502,
            Code::VerificationUnavailable => 503,
            Code::UpstreamTimeout => 504,
            Code::InvalidArguments
            | Code::ParseError
            | Code::InvalidRequest
            | Code::InvalidParams
            | Code::UnsupportedVersion
            | Code::MissingCapability
            | Code::HeaderMismatch => 400,
        }
    }

    /// A plan refusal.
    pub fn plan(lack: PlanLack, feature: Option<&str>, plan: Option<&PlanId>, own: bool) -> Self {
        Self::Plan(Box::new(PlanFacts {
            lack,
            feature: feature.map(str::to_owned),
            plan: plan.cloned(),
            own,
        }))
    }

    /// Whole seconds until a call may come again, where that is why; never too few, and at least one.
    pub fn retry_after(&self) -> Option<u64> {
        match self {
            Self::Rate(wait) => {
                Some(wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).map(|wait| wait.max(1))
            }
            Self::Streams => Some(5),
            _ => None,
        }
    }

    /// What outside is told of a tool's own text: never longer than a line.
    pub fn unknown_tool(label: &'static str, name: &str) -> Self {
        Self::UnknownTool(label, line(name))
    }

    /// The same for an operation; `search` is the tool that finds others.
    pub fn unknown_operation(label: &'static str, id: &str, search: String) -> Self {
        Self::UnknownOperation(label, Box::new((line(id), search)))
    }

    /// The same for a prompt.
    pub fn unknown_prompt(label: &'static str, name: &str) -> Self {
        Self::UnknownPrompt(label, line(name))
    }
}

/// What is said of a name that a client sent: never longer than a line.
fn line(name: &str) -> Box<str> {
    name.chars().take(128).collect()
}

impl From<Failure> for Reason {
    fn from(failure: Failure) -> Self {
        match failure {
            OWN_SESSION_GONE => Self::Session("session_gone_upstream"),
            Failure::Unavailable(label) => Self::Unavailable(label),
            Failure::Timeout => Self::Timeout,
        }
    }
}

/// A message and what to do about it.
pub type Words = (Cow<'static, str>, Cow<'static, str>);
