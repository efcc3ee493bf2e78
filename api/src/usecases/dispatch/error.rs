//! The reasons why a dispatch fails, other than answers about its reads.

use crate::http::error::{ApiError, Code};
use runtime::own_turns::TurnError;

/// Why nothing was decided. Nothing of the call was stored.
#[derive(Debug, thiserror::Error)]
pub enum DispatchError {
    /// Each time it looked, other calls took or ended what this one needed.
    #[error("what was asked for changed hands each time it was looked at")]
    Contended,
    /// The ledger refused minutes that the balance had under the account's lock: an invariant is broken.
    #[error("minutes that were counted under the account's lock did not reach")]
    Unaccounted,
    /// The paying account has no row.
    #[error("the account that pays is missing")]
    NoAccount,
    /// Another call of the account that pays held its balance for longer than a lock is waited for.
    #[error("another call held the account's balance for too long")]
    Busy(#[source] sqlx::Error),
    /// Other calls of the account that pays had all of its turns for too long.
    #[error("other calls of the account have all of its turns")]
    OutOfTurns,
    /// The database refused the statement, or is unreachable.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl DispatchError {
    /// Why the account could not be locked.
    pub fn of_account_lock(error: sqlx::Error) -> Self {
        if store::waited_too_long(&error) { Self::Busy(error) } else { Self::Database(error) }
    }
}

impl From<TurnError> for DispatchError {
    fn from(error: TurnError) -> Self {
        match error {
            TurnError::OwnCalls => Self::OutOfTurns,
            TurnError::Database(error) => Self::Database(error),
        }
    }
}

impl From<DispatchError> for ApiError {
    fn from(error: DispatchError) -> Self {
        match error {
            DispatchError::Contended => {
                tracing::warn!(error = %error, "A call gave way to others.");
                Self::new(Code::Unavailable, "Other calls start and end the same work. Send the request again.")
                    .retry_after(2)
            }
            DispatchError::Unaccounted | DispatchError::NoAccount => Self::internal(error),
            DispatchError::Busy(error) => Self::of_own_lock(error),
            DispatchError::OutOfTurns => TurnError::OwnCalls.into(),
            DispatchError::Database(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_is_told_to_send_again_only_what_may_come_out_otherwise() {
        let contended = ApiError::from(DispatchError::Contended);
        assert_eq!((contended.code(), contended.retry_after_seconds()), (Code::Unavailable, Some(2)));
        let busy = ApiError::from(DispatchError::from(TurnError::OwnCalls));
        assert_eq!((busy.code(), busy.retry_after_seconds()), (Code::RateLimited, Some(5)));
        let away = ApiError::from(DispatchError::from(TurnError::Database(sqlx::Error::PoolTimedOut)));
        assert_eq!((away.code(), away.retry_after_seconds()), (Code::DatabaseUnavailable, Some(2)));
        for broken in [DispatchError::Unaccounted, DispatchError::NoAccount] {
            assert_eq!(ApiError::from(broken).code(), Code::Internal);
        }
    }
}
