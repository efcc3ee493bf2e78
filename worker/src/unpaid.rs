//! Processor time that nobody paid for, counted against the account that caused it: a daily share bounds what hostile
//! files cost (`store::paces`). An account that has used its share up is refused new jobs and uploads, and its waiting
//! work is deferred here. Only accounts that this process saw go beyond it are looked up: others cost no query. Nor do
//! usual uploads, since looks at an account's uploads have some time free in each minute.

use domain::ids::{AccountId, JobId};
use runtime::process::Process;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use store::jobs;
use store::paces::{self, A_DAY_US, Paced};

/// The longest time that work is deferred before it is looked at again: its account may be forgiven meanwhile.
const LOOK_AGAIN: Duration = Duration::from_mins(10);
/// The processor time that looks at an account's uploads have free in a minute of this process.
const FREE_A_MINUTE: Duration = Duration::from_secs(3);
const A_MINUTE: Duration = Duration::from_mins(1);
/// How far ahead of now an account can be: being a day ahead is allowed, so none waits for longer than a day.
const MOST_AHEAD_US: i64 = 2 * A_DAY_US;

/// The unpaid processor time of a process's children. Clones share it.
#[derive(Clone)]
pub(crate) struct Unpaid {
    process: Process,
    /// The accounts that were beyond a day's share when this process last looked.
    beyond: Arc<Mutex<HashSet<AccountId>>>,
    free: FreeLooks,
}

/// When each account's minute began, and how much of its free time it has used since. Clones share it.
#[derive(Debug, Clone, Default)]
struct FreeLooks(Arc<Mutex<HashMap<AccountId, (Instant, Duration)>>>);

impl FreeLooks {
    /// Uses what the account has free at this instant for a look that took so long. Returns what goes beyond.
    fn beyond(&self, account: AccountId, taken: Duration, now: Instant) -> Duration {
        let mut minutes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        minutes.retain(|_, (began, _)| now.duration_since(*began) < A_MINUTE);
        let (_, used) = minutes.entry(account).or_insert((now, Duration::ZERO));
        let free = FREE_A_MINUTE.saturating_sub(*used).min(taken);
        *used += free;
        taken.saturating_sub(free)
    }
}

impl Unpaid {
    pub fn new(process: Process) -> Self {
        Self { process, beyond: Arc::default(), free: FreeLooks::default() }
    }

    /// Counts it against the account. Where that fails, it is logged and stays uncounted.
    pub async fn count(&self, account: AccountId, unpaid: Duration) {
        if unpaid.is_zero() {
            return;
        }
        match self.record(account, unpaid).await {
            Ok(ahead_us) if ahead_us > A_DAY_US => {
                self.beyond.lock().unwrap_or_else(PoisonError::into_inner).insert(account);
            }
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(account.id = %account, error = %error, "Unpaid processor time could not be counted.");
            }
        }
    }

    /// Counts what a look at an upload took that its size does not explain, beyond what the account has free.
    pub async fn count_look(&self, account: AccountId, taken: Duration) {
        self.count(account, self.free.beyond(account, taken, Instant::now())).await;
    }

    /// Counts what a stopped job took: against the account whose call stopped it, or against its payer where none did.
    pub async fn count_stopped(&self, job: JobId, payer: AccountId, unpaid: Duration) {
        if unpaid.is_zero() {
            return;
        }
        let looking = async { jobs::stopped_by(&mut *self.process.pool.acquire().await?, job).await };
        let stopper = looking.await.unwrap_or_else(|error| {
            tracing::warn!(job.id = %job, error = %error, "Who stopped a job could not be found out: its payer did.");
            None
        });
        self.count(stopper.unwrap_or(payer), unpaid).await;
    }

    async fn record(&self, account: AccountId, unpaid: Duration) -> sqlx::Result<i64> {
        let share = f64::from(self.process.settings.unpaid_processor_seconds.max(1));
        #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a pace, not an amount")]
        let by_us = (unpaid.as_secs_f64() / share * A_DAY_US as f64) as i64;
        let mut conn = self.process.pool.acquire().await?;
        let mut move_on = async |by_us| paces::advance(&mut conn, account, Paced::UnpaidProcessorTime, by_us).await;
        let ahead_us = move_on(by_us).await?.saturating_add(by_us);
        let beyond_us = ahead_us.saturating_sub(MOST_AHEAD_US).min(by_us);
        if beyond_us > 0 {
            move_on(-beyond_us).await?;
        }
        Ok(ahead_us)
    }

    /// Returns how long the account's work is deferred, ten minutes at most; none where its share is not used up, or
    /// where that can't be found out.
    pub async fn deferral(&self, account: AccountId) -> Option<Duration> {
        if !self.beyond.lock().unwrap_or_else(PoisonError::into_inner).contains(&account) {
            return None;
        }
        let looked = async {
            let mut conn = self.process.pool.acquire().await?;
            paces::longest_wait(&mut conn, account, &[(Paced::UnpaidProcessorTime, A_DAY_US)]).await
        };
        match looked.await {
            Ok(Some(wait)) => Some(Duration::from_secs(wait.seconds).min(LOOK_AGAIN)),
            Ok(None) => {
                self.beyond.lock().unwrap_or_else(PoisonError::into_inner).remove(&account);
                None
            }
            Err(error) => {
                tracing::warn!(account.id = %account, error = %error, "Whether an account has to wait could not be found out.");
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_at_an_accounts_uploads_have_some_time_free_in_each_minute() {
        let (looks, start) = (FreeLooks::default(), Instant::now());
        let [busy, other] = [(); 2].map(|()| AccountId::mint());
        // At which second of whose looks takes how long, and how much of that counts.
        for (at, account, taken, counted) in [
            (0, busy, 2, 0),
            (1, busy, 2, 1),
            (2, busy, 2, 2),
            (3, other, 3, 0),
            (59, busy, 1, 1),
            (60, busy, 4, 1),
            (62, other, 1, 1),
            (63, other, 1, 0),
        ] {
            let [at, taken, counted] = [at, taken, counted].map(Duration::from_secs);
            assert_eq!(looks.beyond(account, taken, start + at), counted, "at {at:?}");
        }
        looks.beyond(other, Duration::ZERO, start + Duration::from_mins(5));
        assert_eq!(looks.0.lock().unwrap().len(), 1, "who has a whole minute again is forgotten");
    }
}
