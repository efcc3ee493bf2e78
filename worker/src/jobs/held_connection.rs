//! A connection that is kept between the transactions of a busy moment.
//!
//! A pool checks a returned connection twice, and the next transaction waits for that: a fifth of its round trips
//! under load. A connection that was kept for a second goes back before the next transaction, so that the pool's
//! limits and its checks of idle connections hold; after a transaction that failed it goes back at once.

use sqlx::pool::PoolConnection;
use sqlx::{PgPool, Postgres};
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long a connection is kept, at most.
const LONGEST: Duration = Duration::from_secs(1);

/// Keeps a connection between transactions; see the module.
pub(crate) struct HeldConnection {
    pool: PgPool,
    kept: Mutex<Option<Connection>>,
}

/// A connection for one transaction. Dropped, it goes back to its pool.
pub(crate) struct Connection {
    conn: PoolConnection<Postgres>,
    since: Instant,
}

impl Deref for Connection {
    type Target = PoolConnection<Postgres>;

    fn deref(&self) -> &Self::Target {
        &self.conn
    }
}

impl DerefMut for Connection {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.conn
    }
}

impl HeldConnection {
    /// Returns one for this pool, which keeps no connection yet.
    pub(crate) const fn new(pool: PgPool) -> Self {
        Self { pool, kept: Mutex::new(None) }
    }

    /// Returns the pool, for other transactions.
    pub(crate) const fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// Returns the connection that is kept, or one of the pool.
    pub(crate) async fn lend(&self) -> sqlx::Result<Connection> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        match kept.filter(|lent| lent.since.elapsed() < LONGEST) {
            Some(lent) => Ok(lent),
            None => Ok(Connection { conn: self.pool.acquire().await?, since: Instant::now() }),
        }
    }

    /// Keeps a connection whose transaction has ended well.
    pub(crate) fn keep(&self, lent: Connection) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(lent);
    }
}
