//! Grants: the connections people have allowed.

use sqlx::any::AnyRow;

use super::sql::RowExt;
use super::{Store, StoreError, Tx};
use crate::domain::change::{Change, ChangeKind};
use crate::domain::clock::Timestamp;
use crate::domain::grant::{EndReason, Grant};
use crate::domain::ids::{BrandId, ClientId, GrantId, PatId, ServiceId, UserId, WorkspaceId};

/// What has ended a grant from above, as far as the rows still say: its PAT, its user, its membership,
/// its client.
const ALIVE: &str = "alive";

macro_rules! select {
    ($tail:literal) => {
        concat!(
            "SELECT g.id, g.user_id, g.workspace_id, g.client_id, g.service, g.brand, g.scopes, g.pat_id, g.mode,
               g.redirect_host, g.created_at, g.activated_at, g.expires_at, g.last_used_at, g.ended_at,
               g.ended_reason, c.metadata AS client_metadata, p.name AS pat_name, p.hint AS pat_hint,
               p.ended_at AS pat_ended_at, p.expires_at AS pat_expires_at,
               CASE WHEN u.epoch = g.user_epoch AND u.locked_at IS NULL
                 AND m.epoch = g.membership_epoch AND m.removed_at IS NULL
                 AND c.epoch = g.client_epoch AND c.disabled_at IS NULL AND c.deleted_at IS NULL
               THEN 1 ELSE 0 END AS alive
             FROM grants g
             LEFT JOIN users u ON u.id = g.user_id
             LEFT JOIN memberships m ON m.user_id = g.user_id AND m.workspace_id = g.workspace_id
             LEFT JOIN clients c ON c.id = g.client_id
             LEFT JOIN pats p ON p.id = g.pat_id
             ",
            $tail
        )
    };
}
const BY_ID: &str = select!("WHERE g.id = $1");
const OF_USER: &str =
    select!("WHERE g.user_id = $1 AND g.activated_at IS NOT NULL ORDER BY g.created_at DESC, g.id");
const OF_CLIENT: &str = select!("WHERE g.client_id = $1 ORDER BY g.created_at DESC, g.id");
const OF_PAT: &str =
    select!("WHERE g.pat_id = $1 AND g.activated_at IS NOT NULL ORDER BY g.created_at DESC, g.id");
const LIST: &str = select!("WHERE g.activated_at IS NOT NULL ORDER BY g.created_at DESC, g.id");
const INSERT: &str =
    "INSERT INTO grants (id, user_id, workspace_id, client_id, service, brand, scopes, pat_id, mode,
       redirect_host, user_epoch, membership_epoch, client_epoch, rev, created_at, expires_at)
     SELECT $1, u.id, m.workspace_id, c.id, $2, $3, $4, $5, $6, $7, u.epoch, m.epoch, c.epoch, 0, $8, $9
     FROM users u
     JOIN memberships m ON m.user_id = u.id AND m.removed_at IS NULL
     JOIN clients c ON c.id = $10 AND c.disabled_at IS NULL AND c.deleted_at IS NULL
     WHERE u.id = $11 AND m.workspace_id = $12 AND u.locked_at IS NULL";
const LOCK: &str = "UPDATE grants SET rev = rev + 1 WHERE id = $1 RETURNING rev";
const ACTIVATE: &str = "UPDATE grants SET activated_at = $2 WHERE id = $1 AND activated_at IS NULL";
const END: &str = "UPDATE grants SET ended_at = $2, ended_reason = $3 WHERE id = $1 AND ended_at IS NULL";
const USED: &str =
    "UPDATE grants SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)";

/// A grant as lists show it: with its client's name, the token that authorized it and whether it is alive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantView {
    /// The grant itself.
    pub grant: Grant,
    /// The client's name, as it gave it; its id where it gave none or is gone.
    pub client_name: String,
    /// Where answers to this client went: a host, or a scheme.
    pub redirect_host: String,
    /// Name and hint of the authorizing token.
    pub pat: Option<(String, String)>,
    /// True once its code was redeemed.
    pub activated: bool,
    /// True if everything it hangs on is alive, and so is it.
    pub alive: bool,
    /// True if the authorizing token has ended or expired.
    pub pat_ended: bool,
}

fn grant(row: &AnyRow) -> Result<Grant, StoreError> {
    let reason = row.text_opt("ended_reason")?;
    Ok(Grant {
        id: GrantId::from(row.text("id")?),
        user: UserId::from(row.text("user_id")?),
        workspace: WorkspaceId::from(row.text("workspace_id")?),
        client: ClientId::from(row.text("client_id")?),
        service: ServiceId::from(row.text("service")?),
        brand: BrandId::from(row.text("brand")?),
        scopes: row.scopes("scopes")?,
        pat: row.text_opt("pat_id")?.map(PatId::from),
        mode: row.mode("mode")?,
        created_at: row.time("created_at")?,
        expires_at: row.time("expires_at")?,
        last_used_at: row.time_opt("last_used_at")?,
        ended_at: row.time_opt("ended_at")?,
        ended_reason: reason.as_deref().and_then(EndReason::from_label),
    })
}

fn view(row: &AnyRow, now: Timestamp) -> Result<GrantView, StoreError> {
    let grant = grant(row)?;
    let name = row
        .text_opt("client_metadata")?
        .and_then(|json| serde_json::from_str::<serde_json::Value>(&json).ok())
        .and_then(|metadata| metadata.get("client_name")?.as_str().map(str::to_owned));
    let pat_ended = grant.pat.is_some()
        && (row.text_opt("pat_name")?.is_none()
            || row.time_opt("pat_ended_at")?.is_some()
            || row.time_opt("pat_expires_at")?.is_some_and(|at| at <= now));
    Ok(GrantView {
        client_name: name.unwrap_or_else(|| grant.client.to_string()),
        redirect_host: row.text("redirect_host")?,
        pat: row.text_opt("pat_name")?.zip(row.text_opt("pat_hint")?),
        activated: row.number_opt("activated_at")?.is_some(),
        alive: row.number(ALIVE)? == 1 && grant.ended_at.is_none() && now < grant.expires_at && !pat_ended,
        pat_ended,
        grant,
    })
}

impl Store {
    /// The grant of an id.
    pub async fn grant(&self, id: &GrantId) -> Result<Option<GrantView>, StoreError> {
        let row = sqlx::query(BY_ID).bind(id.as_str()).fetch_optional(&self.reader).await?;
        row.as_ref().map(|row| view(row, self.now())).transpose()
    }

    /// The connections of a user, newest first; of everybody without one.
    pub async fn grants(&self, user: Option<&UserId>) -> Result<Vec<GrantView>, StoreError> {
        let rows = match user {
            Some(user) => sqlx::query(OF_USER).bind(user.as_str()).fetch_all(&self.reader).await?,
            None => sqlx::query(LIST).fetch_all(&self.reader).await?,
        };
        rows.iter().map(|row| view(row, self.now())).collect()
    }

    /// The connections of a client, newest first.
    pub async fn grants_of_client(&self, client: &ClientId) -> Result<Vec<GrantView>, StoreError> {
        let rows = sqlx::query(OF_CLIENT).bind(client.as_str()).fetch_all(&self.reader).await?;
        rows.iter().map(|row| view(row, self.now())).collect()
    }

    /// The connections a token authorized, newest first.
    pub async fn grants_of_pat(&self, pat: &PatId) -> Result<Vec<GrantView>, StoreError> {
        let rows = sqlx::query(OF_PAT).bind(pat.as_str()).fetch_all(&self.reader).await?;
        rows.iter().map(|row| view(row, self.now())).collect()
    }

    fn now(&self) -> Timestamp {
        self.clock().now()
    }
}

impl Tx {
    /// Adds a grant that its code has still to activate. False if user, membership or client ended meanwhile.
    pub async fn insert_grant(&mut self, grant: &Grant, redirect_host: &str) -> Result<bool, StoreError> {
        let done = sqlx::query(INSERT)
            .bind(grant.id.as_str())
            .bind(grant.service.as_str())
            .bind(grant.brand.as_str())
            .bind(grant.scopes.to_string())
            .bind(grant.pat.as_ref().map(PatId::as_str))
            .bind(grant.mode.label())
            .bind(redirect_host)
            .bind(grant.created_at.millis())
            .bind(grant.expires_at.millis())
            .bind(grant.client.as_str())
            .bind(grant.user.as_str())
            .bind(grant.workspace.as_str())
            .execute(self.connection())
            .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Locks a grant for the rest of the transaction: the first write of everything that issues or revokes.
    /// False if there is no such grant.
    pub async fn lock_grant(&mut self, id: &GrantId) -> Result<bool, StoreError> {
        let row = sqlx::query(LOCK).bind(id.as_str()).fetch_optional(self.connection()).await?;
        Ok(row.is_some())
    }

    /// Notes that the code was redeemed.
    pub async fn activate_grant(&mut self, id: &GrantId) -> Result<(), StoreError> {
        let now = self.now.millis();
        sqlx::query(ACTIVATE).bind(id.as_str()).bind(now).execute(self.connection()).await?;
        Ok(())
    }

    /// Ends a grant and with it its family. False if it had ended already.
    pub async fn end_grant(&mut self, id: &GrantId, reason: EndReason) -> Result<bool, StoreError> {
        let now = self.now.millis();
        let done = sqlx::query(END)
            .bind(id.as_str())
            .bind(now)
            .bind(reason.label())
            .execute(self.connection())
            .await?;
        if done.rows_affected() > 0 {
            self.change(Change::new(ChangeKind::Grant, id)).await?;
        }
        Ok(done.rows_affected() > 0)
    }

    /// Notes when a grant was last used.
    pub async fn grant_used(&mut self, id: &str, at: Timestamp) -> Result<(), StoreError> {
        sqlx::query(USED).bind(id).bind(at.millis()).execute(self.connection()).await?;
        Ok(())
    }
}
