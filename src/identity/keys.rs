//! The key file: what tags CSRF values and signs assertions. Never in the database.
//!
//! A new key is known, and published, as soon as it stands in the file. It is used a while later: by then every node
//! has the file, and whoever keeps a copy of the public keys has a newer one.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::domain::clock::Timestamp;
use crate::domain::entropy::{self, Entropy};
use crate::identity::signing::SigningKey;

/// How long a new key waits before it is used. Longer than the public keys may be kept, which is five minutes.
pub const SETTLE: Duration = Duration::from_mins(10);

/// Why a key file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// It cannot be read or written.
    #[error("key file {path}: {error}")]
    File {
        /// Which file.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// It is no key file.
    #[error(
        "key file {0} is damaged: it must hold JSON with a list `keys` of `id`, `created_at` and a `secret` of 32 bytes in base64url"
    )]
    Damaged(String),
    /// It is not there and must be.
    #[error(
        "key file {0} does not exist; make it with `portero keys init` and give the same file to every node"
    )]
    Missing(String),
    /// It is there and must not be.
    #[error("key file {0} exists already; `portero keys rotate` adds a key to it")]
    Exists(String),
}

#[derive(serde::Serialize, serde::Deserialize)]
struct File {
    keys: Vec<Entry>,
}

#[derive(serde::Serialize, serde::Deserialize, Clone)]
struct Entry {
    id: String,
    created_at: i64,
    secret: String,
}

struct Key {
    id: String,
    created_at: Timestamp,
    secret: Zeroizing<[u8; 32]>,
    signing: Arc<SigningKey>,
}

/// The keys of a file, newest first.
#[derive(Default)]
struct Ring {
    keys: Vec<Key>,
    /// Of the file's text, to see that it has changed.
    digest: [u8; 32],
}

/// The keys of an installation: the newest that has settled signs, all verify.
pub struct Keys(ArcSwap<Ring>);

impl Keys {
    /// No keys: for work that tags nothing.
    pub fn none() -> Self {
        Self(ArcSwap::default())
    }

    /// Reads the file again. True if it has changed; if it cannot be used, what was read before stays.
    pub fn reload(&self, path: &Path) -> Result<bool, KeysError> {
        let ring = Ring::read(path)?;
        let changed = ring.digest != self.0.load().digest;
        if changed {
            self.0.store(Arc::new(ring));
        }
        Ok(changed)
    }

    /// Reads a key file.
    pub fn read(path: &Path) -> Result<Self, KeysError> {
        Ring::read(path).map(|ring| Self(ArcSwap::from_pointee(ring)))
    }

    /// Reads a key file, making it first where there is none.
    pub fn read_or_make(path: &Path, entropy: &dyn Entropy, now: Timestamp) -> Result<Self, KeysError> {
        match Self::read(path) {
            Err(KeysError::Missing(_)) => {
                match Self::make(path, entropy, now) {
                    Ok(()) | Err(KeysError::Exists(_)) => {}
                    Err(error) => return Err(error),
                }
                Self::read(path)
            }
            other => other,
        }
    }

    /// Makes a key file with one key, mode 0600. Refuses to touch one that exists.
    pub fn make(path: &Path, entropy: &dyn Entropy, now: Timestamp) -> Result<(), KeysError> {
        write(path, &File { keys: vec![new_entry(entropy, now)] }, true)
    }

    /// Adds a new key in front; the old ones keep verifying.
    pub fn rotate(path: &Path, entropy: &dyn Entropy, now: Timestamp) -> Result<usize, KeysError> {
        Self::read(path)?;
        let name = path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|error| KeysError::File { path: name.clone(), error })?;
        let mut file: File = serde_json::from_str(&text).map_err(|_| KeysError::Damaged(name))?;
        file.keys.insert(0, new_entry(entropy, now));
        write(path, &file, false)?;
        Ok(file.keys.len())
    }

    /// A tag that proves that this installation saw these parts together for this purpose.
    pub fn tag(&self, now: Timestamp, purpose: &str, parts: &[&str]) -> String {
        let ring = self.0.load();
        let key = ring.current(now);
        key.map(|key| format!("{}.{}", key.id, tag_with(key, purpose, parts))).unwrap_or_default()
    }

    /// What seals for a purpose now: the name of the key it is derived from, and 32 bytes.
    pub fn sealing(&self, now: Timestamp, purpose: &str) -> Option<(String, Zeroizing<[u8; 32]>)> {
        let ring = self.0.load();
        let key = ring.current(now)?;
        Some((key.id.clone(), derived(key, purpose)?))
    }

    /// What opens what the key of this name has sealed for a purpose.
    pub fn opening(&self, id: &str, purpose: &str) -> Option<Zeroizing<[u8; 32]>> {
        self.0.load().keys.iter().find(|key| key.id == id).and_then(|key| derived(key, purpose))
    }

    /// What signs now.
    pub fn signer(&self, now: Timestamp) -> Option<Arc<SigningKey>> {
        self.0.load().current(now).map(|key| Arc::clone(&key.signing))
    }

    /// The public halves of all keys, newest first.
    pub fn public(&self) -> Vec<Value> {
        self.0.load().keys.iter().map(|key| key.signing.public().clone()).collect()
    }

    /// True if a tag is one of ours for these parts. Compared in constant time.
    pub fn verify_tag(&self, purpose: &str, parts: &[&str], tag: &str) -> bool {
        let Some((id, value)) = tag.split_once('.') else { return false };
        let ring = self.0.load();
        ring.keys
            .iter()
            .filter(|key| key.id == id)
            .any(|key| bool::from(tag_with(key, purpose, parts).as_bytes().ct_eq(value.as_bytes())))
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Keys({})", self.0.load().keys.len())
    }
}

impl Ring {
    fn read(path: &Path) -> Result<Self, KeysError> {
        let name = path.display().to_string();
        let text = match std::fs::read_to_string(path) {
            Ok(text) => Zeroizing::new(text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(KeysError::Missing(name));
            }
            Err(error) => return Err(KeysError::File { path: name, error }),
        };
        let damaged = || KeysError::Damaged(name.clone());
        let file: File = serde_json::from_str(&text).map_err(|_| damaged())?;
        let keys: Option<Vec<Key>> = file.keys.iter().map(decode).collect();
        let keys = keys.filter(|keys| !keys.is_empty()).ok_or_else(damaged)?;
        Ok(Self { keys, digest: Sha256::digest(text.as_bytes()).into() })
    }

    /// The newest key that has settled; where none has, the oldest, which is known everywhere if any is.
    fn current(&self, now: Timestamp) -> Option<&Key> {
        let settled = self.keys.iter().find(|key| key.created_at.plus(SETTLE) <= now);
        settled.or_else(|| self.keys.last())
    }
}

fn tag_with(key: &Key, purpose: &str, parts: &[&str]) -> String {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key.secret.as_ref()) else { return String::new() };
    // Every part is preceded by its length, so that no two lists of parts give the same input.
    for part in std::iter::once(&purpose).chain(parts) {
        mac.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        mac.update(part.as_bytes());
    }
    URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
}

/// A key for one purpose alone (RFC 5869).
fn derived(key: &Key, purpose: &str) -> Option<Zeroizing<[u8; 32]>> {
    let mut bytes = Zeroizing::new([0u8; 32]);
    let root = Hkdf::<Sha256>::new(None, key.secret.as_ref());
    root.expand(format!("portero seal {purpose}").as_bytes(), bytes.as_mut()).ok()?;
    Some(bytes)
}

fn decode(entry: &Entry) -> Option<Key> {
    let bytes = Zeroizing::new(URL_SAFE_NO_PAD.decode(&entry.secret).ok()?);
    let secret = Zeroizing::new(<[u8; 32]>::try_from(bytes.as_slice()).ok()?);
    let signing = Arc::new(SigningKey::derive(&entry.id, &secret)?);
    let created_at = Timestamp::from_millis(entry.created_at);
    Some(Key { id: entry.id.clone(), created_at, secret, signing })
}

fn new_entry(entropy: &dyn Entropy, now: Timestamp) -> Entry {
    let secret = Zeroizing::new(entropy::bytes::<32>(entropy));
    Entry {
        id: crate::domain::secret::base62(&entropy::bytes::<6>(entropy), 9),
        created_at: now.millis(),
        secret: URL_SAFE_NO_PAD.encode(secret.as_ref()),
    }
}

/// Writes beside and renames, so that a crash leaves the old file or the new one.
fn write(path: &Path, file: &File, fresh: bool) -> Result<(), KeysError> {
    let name = path.display().to_string();
    let at = |error| KeysError::File { path: name.clone(), error };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut temporary = tempfile::NamedTempFile::new_in(folder).map_err(at)?;
    let text =
        Zeroizing::new(serde_json::to_string_pretty(file).map_err(|_| KeysError::Damaged(name.clone()))?);
    temporary.write_all(text.as_bytes()).map_err(at)?;
    temporary.as_file().sync_all().map_err(at)?;
    let placed = if fresh { temporary.persist_noclobber(path) } else { temporary.persist(path) };
    match placed {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => Err(KeysError::Exists(name)),
        Err(error) => Err(at(error.error)),
    }
}
