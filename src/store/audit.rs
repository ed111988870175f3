//! The audit log: append only, in the transaction of what it tells of, never with a secret in it.

use super::sql::RowExt;
use super::{Store, StoreError, Tx};
use crate::domain::clock::Timestamp;
use crate::domain::ids::{ClientId, GrantId, PatId, UserId, WorkspaceId};

const INSERT: &str =
    "INSERT INTO audit (at, event, user_id, workspace_id, client_id, grant_id, pat_id, detail)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
const NEWEST: &str =
    "SELECT at, event, detail, grant_id, pat_id FROM audit WHERE user_id = $1 ORDER BY seq DESC LIMIT $2";

/// What happened, to whom, through what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// `noun.verb`, such as `grant.created`.
    pub event: &'static str,
    /// The user concerned.
    pub user: Option<UserId>,
    /// The workspace concerned.
    pub workspace: Option<WorkspaceId>,
    /// The client concerned.
    pub client: Option<ClientId>,
    /// The grant concerned.
    pub grant: Option<GrantId>,
    /// The personal access token concerned.
    pub pat: Option<PatId>,
    /// A word or two more.
    pub detail: Option<String>,
}

/// A row of the log as its user may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When.
    pub at: Timestamp,
    /// `noun.verb`.
    pub event: String,
    /// A word or two more.
    pub detail: Option<String>,
    /// The grant concerned.
    pub grant: Option<String>,
    /// The personal access token concerned.
    pub pat: Option<String>,
}

impl Tx {
    /// Appends an event.
    pub async fn audit(&mut self, event: Event) -> Result<(), StoreError> {
        let now = self.now.millis();
        sqlx::query(INSERT)
            .bind(now)
            .bind(event.event)
            .bind(event.user.as_ref().map(UserId::as_str))
            .bind(event.workspace.as_ref().map(WorkspaceId::as_str))
            .bind(event.client.as_ref().map(ClientId::as_str))
            .bind(event.grant.as_ref().map(GrantId::as_str))
            .bind(event.pat.as_ref().map(PatId::as_str))
            .bind(event.detail)
            .execute(self.connection())
            .await?;
        Ok(())
    }
}

impl Store {
    /// The newest events of a user.
    pub async fn audit_of(&self, user: &UserId, limit: i64) -> Result<Vec<Entry>, StoreError> {
        let rows = sqlx::query(NEWEST).bind(user.as_str()).bind(limit).fetch_all(&self.reader).await?;
        rows.iter()
            .map(|row| {
                Ok(Entry {
                    at: row.time("at")?,
                    event: row.text("event")?,
                    detail: row.text_opt("detail")?,
                    grant: row.text_opt("grant_id")?,
                    pat: row.text_opt("pat_id")?,
                })
            })
            .collect()
    }
}
