//! The methods a client may call.

/// A method that is known here; anything else is no method of this server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The handshake of the revisions up to 2025-11-25.
    Initialize,
    /// What the stateless revision has in its place.
    Discover,
    /// Are you there.
    Ping,
    /// The catalog.
    ToolsList,
    /// A call.
    ToolsCall,
    /// The prompts.
    PromptsList,
    /// A prompt; its name is mirrored in a header.
    PromptsGet,
    /// The resources.
    ResourcesList,
    /// The shapes of their URIs.
    ResourceTemplatesList,
    /// A resource; its URI is mirrored in a header.
    ResourcesRead,
    /// A resource is to be watched.
    ResourcesSubscribe,
    /// It is not to be watched any more.
    ResourcesUnsubscribe,
    /// How much a server logs for its client.
    SetLevel,
    /// What an argument of a prompt or of a template could be.
    Complete,
    /// A stream of changes; known so that its era is known.
    SubscriptionsListen,
    /// Anything else.
    Other,
}

impl Method {
    /// The method of a name.
    pub fn of(name: &str) -> Self {
        match name {
            "initialize" => Self::Initialize,
            "server/discover" => Self::Discover,
            "ping" => Self::Ping,
            "tools/list" => Self::ToolsList,
            "tools/call" => Self::ToolsCall,
            "prompts/list" => Self::PromptsList,
            "prompts/get" => Self::PromptsGet,
            "resources/list" => Self::ResourcesList,
            "resources/templates/list" => Self::ResourceTemplatesList,
            "resources/read" => Self::ResourcesRead,
            "resources/subscribe" => Self::ResourcesSubscribe,
            "resources/unsubscribe" => Self::ResourcesUnsubscribe,
            "logging/setLevel" => Self::SetLevel,
            "completion/complete" => Self::Complete,
            "subscriptions/listen" => Self::SubscriptionsListen,
            _ => Self::Other,
        }
    }

    /// True for methods that exist only in the stateless revision, whatever headers say.
    pub const fn is_modern_only(self) -> bool {
        matches!(self, Self::Discover | Self::SubscriptionsListen)
    }

    /// The word for logs and metrics: a fixed set, so that a client cannot make new ones.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Initialize => "initialize",
            Self::Discover => "server/discover",
            Self::Ping => "ping",
            Self::ToolsList => "tools/list",
            Self::ToolsCall => "tools/call",
            Self::PromptsList => "prompts/list",
            Self::PromptsGet => "prompts/get",
            Self::ResourcesList => "resources/list",
            Self::ResourceTemplatesList => "resources/templates/list",
            Self::ResourcesRead => "resources/read",
            Self::ResourcesSubscribe => "resources/subscribe",
            Self::ResourcesUnsubscribe => "resources/unsubscribe",
            Self::SetLevel => "logging/setLevel",
            Self::Complete => "completion/complete",
            Self::SubscriptionsListen => "subscriptions/listen",
            Self::Other => "other",
        }
    }
}
