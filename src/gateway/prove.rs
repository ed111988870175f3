//! Signing what the headers of a request to a worker say.

use super::trace;
use crate::app::App;
use crate::upstream::assertion::{Facts, Parties};
use crate::upstream::client::Failure;

/// The assertion that goes with a body.
///
/// # Errors
/// Nothing signs. Without its proof a request would be one that the worker cannot tell from a forged one, so it is
/// not sent.
pub fn prove(app: &App, parties: &Parties, facts: Facts<'_>, body: &[u8]) -> Result<String, Failure> {
    let now = app.clock.now();
    let claims = facts.signed_for(parties, now, &trace::random_key(&*app.entropy), body);
    let signed = app.keys.signer(now).and_then(|key| key.sign(&claims));
    signed.ok_or(Failure::Unavailable("no_signing_key"))
}
