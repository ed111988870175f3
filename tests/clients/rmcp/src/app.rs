//! A host as the SDK wants it: credentials in a file, every OAuth request on record.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::{ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::auth::{
    AuthClient, AuthError, AuthorizationManager, AuthorizationMetadataSource, AuthorizationRequest,
    AuthorizationSession, CredentialStore, OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRequest,
    StoredCredentials, default_oauth_http_client,
};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{RoleClient, ServiceError};
use serde_json::{Value, json};

use crate::support::{Check, consent, equal, holds};

pub type Connection = RunningService<RoleClient, ()>;

/// Nobody listens there: the redirect is read from the answer to the form.
pub const REDIRECT: &str = "http://127.0.0.1:3031/callback/mico";

/// One request of the OAuth half: method, path, status, and the body that was sent.
#[derive(Clone, Debug)]
pub struct Sent {
    pub step: (String, String, u16),
    pub body: String,
}

/// The SDK's own HTTP client with a record of what passes through it.
pub struct Wire {
    http: Box<dyn OAuthHttpClient>,
    sent: Mutex<Vec<Sent>>,
}

impl Wire {
    pub fn new() -> Check<Arc<Self>> {
        Ok(Arc::new(Self { http: Box::new(default_oauth_http_client()?), sent: Mutex::default() }))
    }

    /// What was sent since the last look.
    pub fn seen(&self) -> Vec<Sent> {
        std::mem::take(&mut *self.sent.lock().unwrap())
    }
}

impl OAuthHttpClient for Wire {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        let (method, path) = (request.request.method().to_string(), request.request.uri().path().to_owned());
        let body = String::from_utf8_lossy(request.request.body()).into_owned();
        Box::pin(async move {
            let response = self.http.execute(request).await?;
            let step = (method, path, response.status().as_u16());
            self.sent.lock().unwrap().push(Sent { step, body });
            Ok(response)
        })
    }
}

/// Credentials in a file, as a host keeps them between its runs.
#[derive(Clone)]
pub struct Store(PathBuf);

impl Store {
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// What is kept, as it lies in the file.
    pub fn kept(&self) -> Value {
        std::fs::read(&self.0)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or(Value::Null)
    }

    pub fn token(&self, name: &str) -> String {
        self.kept()["token_response"][name].as_str().unwrap_or_default().to_owned()
    }

    fn write(&self, kept: &Value) -> Result<(), AuthError> {
        std::fs::write(&self.0, kept.to_string()).map_err(|error| AuthError::InternalError(error.to_string()))
    }

    /// As if the hour of the access token were over.
    pub fn expire(&self) -> Check {
        let mut kept = self.kept();
        let received = kept["token_received_at"].as_u64().ok_or("nothing is kept")?;
        kept["token_received_at"] = json!(received - 7200);
        Ok(self.write(&kept)?)
    }
}

#[async_trait]
impl CredentialStore for Store {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        Ok(serde_json::from_value(self.kept()).ok())
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        self.write(&serde_json::to_value(credentials).unwrap())
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.write(&Value::Null)
    }
}

pub fn lifecycle(era: &str) -> ClientLifecycleMode {
    match era {
        "modern" => ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            legacy_version: None,
        },
        _ => ClientLifecycleMode::Initialize,
    }
}

/// A manager that keeps a record.
pub async fn manager(endpoint: &str, wire: Arc<Wire>, store: &Store) -> Check<AuthorizationManager> {
    let mut manager = AuthorizationManager::new_with_oauth_http_client(endpoint, wire).await?;
    manager.set_credential_store(store.clone());
    Ok(manager)
}

/// A manager as a program has it that starts anew on what was kept.
pub async fn kept_manager(endpoint: &str, store: &Store) -> Check<AuthorizationManager> {
    let mut manager = AuthorizationManager::new(endpoint).await?;
    manager.set_credential_store(store.clone());
    holds(manager.initialize_from_store().await?, "what was kept is taken up")?;
    Ok(manager)
}

/// From a challenge, or from nothing, to tokens; with the URL that the person was sent to.
pub async fn sign_in(
    mut manager: AuthorizationManager,
    challenge: Option<&str>,
    request: AuthorizationRequest,
    pat: &str,
) -> Check<(AuthorizationManager, String)> {
    let resolution = manager.resolve_metadata_from_challenge(challenge).await?;
    equal(resolution.source, AuthorizationMetadataSource::ProtectedResourceMetadata)?;
    manager.set_metadata(resolution.metadata);
    let session = AuthorizationSession::new(manager, request).await.map_err(|(_, error)| error)?;
    let location = consent(session.get_authorization_url(), pat).await?;
    session.handle_callback_url(&location).await?;
    Ok((session.auth_manager, session.auth_url))
}

/// A connection that has shaken hands.
pub async fn connect(
    endpoint: &str,
    manager: AuthorizationManager,
    era: &str,
) -> Result<Connection, ClientInitializeError> {
    let http = AuthClient::new(reqwest::Client::new(), manager);
    let config = StreamableHttpClientTransportConfig::with_uri(endpoint);
    let transport = StreamableHttpClientTransport::with_client(http, config);
    ().serve_with_lifecycle(transport, lifecycle(era)).await
}

pub async fn call(connection: &Connection, tool: &'static str) -> Result<Value, ServiceError> {
    let arguments = json!({"limit": 3}).as_object().cloned().unwrap();
    let result = connection.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await?;
    Ok(serde_json::to_value(result).unwrap())
}

/// The meetings that `list_meetings` gives.
pub async fn meetings(connection: &Connection) -> Check<Value> {
    let result = call(connection, "list_meetings").await?;
    equal(&result["isError"], &json!(false))?;
    equal(result["content"].as_array().map(Vec::len), Some(1))?;
    Ok(serde_json::from_str(result["content"][0]["text"].as_str().ok_or("the content is no text")?)?)
}

pub async fn working(connection: &Connection) -> Check {
    equal(meetings(connection).await?["meetings"].as_array().map(Vec::len), Some(3))
}
