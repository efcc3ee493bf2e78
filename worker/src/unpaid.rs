//! Processor time that nobody paid for, counted to the account that would have: a day's share of it bounds what hostile
//! files cost (`store::paces`). An account that has used it up is refused new jobs and uploads; what it has waiting is
//! put off here. Only accounts that this process has counted are looked up for that, so that others cost no query.

use domain::ids::AccountId;
use runtime::process::Process;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::paces::{self, A_DAY_US, What};

/// How far ahead of now an account can be: as a day may be used at once, none waits for longer than a day.
const MOST_AHEAD_US: i64 = 2 * A_DAY_US;

/// The unpaid processor time of a process's children. Clones share it.
#[derive(Clone)]
pub(crate) struct Unpaid {
    process: Process,
    /// The accounts that were beyond a day's share when this process last looked.
    beyond: Arc<Mutex<HashSet<AccountId>>>,
}

impl Unpaid {
    pub fn new(process: Process) -> Self {
        Self { process, beyond: Arc::default() }
    }

    /// Counts it. What can't be counted is lost.
    pub async fn count(&self, account: AccountId, unpaid: Duration) {
        if unpaid.is_zero() {
            return;
        }
        match self.counted(account, unpaid).await {
            Ok(ahead_us) if ahead_us > A_DAY_US => {
                self.beyond.lock().unwrap_or_else(PoisonError::into_inner).insert(account);
            }
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(account.id = %account, error = %error, "Processor time that is not paid for was not counted.");
            }
        }
    }

    async fn counted(&self, account: AccountId, unpaid: Duration) -> sqlx::Result<i64> {
        let share = f64::from(self.process.settings.unpaid_processor_seconds.max(1));
        #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a pace, not an amount")]
        let by_us = (unpaid.as_secs_f64() / share * A_DAY_US as f64) as i64;
        let mut conn = self.process.pool.acquire().await?;
        let mut move_on = async |by_us| paces::count(&mut conn, account, What::UnpaidProcessorTime, by_us).await;
        let ahead_us = move_on(by_us).await?.saturating_add(by_us);
        let beyond_us = ahead_us.saturating_sub(MOST_AHEAD_US).min(by_us);
        if beyond_us > 0 {
            move_on(-beyond_us).await?;
        }
        Ok(ahead_us)
    }

    /// How long work of this account is put off, where it has used up its share. Where that can't be found out, it
    /// is not put off.
    pub async fn wait(&self, account: AccountId) -> Option<Duration> {
        if !self.beyond.lock().unwrap_or_else(PoisonError::into_inner).contains(&account) {
            return None;
        }
        let looked = async {
            let mut conn = self.process.pool.acquire().await?;
            paces::wait(&mut conn, account, &[(What::UnpaidProcessorTime, A_DAY_US)]).await
        };
        match looked.await {
            Ok(Some(wait)) => Some(Duration::from_secs(wait.seconds)),
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
