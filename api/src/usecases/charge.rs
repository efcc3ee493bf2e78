//! What a call took beyond the one request that it is, counted at its account's rate beside the call.

use crate::app::App;
use crate::http::rate::pace;
use domain::ids::AccountId;
use store::credentials;
use tracing::Instrument;

/// Counts this many more requests of the account, in a task that has begun when this returns. Call it right before the
/// commit: a client that hangs up while that is under way has what it asked for, and is to pay for it too. Where the
/// commit fails they are counted all the same. What is returned ends once they are counted.
///
/// It refuses nothing: the account's next calls have to wait. A failure is only logged.
pub(super) fn charge_requests(
    app: &App,
    account: AccountId,
    requests: usize,
) -> impl Future<Output = ()> + Send + use<> {
    let counting = (requests > 0).then(|| tokio::spawn(count(app.clone(), account, requests).in_current_span()));
    async move {
        if let Some(counting) = counting {
            // Nothing depends on the count.
            let _ = counting.await;
        }
    }
}

async fn count(app: App, account: AccountId, requests: usize) {
    let (requests, pace) = (i64::try_from(requests).unwrap_or(i64::MAX), pace(&app.process.settings));
    let charged = async { credentials::charge(&mut *app.conn().await?, account, requests, pace).await };
    if let Err(error) = charged.await {
        tracing::warn!(error = %error, requests, "What a call took was not counted at its caller's rate.");
    }
}
