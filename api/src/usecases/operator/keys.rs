//! Making and revoking keys of any account. The account's log and the operators' record it.

use super::accounts::require_active;
use crate::app::App;
use crate::auth::operator::OperatorCaller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::keys::{audit_value, insert_bounded, owned_workspace};
use domain::credential::ApiKey;
use domain::ids::{AccountId, KeyId, UserId, WorkspaceId};
use runtime::wake::Wake;
use serde_json::json;
use sqlx::{Acquire, PgConnection};
use store::keys::{self, KeyRow, MadeBy, NewKey};
use store::{account_audit, accounts, audit};

/// Makes a key of any account, within the account's own bounds: to a workspace that it owns, its default one where none
/// is named, and no eleventh. Returns its row and the key itself.
///
/// # Errors
/// `account_not_found`, `account_suspended`, `workspace_forbidden` and `key_limit_reached`.
pub async fn create_any_key(
    app: &App,
    operator: &OperatorCaller,
    account: AccountId,
    name: Option<&str>,
    named: Option<WorkspaceId>,
) -> Answer<(KeyRow, ApiKey)> {
    let mut conn = app.conn().await?;
    let mut create_any_key = conn.begin().await?;
    // Suspending or erasing the account waits for this lock, or is seen behind it.
    accounts::lock(&mut create_any_key, account).await.map_err(ApiError::of_own_lock)?;
    require_active(&mut create_any_key, account).await?;
    let workspace_id = owned_workspace(&mut create_any_key, account, named).await?;
    let key = ApiKey::from_random(rand::random());
    let new = NewKey { account_id: account, workspace_id, name, key: &key, made_by: MadeBy::default() };
    let row = insert_bounded(&mut create_any_key, &new).await?;
    // Without the name: what the operators' log tells of a key stays when its account is erased.
    let after = json!({ "account_id": account, "workspace_id": workspace_id, "prefix": row.prefix });
    audit::record(&mut create_any_key, &operator.changed("key.create", row.id, None, Some(after))).await?;
    let told = operator.account_entry(account, "key.create", row.id, Some(audit_value(&row)));
    account_audit::record(&mut create_any_key, &told).await?;
    create_any_key.commit().await?;
    Ok((row, key))
}

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
