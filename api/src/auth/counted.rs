//! The rate of an account and its requests under way, which each request of it is counted in.
//!
//! A request that takes access away from somebody goes first: neither the account's rate nor what it has under way
//! refuses it, since both may be used up by the very key that is to be revoked. How many go first is bounded for each
//! credential and network (`http::rate`): whoever has the leaked key and sends such requests without end uses up those
//! of that key from there alone.

use crate::app::App;
use crate::http::address::{NOWHERE, network};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::rate::{Standing, pace};
use crate::http::scope::Scope;
use chrono::{DateTime, Utc};
use domain::credential::CredentialHash;
use domain::ids::AccountId;

/// Lets a request that takes access away go first, if its credential has not sent many from there.
pub async fn let_in_first(app: &App, scope: &Scope, credential: &CredentialHash) {
    let from = scope.address.map_or(NOWHERE, network);
    if app.first.lets_in(*credential.as_bytes(), from).await {
        let _ = scope.first.set(());
    }
}

/// Counts the request among those that the account has under way, until it ends. One that goes first is not counted.
pub(super) fn take_share(app: &App, scope: &Scope, account: AccountId) -> Answer<()> {
    if scope.goes_first() {
        return Ok(());
    }
    let most = app.api.max_account_requests;
    let share = app.of_account.take(account, most).ok_or_else(|| {
        ApiError::new(
            Code::RateLimited,
            format!("The account has {most} requests under way, which is the most at once."),
        )
    })?;
    let _ = scope.share.set(share);
    Ok(())
}

/// Waits while the account is ahead of its part of the threads' time. A request that goes first does not.
pub(super) async fn wait_for_threads(app: &App, scope: &Scope, account: AccountId) -> Answer<()> {
    let threads = &app.thread_time;
    let reckoned = if scope.goes_first() { threads.pass(account).await } else { threads.wait(account).await? };
    let _ = scope.reckoned.set(reckoned);
    Ok(())
}

/// How the rate stands, as an authentication statement returns it.
pub struct CountedRequest {
    /// The theoretical arrival after this request.
    pub arrival: Option<DateTime<Utc>>,
    /// The database's time.
    pub now: DateTime<Utc>,
    /// Whether the request is within the rate.
    pub passed: bool,
}

/// Refuses a credential that this process has just refused for its rate, without a query.
pub async fn refuse_blocked(app: &App, scope: &Scope, credential: &CredentialHash) -> Answer<()> {
    if scope.goes_first() {
        return Ok(());
    }
    let Some((account, standing)) = app.blocked.standing(credential.as_bytes()).await else { return Ok(()) };
    if let Some(account) = account {
        let _ = scope.account.set(account);
    }
    Err(rate_limited(app, scope, standing))
}

/// Sets the values of the rate headers, and refuses a request over the rate unless it goes first. The scope has the
/// account by then, if there is one.
pub async fn count(app: &App, scope: &Scope, credential: &CredentialHash, counted: CountedRequest) -> Answer<()> {
    let settings = &app.process.settings;
    let CountedRequest { arrival, now, passed } = counted;
    let standing = Standing::at(settings.rate_burst, pace(settings), arrival, now, passed);
    if !passed && !scope.goes_first() {
        app.blocked.remember(*credential.as_bytes(), scope.account.get().copied(), standing).await;
        return Err(rate_limited(app, scope, standing));
    }
    let _ = scope.standing.set(standing);
    Ok(())
}

fn rate_limited(app: &App, scope: &Scope, standing: Standing) -> ApiError {
    let _ = scope.standing.set(standing);
    let (burst, minute) = (standing.limit, app.process.settings.rate_per_minute);
    let message = format!("The account may send {burst} requests at once, and {minute} a minute after that.");
    ApiError::new(Code::RateLimited, message).retry_after(standing.retry_after().unwrap_or(1))
}
