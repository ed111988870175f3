//! What can go wrong in the store.

/// A failure of the store. Absent things are no failures.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database cannot be asked now: asking again later may work.
    #[error("the database cannot be reached or did not answer in time: {0}")]
    Unavailable(String),
    /// A unique value is taken already.
    #[error("the value is taken already")]
    Conflict,
    /// A row holds something this program never writes.
    #[error("unreadable row: {0}")]
    Corrupt(&'static str),
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::Database(database) if database.is_unique_violation() => Self::Conflict,
            other => Self::Unavailable(other.to_string()),
        }
    }
}
