//! Reading rows into the domain's types.

use sqlx::Row;
use sqlx::any::AnyRow;

use crate::domain::clock::Timestamp;
use crate::domain::pat::Mode;
use crate::domain::scope::ScopeSet;
use crate::store::StoreError;

/// Typed reads by column name.
pub(in crate::store) trait RowExt {
    /// A text column.
    fn text(&self, column: &'static str) -> Result<String, StoreError>;
    /// A text column that may be null.
    fn text_opt(&self, column: &'static str) -> Result<Option<String>, StoreError>;
    /// A number.
    fn number(&self, column: &'static str) -> Result<i64, StoreError>;
    /// A number that may be null.
    fn number_opt(&self, column: &'static str) -> Result<Option<i64>, StoreError>;

    /// A moment.
    fn time(&self, column: &'static str) -> Result<Timestamp, StoreError> {
        self.number(column).map(Timestamp::from_millis)
    }
    /// A moment that may be null.
    fn time_opt(&self, column: &'static str) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.number_opt(column)?.map(Timestamp::from_millis))
    }
    /// A space-separated list of scopes.
    fn scopes(&self, column: &'static str) -> Result<ScopeSet, StoreError> {
        Ok(ScopeSet::parse(&self.text(column)?))
    }
    /// Live or test.
    fn mode(&self, column: &'static str) -> Result<Mode, StoreError> {
        Mode::from_label(&self.text(column)?).ok_or(StoreError::Corrupt(column))
    }
}

impl RowExt for AnyRow {
    fn text(&self, column: &'static str) -> Result<String, StoreError> {
        self.try_get(column).map_err(|_| StoreError::Corrupt(column))
    }
    fn text_opt(&self, column: &'static str) -> Result<Option<String>, StoreError> {
        self.try_get(column).map_err(|_| StoreError::Corrupt(column))
    }
    fn number(&self, column: &'static str) -> Result<i64, StoreError> {
        self.try_get(column).map_err(|_| StoreError::Corrupt(column))
    }
    fn number_opt(&self, column: &'static str) -> Result<Option<i64>, StoreError> {
        self.try_get(column).map_err(|_| StoreError::Corrupt(column))
    }
}
