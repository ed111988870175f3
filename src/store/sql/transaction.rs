//! Transactions: one place that begins, bounds, commits and announces.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use sqlx::{Any, Transaction};

use super::pool::{Dialect, Listener, Store};
use crate::domain::change::Change;
use crate::domain::clock::Timestamp;
use crate::store::StoreError;

const DEADLINE: Duration = Duration::from_secs(5);

/// An open transaction and the changes of authority it has written so far.
pub struct Tx {
    inner: Transaction<'static, Any>,
    changes: Vec<Change>,
    /// The moment at which the transaction happens: one for all its rows.
    pub now: Timestamp,
}

impl Tx {
    /// The connection, for the statements of the aggregates.
    pub(in crate::store) fn connection(&mut self) -> &mut sqlx::AnyConnection {
        &mut self.inner
    }

    /// Writes a change of authority into the log, to be announced after the commit.
    pub async fn change(&mut self, change: Change) -> Result<(), StoreError> {
        sqlx::query("INSERT INTO changes (kind, id, at) VALUES ($1, $2, $3)")
            .bind(change.kind.label())
            .bind(&change.id)
            .bind(self.now.millis())
            .execute(&mut *self.inner)
            .await?;
        self.changes.push(change);
        Ok(())
    }
}

impl Store {
    /// Runs `work` in one transaction: committed when it answers `Ok`, undone otherwise, undone after five
    /// seconds in any case. What it changed is announced before this returns.
    ///
    /// On SQLite the write lock is taken at once; on PostgreSQL `work` locks the rows it names first.
    pub async fn transaction<T, E, F>(&self, work: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: AsyncFnOnce(&mut Tx) -> Result<T, E>,
    {
        let open = async {
            let inner = self.begin().await?;
            let mut tx = Tx { inner, changes: Vec::new(), now: self.clock.now() };
            let value = work(&mut tx).await?;
            Ok::<_, E>((tx, value))
        };
        let (tx, value) =
            tokio::time::timeout(DEADLINE, open).await.unwrap_or_else(|_| Err(late().into()))?;
        // From here on the outcome is the database's. Neither a deadline nor a caller who has gone may part the
        // commit from its announcement, or say that nothing happened when it did.
        let committed = tokio::spawn(commit(tx, Arc::clone(&self.committed)));
        match tokio::time::timeout(DEADLINE, committed).await {
            Ok(Ok(outcome)) => outcome.map(|()| value).map_err(E::from),
            Ok(Err(_)) | Err(_) => Err(late().into()),
        }
    }
}

impl Store {
    /// Begins in a task of its own, which a caller who goes away cannot stop in the middle. sqlx rolls back only what
    /// it knows to have begun: a `BEGIN` whose answer nobody waited for would go back to the pool with its connection,
    /// and what is asked there next would stand in a transaction that nobody commits.
    async fn begin(&self) -> Result<Transaction<'static, Any>, StoreError> {
        let (pool, dialect) = (self.writer.clone(), self.dialect());
        let begun = tokio::spawn(async move {
            match dialect {
                Dialect::Sqlite => pool.begin_with("BEGIN IMMEDIATE").await,
                Dialect::Postgres => pool.begin().await,
            }
        });
        Ok(begun.await.map_err(|_| late())??)
    }
}

fn late() -> StoreError {
    StoreError::Unavailable("transaction deadline".to_owned())
}

async fn commit(tx: Tx, announce: Arc<OnceLock<Listener>>) -> Result<(), StoreError> {
    tx.inner.commit().await?;
    if let (false, Some(listener)) = (tx.changes.is_empty(), announce.get()) {
        listener(&tx.changes);
    }
    Ok(())
}
