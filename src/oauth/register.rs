//! Dynamic client registration, RFC 7591: liberal in, exact out.
//!
//! What is unknown, null or empty is ignored, what is not supported is dropped, and the answer says what was
//! registered. A public client's id is derived from its canonical metadata, so that the same software gets the
//! same id however often it registers, and the table does not grow with every start of an agent.

use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;

use super::error::{Code, OAuthError};
use super::{guess, redirect_allowlist};
use crate::app::App;
use crate::app::brand::Brand;
use crate::config::Registration;
use crate::domain::client::{AuthMethod, Client, ClientKind, ClientMetadata, stored_secret};
use crate::domain::ids::ClientId;
use crate::domain::scope::ScopeSet;
use crate::domain::secret::{Secret, base62};
use crate::domain::{name, redirect_uri};
use crate::http::bearer::{self, NotBearer};
use crate::http::members::{self, NotObject};
use crate::http::{answer, client_ip, strict};
use crate::store::StoreError;
use crate::store::audit::Event;
use crate::store::clients::Room;

/// The prefix of generated client secrets.
pub const SECRET_PREFIX: &str = "portero_ocs_";
const URIS: usize = 20;
/// Registrations that nobody was ever asked to allow, at most.
const CAP: i64 = 10_000;
/// No address: nobody finds room.
const ANYBODY: &str = "";
const YOUNG: Duration = Duration::from_hours(1);

fn refused(description: &'static str) -> OAuthError {
    OAuthError::new(Code::InvalidClientMetadata, description)
}

impl From<NotObject> for OAuthError {
    fn from(fault: NotObject) -> Self {
        refused(match fault {
            NotObject::Syntax => "the body is not valid JSON",
            NotObject::Repeated => "a member is there twice",
            NotObject::Other => "the body must be a JSON object",
        })
    }
}

/// `POST {issuer}/register`.
pub async fn handle(
    app: &App,
    brand: &Brand,
    req: &HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, OAuthError> {
    admit(app, req)?;
    let members = members::read(&strict::json(req, payload).await?)?;
    let metadata = read(&members, &app.scopes_of(brand), &app.config.oauth.redirect_allowlist)?;
    let address = client_ip::source(req, &app.config.trusted_proxies);
    let (client, secret) = new_client(app, metadata);
    keep(app, &client, &address).await?;
    Ok(registered(&client, secret.as_ref()))
}

/// Registration with a token asks for it first.
fn admit(app: &App, req: &HttpRequest) -> Result<(), OAuthError> {
    if app.config.oauth.registration != Registration::Token {
        return Ok(());
    }
    let wanted = app.config.oauth.registration_token.as_ref().map(|token| token.expose_secret().to_owned());
    let needed = |challenge| {
        Err(OAuthError::new(Code::InvalidToken, "registration needs the operator's token")
            .challenge(challenge))
    };
    match (wanted, bearer::token(req.headers())) {
        (Some(wanted), Ok(Some(given))) if bool::from(wanted.as_bytes().ct_eq(given.as_bytes())) => Ok(()),
        (_, Ok(None)) => needed("Bearer"),
        (_, Ok(Some(_)) | Err(NotBearer::NotToken(_))) => {
            guess::client(app, req, None)?;
            needed("Bearer error=\"invalid_token\"")
        }
        (_, Err(NotBearer::Malformed(word))) => {
            Err(OAuthError::new(Code::InvalidRequest, "the Authorization header is no bearer token")
                .because(word))
        }
    }
}

fn text<'a>(members: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    members.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

fn list<'a>(members: &'a Map<String, Value>, name: &str) -> Vec<&'a str> {
    let values = members.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    values.iter().filter_map(Value::as_str).filter(|text| !text.is_empty()).collect()
}

/// What is registered of what was sent. Of the scopes named, those that there are: the answer says what was
/// registered, and nothing else can ever be asked for.
fn read(
    members: &Map<String, Value>,
    scopes: &ScopeSet,
    allowlist: &[String],
) -> Result<ClientMetadata, OAuthError> {
    let redirect_uris = redirect_uris(members, allowlist)?;
    let method = match text(members, "token_endpoint_auth_method") {
        Some("client_secret_post") => AuthMethod::ClientSecretPost,
        Some("client_secret_basic") => AuthMethod::ClientSecretBasic,
        // The RFC's default would be a secret; clients that name no method are public ones that forgot to say so.
        _ => AuthMethod::None,
    };
    let grants = list(members, "grant_types");
    if !grants.is_empty() && !grants.contains(&"authorization_code") {
        return Err(refused("grant_types must hold authorization_code"));
    }
    let types = list(members, "response_types");
    if !types.is_empty() && !types.contains(&"code") {
        return Err(refused("response_types must hold code"));
    }
    let asked = text(members, "scope").unwrap_or_default();
    let scope: ScopeSet = scopes.iter().filter(|own| asked.split(' ').any(|word| word == *own)).collect();
    let shown = |member: &str| text(members, member).map(name::clean).filter(|text| !text.is_empty());
    Ok(ClientMetadata {
        redirect_uris,
        client_name: shown("client_name"),
        client_uri: text(members, "client_uri").filter(|uri| is_link(uri)).map(str::to_owned),
        token_endpoint_auth_method: method,
        grant_types: vec!["authorization_code".to_owned(), "refresh_token".to_owned()],
        response_types: vec!["code".to_owned()],
        scope: (!scope.is_empty()).then(|| scope.to_string()),
        application_type: text(members, "application_type")
            .filter(|kind| matches!(*kind, "web" | "native"))
            .map(str::to_owned),
        software_id: shown("software_id"),
        software_version: shown("software_version"),
    })
}

fn redirect_uris(members: &Map<String, Value>, allowlist: &[String]) -> Result<Vec<String>, OAuthError> {
    let invalid = |description| OAuthError::new(Code::InvalidRedirectUri, description);
    let uris = list(members, "redirect_uris");
    if uris.is_empty() {
        return Err(invalid("redirect_uris must hold at least one URI"));
    }
    if uris.len() > URIS {
        return Err(invalid("redirect_uris holds more than 20 URIs"));
    }
    for uri in &uris {
        redirect_uri::check(uri).map_err(|fault| {
            tracing::info!(%fault, "a registration was refused for a redirect URI");
            invalid("a redirect URI is not acceptable: https, http on loopback, or a private-use scheme")
        })?;
        if !redirect_allowlist::allows(allowlist, uri) {
            return Err(invalid("a redirect URI is not on this server's list"));
        }
    }
    Ok(uris.into_iter().map(str::to_owned).collect())
}

fn is_link(uri: &str) -> bool {
    let plain = uri.bytes().all(|byte| byte.is_ascii_graphic());
    plain && uri.len() <= 2048 && uri.starts_with("https://") && url::Url::parse(uri).is_ok()
}

/// The id of a public client: a digest of what makes it this software.
fn derived_id(metadata: &ClientMetadata) -> ClientId {
    let mut uris: Vec<String> =
        metadata.redirect_uris.iter().map(|uri| redirect_uri::without_loopback_port(uri)).collect();
    uris.sort();
    uris.dedup();
    let canonical = ClientMetadata { redirect_uris: uris, ..metadata.clone() };
    let digest: [u8; 32] = Sha256::digest(serde_json::to_vec(&canonical).unwrap_or_default()).into();
    ClientId::from(format!("dcr_{}", base62(&digest, 43)))
}

fn new_client(app: &App, metadata: ClientMetadata) -> (Client, Option<Secret>) {
    let secret = (metadata.token_endpoint_auth_method != AuthMethod::None)
        .then(|| Secret::generate(SECRET_PREFIX, app.entropy.as_ref()));
    let id = match &secret {
        None => derived_id(&metadata),
        Some(_) => ClientId::generate(app.entropy.as_ref()),
    };
    let client = Client {
        id,
        kind: ClientKind::Dynamic,
        metadata,
        secret_hash: secret.as_ref().map(|own| stored_secret(&own.digest())),
        epoch: 1,
        disabled_at: None,
        created_at: app.clock.now(),
        last_granted_at: None,
    };
    (client, secret)
}

fn disabled() -> OAuthError {
    refused("this client was disabled by the operator")
}

async fn keep(app: &App, client: &Client, address: &str) -> Result<(), OAuthError> {
    enum Kept {
        Yes,
        Disabled,
        Crowded(Room),
    }
    let known = app.identity.store.client(&client.id).await?;
    match &known {
        Some(own) if own.disabled_at.is_some() => return Err(disabled()),
        // What was granted once is not swept for its age, so there is nothing to renew.
        Some(own) if own.last_granted_at.is_some() && own.metadata == client.metadata => return Ok(()),
        None if [address, ANYBODY].iter().any(|who| app.crowded.blocked(who, app.clock.now()).is_some()) => {
            return Err(OAuthError::too_many(YOUNG));
        }
        _ => {}
    }
    let kept = app
        .identity
        .store
        .transaction(async |tx| {
            if known.is_none() {
                let room = tx.make_room(address, CAP, tx.now.minus(YOUNG)).await?;
                if room != Room::Made {
                    return Ok(Kept::Crowded(room));
                }
            }
            if !tx.register_client(client, address).await? {
                return Ok(Kept::Disabled);
            }
            if known.is_none() {
                let event = "client.registered";
                tx.audit(Event { event, client: Some(client.id.clone()), ..Event::default() }).await?;
            }
            Ok::<_, StoreError>(Kept::Yes)
        })
        .await?;
    match kept {
        Kept::Yes => Ok(()),
        Kept::Disabled => Err(disabled()),
        Kept::Crowded(room) => {
            app.crowded.failed(if room == Room::Full { ANYBODY } else { address }, app.clock.now());
            tracing::warn!(address, ?room, "registrations are full");
            Err(OAuthError::too_many(YOUNG))
        }
    }
}

fn registered(client: &Client, secret: Option<&Secret>) -> HttpResponse {
    let mut body = match serde_json::to_value(&client.metadata) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    };
    body.insert("client_id".to_owned(), json!(client.id.as_str()));
    body.insert("client_id_issued_at".to_owned(), json!(client.created_at.seconds()));
    if let Some(secret) = secret {
        body.insert("client_secret".to_owned(), json!(secret.expose()));
        body.insert("client_secret_expires_at".to_owned(), json!(0));
    }
    let mut response = answer::json(StatusCode::CREATED, &body);
    response.headers_mut().insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(value: Value) -> Result<ClientMetadata, OAuthError> {
        let Value::Object(members) = value else { unreachable!() };
        read(&members, &ScopeSet::parse("a b"), &[])
    }

    #[test]
    fn loopback_ports_do_not_change_the_id_and_names_do() {
        let id = |port: u16, name: &str| {
            let uri = format!("http://127.0.0.1:{port}/cb");
            derived_id(&metadata(json!({ "redirect_uris": [uri], "client_name": name })).unwrap())
        };
        assert_eq!(id(1, "a"), id(65535, "a"));
        assert_ne!(id(1, "a"), id(1, "b"));
        assert!(id(1, "a").as_str().bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
    }

    #[test]
    fn null_empty_and_unknown_members_are_ignored() {
        let read = metadata(json!({
            "redirect_uris": ["http://localhost/cb"], "scope": "", "client_uri": "", "logo_uri": null,
            "grant_types": [], "contacts": ["x"], "token_endpoint_auth_method": "tls_client_auth",
            "client_id": "mine", "client_secret": "mine",
        }))
        .unwrap();
        assert_eq!(read.token_endpoint_auth_method, AuthMethod::None);
        assert_eq!((read.scope, read.client_uri), (None, None));
    }

    #[test]
    fn only_scopes_that_there_are_are_registered() {
        let scope = |text: &str| {
            metadata(json!({ "redirect_uris": ["http://localhost/cb"], "scope": text })).unwrap().scope
        };
        assert_eq!(scope("b admin a offline_access").as_deref(), Some("a b"));
        assert_eq!(scope("admin"), None);
    }
}
