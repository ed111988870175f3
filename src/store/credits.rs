//! Credits: what of a month was used, and by what.
//!
//! A transaction that touches both tables touches the month's row first, so that no two wait for each other.

use sqlx::any::AnyRow;

use super::sql::RowExt;
use super::{Store, StoreError, Tx};
use crate::domain::clock::Timestamp;
use crate::domain::credits::Month;
use crate::domain::ids::WorkspaceId;

const USED: &str = "SELECT used FROM credits WHERE workspace_id = $1 AND month = $2";
/// One statement, so that of any number of callers only as many pass as there are credits for.
const RESERVE: &str = "INSERT INTO credits (workspace_id, month, used)
     SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), CAST($3 AS BIGINT)
     WHERE CAST($3 AS BIGINT) <= CAST($4 AS BIGINT)
     ON CONFLICT (workspace_id, month) DO UPDATE SET used = credits.used + excluded.used
     WHERE credits.used + excluded.used <= $4
     RETURNING used";
const ADD: &str = "INSERT INTO credits (workspace_id, month, used) VALUES ($1, $2, $3)
     ON CONFLICT (workspace_id, month) DO UPDATE SET used = credits.used + excluded.used";
const INSERT: &str =
    "INSERT INTO credit_entries (id, workspace_id, month, at, kind, reserved, amount, outcome, settled_at,
       expires_at, user_id, client_id, grant_id, pat_id, service, tool, note, call)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
     ON CONFLICT (id) DO NOTHING";
const SETTLE: &str = "UPDATE credit_entries SET amount = $2, outcome = $3, settled_at = $4
     WHERE id = $1 AND amount IS NULL";
const ABANDONED: &str = "SELECT id, workspace_id, month, reserved AS held FROM credit_entries
     WHERE amount IS NULL AND expires_at < $1 ORDER BY expires_at LIMIT $2";
const RUNS: &str = "SELECT id, workspace_id, month, COALESCE(amount, reserved) AS held FROM credit_entries
     WHERE call = $1 AND (amount IS NULL OR amount <> 0) ORDER BY month, id";
const HELD: &str =
    "SELECT CAST(COALESCE(SUM(COALESCE(amount, reserved)), 0) AS BIGINT) AS held FROM credit_entries
     WHERE call = $1 AND month = $2";
const GIVE_BACK: &str = "UPDATE credit_entries SET amount = 0, outcome = $2, settled_at = $3
     WHERE id = $1 AND (amount IS NULL OR amount <> 0)";
const ENTRIES: &str =
    "SELECT id, workspace_id, month, at, kind, reserved, amount, outcome, expires_at, user_id, client_id,
       grant_id, pat_id, service, tool, note, call
     FROM credit_entries WHERE workspace_id = $1 ORDER BY at DESC, id LIMIT $2";
const SWEEP: &str = "DELETE FROM credit_entries WHERE id IN
     (SELECT id FROM credit_entries WHERE at < $1 AND amount IS NOT NULL LIMIT $2)";

/// What used credits, or gave them back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A call of a tool.
    Call,
    /// The operator's own program took some.
    Spend,
    /// The operator gave some back.
    Refund,
}

impl Kind {
    /// The stored word.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Spend => "spend",
            Self::Refund => "refund",
        }
    }

    fn from_label(label: &str) -> Option<Self> {
        [Self::Call, Self::Spend, Self::Refund].into_iter().find(|kind| kind.label() == label)
    }
}

/// How what was reserved came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The tool did it.
    Done,
    /// It failed, and was not charged.
    Failed,
    /// The client left, or lost its permission, before the answer came.
    Left,
    /// Nobody ever said; not charged.
    Abandoned,
    /// It was sent again under its key; not charged for this time.
    Repeated,
}

impl Outcome {
    /// The stored word.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Left => "left",
            Self::Abandoned => "abandoned",
            Self::Repeated => "repeated",
        }
    }

    fn from_label(label: &str) -> Option<Self> {
        [Self::Done, Self::Failed, Self::Left, Self::Abandoned, Self::Repeated]
            .into_iter()
            .find(|own| own.label() == label)
    }
}

/// A line of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// Whose credits.
    pub workspace: WorkspaceId,
    /// Of which month.
    pub month: Month,
    /// When it began.
    pub at: Timestamp,
    /// What it was.
    pub kind: Kind,
    /// What was reserved beforehand.
    pub reserved: i64,
    /// What was charged in the end, negative for a refund; none while the call is under way.
    pub amount: Option<i64>,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// When a call that has not ended counts as abandoned.
    pub expires_at: Timestamp,
    /// Through whom and what.
    pub by: By,
    /// A word or two more.
    pub note: Option<String>,
    /// The call that this is a run of, where it may be sent again: one name for all its runs.
    pub call: Option<String>,
}

/// Through whom and what credits were used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct By {
    /// The user's id.
    pub user: Option<String>,
    /// The client's.
    pub client: Option<String>,
    /// The grant's.
    pub grant: Option<String>,
    /// The personal access token's.
    pub pat: Option<String>,
    /// The service.
    pub service: Option<String>,
    /// The tool.
    pub tool: Option<String>,
}

/// What a call has taken out of a month, reserved or charged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The entry's id.
    pub id: String,
    /// Whose credits.
    pub workspace: WorkspaceId,
    /// Of which month.
    pub month: Month,
    /// How many.
    pub credits: i64,
}

fn held(row: &AnyRow) -> Result<Held, StoreError> {
    Ok(Held {
        id: row.text("id")?,
        workspace: WorkspaceId::from(row.text("workspace_id")?),
        month: Month::from_number(row.number("month")?),
        credits: row.number("held")?,
    })
}

fn entry(row: &AnyRow) -> Result<Entry, StoreError> {
    let outcome = row.text_opt("outcome")?.map(|text| Outcome::from_label(&text));
    Ok(Entry {
        id: row.text("id")?,
        workspace: WorkspaceId::from(row.text("workspace_id")?),
        month: Month::from_number(row.number("month")?),
        at: row.time("at")?,
        kind: Kind::from_label(&row.text("kind")?).ok_or(StoreError::Corrupt("kind"))?,
        reserved: row.number("reserved")?,
        amount: row.number_opt("amount")?,
        outcome: outcome.map(|known| known.ok_or(StoreError::Corrupt("outcome"))).transpose()?,
        expires_at: row.time("expires_at")?,
        by: By {
            user: row.text_opt("user_id")?,
            client: row.text_opt("client_id")?,
            grant: row.text_opt("grant_id")?,
            pat: row.text_opt("pat_id")?,
            service: row.text_opt("service")?,
            tool: row.text_opt("tool")?,
        },
        note: row.text_opt("note")?,
        call: row.text_opt("call")?,
    })
}

impl Store {
    /// What a workspace has used of a month.
    pub async fn credits_used(&self, workspace: &WorkspaceId, month: Month) -> Result<i64, StoreError> {
        let asked = sqlx::query(USED).bind(workspace.as_str()).bind(month.number());
        let row = asked.fetch_optional(&self.reader).await?;
        row.map_or(Ok(0), |row| row.number("used"))
    }

    /// The newest entries of a workspace.
    pub async fn credit_entries(
        &self,
        workspace: &WorkspaceId,
        limit: i64,
    ) -> Result<Vec<Entry>, StoreError> {
        let asked = sqlx::query(ENTRIES).bind(workspace.as_str()).bind(limit);
        asked.fetch_all(&self.reader).await?.iter().map(entry).collect()
    }

    /// Reservations that should have been settled before `now`.
    pub async fn abandoned_credits(&self, now: Timestamp, limit: i64) -> Result<Vec<Held>, StoreError> {
        let rows = sqlx::query(ABANDONED).bind(now.millis()).bind(limit).fetch_all(&self.reader).await?;
        rows.iter().map(held).collect()
    }

    /// What the runs of a call have taken out of a month.
    pub async fn credits_of_call(&self, call: &str, month: Month) -> Result<i64, StoreError> {
        let asked = sqlx::query(HELD).bind(call).bind(month.number());
        asked.fetch_one(&self.reader).await?.number("held")
    }
}

impl Tx {
    /// Takes `cost` out of a month if no more than `allowance` is used then. False if it would be more.
    pub async fn reserve_credits(
        &mut self,
        workspace: &WorkspaceId,
        month: Month,
        cost: i64,
        allowance: i64,
    ) -> Result<bool, StoreError> {
        let asked = sqlx::query(RESERVE)
            .bind(workspace.as_str())
            .bind(month.number())
            .bind(cost)
            .bind(allowance)
            .fetch_optional(self.connection())
            .await?;
        Ok(asked.is_some())
    }

    /// Adds to what was used of a month, or takes away from it, whatever is left then.
    pub async fn use_credits(
        &mut self,
        workspace: &WorkspaceId,
        month: Month,
        credits: i64,
    ) -> Result<(), StoreError> {
        let add = sqlx::query(ADD).bind(workspace.as_str()).bind(month.number()).bind(credits);
        add.execute(self.connection()).await?;
        Ok(())
    }

    /// Adds a line to the ledger. False if it is there already.
    pub async fn insert_credit_entry(&mut self, entry: &Entry) -> Result<bool, StoreError> {
        let now = self.now.millis();
        let by = &entry.by;
        let done = sqlx::query(INSERT)
            .bind(&entry.id)
            .bind(entry.workspace.as_str())
            .bind(entry.month.number())
            .bind(entry.at.millis())
            .bind(entry.kind.label())
            .bind(entry.reserved)
            .bind(entry.amount)
            .bind(entry.outcome.map(Outcome::label))
            .bind(entry.amount.map(|_| now))
            .bind(entry.expires_at.millis())
            .bind(by.user.as_deref())
            .bind(by.client.as_deref())
            .bind(by.grant.as_deref())
            .bind(by.pat.as_deref())
            .bind(by.service.as_deref())
            .bind(by.tool.as_deref())
            .bind(entry.note.as_deref())
            .bind(entry.call.as_deref())
            .execute(self.connection())
            .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Says what a reserved call cost in the end. False if that has been said already.
    pub async fn settle_credit_entry(
        &mut self,
        id: &str,
        amount: i64,
        outcome: Outcome,
    ) -> Result<bool, StoreError> {
        let now = self.now.millis();
        let done = sqlx::query(SETTLE)
            .bind(id)
            .bind(amount)
            .bind(outcome.label())
            .bind(now)
            .execute(self.connection())
            .await?;
        Ok(done.rows_affected() > 0)
    }

    /// The runs of a call that have taken something, by month.
    pub async fn runs_of_call(&mut self, call: &str) -> Result<Vec<Held>, StoreError> {
        let rows = sqlx::query(RUNS).bind(call).fetch_all(self.connection()).await?;
        rows.iter().map(held).collect()
    }

    /// Says of a run that it was repeated, whatever was said of it before. False if it has taken nothing.
    pub async fn give_run_back(&mut self, id: &str) -> Result<bool, StoreError> {
        let now = self.now.millis();
        let done = sqlx::query(GIVE_BACK)
            .bind(id)
            .bind(Outcome::Repeated.label())
            .bind(now)
            .execute(self.connection())
            .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Deletes lines from before `then` that have come to their end.
    pub async fn sweep_credit_entries(&mut self, then: Timestamp, batch: i64) -> Result<u64, StoreError> {
        let sweep = sqlx::query(SWEEP).bind(then.millis()).bind(batch);
        Ok(sweep.execute(self.connection()).await?.rows_affected())
    }
}
