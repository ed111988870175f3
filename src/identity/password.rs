//! Human passwords: argon2id, off the async threads, bounded in number.

use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Argon2, PasswordHash};
use tokio::sync::Semaphore;
use zeroize::Zeroizing;

use super::Identity;
use crate::domain::entropy;
use crate::domain::user::{User, email_key};
use crate::store::StoreError;

/// More passwords than this are not checked at once: each takes 19 MiB and a core for a while.
const CONCURRENT: usize = 2;
/// How long a check waits for its turn.
const BUSY: std::time::Duration = std::time::Duration::from_secs(5);
/// Longer passwords are refused before they are hashed.
pub const MAX_LENGTH: usize = 1024;
/// Shorter ones are not accepted as new passwords.
pub const MIN_LENGTH: usize = 12;

/// The bound on concurrent checks and the hash that stands in for a user who does not exist.
#[derive(Debug)]
pub struct Passwords {
    permits: Semaphore,
    dummy: std::sync::OnceLock<String>,
}

impl Default for Passwords {
    fn default() -> Self {
        Self { permits: Semaphore::new(CONCURRENT), dummy: std::sync::OnceLock::new() }
    }
}

/// What came of a sign-in.
#[derive(Debug)]
pub enum SignIn {
    /// The right password of a user who may sign in, with the hash it was checked against.
    Ok(Box<User>, String),
    /// Anything else: one answer for an unknown user, a wrong password and a locked account.
    Refused,
    /// Too many failures; ask again after this long.
    Throttled(std::time::Duration),
}

fn hash_now(password: &str, salt: &[u8; 16]) -> Option<String> {
    Argon2::default().hash_password_with_salt(password.as_bytes(), salt).ok().map(|hash| hash.to_string())
}

fn verify_now(password: &str, hash: &str) -> bool {
    PasswordHash::new(hash)
        .is_ok_and(|parsed| Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok())
}

impl Identity {
    /// The hash to store of a new password.
    pub async fn hash_password(&self, password: &str) -> Result<String, StoreError> {
        let salt = entropy::bytes::<16>(self.entropy.as_ref());
        let password = Zeroizing::new(password.to_owned());
        let hashed = self.off_thread(move || hash_now(&password, &salt)).await;
        hashed.flatten().ok_or(StoreError::Corrupt("password hash"))
    }

    async fn off_thread<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        // Whoever waits longer than this asks again; a queue without end would hold up everybody.
        let permit = tokio::time::timeout(BUSY, self.passwords.permits.acquire()).await.ok()?.ok()?;
        let done = tokio::task::spawn_blocking(work).await.ok();
        drop(permit);
        done
    }

    /// Checks mail address and password. An unknown user costs the same time as a wrong password.
    pub async fn sign_in(&self, email: &str, password: &str, address: &str) -> Result<SignIn, StoreError> {
        let now = self.now();
        let account = self.failures.attempt(&format!("account {}", email_key(email)), now);
        let source = self.failures.attempt(&format!("address {address}"), now);
        let (account, source) = match (account, source) {
            (Ok(account), Ok(source)) => (account, source),
            (Err(wait), _) | (_, Err(wait)) => return Ok(SignIn::Throttled(wait)),
        };
        let user = self.store.user_by_email(email).await?;
        let hash = match &user {
            Some(user) => self.store.password_hash(&user.id).await?,
            None => None,
        };
        let known = hash.is_some();
        let hash = match hash {
            Some(hash) => hash,
            None => self.dummy_hash().await?,
        };
        // A longer one can be nobody's; checking its beginning would take it for one that is.
        let possible = password.len() <= MAX_LENGTH;
        let password = Zeroizing::new(if possible { password.to_owned() } else { String::new() });
        let stored = hash.clone();
        let Some(right) = self.off_thread(move || verify_now(&password, &stored)).await else {
            return Ok(SignIn::Throttled(BUSY));
        };
        match user {
            Some(user) if right && known && possible && user.locked_at.is_none() => {
                account.succeeded();
                source.succeeded();
                Ok(SignIn::Ok(Box::new(user), hash))
            }
            _ => Ok(SignIn::Refused),
        }
    }

    async fn dummy_hash(&self) -> Result<String, StoreError> {
        if let Some(hash) = self.passwords.dummy.get() {
            return Ok(hash.clone());
        }
        let hash = self.hash_password("nobody has this password").await?;
        Ok(self.passwords.dummy.get_or_init(|| hash).clone())
    }
}
