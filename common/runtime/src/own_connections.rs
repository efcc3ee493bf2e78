//! Connections and transactions of an account's calls, each in one of the account's turns (`own_turns`).
//!
//! The turn is given back once the pool has the connection again, and no earlier. A client that hangs up leaves a
//! statement behind that may wait for a lock or read on, and the connection is busy until that has ended or the pool
//! closes it. Whoever began calls and hung up without end would else have more connections than turns.

use crate::own_turns::OwnTurn;
use sqlx::pool::PoolConnection;
use sqlx::postgres::PgTransactionManager;
use sqlx::{Acquire, PgConnection, Postgres, Transaction};
use sqlx_core::transaction::TransactionManager;
use std::ops::{Deref, DerefMut};

/// A connection that holds one of its account's turns until the pool has it again.
#[derive(Debug)]
pub struct OwnConnection {
    conn: PoolConnection<Postgres>,
    turn: Option<OwnTurn>,
}

impl OwnConnection {
    /// A connection that was taken in this turn.
    pub(crate) const fn new(conn: PoolConnection<Postgres>, turn: OwnTurn) -> Self {
        Self { conn, turn: Some(turn) }
    }

    /// Begins a transaction, in the turn that the connection is held in.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn begin_in_turn(&mut self) -> sqlx::Result<Transaction<'_, Postgres>> {
        Acquire::begin(&mut *self.conn).await
    }
}

impl Drop for OwnConnection {
    fn drop(&mut self) {
        let (returned, turn) = (self.conn.return_to_pool(), self.turn.take());
        tokio::spawn(async move {
            returned.await;
            drop(turn);
        });
    }
}

impl Deref for OwnConnection {
    type Target = PgConnection;
    fn deref(&self) -> &PgConnection {
        &self.conn
    }
}

impl DerefMut for OwnConnection {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.conn
    }
}

/// A transaction that holds one of its account's turns until the pool has its connection again. One that is dropped
/// before its commit is rolled back. It is no [`Transaction`], since that never gives away when its connection is free.
#[derive(Debug)]
pub struct OwnTransaction {
    conn: OwnConnection,
    is_open: bool,
}

impl OwnTransaction {
    /// Begins a transaction on this connection.
    ///
    /// # Errors
    /// What the database answers.
    pub(crate) async fn begin(conn: OwnConnection) -> sqlx::Result<Self> {
        let mut begun = Self { conn, is_open: true };
        PgTransactionManager::begin(&mut begun.conn, None).await?;
        Ok(begun)
    }

    /// Commits it.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn commit(mut self) -> sqlx::Result<()> {
        PgTransactionManager::commit(&mut self.conn).await?;
        self.is_open = false;
        Ok(())
    }

    /// Takes back all that it has done.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn rollback(mut self) -> sqlx::Result<()> {
        PgTransactionManager::rollback(&mut self.conn).await?;
        self.is_open = false;
        Ok(())
    }
}

impl Drop for OwnTransaction {
    fn drop(&mut self) {
        if self.is_open {
            // Also where a commit was dropped before its answer, since nobody knows here whether it was sent. If it
            // was, the rollback comes after it, does nothing, and PostgreSQL logs "there is no transaction in
            // progress".
            PgTransactionManager::start_rollback(&mut self.conn);
        }
    }
}

impl Deref for OwnTransaction {
    type Target = PgConnection;
    fn deref(&self) -> &PgConnection {
        &self.conn
    }
}

impl DerefMut for OwnTransaction {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.conn
    }
}
