//! Processor time that nobody paid for, counted to the account that would have: a day's share of it bounds what hostile
//! files cost (`store::paces`).

use domain::ids::AccountId;
use runtime::process::Process;
use std::time::Duration;
use store::paces::{self, A_DAY_US, What};

/// Counts it. What can't be counted is lost.
pub(crate) async fn count(process: &Process, account: AccountId, unpaid: Duration) {
    if unpaid.is_zero() {
        return;
    }
    let share = f64::from(process.settings.unpaid_processor_seconds.max(1));
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a pace, not an amount")]
    let by_us = (unpaid.as_secs_f64() / share * A_DAY_US as f64) as i64;
    let counting =
        async { paces::count(&mut *process.pool.acquire().await?, account, What::UnpaidProcessorTime, by_us).await };
    if let Err(error) = counting.await {
        tracing::warn!(account.id = %account, error = %error, "Processor time that is not paid for was not counted.");
    }
}
