//! The wait for a service that does not answer, such as one that restarts, before it is asked for the same again.

use crate::failure::Failure;
use crate::output::Out;
use std::time::Duration;

/// Attempts in a row without success before it gives up, after about a minute.
pub const MOST_IN_VAIN: u32 = 6;

/// The attempts in a row that got no answer.
#[derive(Debug, Default)]
pub struct Retries {
    in_vain: u32,
}

impl Retries {
    /// Waits before the next attempt, longer each time.
    ///
    /// # Errors
    /// The failure, if another attempt can't help; after [`MOST_IN_VAIN`] attempts the failure with `next`, which says
    /// how to go on.
    pub async fn wait(&mut self, failure: Failure, out: &Out, next: &str) -> Result<(), Failure> {
        let Some(pause) = self.pause(&failure) else {
            return Err(if may_pass(&failure) { failure.with_next(next) } else { failure });
        };
        let message = failure.message();
        let why = message.lines().next().unwrap_or_default();
        out.say(&format!("The service is asked again in {} s: {why}", pause.as_secs()));
        tokio::time::sleep(pause).await;
        Ok(())
    }

    /// How long to wait before the next attempt; none if there is to be none.
    fn pause(&mut self, failure: &Failure) -> Option<Duration> {
        self.in_vain += 1;
        (may_pass(failure) && self.in_vain < MOST_IN_VAIN).then(|| Duration::from_secs(1 << self.in_vain))
    }
}

/// Whether the same request may succeed later.
pub(super) fn may_pass(failure: &Failure) -> bool {
    match failure {
        Failure::TryLater(_) => true,
        Failure::Refused(refusal) => refusal.retryable,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Refusal;
    use serde_json::Value;

    #[test]
    fn a_service_that_restarts_is_asked_again_for_a_minute_and_one_that_refuses_is_not() {
        let refused = |status| Failure::Refused(Box::new(Refusal::read(status, &Value::Null, None)));
        let mut retries = Retries::default();
        let broke = Failure::TryLater("the connection broke".to_owned());
        let pauses: Vec<u64> = std::iter::from_fn(|| retries.pause(&broke)).map(|pause| pause.as_secs()).collect();
        assert_eq!(pauses, [2, 4, 8, 16, 32]);
        assert!(Retries::default().pause(&refused(503)).is_some());
        for status in [401, 404, 422] {
            assert!(Retries::default().pause(&refused(status)).is_none(), "{status}");
        }
    }
}
