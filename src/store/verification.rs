//! The one read behind every token check: the token and the whole chain it hangs on.

use sqlx::any::AnyRow;

use super::sql::RowExt;
use super::{Store, StoreError};
use crate::domain::clock::Timestamp;
use crate::domain::ids::{BrandId, ClientId, GrantId, PatId, PlanId, ServiceId, UserId, WorkspaceId};
use crate::domain::secret::Digest;
use crate::domain::verified::{TokenKind, Verified};
use crate::domain::workspace::WorkspaceStatus;

const PAT: &str = "SELECT p.id AS pat_id, p.user_id, p.workspace_id, p.brand, p.scopes, p.mode, p.created_at,
       p.expires_at, p.digest, p.previous_until, u.external_id, w.plan, w.status
     FROM pats p
     JOIN users u ON u.id = p.user_id AND u.epoch = p.user_epoch AND u.locked_at IS NULL
     JOIN memberships m ON m.user_id = p.user_id AND m.workspace_id = p.workspace_id
       AND m.epoch = p.membership_epoch AND m.removed_at IS NULL
     JOIN workspaces w ON w.id = p.workspace_id
     WHERE (p.digest = $1 OR p.previous_digest = $1) AND p.ended_at IS NULL";

/// What a grant hangs on, each link alive and unchanged since: the same for a token's check and for what a family
/// may still issue, or one of them would let through what the other refuses.
macro_rules! above_grant {
    () => {
        "JOIN users u ON u.id = g.user_id AND u.epoch = g.user_epoch AND u.locked_at IS NULL
     JOIN memberships m ON m.user_id = g.user_id AND m.workspace_id = g.workspace_id
       AND m.epoch = g.membership_epoch AND m.removed_at IS NULL
     JOIN workspaces w ON w.id = g.workspace_id
     JOIN clients c ON c.id = g.client_id AND c.epoch = g.client_epoch AND c.disabled_at IS NULL
       AND c.deleted_at IS NULL
     LEFT JOIN pats p ON p.id = g.pat_id AND p.ended_at IS NULL
       AND p.user_epoch = u.epoch AND p.membership_epoch = m.epoch
     "
    };
}

const ACCESS: &str = concat!(
    "SELECT g.id AS grant_id, g.user_id, g.workspace_id, g.client_id, g.service, g.brand,
       g.scopes AS grant_scopes, g.mode, g.pat_id, g.expires_at AS grant_expires_at, a.scopes, a.created_at,
       a.expires_at, a.first_used_at, u.external_id, w.plan, w.status, p.scopes AS pat_scopes,
       p.expires_at AS pat_expires_at, p.id AS live_pat
     FROM access_tokens a
     JOIN grants g ON g.id = a.grant_id AND g.ended_at IS NULL
     ",
    above_grant!(),
    "WHERE a.digest = $1 AND a.revoked_at IS NULL"
);

/// Whether a family may still issue: the chain of [`ACCESS`] from the grant upwards.
macro_rules! family {
    () => {
        concat!(
            "SELECT g.id AS grant_id, g.user_id, g.workspace_id, g.client_id, g.service, g.brand, g.scopes,
       g.mode, g.pat_id, g.created_at, g.expires_at AS grant_expires_at, p.scopes AS pat_scopes,
       p.expires_at AS pat_expires_at, p.id AS live_pat, u.external_id, w.plan, w.status
     FROM grants g
     ",
            above_grant!()
        )
    };
}

pub(super) use {above_grant, family};

const FAMILY: &str = concat!(family!(), "WHERE g.id = $1 AND g.ended_at IS NULL");

/// What [`Store::access_token`] found.
#[derive(Clone, Debug)]
pub struct AccessRow {
    /// The live chain.
    pub verified: Verified,
    /// True if the token was used before.
    pub used: bool,
}

fn status(row: &AnyRow) -> Result<WorkspaceStatus, StoreError> {
    WorkspaceStatus::from_label(&row.text("status")?).ok_or(StoreError::Corrupt("status"))
}

fn earliest(times: [Option<Timestamp>; 3]) -> Option<Timestamp> {
    times.into_iter().flatten().min()
}

/// The chain from the grant upwards; `None` if the authorizing token has ended.
pub(super) fn from_grant(row: &AnyRow, now: Timestamp) -> Result<Option<Verified>, StoreError> {
    let pat = row.text_opt("pat_id")?.map(PatId::from);
    if pat.is_some() && row.text_opt("live_pat")?.is_none() {
        return Ok(None);
    }
    let expires_at = earliest([row.time_opt("grant_expires_at")?, row.time_opt("pat_expires_at")?, None]);
    let own = row.scopes("scopes")?;
    let scopes = match row.text_opt("pat_scopes")? {
        Some(ceiling) => own.intersection(&crate::domain::scope::ScopeSet::parse(&ceiling)),
        None => own,
    };
    let verified = Verified {
        kind: TokenKind::Oauth,
        pat,
        grant: Some(GrantId::from(row.text("grant_id")?)),
        client: Some(ClientId::from(row.text("client_id")?)),
        user: UserId::from(row.text("user_id")?),
        subject: row.text_opt("external_id")?,
        workspace: WorkspaceId::from(row.text("workspace_id")?),
        brand: BrandId::from(row.text("brand")?),
        service: Some(ServiceId::from(row.text("service")?)),
        scopes,
        mode: row.mode("mode")?,
        plan: row.text_opt("plan")?.map(PlanId::from),
        status: status(row)?,
        issued_at: row.time("created_at")?,
        expires_at,
        access: None,
    };
    Ok(verified.is_current(now).then_some(verified))
}

impl Store {
    /// The live personal access token of a digest.
    pub async fn pat_token(&self, digest: &Digest, now: Timestamp) -> Result<Option<Verified>, StoreError> {
        let row = sqlx::query(PAT).bind(digest.to_hex()).fetch_optional(&self.reader).await?;
        let Some(row) = row else { return Ok(None) };
        let previous = row.text("digest")? != digest.to_hex();
        let overlap = if previous { row.time_opt("previous_until")? } else { None };
        let verified = Verified {
            kind: TokenKind::Pat,
            pat: Some(PatId::from(row.text("pat_id")?)),
            grant: None,
            client: None,
            user: UserId::from(row.text("user_id")?),
            subject: row.text_opt("external_id")?,
            workspace: WorkspaceId::from(row.text("workspace_id")?),
            brand: BrandId::from(row.text("brand")?),
            service: None,
            scopes: row.scopes("scopes")?,
            mode: row.mode("mode")?,
            plan: row.text_opt("plan")?.map(PlanId::from),
            status: status(&row)?,
            issued_at: row.time("created_at")?,
            expires_at: earliest([row.time_opt("expires_at")?, overlap, None]),
            access: None,
        };
        Ok(verified.is_current(now).then_some(verified))
    }

    /// The live access token of a digest.
    pub async fn access_token(
        &self,
        digest: &Digest,
        now: Timestamp,
    ) -> Result<Option<AccessRow>, StoreError> {
        let row = sqlx::query(ACCESS).bind(digest.to_hex()).fetch_optional(&self.reader).await?;
        let Some(row) = row else { return Ok(None) };
        let Some(mut verified) = from_grant(&row, now)? else { return Ok(None) };
        verified.scopes = verified.scopes.intersection(&row.scopes("grant_scopes")?);
        verified.expires_at = earliest([verified.expires_at, row.time_opt("expires_at")?, None]);
        verified.access = Some(*digest);
        let used = row.time_opt("first_used_at")?.is_some();
        Ok(verified.is_current(now).then_some(AccessRow { verified, used }))
    }

    /// What a grant may issue now; `None` if it or anything it hangs on has ended.
    pub async fn family(&self, grant: &GrantId, now: Timestamp) -> Result<Option<Verified>, StoreError> {
        let row = sqlx::query(FAMILY).bind(grant.as_str()).fetch_optional(&self.reader).await?;
        row.map_or(Ok(None), |row| from_grant(&row, now))
    }
}

impl super::Tx {
    /// What a grant may issue now, as this transaction sees it.
    pub async fn family(&mut self, grant: &GrantId) -> Result<Option<Verified>, StoreError> {
        let now = self.now;
        let row = sqlx::query(FAMILY).bind(grant.as_str()).fetch_optional(self.connection()).await?;
        row.map_or(Ok(None), |row| from_grant(&row, now))
    }
}
