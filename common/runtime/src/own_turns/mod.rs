//! Turns for the transactions and long lists of accounts: each account has four at once in a process. Calls of one
//! account wait for each other's rows (its balance, its storage, its documents), or read megabytes. Without turns, many
//! such calls at once would hold connections that other accounts need.
//!
//! All turns together take at most three quarters of a process's connections, and those of long lists at most half. So
//! a short statement always finds a free connection, and long lists never keep a transaction waiting. A call that waits
//! for a turn holds no connection. Of both kinds, what accounts have beside their first turn is half of all at most: a
//! few busy accounts leave turns to those that have none.
//!
//! Costly calls (searches, changes of documents) are bounded by their kind as well: a [`Line`] of a few for all
//! accounts. Everybody waits in one order: for a turn of the account (for a further one, also for a part of what is for
//! further turns in each line), for one at another account's rows, for one of the kind, for one of long lists, for one
//! of all, for a connection. So nobody who waits for calls of their own account, or of guests, holds what others need,
//! beside parts of what is for further turns. And nobody who has one of these waits for an earlier one, so that no two
//! wait for each other.

use domain::ids::AccountId;
use std::collections::HashMap;
use std::iter::once;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Transactions and long lists that an account has at once beside its first: with that a fourth of the connections that
/// answer calls.
const MOST_FURTHER: usize = 3;
/// How many times as long a call waits for one of its account's turns, and for one of its kind, as for one of all
/// accounts': the account's own calls are nearly always over before, and who is refused would only ask again.
const OWN_PATIENCE: u32 = 3;

/// Why a call got no turn, or could not use it.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    /// Other calls of the account, or of guests where it is one, had their turns for too long. The database is well.
    #[error("other calls of the account have all of its turns")]
    OwnCalls,
    /// All accounts' turns were taken for too long (`PoolTimedOut`), or the database refused or did not answer.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// The turns of all accounts in a process. Cheap to clone; clones share them. An account that has no turn and waits for
/// none is not remembered.
#[derive(Debug, Clone)]
pub struct OwnTurns {
    of_accounts: Arc<Mutex<HashMap<AccountId, Arc<Own>>>>,
    all: Line,
    lists: Line,
    /// How long a turn of the account waits at most for one of all.
    patience: Duration,
}

/// The turns of one account.
#[derive(Debug)]
struct Own {
    first: Arc<Semaphore>,
    further: Arc<Semaphore>,
    /// The turn of other accounts' costly calls at what this account has.
    guests: Arc<Semaphore>,
}

/// The turns of one kind that all accounts have together, and how many of them may be further ones of an account.
/// Clones share them.
#[derive(Debug, Clone)]
pub struct Line {
    all: Arc<Semaphore>,
    further: Arc<Semaphore>,
}

impl Line {
    fn of(most: usize) -> Self {
        Self::with(most, most.div_ceil(2))
    }

    /// The turns of a kind of costly calls, of which accounts have a fourth at most beside their first turn.
    pub fn of_few(most: usize) -> Self {
        Self::with(most, most / 4)
    }

    fn with(most: usize, further: usize) -> Self {
        let some = |most: usize| Arc::new(Semaphore::new(most.max(1)));
        Self { all: some(most), further: some(further) }
    }
}

/// A turn of an account, until this is dropped.
#[derive(Debug)]
pub struct OwnTurn {
    _permits: Vec<OwnedSemaphorePermit>,
    /// The account's place and, of a guest, that at the account whose rows the call locks.
    _places: Vec<Place>,
}

/// Keeps an account's turns remembered while it has one or waits for one.
#[derive(Debug)]
struct Place {
    account: AccountId,
    own: Arc<Own>,
    of: OwnTurns,
}

impl OwnTurns {
    /// The turns of a process with so many connections. A call waits three times as long as `patience` at most for one
    /// of its account's turns, and then as long as `patience` for one of the turns of all accounts.
    pub fn of(connections: u32, patience: Duration) -> Self {
        let connections = usize::try_from(connections).unwrap_or(Semaphore::MAX_PERMITS);
        let (all, lists) = (Line::of(connections * 3 / 4), Line::of(connections / 2));
        Self { of_accounts: Arc::default(), all, lists, patience }
    }

    /// Turns for work that holds no connection: how much of it is under way is bounded by its kind alone.
    pub fn without_connections(patience: Duration) -> Self {
        Self::of(u32::MAX, patience)
    }

    /// Waits for one of the account's turns, and then for one of all accounts' turns. The caller must not hold a
    /// connection.
    ///
    /// # Errors
    /// `OwnCalls` if the account's turns were taken for too long. `PoolTimedOut` if all accounts' turns were: the error
    /// that a pool without a free connection returns.
    pub async fn turn(&self, account: AccountId) -> Result<OwnTurn, TurnError> {
        self.turn_among(account, None).await
    }

    /// As [`Self::turn`], for a costly call: once it has a turn of its account, it waits for one of these few as well,
    /// as long as for its account's.
    ///
    /// # Errors
    /// As [`Self::turn`].
    pub async fn turn_among(&self, account: AccountId, few: Option<&Line>) -> Result<OwnTurn, TurnError> {
        self.turn_in(account, account, few, &[&self.all]).await
    }

    /// As [`Self::turn_among`], for a call that locks what `host` has, which may be another account: guests of one
    /// account have one turn there, and wait for it before they take one of these few. They would else hold the few
    /// while they wait for each other's locks.
    ///
    /// # Errors
    /// As [`Self::turn`]; `OwnCalls` too if other guests had theirs for too long.
    pub async fn turn_at(&self, account: AccountId, host: AccountId, few: &Line) -> Result<OwnTurn, TurnError> {
        self.turn_in(account, host, Some(few), &[&self.all]).await
    }

    /// As [`Self::turn`], for a long list: it waits for one of the turns of lists as well.
    ///
    /// # Errors
    /// As [`Self::turn`].
    pub async fn list_turn(&self, account: AccountId) -> Result<OwnTurn, TurnError> {
        self.list_turn_among(account, None).await
    }

    /// As [`Self::list_turn`], for a costly call, as in [`Self::turn_among`].
    ///
    /// # Errors
    /// As [`Self::turn`].
    pub async fn list_turn_among(&self, account: AccountId, few: Option<&Line>) -> Result<OwnTurn, TurnError> {
        self.turn_in(account, account, few, &[&self.lists, &self.all]).await
    }

    async fn turn_in(
        &self,
        account: AccountId,
        host: AccountId,
        few: Option<&Line>,
        lines: &[&Line],
    ) -> Result<OwnTurn, TurnError> {
        let place = self.place(account);
        let own = async {
            let first = [&place.own.first];
            let of_all = few.into_iter().chain(lines.iter().copied()).map(|line| &line.further);
            let further: Vec<&Arc<Semaphore>> = once(&place.own.further).chain(of_all).collect();
            // Whoever waits for a further one takes the first when that is free before.
            tokio::select! {
                biased;
                first = taken(&first) => first,
                further = taken(&further) => further,
            }
        };
        let mut permits = timeout(self.patience * OWN_PATIENCE, own).await.map_err(|_| TurnError::OwnCalls)??;
        let host = (host != account).then(|| self.place(host));
        if let Some(host) = &host {
            let of_guests = timeout(self.patience * OWN_PATIENCE, taken(&[&host.own.guests])).await;
            permits.extend(of_guests.map_err(|_| TurnError::OwnCalls)??);
        }
        // An account has no more than its own turns in these lines, however many calls it sends.
        if let Some(few) = few {
            let of_few = timeout(self.patience * OWN_PATIENCE, taken(&[&few.all])).await;
            permits.extend(of_few.map_err(|_| sqlx::Error::PoolTimedOut)??);
        }
        let all: Vec<&Arc<Semaphore>> = lines.iter().map(|line| &line.all).collect();
        let of_all = timeout(self.patience, taken(&all)).await;
        permits.extend(of_all.map_err(|_| sqlx::Error::PoolTimedOut)??);
        Ok(OwnTurn { _permits: permits, _places: host.into_iter().chain([place]).collect() })
    }

    /// Returns one of the account's turns; none if the caller would have to wait for it.
    pub fn turn_now(&self, account: AccountId) -> Option<OwnTurn> {
        let place = self.place(account);
        let first = taken_now(&[&place.own.first]);
        let mut permits = first.or_else(|| taken_now(&[&place.own.further, &self.all.further]))?;
        permits.extend(taken_now(&[&self.all.all])?);
        Some(OwnTurn { _permits: permits, _places: vec![place] })
    }

    fn place(&self, account: AccountId) -> Place {
        let some = |most: usize| Arc::new(Semaphore::new(most));
        let new = || Arc::new(Own { first: some(1), further: some(MOST_FURTHER), guests: some(1) });
        let own = Arc::clone(self.lock().entry(account).or_insert_with(new));
        Place { account, own, of: self.clone() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, Arc<Own>>> {
        self.of_accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for a permit of each, one after the other. None of them is ever closed.
async fn taken(each: &[&Arc<Semaphore>]) -> sqlx::Result<Vec<OwnedSemaphorePermit>> {
    let mut permits = Vec::with_capacity(each.len());
    for one in each {
        permits.push(Arc::clone(one).acquire_owned().await.map_err(|_| sqlx::Error::PoolClosed)?);
    }
    Ok(permits)
}

/// Takes a permit of each; none where one would have to be waited for.
fn taken_now(each: &[&Arc<Semaphore>]) -> Option<Vec<OwnedSemaphorePermit>> {
    each.iter().map(|one| Arc::clone(one).try_acquire_owned().ok()).collect()
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut all = self.of.lock();
        // Two are the map's and this one. So no other call has a turn of the account or waits for one.
        if Arc::strong_count(&self.own) <= 2 {
            all.remove(&self.account);
        }
    }
}

#[cfg(test)]
mod tests;
