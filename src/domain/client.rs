//! Clients: the agent software.

use super::clock::Timestamp;
use super::ids::ClientId;
use super::secret::Digest;

/// What is stored of a generated client secret begins with this.
const SECRET_TAG: &str = "s256$";

/// What is stored of a generated client secret, by its digest.
pub fn stored_secret(digest: &Digest) -> String {
    format!("{SECRET_TAG}{}", digest.to_hex())
}

/// How a client came to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientKind {
    /// Registered itself, RFC 7591.
    Dynamic,
    /// Made by the operator.
    Operator,
}

impl ClientKind {
    /// The stored word.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Dynamic => "dynamic",
            Self::Operator => "operator",
        }
    }

    /// The kind of a stored word.
    pub fn from_label(label: &str) -> Option<Self> {
        [Self::Dynamic, Self::Operator].into_iter().find(|kind| kind.label() == label)
    }
}

/// How a client proves itself at the token endpoint, by its registered name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthMethod {
    /// A public client: nothing but PKCE.
    None,
    /// Secret in the form.
    ClientSecretPost,
    /// Secret in the Authorization header.
    ClientSecretBasic,
}

impl AuthMethod {
    /// The registered name, RFC 7591 §2.
    pub const fn label(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ClientSecretPost => "client_secret_post",
            Self::ClientSecretBasic => "client_secret_basic",
        }
    }
}

/// What a client says of itself, as registered: the members of RFC 7591 §2 that Portero keeps.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ClientMetadata {
    /// Where answers may go.
    pub redirect_uris: Vec<String>,
    /// The name it gave itself, cleaned; unverified.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client_name: Option<String>,
    /// Its home page, unverified.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client_uri: Option<String>,
    /// How it proves itself.
    pub token_endpoint_auth_method: AuthMethod,
    /// `authorization_code`, `refresh_token`.
    pub grant_types: Vec<String>,
    /// `code`.
    pub response_types: Vec<String>,
    /// The scopes it named: a default for requests that name none, not a ceiling.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub scope: Option<String>,
    /// `web` or `native`, as said.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub application_type: Option<String>,
    /// Identifier and version of the software.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub software_id: Option<String>,
    /// Version of the software.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub software_version: Option<String>,
}

impl ClientMetadata {
    /// True if the client registered `grant_type`.
    pub fn allows_grant(&self, grant_type: &str) -> bool {
        self.grant_types.iter().any(|own| own == grant_type)
    }
}

/// A client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Its id.
    pub id: ClientId,
    /// How it came to be known.
    pub kind: ClientKind,
    /// What it says of itself.
    pub metadata: ClientMetadata,
    /// What is stored of its secret: `s256$hex` or an argon2 string; none for a public client.
    pub secret_hash: Option<String>,
    /// Copied into grants; raised by disabling and deleting.
    pub epoch: i64,
    /// When it was disabled, if it is.
    pub disabled_at: Option<Timestamp>,
    /// When it was first registered.
    pub created_at: Timestamp,
    /// When a person last allowed it something.
    pub last_granted_at: Option<Timestamp>,
}

impl Client {
    /// True for a client that has no secret.
    pub fn is_public(&self) -> bool {
        self.secret_hash.is_none()
    }

    /// The name to show: its own, else its id.
    pub fn display_name(&self) -> &str {
        self.metadata.client_name.as_deref().unwrap_or(self.id.as_str())
    }
}
