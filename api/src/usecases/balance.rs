//! The balance of an account: minutes and credits. It changes nothing: a month that nothing has touched yet has its
//! whole allowance.

use crate::http::error::{Answer, ApiError};
use domain::ids::AccountId;
use runtime::config::Settings;
use sqlx::PgConnection;
use store::minutes::{self, Balance};

/// Returns the account's balance, as the connection's transaction sees it.
pub async fn balance(settings: &Settings, conn: &mut PgConnection, account: AccountId) -> Answer<Balance> {
    let balance = minutes::balance(conn, account, settings.monthly_minutes).await?;
    balance.ok_or_else(|| ApiError::internal(format!("the account {account} is missing")))
}
