//! A new secret for a personal access token.

use std::time::Duration;

use super::Identity;
use crate::domain::brand::BrandTokens;
use crate::domain::pat::Pat;
use crate::domain::secret::Secret;
use crate::store::StoreError;
use crate::store::audit::Event;

impl Identity {
    /// Gives a token a new secret; its id and its connections stay, its old secret works for `overlap` longer.
    /// `None` if it has ended.
    pub async fn rotate_pat(
        &self,
        tokens: &BrandTokens,
        pat: &Pat,
        overlap: Duration,
    ) -> Result<Option<(Pat, Secret)>, StoreError> {
        let now = self.now();
        if !pat.is_live(now) {
            return Ok(None);
        }
        let prefix = tokens.pat(pat.mode);
        let secret = Secret::generate(prefix, self.entropy.as_ref());
        let rotated = Pat { hint: secret.hint(prefix), ..pat.clone() };
        let done = self
            .store
            .transaction(async |tx| {
                let until = now.plus(overlap);
                let done = tx.rotate_pat(&pat.id, &secret.digest(), until, &rotated.hint).await?;
                if done {
                    tx.audit(Event {
                        event: "pat.rotated",
                        user: Some(pat.user.clone()),
                        workspace: Some(pat.workspace.clone()),
                        pat: Some(pat.id.clone()),
                        ..Event::default()
                    })
                    .await?;
                }
                Ok::<_, StoreError>(done)
            })
            .await?;
        Ok(done.then_some((rotated, secret)))
    }
}
