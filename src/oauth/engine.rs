//! The only file that knows oxide-auth: its state machines, PKCE comparison, scope algebra, redirect types and
//! client-authentication table, driven over values that are already loaded.
//!
//! The machines ask ("authenticate this client", "recover this code") and this file answers from what the
//! caller has read from the store; nothing of the crate's flows, maps, wire texts or clocks is used. Expiry is
//! decided by the caller with the injected clock, so the machines are given grants that end far ahead.

use std::borrow::Cow;

use oxide_auth::code_grant::accesstoken::{self, AccessToken};
use oxide_auth::code_grant::authorization::{self, Authorization};
use oxide_auth::code_grant::extensions::Pkce;
use oxide_auth::code_grant::refresh::{self, Refresh};
use oxide_auth::primitives::grant::{Extensions, Grant, Value};
use oxide_auth::primitives::registrar::{
    BoundClient, Client as OxideClient, ClientUrl, ExactUrl, PasswordPolicy, PreGrant, RegisteredClient,
    RegisteredUrl, Registrar, RegistrarError,
};
use oxide_auth::primitives::scope::Scope;
use subtle::ConstantTimeEq;

use crate::domain::client::{Client, stored_secret};
use crate::domain::redirect_uri;
use crate::domain::scope::ScopeSet;
use crate::domain::secret::Digest;

const FAR_AHEAD: i64 = 253_402_300_000;

/// A refusal of a machine; the caller has checked everything it can name more precisely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused;

/// Compares a presented client secret with what is stored of it, in constant time.
struct SecretPolicy;

impl PasswordPolicy for SecretPolicy {
    fn store(&self, _client_id: &str, passphrase: &[u8]) -> Vec<u8> {
        // Only ever given what is stored already.
        passphrase.to_vec()
    }

    fn check(&self, _client_id: &str, passphrase: &[u8], stored: &[u8]) -> Result<(), RegistrarError> {
        let presented = std::str::from_utf8(passphrase).map_err(|_| RegistrarError::Unspecified)?;
        let presented = stored_secret(&Digest::of(presented));
        if bool::from(presented.as_bytes().ct_eq(stored)) { Ok(()) } else { Err(RegistrarError::Unspecified) }
    }
}

/// A loaded client as a registrar of one.
struct Loaded<'a>(&'a Client);

impl Registrar for Loaded<'_> {
    fn bound_redirect<'b>(&self, bound: ClientUrl<'b>) -> Result<BoundClient<'b>, RegistrarError> {
        let asked = bound.redirect_uri.ok_or(RegistrarError::Unspecified)?;
        let known =
            self.0.metadata.redirect_uris.iter().any(|own| redirect_uri::matches(own, asked.as_str()));
        if bound.client_id != self.0.id.as_str() || !known {
            return Err(RegistrarError::Unspecified);
        }
        let redirect_uri = Cow::Owned(RegisteredUrl::Exact(asked.into_owned()));
        Ok(BoundClient { client_id: bound.client_id, redirect_uri })
    }

    fn negotiate(&self, bound: BoundClient<'_>, asked: Option<Scope>) -> Result<PreGrant, RegistrarError> {
        Ok(PreGrant {
            client_id: bound.client_id.into_owned(),
            redirect_uri: bound.redirect_uri.into_owned(),
            scope: asked.ok_or(RegistrarError::Unspecified)?,
        })
    }

    fn check(&self, client_id: &str, passphrase: Option<&[u8]>) -> Result<(), RegistrarError> {
        let any = RegisteredUrl::Exact(
            ExactUrl::new("https://client.invalid/".to_owned())
                .map_err(|_| RegistrarError::PrimitiveError)?,
        );
        let none = "none".parse().map_err(|_| RegistrarError::PrimitiveError)?;
        let client = match &self.0.secret_hash {
            None => OxideClient::public(client_id, any, none),
            Some(hash) => OxideClient::confidential(client_id, any, none, hash.as_bytes()),
        };
        RegisteredClient::new(&client.encode(&SecretPolicy), &SecretPolicy).check_authentication(passphrase)
    }
}

/// True if a client proved itself as it must: a public one with nothing, a confidential one with its secret.
pub fn authenticates(client: &Client, secret: Option<&str>) -> bool {
    Loaded(client).check(client.id.as_str(), secret.map(str::as_bytes)).is_ok()
}

struct AuthorizationRequest<'a> {
    client: &'a str,
    redirect: &'a str,
    scope: String,
}

impl authorization::Request for AuthorizationRequest<'_> {
    fn valid(&self) -> bool {
        true
    }
    fn client_id(&self) -> Option<Cow<'_, str>> {
        Some(self.client.into())
    }
    fn scope(&self) -> Option<Cow<'_, str>> {
        Some(self.scope.as_str().into())
    }
    fn redirect_uri(&self) -> Option<Cow<'_, str>> {
        Some(self.redirect.into())
    }
    fn state(&self) -> Option<Cow<'_, str>> {
        None
    }
    fn response_type(&self) -> Option<Cow<'_, str>> {
        Some("code".into())
    }
    fn extension(&self, _key: &str) -> Option<Cow<'_, str>> {
        None
    }
}

/// Runs the authorization machine over a request whose parameters were checked one by one: binding of the
/// redirect, PKCE, negotiation of the scope. Answers the exact redirect string.
pub fn authorize(
    client: &Client,
    redirect: &str,
    challenge: &str,
    scopes: &ScopeSet,
) -> Result<String, Refused> {
    let request = AuthorizationRequest { client: client.id.as_str(), redirect, scope: scopes.to_string() };
    let registrar = Loaded(client);
    let mut machine = Authorization::new(&request);
    let bound = match machine.advance(authorization::Input::None) {
        authorization::Output::Bind { client_id, redirect_uri } => registrar.bound_redirect(ClientUrl {
            client_id: Cow::Owned(client_id),
            redirect_uri: redirect_uri.map(Cow::Owned),
        }),
        _ => return Err(Refused),
    };
    let bound_client = bound.map_err(|_| Refused)?;
    let input = authorization::Input::Bound { request: &request, bound_client };
    let authorization::Output::Extend = machine.advance(input) else { return Err(Refused) };
    let pkce =
        Pkce::required().challenge(Some("S256".into()), Some(challenge.into())).map_err(|()| Refused)?;
    let mut extensions = Extensions::new();
    extensions.set(&Pkce::required(), pkce.ok_or(Refused)?);
    let pre_grant = match machine.advance(authorization::Input::Extended(extensions)) {
        authorization::Output::Negotiate { bound_client, scope } => {
            registrar.negotiate(bound_client.clone(), scope).map_err(|_| Refused)?
        }
        _ => return Err(Refused),
    };
    match machine.advance(authorization::Input::Negotiated { pre_grant, state: None }) {
        authorization::Output::Ok { pre_grant, .. } => Ok(pre_grant.redirect_uri.as_str().to_owned()),
        _ => Err(Refused),
    }
}

/// A stored code as its redemption is checked against it.
#[derive(Clone, Copy, Debug)]
pub struct StoredCode<'a> {
    /// The client it was given to.
    pub client: &'a str,
    /// The S256 challenge.
    pub challenge: &'a str,
}

struct TokenRequest<'a> {
    client: &'a str,
    secret: Option<&'a str>,
    redirect: &'a str,
}

impl accesstoken::Request for TokenRequest<'_> {
    fn valid(&self) -> bool {
        true
    }
    fn code(&self) -> Option<Cow<'_, str>> {
        Some("stored".into())
    }
    fn authorization(&self) -> accesstoken::Authorization<'_> {
        match self.secret {
            None => accesstoken::Authorization::Username(self.client.into()),
            Some(secret) => {
                accesstoken::Authorization::UsernamePassword(self.client.into(), secret.as_bytes().into())
            }
        }
    }
    fn client_id(&self) -> Option<Cow<'_, str>> {
        None
    }
    fn redirect_uri(&self) -> Option<Cow<'_, str>> {
        Some(self.redirect.into())
    }
    fn grant_type(&self) -> Option<Cow<'_, str>> {
        Some("authorization_code".into())
    }
    fn extension(&self, _key: &str) -> Option<Cow<'_, str>> {
        None
    }
}

/// Why a redemption is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedeemRefused {
    /// The client did not prove itself, or the code is another's.
    Client,
    /// The verifier is not the challenge's.
    Verifier,
}

/// Runs the access-token machine up to the point where tokens would be issued: the client, the code's client,
/// the verifier. The redirect was compared as a string by the caller, because the machine compares URLs.
pub fn redeem(
    client: &Client,
    secret: Option<&str>,
    code: StoredCode<'_>,
    verifier: &str,
) -> Result<(), RedeemRefused> {
    // The machine parses URLs semantically; any fixed one holds since the strings were compared before.
    let redirect = "https://client.invalid/";
    let request = TokenRequest { client: client.id.as_str(), secret, redirect };
    let mut machine = AccessToken::new(&request);
    match machine.advance(accesstoken::Input::None) {
        accesstoken::Output::Authenticate { client: id, passdata } => {
            Loaded(client).check(id, passdata).map_err(|_| RedeemRefused::Client)?;
        }
        _ => return Err(RedeemRefused::Client),
    }
    let accesstoken::Output::Recover { .. } = machine.advance(accesstoken::Input::Authenticated) else {
        return Err(RedeemRefused::Client);
    };
    let mut extensions = Extensions::new();
    let challenge = Pkce::required()
        .challenge(Some("S256".into()), Some(code.challenge.into()))
        .ok()
        .flatten()
        .ok_or(RedeemRefused::Verifier)?;
    extensions.set(&Pkce::required(), challenge);
    let grant = grant(code.client, redirect, extensions).ok_or(RedeemRefused::Client)?;
    let stored: Option<Value> = match machine.advance(accesstoken::Input::Recovered(Some(Box::new(grant)))) {
        accesstoken::Output::Extend { extensions } => extensions.remove(&Pkce::required()),
        _ => return Err(RedeemRefused::Client),
    };
    Pkce::required().verify(stored, Some(verifier.into())).map_err(|()| RedeemRefused::Verifier)?;
    let input = accesstoken::Input::Extended { access_extensions: Extensions::new() };
    match machine.advance(input) {
        accesstoken::Output::Issue { .. } => Ok(()),
        _ => Err(RedeemRefused::Client),
    }
}

fn grant(client: &str, redirect: &str, extensions: Extensions) -> Option<Grant> {
    Some(Grant {
        owner_id: "owner".to_owned(),
        client_id: client.to_owned(),
        scope: "granted".parse().ok()?,
        redirect_uri: redirect.parse().ok()?,
        until: chrono::DateTime::from_timestamp(FAR_AHEAD, 0)?,
        extensions,
    })
}

struct RefreshRequest<'a> {
    client: &'a str,
    secret: Option<&'a str>,
}

impl refresh::Request for RefreshRequest<'_> {
    fn valid(&self) -> bool {
        true
    }
    fn refresh_token(&self) -> Option<Cow<'_, str>> {
        Some("stored".into())
    }
    fn scope(&self) -> Option<Cow<'_, str>> {
        None
    }
    fn grant_type(&self) -> Option<Cow<'_, str>> {
        Some("refresh_token".into())
    }
    fn authorization(&self) -> Option<(Cow<'_, str>, Cow<'_, [u8]>)> {
        self.secret.map(|secret| (self.client.into(), secret.as_bytes().into()))
    }
    fn extension(&self, _key: &str) -> Option<Cow<'_, str>> {
        None
    }
}

/// Runs the refresh machine up to the point where tokens would be refreshed. The machine does not tie a public
/// client to its token; the exchange itself does.
pub fn refresh(client: &Client, secret: Option<&str>) -> Result<(), Refused> {
    let id = client.id.as_str();
    let mut machine = Refresh::new(&RefreshRequest { client: id, secret });
    let mut input = refresh::Input::None;
    // Authenticate, recover, and for public clients authenticate once more.
    for _ in 0..4 {
        input = match machine.advance(input) {
            refresh::Output::Unauthenticated { pass, .. } => {
                Loaded(client).check(id, pass).map_err(|_| Refused)?;
                refresh::Input::Authenticated { scope: None }
            }
            refresh::Output::RecoverRefresh { .. } => {
                let grant = grant(id, "https://client.invalid/", Extensions::new()).ok_or(Refused)?;
                refresh::Input::Recovered { scope: None, grant: Some(Box::new(grant)) }
            }
            refresh::Output::Refresh { .. } => return Ok(()),
            _ => return Err(Refused),
        };
    }
    Err(Refused)
}
