//! STUB: verification against a map.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::domain::brand::BrandTokens;
use crate::domain::ids::ServiceId;
use crate::domain::verified::Verified;

/// STUB: the credentials that are known.
#[derive(Default)]
pub struct Identity {
    /// By the secret itself.
    pub known: HashMap<String, Arc<Verified>>,
    /// True while nothing can be verified.
    pub down: AtomicBool,
}

/// Why a token was not verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerifyError {
    /// It is not good; the word is for logs.
    Invalid(&'static str),
    /// It could not be checked.
    Unavailable,
}

impl Identity {
    /// STUB.
    #[expect(clippy::unused_async, reason = "the real one asks the store when its cache is cold")]
    pub async fn verify(
        &self,
        _brand: &BrandTokens,
        _service: &ServiceId,
        token: &str,
    ) -> Result<Arc<Verified>, VerifyError> {
        if self.down.load(Ordering::Relaxed) {
            return Err(VerifyError::Unavailable);
        }
        self.known.get(token).cloned().ok_or(VerifyError::Invalid("unknown"))
    }
}
