//! Duties in tests, which leave out the rows that others hold.

use super::{World, until};
use runtime::process::Process;

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
            done += duty(&self.process).await?;
            Ok((self.count(left).await? == 0).then_some(()))
        })
        .await?;
        Ok(done)
    }
}
