//! Processor time that nobody paid for, counted to the account that would have: a day's share of it bounds what hostile
//! files cost (`store::paces`).

use domain::ids::AccountId;
use runtime::process::Process;
use std::time::Duration;
use store::paces::{self, A_DAY_US, What};

/// How far ahead of now an account can be: as a day may be used at once, none waits for longer than a day.
const MOST_AHEAD_US: i64 = 2 * A_DAY_US;

/// Counts it. What can't be counted is lost.
pub(crate) async fn count(process: &Process, account: AccountId, unpaid: Duration) {
    if unpaid.is_zero() {
        return;
    }
    let share = f64::from(process.settings.unpaid_processor_seconds.max(1));
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a pace, not an amount")]
    let by_us = (unpaid.as_secs_f64() / share * A_DAY_US as f64) as i64;
    let counting = async {
        let mut conn = process.pool.acquire().await?;
        let mut move_on = async |by_us| paces::count(&mut conn, account, What::UnpaidProcessorTime, by_us).await;
        let ahead_us = move_on(by_us).await?;
        let beyond_us = ahead_us.saturating_add(by_us).saturating_sub(MOST_AHEAD_US).min(by_us);
        if beyond_us > 0 {
            move_on(-beyond_us).await?;
        }
        Ok::<_, sqlx::Error>(())
    };
    if let Err(error) = counting.await {
        tracing::warn!(account.id = %account, error = %error, "Processor time that is not paid for was not counted.");
    }
}
