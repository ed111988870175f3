//! The codes of refusals: one word each, and a JSON-RPC number for each era.
//!
//! 2026-07-28 reserves everything below -32000 for itself (Base Protocol › Error Codes), so there the
//! gateway's own numbers move out of that range.

/// What a refusal is called outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// No credentials where some are needed.
    Unauthorized,
    /// Credentials that are not good, for whatever reason.
    InvalidToken,
    /// A declared scope is missing.
    MissingScope,
    /// The workspace has no plan.
    NoPlan,
    /// The plan lacks a feature.
    FeatureNotIncluded,
    /// The workspace is inactive.
    SubscriptionInactive,
    /// The bill is overdue and the tool writes.
    WorkspaceBlocked,
    /// No credits are left.
    CreditsExhausted,
    /// A person has to confirm first.
    ConfirmationRequired,
    /// Arguments that cannot be used.
    InvalidArguments,
    /// Too many calls.
    RateLimited,
    /// No such tool, to this caller.
    UnknownTool,
    /// An operation of a REST API that the operator keeps away from models.
    OperationExcluded,
    /// No such resource.
    ResourceNotFound,
    /// Token or plan could not be checked.
    VerificationUnavailable,
    /// The upstream cannot be reached or understood.
    UpstreamUnavailable,
    /// The upstream took too long.
    UpstreamTimeout,
    /// The body is not JSON.
    ParseError,
    /// The body is no message, or the request no request.
    InvalidRequest,
    /// No such method.
    MethodNotFound,
    /// Parameters of the wrong shape.
    InvalidParams,
    /// A revision that is not served.
    UnsupportedVersion,
    /// The client did not declare what the method needs.
    MissingCapability,
    /// Headers and body disagree.
    HeaderMismatch,
    /// Nothing in `Accept` can be answered.
    NotAcceptable,
    /// The body is no `application/json`.
    UnsupportedMediaType,
    /// The body is too long.
    TooLarge,
    /// Not a POST.
    MethodNotAllowed,
    /// An `Origin` that is not allowed.
    OriginNotAllowed,
    /// No such session, to this caller; or not any more.
    SessionNotFound,
}

/// The number of a refusal for a tool's own plan feature: legacy, 2026-07-28.
const OWN_FEATURE: (i32, i32) = (-32010, -31010);

impl Code {
    /// Every code, in the order documents show them.
    pub const ALL: [Self; 30] = [
        Self::Unauthorized,
        Self::InvalidToken,
        Self::MissingScope,
        Self::NoPlan,
        Self::FeatureNotIncluded,
        Self::SubscriptionInactive,
        Self::WorkspaceBlocked,
        Self::CreditsExhausted,
        Self::ConfirmationRequired,
        Self::InvalidArguments,
        Self::RateLimited,
        Self::UnknownTool,
        Self::OperationExcluded,
        Self::ResourceNotFound,
        Self::VerificationUnavailable,
        Self::UpstreamUnavailable,
        Self::UpstreamTimeout,
        Self::ParseError,
        Self::InvalidRequest,
        Self::MethodNotFound,
        Self::InvalidParams,
        Self::UnsupportedVersion,
        Self::MissingCapability,
        Self::HeaderMismatch,
        Self::NotAcceptable,
        Self::UnsupportedMediaType,
        Self::TooLarge,
        Self::MethodNotAllowed,
        Self::OriginNotAllowed,
        Self::SessionNotFound,
    ];

    /// Word, number up to 2025-11-25, number in 2026-07-28.
    const fn row(self) -> (&'static str, i32, i32) {
        match self {
            Self::Unauthorized => ("unauthorized", -32001, -31001),
            Self::InvalidToken => ("invalid_token", -32001, -31001),
            Self::MissingScope => ("missing_scope", -32002, -31002),
            Self::NoPlan => ("no_plan", -32002, -31002),
            Self::FeatureNotIncluded => ("feature_not_included", -32002, -31002),
            Self::SubscriptionInactive => ("subscription_inactive", -32002, -31002),
            Self::WorkspaceBlocked => ("workspace_blocked", -32002, -31002),
            Self::CreditsExhausted => ("credits_exhausted", -32002, -31002),
            Self::ConfirmationRequired => ("confirmation_required", -32011, -31011),
            Self::InvalidArguments => ("invalid_arguments", -32011, -31011),
            Self::RateLimited => ("rate_limited", -32004, -31004),
            Self::UnknownTool => ("unknown_tool", -32602, -32602),
            Self::OperationExcluded => ("operation_excluded", -32602, -32602),
            Self::ResourceNotFound => ("resource_not_found", -32002, -32602),
            Self::VerificationUnavailable => ("verification_unavailable", -32099, -32603),
            Self::UpstreamUnavailable => ("upstream_unavailable", -32099, -32603),
            Self::UpstreamTimeout => ("upstream_timeout", -32099, -32603),
            Self::ParseError => ("parse_error", -32700, -32700),
            Self::InvalidRequest => ("invalid_request", -32600, -32600),
            Self::MethodNotFound => ("method_not_found", -32601, -32601),
            Self::InvalidParams => ("invalid_params", -32602, -32602),
            // older clients know nothing of -32022 and must not see it
            Self::UnsupportedVersion => ("unsupported_version", -32600, -32022),
            Self::MissingCapability => ("missing_capability", -32600, -32021),
            Self::HeaderMismatch => ("header_mismatch", -32600, -32020),
            Self::NotAcceptable => ("not_acceptable", -32600, -32600),
            Self::UnsupportedMediaType => ("unsupported_media_type", -32600, -32600),
            Self::TooLarge => ("too_large", -32600, -32600),
            Self::MethodNotAllowed => ("method_not_allowed", -32600, -32600),
            Self::OriginNotAllowed => ("origin_not_allowed", -32600, -32600),
            Self::SessionNotFound => ("session_not_found", -32600, -32600),
        }
    }

    /// The word.
    pub const fn word(self) -> &'static str {
        self.row().0
    }

    /// The code of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.word() == word)
    }

    /// The JSON-RPC number. `own_feature` is for plan refusals that come from the tool, not the service.
    pub const fn number(self, modern: bool, own_feature: bool) -> i32 {
        let (legacy_number, modern_number) = match self {
            Self::NoPlan | Self::FeatureNotIncluded if own_feature => OWN_FEATURE,
            _ => (self.row().1, self.row().2),
        };
        if modern { modern_number } else { legacy_number }
    }
}

/// True for a number that an operator may give a refusal: JSON-RPC keeps -32768 to -32100 for itself, but for the
/// numbers it defines; 2026-07-28 keeps everything up to -32000, and older clients know nothing of its own three.
pub fn may_be_emitted(number: i64, modern: bool) -> bool {
    let standard = matches!(number, -32700 | -32603..=-32600);
    let reserved = if modern { -32768..=-32000 } else { -32768..=-32100 };
    standard || !(reserved.contains(&number) || (-32022..=-32020).contains(&number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_unique_and_the_table_is_complete() {
        let words: std::collections::HashSet<_> = Code::ALL.iter().map(|code| code.word()).collect();
        assert_eq!(words.len(), Code::ALL.len());
        assert!(Code::ALL.iter().all(|code| Code::from_word(code.word()) == Some(*code)));
    }

    #[test]
    fn the_modern_range_holds_only_what_its_revision_defines() {
        for code in Code::ALL {
            for own in [false, true] {
                let number = code.number(true, own);
                let defined = matches!(number, -32700 | -32022..=-32020);
                let defined = defined || matches!(number, -32603..=-32600);
                assert!(number > -32000 || defined, "{code:?} {number}");
                assert!(!(-32022..=-32020).contains(&code.number(false, own)), "{code:?}");
            }
        }
    }
}
