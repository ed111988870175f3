//! Session ids: everything that is known of a session, sealed, so that nobody has to remember it.
//!
//! Any node of an installation opens what another one sealed, and a thousand sessions take no memory. Attacks that end
//! here: another principal's id (the principal stands inside), an id of another service, one that was changed or made
//! up (AES-256-GCM under a key of the key file's), and an upstream's own id in a client's hands (it never leaves).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use serde::{Deserialize, Serialize};

use crate::domain::clock::Timestamp;
use crate::domain::entropy::{self, Entropy};
use crate::identity::keys::Keys;
use crate::mcp::duplex::{Abilities, Offers};
use crate::mcp::version::Version;

const PURPOSE: &str = "session";
/// A header line that every proxy takes.
pub const MAX_ID: usize = 4096;
/// An upstream's own id is no longer than this.
pub const MAX_OWN: usize = 512;
/// After so many days a client has to begin anew.
const MAX_AGE: std::time::Duration = std::time::Duration::from_hours(30 * 24);

/// A session of a client's: the sessions of its own that it has at each upstream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Whose it is.
    #[serde(rename = "p")]
    pub principal: String,
    /// Where.
    #[serde(rename = "s")]
    pub service: String,
    /// The revision that was agreed with the client.
    #[serde(rename = "v", with = "label")]
    pub version: Version,
    /// When it began, in milliseconds.
    #[serde(rename = "t")]
    pub issued_at: i64,
    /// What the client lets servers ask for.
    #[serde(rename = "c")]
    pub abilities: Abilities,
    /// Its sessions upstream.
    #[serde(rename = "u")]
    pub legs: Vec<Leg>,
}

/// A session at one upstream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leg {
    /// The upstream's configured id.
    #[serde(rename = "u")]
    pub upstream: String,
    /// What it calls the session.
    #[serde(rename = "i")]
    pub id: String,
    /// The revision that was agreed with it.
    #[serde(rename = "v", with = "label")]
    pub version: Version,
    /// What it offers beside lists and calls.
    #[serde(rename = "w")]
    pub offers: Offers,
}

mod label {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    use crate::mcp::version::Version;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
    pub fn serialize<S: Serializer>(version: &Version, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(version.label())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Version, D::Error> {
        let text = String::deserialize(deserializer)?;
        Version::parse(&text).ok_or_else(|| D::Error::custom("no revision"))
    }
}

impl Session {
    /// The session at an upstream, if it was up when this one began.
    pub fn leg(&self, upstream: &str) -> Option<&Leg> {
        self.legs.iter().find(|leg| leg.upstream == upstream)
    }
}

/// Seals a session. `None` if it is too long for a header.
pub fn seal(keys: &Keys, entropy: &dyn Entropy, session: &Session) -> Option<String> {
    let (name, key) = keys.sealing(Timestamp::from_millis(session.issued_at), PURPOSE)?;
    let nonce: [u8; NONCE_LEN] = entropy::bytes(entropy);
    let mut sealed = serde_json::to_vec(session).ok()?;
    let nonce_of = Nonce::assume_unique_for_key(nonce);
    aead(&key)?.seal_in_place_append_tag(nonce_of, Aad::from(name.as_bytes()), &mut sealed).ok()?;
    let text = format!("{name}.{}", URL_SAFE_NO_PAD.encode([nonce.as_slice(), &sealed].concat()));
    let fits = text.len() <= MAX_ID && text.bytes().all(|byte| byte.is_ascii_graphic());
    fits.then_some(text)
}

/// Opens an id for whoever sends it, where it is sent.
///
/// # Errors
/// The word is for logs; to a client every one of them is a session that is not there.
pub fn open(
    keys: &Keys,
    now: Timestamp,
    principal: &str,
    service: &str,
    text: &str,
) -> Result<Session, &'static str> {
    let session = unsealed(keys, text).ok_or("session_unknown")?;
    if session.principal != principal {
        return Err("session_of_another");
    }
    if session.service != service {
        return Err("session_elsewhere");
    }
    let end = Timestamp::from_millis(session.issued_at).plus(MAX_AGE);
    if now < end { Ok(session) } else { Err("session_too_old") }
}

fn unsealed(keys: &Keys, text: &str) -> Option<Session> {
    if text.len() > MAX_ID {
        return None;
    }
    let (name, sealed) = text.split_once('.')?;
    let key = keys.opening(name, PURPOSE)?;
    let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let (nonce, sealed) = bytes.split_first_chunk::<NONCE_LEN>()?;
    let mut sealed = sealed.to_vec();
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let opened = aead(&key)?.open_in_place(nonce, Aad::from(name.as_bytes()), &mut sealed).ok()?;
    serde_json::from_slice(opened).ok()
}

fn aead(key: &[u8; 32]) -> Option<LessSafeKey> {
    UnboundKey::new(&AES_256_GCM, key).ok().map(LessSafeKey::new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::doors::OsEntropy;

    fn session(ids: &[&str]) -> Session {
        let leg = |id: &&str| Leg {
            upstream: "notes".into(),
            id: (*id).into(),
            version: Version::V20250618,
            offers: Offers::default(),
        };
        Session {
            principal: "grant g".into(),
            service: "mico".into(),
            version: Version::V20251125,
            issued_at: 1_000,
            abilities: Abilities::default(),
            legs: ids.iter().map(leg).collect(),
        }
    }

    fn keys(folder: &std::path::Path) -> Keys {
        Keys::read_or_make(&folder.join("keys"), &OsEntropy, Timestamp::from_millis(0)).unwrap()
    }

    #[test]
    fn an_id_opens_for_its_principal_at_its_service_alone() {
        let folder = tempfile::tempdir().unwrap();
        let keys = keys(folder.path());
        let own = session(&["abc"]);
        let id = seal(&keys, &OsEntropy, &own).unwrap();
        assert!(!id.contains("abc") && id.bytes().all(|byte| (0x21..=0x7e).contains(&byte)), "{id}");
        let now = Timestamp::from_millis(2_000);
        assert_eq!(open(&keys, now, "grant g", "mico", &id), Ok(own.clone()));
        assert_eq!(open(&keys, now, "grant h", "mico", &id), Err("session_of_another"));
        assert_eq!(open(&keys, now, "grant g", "other", &id), Err("session_elsewhere"));
        let late = Timestamp::from_millis(1_000).plus(MAX_AGE);
        assert_eq!(open(&keys, late, "grant g", "mico", &id), Err("session_too_old"));
        assert_ne!(seal(&keys, &OsEntropy, &own), Some(id), "no two ids are the same");
    }

    #[test]
    fn what_was_changed_does_not_open() {
        let folder = tempfile::tempdir().unwrap();
        let keys = keys(folder.path());
        let id = seal(&keys, &OsEntropy, &session(&["abc"])).unwrap();
        let open = |text: &str| open(&keys, Timestamp::from_millis(2_000), "grant g", "mico", text);
        let (name, sealed) = id.split_once('.').unwrap();
        for at in [0, sealed.len() / 2, sealed.len() - 2] {
            let mut bytes = sealed.as_bytes().to_vec();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let changed = format!("{name}.{}", String::from_utf8(bytes).unwrap());
            assert_eq!(open(&changed), Err("session_unknown"), "{at}");
        }
        for broken in
            ["", ".", "x.y", sealed, name, &id[..id.len() - 4], &format!("{id}A"), &"a".repeat(5000)]
        {
            assert_eq!(open(broken), Err("session_unknown"), "{broken}");
        }
    }

    #[test]
    fn an_older_key_still_opens() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        let keys = keys(folder.path());
        let (old, now) =
            (seal(&keys, &OsEntropy, &session(&["abc"])).unwrap(), Timestamp::from_millis(5_000_000));
        Keys::rotate(&path, &OsEntropy, Timestamp::from_millis(2_000)).unwrap();
        let rotated = Keys::read(&path).unwrap();
        let new = seal(&rotated, &OsEntropy, &Session { issued_at: 4_000_000, ..session(&["abc"]) }).unwrap();
        assert_ne!(old.split_once('.').unwrap().0, new.split_once('.').unwrap().0);
        for id in [&old, &new] {
            assert!(open(&rotated, now, "grant g", "mico", id).is_ok());
        }
        assert_eq!(open(&keys, now, "grant g", "mico", &new), Err("session_unknown"));
    }

    #[test]
    fn an_id_that_fits_no_header_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let keys = keys(folder.path());
        let long = "x".repeat(MAX_OWN);
        assert!(seal(&keys, &OsEntropy, &session(&[&*long; 4])).is_some());
        assert!(seal(&keys, &OsEntropy, &session(&[&*long; 8])).is_none());
    }
}
