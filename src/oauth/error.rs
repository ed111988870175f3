//! What the authorization server says when it says no: a private reason for the log, a public code for the
//! client, bytes in one place.

use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};

use crate::http::answer;
use crate::http::strict::Unreadable;
use crate::oauth::authorize::PageFault;
use crate::store::StoreError;

/// Public codes: RFC 6749 §5.2 and §4.1.2.1, RFC 7009 §2.2.1, RFC 7591 §3.2.2, RFC 8707 §2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// A parameter is missing, malformed or repeated.
    InvalidRequest,
    /// The client is unknown or its proof is wrong: 401.
    InvalidClient,
    /// The code or token is not good.
    InvalidGrant,
    /// The client may not use this grant type.
    UnauthorizedClient,
    /// There is no such grant type here.
    UnsupportedGrantType,
    /// There is no such response type here.
    UnsupportedResponseType,
    /// Nothing of the scopes asked for can be had.
    InvalidScope,
    /// The resource is not one of ours, or not the grant's.
    InvalidTarget,
    /// The person said no.
    AccessDenied,
    /// `prompt=none` and nobody is signed in.
    LoginRequired,
    /// `prompt=none` and consent is always asked.
    ConsentRequired,
    /// Request objects are not read.
    RequestNotSupported,
    /// Request objects are not fetched.
    RequestUriNotSupported,
    /// A redirect URI that may not be registered.
    InvalidRedirectUri,
    /// Other registration metadata that cannot be.
    InvalidClientMetadata,
    /// A registration token is needed: 401.
    InvalidToken,
    /// A kind of token that is not revoked here.
    UnsupportedTokenType,
    /// Our trouble: 503. Never a reason to throw credentials away.
    TemporarilyUnavailable,
    /// Too much of it: 429.
    TooMany,
    /// A fault of ours: 500.
    ServerError,
}

impl Code {
    /// The code on the wire.
    pub const fn wire(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::InvalidClient => "invalid_client",
            Self::InvalidGrant => "invalid_grant",
            Self::UnauthorizedClient => "unauthorized_client",
            Self::UnsupportedGrantType => "unsupported_grant_type",
            Self::UnsupportedResponseType => "unsupported_response_type",
            Self::InvalidScope => "invalid_scope",
            Self::InvalidTarget => "invalid_target",
            Self::AccessDenied => "access_denied",
            Self::LoginRequired => "login_required",
            Self::ConsentRequired => "consent_required",
            Self::RequestNotSupported => "request_not_supported",
            Self::RequestUriNotSupported => "request_uri_not_supported",
            Self::InvalidRedirectUri => "invalid_redirect_uri",
            Self::InvalidClientMetadata => "invalid_client_metadata",
            Self::InvalidToken => "invalid_token",
            Self::UnsupportedTokenType => "unsupported_token_type",
            Self::TemporarilyUnavailable | Self::TooMany => "temporarily_unavailable",
            Self::ServerError => "server_error",
        }
    }

    /// The HTTP status where the code is not sent by redirect.
    pub const fn status(self) -> StatusCode {
        match self {
            Self::InvalidClient | Self::InvalidToken => StatusCode::UNAUTHORIZED,
            Self::TemporarilyUnavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Self::ServerError => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::BAD_REQUEST,
        }
    }
}

/// A refusal of an OAuth endpoint.
#[derive(Clone, Debug)]
pub struct OAuthError {
    /// What the client is told.
    pub code: Code,
    /// A sentence for its developer: fixed texts of plain ASCII, nothing of the request.
    pub description: &'static str,
    /// What the log is told.
    pub reason: &'static str,
    /// True if what was presented was never given to anybody: a guess.
    pub unheard_of: bool,
    status: Option<StatusCode>,
    challenge: Option<HeaderValue>,
    retry_after: Option<Duration>,
}

impl OAuthError {
    /// A refusal whose reason may be told.
    pub const fn new(code: Code, description: &'static str) -> Self {
        Self {
            code,
            description,
            reason: description,
            unheard_of: false,
            status: None,
            challenge: None,
            retry_after: None,
        }
    }

    /// The same with another word for the log.
    #[must_use]
    pub const fn because(mut self, reason: &'static str) -> Self {
        self.reason = reason;
        self
    }

    /// The same with a challenge, for clients that used the header.
    #[must_use]
    pub fn challenge(mut self, challenge: &'static str) -> Self {
        self.challenge = Some(HeaderValue::from_static(challenge));
        self
    }

    /// Too many, for this long.
    pub const fn too_many(wait: Duration) -> Self {
        let mut error = Self::new(Code::TooMany, "too many requests, ask again later");
        error.retry_after = Some(wait);
        error
    }

    /// One text for every grant that is not good: which check failed is nobody's business.
    pub const fn invalid_grant(reason: &'static str) -> Self {
        Self::new(Code::InvalidGrant, "the code or token is not valid").because(reason)
    }

    /// The same for a code or token that nobody was ever given.
    pub const fn unheard_of(reason: &'static str) -> Self {
        let mut error = Self::invalid_grant(reason);
        error.unheard_of = true;
        error
    }

    /// The bytes.
    pub fn response(&self) -> HttpResponse {
        let status = self.status.unwrap_or_else(|| self.code.status());
        let body = serde_json::json!({ "error": self.code.wire(), "error_description": self.description });
        let mut response = answer::json(status, &body);
        let headers = response.headers_mut();
        if let Some(challenge) = &self.challenge {
            headers.insert(header::WWW_AUTHENTICATE, challenge.clone());
        }
        if matches!(self.code, Code::TemporarilyUnavailable | Code::TooMany) {
            let seconds = self.retry_after.map_or(1, |wait| wait.as_millis().div_ceil(1000).max(1));
            let seconds = u64::try_from(seconds).unwrap_or(u64::MAX);
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<StoreError> for OAuthError {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, "an OAuth request failed on the store");
        Self::new(Code::TemporarilyUnavailable, "ask again in a moment").because("store")
    }
}

impl From<Unreadable> for OAuthError {
    fn from(fault: Unreadable) -> Self {
        let description = match fault {
            Unreadable::TooLarge => "the body is too large",
            Unreadable::NotForm => "the body must be application/x-www-form-urlencoded in UTF-8",
            Unreadable::NotJson => "the body must be application/json",
            Unreadable::Encoding => "a parameter is not valid percent-encoded UTF-8 text",
            Unreadable::Repeated => "a parameter is repeated",
            Unreadable::Limit => "there are too many parameters or one is too long",
            Unreadable::Broken => "the body did not arrive",
            Unreadable::Late => "the body did not arrive in time",
        };
        let mut error = Self::new(Code::InvalidRequest, description);
        error.status = Some(fault.status());
        error
    }
}

/// What the authorization endpoint answers to a program where a person gets a page: 400 whatever the code, for
/// there is no proof of the client's here that could be wrong.
impl From<PageFault> for OAuthError {
    fn from(fault: PageFault) -> Self {
        let mut error = match fault {
            PageFault::UnknownClient => {
                Self::new(Code::InvalidClient, "there is no such client, register again")
            }
            PageFault::Redirect => Self::new(Code::InvalidRequest, "redirect_uri is not one of the client's"),
            PageFault::Unreadable(fault) => fault.into(),
        };
        error.status = Some(StatusCode::BAD_REQUEST);
        error
    }
}
