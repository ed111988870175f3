//! What makes two calls the same call.

use std::time::Duration;

use hkdf::Hkdf;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::seal::Seal;
use crate::config::Idempotency;
use crate::domain::secret::hex;
use crate::gateway::call::{Authenticated, Cx};
use crate::gateway::names;
use crate::gateway::policy::Permitted;
use crate::http::client_ip;
use crate::mcp::canonical::canonical;

/// How long a client's own key is known.
const OF_CLIENT: Duration = Duration::from_mins(10);
/// How long a call without one is: the time in which a client sends it again of its own accord.
const DERIVED: Duration = Duration::from_mins(1);

/// A call, as far as it can be told from others.
#[derive(Clone)]
pub struct Same {
    /// What it is known by.
    pub digest: String,
    /// The first byte of that.
    pub first: u8,
    /// Its arguments, keyed with what it is known by: without that, guessing them proves nothing.
    pub arguments: String,
    /// The key that its worker is told.
    pub key: String,
    /// How long it is known once it has ended.
    pub ttl: Duration,
    /// What its answer is sealed with.
    pub seal: Seal,
}

impl Same {
    /// A call with the client's key; or without one, where the tool's policy asks for it and the caller is known: what
    /// one anonymous person asks for is not what another one does, however alike.
    pub fn of(cx: Cx<'_>, caller: &Authenticated<'_>, call: &Permitted<'_>) -> Option<Self> {
        let tool = call.tool();
        let body = String::from_utf8_lossy(call.body());
        let (service, name) = (cx.service.policy.id.as_str(), &*tool.name);
        if let Some(key) = call.key() {
            let arguments = canonical(&body);
            let secret = joined(&[&principal(cx, caller), service, name, "client", key]);
            return Self::made(&secret, &arguments, OF_CLIENT, Some(key));
        }
        if tool.idempotency != Idempotency::Derived || caller.credential.is_none() {
            return None;
        }
        let arguments = canonical(&body);
        let session = cx.header(&names::SESSION_ID).unwrap_or_default();
        let text = String::from_utf8_lossy(&arguments);
        let parts = [&principal(cx, caller), service, name, "derived", call.id().as_json(), session, &text];
        Self::made(&joined(&parts), &arguments, DERIVED, None)
    }

    fn made(secret: &[u8], arguments: &[u8], ttl: Duration, key: Option<&str>) -> Option<Self> {
        let root = Hkdf::<Sha256>::new(None, secret);
        let part = |purpose: &str| {
            let mut bytes = [0u8; 32];
            root.expand(format!("portero idempotency {purpose}").as_bytes(), &mut bytes).ok()?;
            Some(bytes)
        };
        let digest = part("digest")?;
        let mut keyed = Hmac::<Sha256>::new_from_slice(&part("arguments")?).ok()?;
        keyed.update(arguments);
        let [first, ..] = digest;
        Some(Self {
            digest: hex(&digest),
            first,
            arguments: hex(&keyed.finalize().into_bytes()),
            key: match key {
                Some(key) => key.to_owned(),
                None => hex(part("key")?.get(..16)?),
            },
            ttl,
            seal: Seal::new(&part("seal")?)?,
        })
    }
}

/// Parts that cannot run into each other.
fn joined(parts: &[&str]) -> Vec<u8> {
    parts.iter().flat_map(|part| [&(part.len() as u64).to_be_bytes()[..], part.as_bytes()].concat()).collect()
}

/// Whose call it is (as the credential says it). Anonymous callers are told apart by where they come from.
fn principal(cx: Cx<'_>, caller: &Authenticated<'_>) -> String {
    match &caller.credential {
        Some(own) => own.principal(),
        None => format!("address {}", client_ip::source(cx.request, &cx.app.config.trusted_proxies)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_into_each_other() {
        assert_ne!(joined(&["ab", "c"]), joined(&["a", "bc"]));
        assert_ne!(joined(&["", "a"]), joined(&["a", ""]));
    }

    #[test]
    fn the_worker_is_told_the_clients_key_or_one_that_repeats() {
        let made = |secret: &str, arguments: &str, key| {
            Same::made(secret.as_bytes(), arguments.as_bytes(), DERIVED, key).unwrap()
        };
        assert_eq!(made("s", "{}", Some("k")).key, "k");
        let (one, again, other) = (made("s", "{}", None), made("s", "{}", None), made("t", "{}", None));
        assert_eq!((&one.key, &one.digest), (&again.key, &again.digest));
        assert!(one.key != other.key && one.digest != other.digest && one.arguments != other.arguments);
        assert!(!one.digest.contains(&one.key) && one.key.len() == 32);
    }
}
