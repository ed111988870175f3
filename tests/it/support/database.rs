//! The database beside the server, for what no client can see or do.

use super::Site;

impl Site {
    fn on_database<T>(&self, work: impl AsyncFnOnce(&sqlx::AnyPool) -> T) -> T {
        tokio::runtime::Runtime::new().unwrap().block_on(async {
            sqlx::any::install_default_drivers();
            let pool = sqlx::AnyPool::connect(&self.database).await.unwrap();
            let done = work(&pool).await;
            pool.close().await;
            done
        })
    }

    /// Runs a statement.
    pub fn sql(&self, text: &str) -> Result<u64, String> {
        self.on_database(async |pool| {
            let done = sqlx::query(sqlx::AssertSqlSafe(text.to_owned())).execute(pool).await;
            done.map(|done| done.rows_affected()).map_err(|error| error.to_string())
        })
    }

    /// The number a query answers with.
    pub fn sql_number(&self, text: &str) -> i64 {
        self.on_database(async |pool| {
            sqlx::query_scalar(sqlx::AssertSqlSafe(text.to_owned())).fetch_one(pool).await.unwrap()
        })
    }
}
