//! Duties in tests, which leave out the rows that others hold.

use super::{World, until};
use runtime::process::Process;

impl World {
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
