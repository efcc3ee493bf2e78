//! Connections and transactions of a process's pool: for anybody, or in a turn of the account that calls (`own_turns`).

use super::Process;
use crate::own_connections::{OwnConnection, OwnTransaction};
use crate::own_turns::{Line, OwnTurn, OwnTurns, TurnError};
use domain::ids::AccountId;
use futures_util::future::BoxFuture;
use sqlx::pool::PoolConnection;
use sqlx::{PgPool, Postgres, Transaction};
use tokio::time::Instant;

impl Process {
    /// Returns a connection of the pool. The time that this takes is measured.
    ///
    /// It is boxed, like [`Process::begin`], because nearly every caller waits for one: the compiler would otherwise
    /// prove for each of them anew that everything a connection waits for is `Send`.
    pub fn conn(&self) -> BoxFuture<'_, sqlx::Result<PoolConnection<Postgres>>> {
        Box::pin(async {
            let asked = Instant::now();
            let conn = self.pool.acquire().await;
            metrics::histogram!("mws_db_pool_wait_seconds").record(asked.elapsed().as_secs_f64());
            conn
        })
    }

    /// Begins a transaction.
    pub fn begin(&self) -> BoxFuture<'_, sqlx::Result<Transaction<'static, Postgres>>> {
        Box::pin(self.pool.begin())
    }

    /// Returns a connection for an account's call that reads much, in one of the account's turns (`own_turns`): sixty
    /// such calls at once would else have all connections. Call it with no other connection in hand.
    pub fn conn_of(&self, account: AccountId) -> BoxFuture<'_, Result<OwnConnection, TurnError>> {
        self.conn_among(account, None)
    }

    /// As [`Process::conn_of`], for a costly call, which waits for one of these few turns as well.
    pub fn conn_among<'a>(
        &'a self,
        account: AccountId,
        few: Option<&'a Line>,
    ) -> BoxFuture<'a, Result<OwnConnection, TurnError>> {
        Box::pin(async move {
            let turn = self.own_turns.list_turn_among(account, few).await?;
            Ok(OwnConnection::new(self.conn().await?, turn))
        })
    }

    /// Returns this connection for a transaction, in one of the account's turns. Where the turn has to be waited for,
    /// the connection goes back meanwhile, and another one is returned: whoever waits for a turn holds none. A
    /// connection that goes back is checked, which a call with no need to wait is spared.
    pub fn in_turn(
        &self,
        conn: PoolConnection<Postgres>,
        account: AccountId,
    ) -> BoxFuture<'_, Result<OwnConnection, TurnError>> {
        Box::pin(async move {
            if let Some(turn) = self.own_turns.turn_now(account) {
                return Ok(OwnConnection::new(conn, turn));
            }
            drop(conn);
            let turn = self.own_turns.turn(account).await?;
            Ok(OwnConnection::new(self.conn().await?, turn))
        })
    }

    /// Begins a transaction of an account's call, in one of the account's turns (`own_turns`). Call it with no
    /// connection in hand.
    pub fn begin_of(&self, account: AccountId) -> BoxFuture<'_, Result<OwnTransaction, TurnError>> {
        self.begin_among(account, None)
    }

    /// As [`Process::begin_of`], for a costly call, which waits for one of these few turns as well.
    pub fn begin_among<'a>(
        &'a self,
        account: AccountId,
        few: Option<&'a Line>,
    ) -> BoxFuture<'a, Result<OwnTransaction, TurnError>> {
        Box::pin(async move { self.begin_in(self.own_turns.turn_among(account, few).await?).await })
    }

    /// As [`Process::begin_among`], for a call that locks what `host` has, which may be another account.
    pub fn begin_at<'a>(
        &'a self,
        account: AccountId,
        host: AccountId,
        few: &'a Line,
    ) -> BoxFuture<'a, Result<OwnTransaction, TurnError>> {
        Box::pin(async move { self.begin_in(self.own_turns.turn_at(account, host, few).await?).await })
    }

    async fn begin_in(&self, turn: OwnTurn) -> Result<OwnTransaction, TurnError> {
        let conn = OwnConnection::new(self.pool.acquire().await?, turn);
        Ok(OwnTransaction::begin(conn).await?)
    }
}

/// Returns the turns of accounts at the connections of this pool.
pub(super) fn turns_of(pool: &PgPool) -> OwnTurns {
    let options = pool.options();
    OwnTurns::of(options.get_max_connections(), options.get_acquire_timeout())
}
