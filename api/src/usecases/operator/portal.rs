//! Links to the portal of any account. A link and its rows in the operators' log and the account's own are one
//! transaction. What is done with the link is in the account's log, as with a link of its own.

use super::accounts::require_active;
use crate::app::App;
use crate::auth::operator::OperatorCaller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::portal::add_link;
use chrono::{DateTime, Utc};
use domain::credential::PortalCode;
use domain::ids::AccountId;
use domain::portal::Look;
use serde_json::json;
use sqlx::Acquire;
use store::{account_audit, audit, keys};

/// Makes a link's code to the pages of an account, which stands for a key of it (`keys::for_portal`). Returns it, with
/// the time when it expires; it also ends with that key.
///
/// # Errors
/// `account_not_found`, `account_suspended`, and `key_not_found` for an account without a live key.
pub async fn make_any_portal_link(
    app: &App,
    operator: &OperatorCaller,
    account: AccountId,
    look: &Look,
) -> Answer<(PortalCode, DateTime<Utc>)> {
    let mut conn = app.conn().await?;
    let mut make_any_portal_link = conn.begin().await?;
    require_active(&mut make_any_portal_link, account).await?;
    let key = keys::for_portal(&mut make_any_portal_link, account).await?;
    let key = key.ok_or_else(|| {
        let message = format!(
            "The account {account} has no live key, with whose rights its portal would be used. Make one first."
        );
        ApiError::new(Code::KeyNotFound, message).suggest("POST /operator/accounts/{id}/keys makes one.")
    })?;
    let made = add_link(&mut make_any_portal_link, account, key, look).await?;
    let entry = operator.changed("portal.link", account, None, Some(json!({ "key_id": key })));
    audit::record(&mut make_any_portal_link, &entry).await?;
    account_audit::record(&mut make_any_portal_link, &operator.account_entry(account, "portal.link", key, None))
        .await?;
    make_any_portal_link.commit().await?;
    Ok(made)
}
