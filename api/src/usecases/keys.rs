//! API keys of the caller's account. They are made under the account's lock, so that no race makes too many; their
//! sessions and open event streams end with them. The account's audit log records both. A revocation waits for no lock
//! of the account, which jobs that are started hold one after another: it waits for keys that the revoked one is just
//! making, and for nothing else.

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::account_audit::{Change, note, note_made};
use crate::usecases::once::{Before, Begun, Made, Once, forgotten};
use domain::credential::ApiKey;
use domain::ids::{AccountId, KeyId, WorkspaceId};
use runtime::wake::Wake;
use serde_json::{Value, json};
use sqlx::{Acquire, PgConnection};
use store::keys::{self, KeyRow, MadeBy, NewKey, Revoked};
use store::{accounts, credentials, workspaces};

/// Keys that an account may have (contract §8).
const MOST_KEYS: i64 = 10;

/// Creates a key to a workspace that the account owns, its default one where none is named. `show` writes the answer,
/// which is stored without the key.
pub async fn create_key(
    app: &App,
    caller: &Caller,
    once: &Once,
    name: Option<&str>,
    named: Option<WorkspaceId>,
    show: impl FnOnce(KeyRow, &ApiKey) -> String,
) -> Answer<Made> {
    let (mut create_key, call) = match once.begin(app).await? {
        Begun::Now(create_key, call) => (create_key, call),
        Begun::Before(before) => return Ok(Made::Before(before)),
    };
    let key = key_of(once.secret(app, call));
    let row = insert(&mut create_key, caller, name, named, &key).await?;
    let body = show(row, &key);
    // Only the key's hash is stored, here too.
    once.keep(app, &mut create_key, &body.replace(key.expose(), "")).await?;
    create_key.commit().await?;
    Ok(Made::Now(body))
}

/// Returns the key that this call made before, derived again.
pub async fn key_made_before(app: &App, caller: &Caller, once: &Once, before: &Before) -> Answer<ApiKey> {
    let mut conn = app.conn().await?;
    for secret in once.secrets(app, before.call) {
        let key = key_of(secret);
        if let Some(workspace) = keys::workspace_of(&mut conn, caller.account_id, &key).await? {
            require_allowed(caller, workspace)?;
            return Ok(key);
        }
    }
    Err(forgotten())
}

/// Revokes a key, and ends its sessions and its open event streams.
pub async fn revoke_key(app: &App, caller: &Caller, key: KeyId) -> Answer<Revoked> {
    let mut conn = app.conn().await?;
    let mut revoke_key = conn.begin().await?;
    let revoked = keys::revoke(&mut revoke_key, caller.account_id, key).await.map_err(ApiError::of_own_lock)?;
    if revoked == Revoked::Now {
        note(&mut revoke_key, caller, Change::of("key.revoke", key)).await?;
        revoke_key.commit().await?;
        app.process.wakes.send([Wake::Access(caller.account_id)]);
    }
    Ok(revoked)
}

fn key_of(secret: [u8; 32]) -> ApiKey {
    let mut half = [0; 16];
    half.copy_from_slice(&secret[..16]);
    ApiKey::from_random(half)
}

/// Makes the key in the use case's transaction. The eleventh is refused under the account's lock, so that no race makes
/// too many.
async fn insert(
    conn: &mut PgConnection,
    caller: &Caller,
    name: Option<&str>,
    named: Option<WorkspaceId>,
    key: &ApiKey,
) -> Answer<KeyRow> {
    accounts::lock(conn, caller.account_id).await.map_err(ApiError::of_own_lock)?;
    // A caller who was revoked meanwhile must leave no key behind. What revokes all keys of a user takes the account's
    // lock too; what revokes one key waits for that key's row.
    let is_live = match caller.key_id {
        Some(maker) => keys::keep_live(conn, maker).await.map_err(ApiError::of_own_lock)?,
        None => true,
    };
    if !is_live || !credentials::still_has_access(conn, &caller.identity()).await? {
        return Err(ApiError::new(Code::CredentialRevoked, "The key, or the user, is let in no longer."));
    }
    let workspace_id = owned_workspace(conn, caller.account_id, named).await?;
    require_allowed(caller, workspace_id)?;
    let made_by = MadeBy { user: caller.user_id, key: caller.key_id };
    let row = insert_bounded(conn, &NewKey { account_id: caller.account_id, workspace_id, name, key, made_by }).await?;
    note_made(conn, caller, Change::of("key.create", row.id).with(audit_value(&row))).await?;
    Ok(row)
}

/// Returns the workspace that a key of the account is bound to: the one named, or its default one.
///
/// # Errors
/// `workspace_forbidden` for one that the account does not own.
pub(super) async fn owned_workspace(
    conn: &mut PgConnection,
    account: AccountId,
    named: Option<WorkspaceId>,
) -> Answer<WorkspaceId> {
    workspaces::owned(conn, account, named).await?.ok_or_else(|| {
        let message = "A key is bound to a workspace that its account owns, and this is none.";
        ApiError::new(Code::WorkspaceForbidden, message).suggest("GET /workspaces lists those you can reach.")
    })
}

/// Stores a key that its account has room for. Call it under the account's lock.
///
/// # Errors
/// `key_limit_reached`.
pub(super) async fn insert_bounded(conn: &mut PgConnection, new: &NewKey<'_>) -> Answer<KeyRow> {
    keys::insert_within(conn, new, MOST_KEYS).await?.ok_or_else(|| {
        let message = format!("The account holds {MOST_KEYS} keys, which is the most.");
        ApiError::new(Code::KeyLimitReached, message)
    })
}

/// A new key as the account's log shows it.
pub(super) fn audit_value(row: &KeyRow) -> Value {
    json!({ "name": row.name, "prefix": row.prefix, "workspace_id": row.workspace_id })
}

/// Refuses an OAuth connection a key to a workspace that it may not act in, whether new or made before.
fn require_allowed(caller: &Caller, workspace: WorkspaceId) -> Answer<()> {
    if caller.allowed_workspaces.as_ref().is_none_or(|allowed_workspaces| allowed_workspaces.contains(&workspace)) {
        return Ok(());
    }
    let message = format!("This connection was not let into {workspace}, so it makes no key for it.");
    let refusal = ApiError::new(Code::WorkspaceForbidden, message);
    Err(refusal.suggest("Name a workspace of your account that GET /workspaces lists."))
}
