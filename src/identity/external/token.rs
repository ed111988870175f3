//! A presented token against keys, issuer, audience and time.

use std::time::Duration;

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, Header, TokenData, Validation, decode, decode_header};
use serde_json::Value;

use super::claims::{self, Claims};
use super::key::PublicKey;
use super::key_set::NoKey;
use super::{External, PresentedError};
use crate::domain::clock::Timestamp;
use crate::upstream::client::Client;

/// Clocks differ by this at most.
pub const LEEWAY: Duration = Duration::from_secs(30);
/// What is tried where a token does not name its key.
const TRIES: usize = 8;
/// What access tokens call themselves; most say nothing in particular (RFC 9068 §2.1). Others, such as tokens that
/// say somebody has signed out, are signed with the same keys and open nothing.
const TYPES: [&str; 3] = ["jwt", "at+jwt", "application/at+jwt"];

type Invalid = PresentedError;

impl External {
    /// What a token says, if it is one of the issuer's for this service, now.
    pub async fn check(
        &self,
        client: &Client,
        token: &str,
        now: Timestamp,
    ) -> Result<Claims, PresentedError> {
        let header = decode_header(token).map_err(|_| Invalid::Invalid("jwt_unreadable"))?;
        let algorithm = header.alg;
        if matches!(algorithm, Algorithm::HS256 | Algorithm::HS384 | Algorithm::HS512) {
            return Err(Invalid::Invalid("jwt_symmetric"));
        }
        let typ = header.typ.as_deref().unwrap_or("jwt");
        if !TYPES.iter().any(|known| known.eq_ignore_ascii_case(typ)) {
            return Err(Invalid::Invalid("jwt_typ"));
        }
        let fits = |key: &PublicKey| is_named(key, &header) && key.takes(algorithm);
        let keys = match self.keys.with(client, now, |key| is_named(key, &header)).await {
            Ok(keys) => keys,
            Err(NoKey::Unknown) => return Err(Invalid::Invalid("jwt_unknown_key")),
            Err(NoKey::Unavailable) => return Err(PresentedError::NoKeys),
        };
        let mut fault = "jwt_algorithm";
        for key in keys.iter().filter(|key| fits(key)).take(TRIES) {
            match self.decode(token, algorithm, key) {
                Ok(data) => return self.read(&data.claims, now),
                Err(word) => fault = word,
            }
        }
        Err(Invalid::Invalid(fault))
    }

    /// Signature, issuer and audience. Time is looked at by our own clock.
    fn decode(
        &self,
        token: &str,
        algorithm: Algorithm,
        key: &PublicKey,
    ) -> Result<TokenData<Value>, &'static str> {
        let mut rules = Validation::new(algorithm);
        rules.validate_exp = false;
        rules.set_issuer(&[&self.issuer]);
        rules.set_audience(&[&self.audience]);
        rules.set_required_spec_claims(&["exp", "iss", "aud"]);
        decode(token, &key.key, &rules).map_err(|error| match error.kind() {
            ErrorKind::InvalidSignature => "jwt_signature",
            ErrorKind::InvalidIssuer => "jwt_issuer",
            ErrorKind::InvalidAudience => "jwt_audience",
            ErrorKind::MissingRequiredClaim(_) => "jwt_claim_missing",
            _ => "jwt_unreadable",
        })
    }

    fn read(&self, claims: &Value, now: Timestamp) -> Result<Claims, PresentedError> {
        // RFC 7519 knows one issuer; the library would take a list that names ours among others
        if claims.get("iss").and_then(Value::as_str) != Some(&self.issuer) {
            return Err(Invalid::Invalid("jwt_issuer"));
        }
        let time = |name| claims::time(claims, name).map_err(|_| Invalid::Invalid("jwt_time"));
        let expires_at = time("exp")?.ok_or(Invalid::Invalid("jwt_claim_missing"))?.plus(LEEWAY);
        if now >= expires_at {
            return Err(Invalid::Invalid("jwt_expired"));
        }
        let not_before = time("nbf")?;
        if not_before.is_some_and(|from| from > now.plus(LEEWAY)) {
            return Err(Invalid::Invalid("jwt_not_yet"));
        }
        let issued_at = time("iat")?.or(not_before);
        let own = claims::subject(claims, &self.user_claim).ok_or(Invalid::Invalid("jwt_no_subject"))?;
        Ok(Claims {
            scopes: claims::scopes(claims, &self.scope_claim, &self.known, &self.assumed),
            name: claims::name(claims).unwrap_or_else(|| own.clone()),
            email: claims::verified_email(claims),
            subject: own,
            issued_at,
            expires_at,
        })
    }
}

/// True if a token's header may mean the key. One of the two may have no name.
fn is_named(key: &PublicKey, header: &Header) -> bool {
    match (&header.kid, &key.id) {
        (Some(asked), Some(own)) => asked == own,
        (None, _) | (_, None) => true,
    }
}
