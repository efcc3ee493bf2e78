//! Turns for transactions and long lists of one account: a few at once in each process. Calls of an account wait for
//! its own rows (its balance, its storage, its documents), or read megabytes, so that many at once would hold
//! connections that others need. All accounts together have three quarters of a process's connections for them, and
//! half of them for long lists: what is short always finds one of the others, and a transaction waits for no list.
//! Whoever waits for a turn holds none.

use domain::ids::AccountId;
use sqlx::pool::PoolConnection;
use sqlx::{Acquire, PgConnection, Postgres, Transaction};
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Transactions and long lists that an account has at once: a fourth of the connections that answer calls.
const MOST_OF_ACCOUNT: usize = 4;

/// The turns of all accounts in a process. Cheap to clone; clones share them. Accounts without a transaction are not
/// remembered.
#[derive(Debug, Clone)]
pub struct OwnTurns {
    of_accounts: Arc<Mutex<HashMap<AccountId, Arc<Semaphore>>>>,
    of_all: Arc<Semaphore>,
    of_lists: Arc<Semaphore>,
    /// How long a turn of the account waits at most for one of all.
    patience: Duration,
}

/// A turn of an account, until this is dropped.
#[derive(Debug)]
pub struct OwnTurn {
    _of_all: OwnedSemaphorePermit,
    _of_lists: Option<OwnedSemaphorePermit>,
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
    /// The turns of a process with so many connections. Once an account's turn has come, it waits for one of all at
    /// most as long as `patience`.
    pub fn of(connections: u32, patience: Duration) -> Self {
        let connections = usize::try_from(connections).unwrap_or(Semaphore::MAX_PERMITS);
        let some = |most: usize| Arc::new(Semaphore::new(most.max(1)));
        Self {
            of_accounts: Arc::default(),
            of_all: some(connections * 3 / 4),
            of_lists: some(connections / 2),
            patience,
        }
    }

    /// Waits for the account's next turn of a transaction, however long that takes, and then for one of all. Call it
    /// with no connection in hand.
    ///
    /// # Errors
    /// `PoolTimedOut` where all were taken for too long, as where no connection is free.
    pub async fn turn(&self, account: AccountId) -> sqlx::Result<OwnTurn> {
        self.turn_with(account, None).await
    }

    /// The same for a long list, which waits for one of all lists too.
    ///
    /// # Errors
    /// As [`Self::turn`].
    pub async fn list_turn(&self, account: AccountId) -> sqlx::Result<OwnTurn> {
        self.turn_with(account, Some(&self.of_lists)).await
    }

    async fn turn_with(&self, account: AccountId, of_lists: Option<&Arc<Semaphore>>) -> sqlx::Result<OwnTurn> {
        let place = self.place(account);
        // It is never closed.
        let permit = Arc::clone(&place.own).acquire_owned().await.ok();
        // An account has no more than its own turns in these lines, however many calls it sends.
        let of_lists = match of_lists {
            Some(lists) => Some(self.one_of(lists).await?),
            None => None,
        };
        let of_all = self.one_of(&self.of_all).await?;
        Ok(OwnTurn { _of_all: of_all, _of_lists: of_lists, _permit: permit, _place: place })
    }

    async fn one_of(&self, all: &Arc<Semaphore>) -> sqlx::Result<OwnedSemaphorePermit> {
        let one = timeout(self.patience, Arc::clone(all).acquire_owned()).await;
        one.map_err(|_| sqlx::Error::PoolTimedOut)?.map_err(|_| sqlx::Error::PoolClosed)
    }

    /// Returns a turn of a transaction of the account; none where it would have to be waited for.
    pub fn turn_now(&self, account: AccountId) -> Option<OwnTurn> {
        let place = self.place(account);
        let permit = Arc::clone(&place.own).try_acquire_owned().ok()?;
        let of_all = Arc::clone(&self.of_all).try_acquire_owned().ok()?;
        Some(OwnTurn { _of_all: of_all, _of_lists: None, _permit: Some(permit), _place: place })
    }

    fn place(&self, account: AccountId) -> Place {
        let own = Arc::clone(self.lock().entry(account).or_insert_with(|| Arc::new(Semaphore::new(MOST_OF_ACCOUNT))));
        Place { account, own, of: self.clone() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, Arc<Semaphore>>> {
        self.of_accounts.lock().unwrap_or_else(PoisonError::into_inner)
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
        let turns = OwnTurns::of(16, Duration::from_secs(1));
        let (busy, other) = (AccountId::mint(), AccountId::mint());
        let mut held = Vec::new();
        for _ in 0..MOST_OF_ACCOUNT {
            held.push(turns.turn(busy).now_or_never().expect("at once").expect("a turn"));
        }
        assert!(turns.turn_now(busy).is_none(), "it has as many as it may");
        let mut next = Box::pin(turns.turn(busy));
        assert!(next.as_mut().now_or_never().is_none(), "and waits for the next");
        turns.turn_now(other).expect("another's, at once");
        turns.turn(other).now_or_never().expect("another's").expect("a turn");
        held.pop();
        assert!(turns.turn_now(busy).is_none(), "whoever waits is first");
        held.push(next.now_or_never().expect("it is free again").expect("a turn"));
        let mut given_up = Box::pin(turns.turn(busy));
        assert!(given_up.as_mut().now_or_never().is_none());
        drop(held);
        assert_eq!(turns.lock().len(), 1, "one still waits");
        drop(given_up);
        assert!(turns.lock().is_empty(), "nobody is remembered who has none");
    }

    #[tokio::test]
    async fn all_accounts_together_have_three_quarters_of_the_connections() {
        let turns = OwnTurns::of(16, Duration::from_millis(20));
        let mut held = Vec::new();
        for _ in 0..3 {
            let account = AccountId::mint();
            for _ in 0..MOST_OF_ACCOUNT {
                held.push(turns.turn(account).now_or_never().expect("at once").expect("a turn"));
            }
        }
        let refused = turns.turn(AccountId::mint()).await;
        assert!(matches!(refused, Err(sqlx::Error::PoolTimedOut)), "twelve of sixteen are taken");
        assert_eq!(turns.lock().len(), 3, "who was refused is not remembered");
        held.pop();
        turns.turn(AccountId::mint()).now_or_never().expect("one is free").expect("a turn");
        drop(held);
        let mut lists = Vec::new();
        for _ in 0..2 {
            let account = AccountId::mint();
            for _ in 0..MOST_OF_ACCOUNT {
                lists.push(turns.list_turn(account).now_or_never().expect("at once").expect("a turn"));
            }
        }
        let refused = turns.list_turn(AccountId::mint()).await;
        assert!(matches!(refused, Err(sqlx::Error::PoolTimedOut)), "lists have eight of sixteen");
        turns.turn(AccountId::mint()).now_or_never().expect("no transaction waits for lists").expect("a turn");
        let few = OwnTurns::of(1, Duration::from_millis(20));
        few.list_turn(AccountId::mint()).now_or_never().expect("there is always one").expect("a turn");
    }
}
