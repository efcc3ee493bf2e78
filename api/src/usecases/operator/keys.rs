//! Revoking keys of any account at once. The account's log and the operators' record it.

use crate::app::App;
use crate::auth::operator::OperatorCaller;
use crate::http::error::{Answer, ApiError, Code};
use domain::ids::{AccountId, KeyId, UserId};
use runtime::wake::Wake;
use serde_json::json;
use sqlx::{Acquire, PgConnection};
use store::{account_audit, accounts, audit, keys};

/// Revokes a key of any account.
pub async fn revoke_key(app: &App, operator: &OperatorCaller, id: KeyId) -> Answer<()> {
    let mut conn = app.conn().await?;
    let mut revoke_key = conn.begin().await?;
    // It waits for keys that this one is just making (`keys::keep_live`), and for no lock of the account.
    let account = keys::revoke_any(&mut revoke_key, id).await?;
    let account = account.ok_or_else(|| ApiError::new(Code::KeyNotFound, format!("There is no live key {id}.")))?;
    let was = Some(json!({ "account_id": account }));
    audit::record(&mut revoke_key, &operator.changed("key.revoke", id, was, None)).await?;
    account_audit::record(&mut revoke_key, &operator.account_entry(account, "key.revoke", id, None)).await?;
    revoke_key.commit().await?;
    app.process.wakes.send([Wake::Access(account)]);
    Ok(())
}

/// Revokes the account's keys that a user made, or that such keys made, and logs each for the account. Returns how
/// many.
pub(super) async fn revoke_made_by(
    conn: &mut PgConnection,
    operator: &OperatorCaller,
    account: AccountId,
    user: UserId,
) -> Answer<usize> {
    accounts::lock_patiently(conn, account).await?;
    let gone = keys::revoke_made_by(conn, account, user).await?;
    for key in &gone {
        let why = Some(json!({ "made_by": user }));
        account_audit::record(conn, &operator.account_entry(account, "key.revoke", key, why)).await?;
    }
    Ok(gone.len())
}
