//! Adding and changing users. The row is locked before it is changed, so that the audit log has the earlier values; the
//! sessions and keys of a disabled user end in the same transaction.

use super::keys::revoke_made_by;
use super::missing;
use crate::app::App;
use crate::auth::operator::OperatorCaller;
use crate::http::error::{Answer, ApiError, Code};
use domain::ids::{AccountId, UserId};
use runtime::wake::Wake;
use serde_json::{Value, json};
use sqlx::{Acquire, PgConnection};
use std::fmt::Display;
use store::users::{self, Identity, NotPut, UserChange, UserRow};
use store::{audit, sessions};

/// Adds a user to an account.
pub async fn add_user(
    app: &App,
    operator: &OperatorCaller,
    account: AccountId,
    name: &str,
    identity: Option<Identity<'_>>,
) -> Answer<UserRow> {
    let mut conn = app.conn().await?;
    let mut add_user = conn.begin().await?;
    let added = users::add(&mut add_user, account, name, identity).await?;
    let row = added.map_err(|why| refused(why, Code::AccountNotFound, account))?;
    audit::record(&mut add_user, &operator.changed("user.create", row.id, None, Some(audit_value(&row)))).await?;
    add_user.commit().await?;
    Ok(row)
}

/// Changes a user's name, the tokens that stand for them, or whether they are disabled.
pub async fn change_user(app: &App, operator: &OperatorCaller, id: UserId, change: &UserChange<'_>) -> Answer<UserRow> {
    let mut conn = app.conn().await?;
    let mut change_user = conn.begin().await?;
    let before = users::lock(&mut change_user, id).await?.ok_or_else(|| missing(Code::UserNotFound, id))?;
    let changed = users::change(&mut change_user, id, change).await?;
    let after = changed.map_err(|why| refused(why, Code::UserNotFound, id))?;
    let gone = if change.disabled == Some(true) { end(&mut change_user, operator, &after).await? } else { 0 };
    let mut is = audit_value(&after);
    if gone > 0 {
        is["revoked_keys"] = gone.into();
    }
    let entry = operator.changed("user.update", id, Some(audit_value(&before)), Some(is));
    audit::record(&mut change_user, &entry).await?;
    change_user.commit().await?;
    app.process.wakes.send([Wake::Access(after.account_id)]);
    Ok(after)
}

/// Ends the sessions of a user and the keys that they made. Returns how many keys.
async fn end(conn: &mut PgConnection, operator: &OperatorCaller, user: &UserRow) -> Answer<usize> {
    sessions::end_for_user(conn, user.id, None).await?;
    revoke_made_by(conn, operator, user.account_id, user.id).await
}

/// A user as the audit log shows them.
fn audit_value(row: &UserRow) -> Value {
    json!({
        "account_id": row.account_id, "name": row.name,
        "oauth_issuer": row.oauth_issuer, "oauth_subject": row.oauth_subject, "disabled": row.disabled_at.is_some(),
    })
}

fn refused(why: NotPut, absent: Code, id: impl Display) -> ApiError {
    match why {
        NotPut::Missing => missing(absent, id),
        NotPut::Taken => ApiError::new(Code::SubjectTaken, "Another user is known to that issuer by this subject."),
    }
}
