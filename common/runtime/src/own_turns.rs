//! Turns for transactions and long lists of one account: a few at once in each process. Calls of an account wait for
//! its own rows (its balance, its storage, its documents), or read megabytes, so that many at once would hold
//! connections that others need. Whoever waits for a turn holds none.

use domain::ids::AccountId;
use sqlx::pool::PoolConnection;
use sqlx::{Acquire, PgConnection, Postgres, Transaction};
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Transactions and long lists that an account has at once: a fourth of the connections that answer calls.
const MOST_OF_ACCOUNT: usize = 4;

/// The turns of all accounts in a process. Cheap to clone; clones share them. Accounts without a transaction are not
/// remembered.
#[derive(Debug, Clone, Default)]
pub struct OwnTurns(Arc<Mutex<HashMap<AccountId, Arc<Semaphore>>>>);

/// A turn of an account, until this is dropped.
#[derive(Debug)]
pub struct OwnTurn {
    _permit: Option<OwnedSemaphorePermit>,
    _place: Place,
}

/// Keeps an account's turns remembered while it has one or waits for one.
#[derive(Debug)]
struct Place {
    account: AccountId,
    own: Arc<Semaphore>,
    of: OwnTurns,
}

impl OwnTurns {
    /// Waits for the account's next turn, however long that takes. Call it with no connection in hand.
    pub async fn turn(&self, account: AccountId) -> OwnTurn {
        let place = self.place(account);
        // It is never closed.
        let permit = Arc::clone(&place.own).acquire_owned().await.ok();
        OwnTurn { _permit: permit, _place: place }
    }

    /// Returns a turn of the account; none where it would have to be waited for.
    pub fn turn_now(&self, account: AccountId) -> Option<OwnTurn> {
        let place = self.place(account);
        let permit = Arc::clone(&place.own).try_acquire_owned().ok()?;
        Some(OwnTurn { _permit: Some(permit), _place: place })
    }

    fn place(&self, account: AccountId) -> Place {
        let own = Arc::clone(self.lock().entry(account).or_insert_with(|| Arc::new(Semaphore::new(MOST_OF_ACCOUNT))));
        Place { account, own, of: self.clone() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, Arc<Semaphore>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut all = self.of.lock();
        // The map's and this one: nobody else has a turn of the account, or waits for one.
        if Arc::strong_count(&self.own) <= 2 {
            all.remove(&self.account);
        }
    }
}

/// A transaction that holds one of its account's turns until it ends.
#[derive(Debug)]
pub struct OwnTransaction {
    tx: Transaction<'static, Postgres>,
    _turn: OwnTurn,
}

impl OwnTransaction {
    /// A transaction that was begun in this turn.
    pub(crate) const fn new(tx: Transaction<'static, Postgres>, turn: OwnTurn) -> Self {
        Self { tx, _turn: turn }
    }

    /// Commits it.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn commit(self) -> sqlx::Result<()> {
        self.tx.commit().await
    }

    /// Takes back all that it has done.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn rollback(self) -> sqlx::Result<()> {
        self.tx.rollback().await
    }
}

impl Deref for OwnTransaction {
    type Target = PgConnection;
    fn deref(&self) -> &PgConnection {
        &self.tx
    }
}

impl DerefMut for OwnTransaction {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.tx
    }
}

/// A connection that holds one of its account's turns until it is given back.
#[derive(Debug)]
pub struct OwnConnection {
    conn: PoolConnection<Postgres>,
    _turn: OwnTurn,
}

impl OwnConnection {
    /// A connection that was taken in this turn.
    pub(crate) const fn new(conn: PoolConnection<Postgres>, turn: OwnTurn) -> Self {
        Self { conn, _turn: turn }
    }

    /// Begins a transaction, in the turn that the connection is held in.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn begin_in_turn(&mut self) -> sqlx::Result<Transaction<'_, Postgres>> {
        Acquire::begin(&mut *self.conn).await
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

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn an_account_has_a_few_turns_and_takes_none_of_another() {
        let (turns, busy, other) = (OwnTurns::default(), AccountId::mint(), AccountId::mint());
        let mut held = Vec::new();
        for _ in 0..MOST_OF_ACCOUNT {
            held.push(turns.turn(busy).now_or_never().expect("at once"));
        }
        assert!(turns.turn_now(busy).is_none(), "it has as many as it may");
        let mut next = Box::pin(turns.turn(busy));
        assert!(next.as_mut().now_or_never().is_none(), "and waits for the next");
        turns.turn_now(other).expect("another's, at once");
        turns.turn(other).now_or_never().expect("another's");
        held.pop();
        assert!(turns.turn_now(busy).is_none(), "whoever waits is first");
        held.push(next.now_or_never().expect("it is free again"));
        let mut given_up = Box::pin(turns.turn(busy));
        assert!(given_up.as_mut().now_or_never().is_none());
        drop(held);
        assert_eq!(turns.lock().len(), 1, "one still waits");
        drop(given_up);
        assert!(turns.lock().is_empty(), "nobody is remembered who has none");
    }
}
