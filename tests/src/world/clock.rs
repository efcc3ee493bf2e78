//! Time in tests: the database's clock can be stopped and moved on, and nobody sleeps.

use super::World;
use anyhow::bail;
use domain::read::Read;
use sqlx::AssertSqlSafe;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long a test waits for what must come while others keep the machine busy. What has to come in time is held to
/// that by tests of their own (`within`).
const TIMEOUT: Duration = Duration::from_mins(2);
/// The pause before it looks again, and the longest one: it looks often at first, and most looks are calls of the api,
/// which take the machine's time from what is waited for. The only place in which a test lets time pass.
const LOOK: Duration = Duration::from_millis(10);
const LONGEST_LOOK: Duration = Duration::from_millis(40);
/// The seconds before the end of a month in which no world begins: longer than a test takes, and shorter than clients
/// let clocks differ.
const END_OF_MONTH: i64 = 180;
/// The seconds that are left of the month. All sessions of tests are in UTC, as months are.
const LEFT_OF_MONTH: &str =
    "SELECT ceil(extract(epoch FROM date_trunc('month', mws_now()) + interval '1 month' - mws_now()))::bigint";

/// Waits until `probe` finds something, and answers it. `what` is said when it does not come.
pub async fn until<T>(what: &str, probe: impl AsyncFnMut() -> anyhow::Result<Option<T>>) -> anyhow::Result<T> {
    World::within(TIMEOUT, what, probe).await
}

impl World {
    /// Waits for at most this long.
    pub async fn within<T>(
        patience: Duration,
        what: &str,
        mut probe: impl AsyncFnMut() -> anyhow::Result<Option<T>>,
    ) -> anyhow::Result<T> {
        let deadline = Instant::now() + patience;
        let mut pause = LOOK;
        loop {
            if let Some(found) = probe().await? {
                return Ok(found);
            }
            if Instant::now() > deadline {
                bail!("waited {patience:?} in vain until {what}");
            }
            sleep(pause).await;
            pause = (pause + pause / 4).min(LONGEST_LOOK);
        }
    }

    /// Stops the database's clock: from now on [`Self::advance`] alone moves it, and a machine that is busy brings
    /// nothing nearer to its time. For tests of what is not done a moment before its time.
    pub async fn stop_clock(&self) -> anyhow::Result<()> {
        let now: String =
            sqlx::query_scalar("SELECT quote_literal(transaction_timestamp()::text)").fetch_one(self.pool()).await?;
        // It stays stopped where it was stopped first.
        let _ = self.stopped_at.set(format!("timestamptz {now}"));
        self.advance(Duration::ZERO).await
    }

    /// What the database's clock is moved on from.
    fn clock(&self) -> &str {
        self.stopped_at.get().map_or("transaction_timestamp()", String::as_str)
    }

    /// Moves the database's clock on by this much, for every transaction that begins from now on. Leases, due times,
    /// expiries and months go by that clock; nothing else does. Whoever rests until something is due is told.
    pub async fn advance(&self, by: Duration) -> anyhow::Result<()> {
        let by = i64::try_from(by.as_secs())?;
        let ahead = self.ahead_seconds.fetch_add(by, Ordering::SeqCst) + by;
        // A constant in the function's body, so that it is inlined as the real one is.
        let statement = format!(
            "CREATE OR REPLACE FUNCTION mws_now() RETURNS timestamptz LANGUAGE sql STABLE
             RETURN {} + interval '{ahead} seconds'",
            self.clock()
        );
        sqlx::query(AssertSqlSafe(statement)).execute(self.pool()).await?;
        sqlx::query("SELECT pg_notify('mws_wake', 'duties')").execute(self.pool()).await?;
        Ok(())
    }

    /// Runs a duty, and does something else once the duty's statement has looked for dead tickets and before it locks a
    /// row: it waits where it asks for the time. Returns what the duty returned.
    pub async fn amid_look<T>(
        &self,
        duty: impl Future<Output = sqlx::Result<T>>,
        meanwhile: impl AsyncFnOnce() -> anyhow::Result<()>,
    ) -> anyhow::Result<T> {
        let mut gate = self.pool().acquire().await?;
        sqlx::query("SELECT pg_advisory_lock(8)").execute(&mut *gate).await?;
        let ahead = self.ahead_seconds.load(Ordering::SeqCst);
        // Volatile, so that rows are compared with it once the statement has its snapshot.
        let waiting = format!(
            "CREATE OR REPLACE FUNCTION mws_now() RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$ BEGIN
                 PERFORM set_config('lock_timeout', '0', true), pg_advisory_xact_lock_shared(8);
                 RETURN {} + interval '{ahead} seconds';
             END $$",
            self.clock()
        );
        sqlx::query(AssertSqlSafe(waiting)).execute(self.pool()).await?;
        let waits = "SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event = 'advisory' AND query LIKE '%FROM live_tickets%'";
        let meanwhile = async {
            until("the duty has looked", async || Ok((self.count(waits).await? > 0).then_some(()))).await?;
            meanwhile().await?;
            sqlx::query("SELECT pg_advisory_unlock(8)").execute(&mut *gate).await?;
            anyhow::Ok(())
        };
        let duty = async { anyhow::Ok(duty.await?) };
        let (done, ()) = tokio::try_join!(duty, meanwhile)?;
        self.advance(Duration::ZERO).await?;
        Ok(done)
    }

    /// Moves the clock a little past the end of the month. Workers go on saying what they can run.
    pub async fn advance_to_next_month(&self) -> anyhow::Result<()> {
        let seconds = self.count(LEFT_OF_MONTH).await?;
        self.advance(Duration::from_secs(u64::try_from(seconds)? + 5)).await?;
        self.can_run(&Read::ALL).await
    }

    /// Moves the clock over the end of a month that is near: no test sees its month end unless it moves the clock.
    pub(super) async fn leave_ending_month(&self) -> anyhow::Result<()> {
        if self.count(LEFT_OF_MONTH).await? > END_OF_MONTH { Ok(()) } else { self.advance_to_next_month().await }
    }
}
