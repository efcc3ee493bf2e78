//! What a call took beyond the one request that it is, counted at its account's rate after the call.

use crate::app::App;
use crate::http::rate::pace;
use domain::ids::AccountId;
use store::credentials;

/// Counts this many more requests of the account. It refuses nothing: the account's next calls have to wait. A failure
/// is only logged, since what the call did is committed.
pub(super) async fn charge_requests(app: &App, account: AccountId, requests: usize) {
    if requests == 0 {
        return;
    }
    let (requests, pace) = (i64::try_from(requests).unwrap_or(i64::MAX), pace(&app.process.settings));
    let charged = async { credentials::charge(&mut *app.conn().await?, account, requests, pace).await };
    if let Err(error) = charged.await {
        tracing::warn!(error = %error, requests, "What a call took was not counted at its caller's rate.");
    }
}
