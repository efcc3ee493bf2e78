//! Locks in tests: what a test holds, who waits for that, and duties, which leave out the rows that others hold.

use super::{CONNECTIONS, World, until};
use futures_util::future::try_join_all;
use runtime::process::Process;
use sqlx::{PgPool, Postgres, Transaction};
use store::PoolSize;

/// The transactions of the service's processes that have written something or hold a row.
const WRITING: &str = "SELECT coalesce(array_agg(pid || ' ' || backend_xid), '{}') FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'mws-%' AND backend_xid IS NOT NULL";

impl World {
    /// Waits until what the service's processes write at this moment is written or given up, also by those that were
    /// killed: a duty leaves out the rows that others hold.
    pub async fn written(&self) -> anyhow::Result<()> {
        let writing = async || sqlx::query_scalar::<_, Vec<String>>(WRITING).fetch_one(self.pool()).await;
        let before = writing().await?;
        until("what was being written is written", async || {
            let now = writing().await?;
            Ok((!now.iter().any(|one| before.contains(one))).then_some(()))
        })
        .await
    }

    /// Runs a duty again and again until this query counts nothing. One run leaves out the rows that others hold, and
    /// workers go on for a moment after what a test waits for: when jobs have ended, they look for waiting ones under
    /// their account's lock. Returns how many rows all runs put right.
    pub async fn duty(
        &self,
        duty: impl AsyncFn(&Process) -> sqlx::Result<u64>,
        left: &'static str,
    ) -> anyhow::Result<u64> {
        let mut done = 0;
        until("a duty has left nothing", async || {
            done += Box::pin(duty(&self.process)).await?;
            Ok((self.count(left).await? == 0).then_some(()))
        })
        .await?;
        Ok(done)
    }

    /// Holds what this statement locks until the transaction that is returned ends; the api waits for it patiently.
    pub async fn hold(&self, lock: &'static str) -> anyhow::Result<Transaction<'static, Postgres>> {
        self.wait_for_locks().await?;
        let mut held = self.pool().begin().await?;
        sqlx::query(lock).execute(&mut *held).await?;
        Ok(held)
    }

    /// Has the api wait for a lock for half a minute instead of two seconds, as long as a statement may take: a busy
    /// machine may keep a test, which holds a lock to see who waits for it, from giving it back in time.
    pub async fn wait_for_locks(&self) -> anyhow::Result<()> {
        wait_for_locks(&self.process.pool, CONNECTIONS).await
    }
}

/// As [`World::wait_for_locks`], for another process with so many connections.
pub async fn wait_for_locks(pool: &PgPool, connections: PoolSize) -> anyhow::Result<()> {
    // All connections at once, so that each is told.
    for mut conn in try_join_all((0..connections.0).map(|_| pool.acquire())).await? {
        sqlx::raw_sql("SET lock_timeout = '30s'").execute(&mut *conn).await?;
    }
    Ok(())
}
