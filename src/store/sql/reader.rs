//! Statements outside of transactions, each with its deadline.
//!
//! PostgreSQL's own `statement_timeout` is no help when it is the network or the server's machine that hangs: nothing
//! would ever come back, and the request would wait with it.

use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _};
use sqlx::any::{AnyQueryResult, AnyRow, AnyStatement, AnyTypeInfo};
use sqlx::{Any, AnyConnection, AnyPool, Either, Error, Execute, Executor, SqlStr};

/// Two seconds for a connection and three for the statement.
const DEADLINE: Duration = Duration::from_secs(5);

/// A pool that is asked single statements.
#[derive(Clone, Debug)]
pub(in crate::store) struct Reader(pub(super) AnyPool);

impl Reader {
    /// A connection to keep.
    pub(in crate::store) async fn connection(&self) -> Result<AnyConnection, Error> {
        Ok(self.0.acquire().await?.detach())
    }
}

async fn in_time<T>(asking: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    tokio::time::timeout(DEADLINE, asking).await.unwrap_or(Err(Error::PoolTimedOut))
}

impl<'p> Executor<'p> for &'p Reader {
    type Database = Any;

    fn fetch_many<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxStream<'e, Result<Either<AnyQueryResult, AnyRow>, Error>>
    where
        'p: 'e,
        E: 'q + Execute<'q, Any>,
    {
        let all = in_time(self.0.fetch_many(query).try_collect::<Vec<_>>());
        stream::once(all).map_ok(|steps| stream::iter(steps.into_iter().map(Ok))).try_flatten().boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<AnyRow>, Error>>
    where
        'p: 'e,
        E: 'q + Execute<'q, Any>,
    {
        in_time(self.0.fetch_optional(query)).boxed()
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [AnyTypeInfo],
    ) -> BoxFuture<'e, Result<AnyStatement, Error>>
    where
        'p: 'e,
    {
        in_time(self.0.prepare_with(sql, parameters)).boxed()
    }
}
