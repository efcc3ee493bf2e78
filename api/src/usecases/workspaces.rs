//! Workspaces and their members, as owners make and change them: under the account's lock, and recorded in the
//! account's audit log (operators use `operator::workspaces` and `operator::members`).

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::account_audit::{Change, note_here, note_made, note_made_here};
use crate::usecases::once::{Begun, Made, Once};
use domain::document::{DocumentError, checked_name};
use domain::ids::{AccountId, UserId, WorkspaceId};
use domain::role::Role;
use runtime::wake::Wake;
use serde_json::json;
use sqlx::PgConnection;
use store::credentials::{CallerIdentity, still_has_access};
use store::members::{self, MemberRow, Put};
use store::workspaces::{self, OwnedRow};
use store::{accounts, keys, sessions, users};

/// Workspaces that an account may have, erased ones not counted.
const MOST_WORKSPACES: i64 = 100;

/// Opens a workspace of the caller's own account; a user who opens one is its owner. `show` writes the answer.
///
/// # Errors
/// `workspace_forbidden` where the call acts for another account, `quota_reached`, `rate_limited` after many changes in
/// a day.
pub async fn open_workspace(
    app: &App,
    caller: &Caller,
    once: &Once,
    name: &str,
    show: impl FnOnce(OwnedRow) -> String,
) -> Answer<Made> {
    refuse_another_account(caller)?;
    let mut open_workspace = match once.begin(app).await? {
        Begun::Now(open_workspace, _) => open_workspace,
        Begun::Before(before) => return Ok(Made::Before(before)),
    };
    let name = fit(name)?;
    lock(&mut open_workspace, caller.account_id).await?;
    refuse_one_too_many(&mut open_workspace, caller.account_id).await?;
    let row = workspaces::open(&mut open_workspace, caller.account_id, name).await?;
    let row = row.ok_or_else(|| ApiError::internal("an account that was just locked is not there"))?;
    if let Some(user) = caller.user_id {
        members::put(&mut open_workspace, row.id, user, Role::Owner).await?;
    }
    note_made(&mut open_workspace, caller, Change::of("workspace.create", row.id).with(json!({ "name": name })))
        .await?;
    let answer = show(row);
    once.keep(app, &mut open_workspace, &answer).await?;
    open_workspace.commit().await?;
    Ok(Made::Now(answer))
}

/// Refuses a call that acts for another account than the caller's own.
fn refuse_another_account(caller: &Caller) -> Answer<()> {
    if caller.workspace.account_id != caller.account_id {
        let refusal = ApiError::new(Code::WorkspaceForbidden, "The call acts in a workspace of another account.");
        return Err(refusal.suggest("Name a workspace of your own account in x-workspace-id."));
    }
    Ok(())
}

/// Refuses one more workspace where the account has as many as it may.
async fn refuse_one_too_many(conn: &mut PgConnection, account: AccountId) -> Answer<()> {
    if workspaces::count(conn, account, MOST_WORKSPACES).await? >= MOST_WORKSPACES {
        let message = format!("The account has {MOST_WORKSPACES} workspaces, which is the most.");
        return Err(ApiError::new(Code::QuotaReached, message).suggest("Ask the operator to erase one."));
    }
    Ok(())
}

/// Renames the workspace that the call acts in.
///
/// # Errors
/// `invalid_request`, `rate_limited` after many changes in a day.
pub async fn rename_workspace(app: &App, caller: &Caller, name: &str) -> Answer<OwnedRow> {
    let (name, workspace) = (fit(name)?, caller.workspace.id);
    let mut rename_workspace = app.process.begin_of(caller.account_id).await?;
    lock(&mut rename_workspace, caller.workspace.account_id).await?;
    let before = find_owned(&mut rename_workspace, workspace).await?;
    if before.name != name {
        workspaces::rename(&mut rename_workspace, workspace, name).await?;
        let details = json!({ "before": before.name, "name": name });
        note_made_here(&mut rename_workspace, caller, Change::of("workspace.rename", workspace).with(details)).await?;
    }
    rename_workspace.commit().await?;
    Ok(OwnedRow { name: name.to_owned(), ..before })
}

/// Gives a user a role in the workspace that the call acts in, or changes it.
///
/// # Errors
/// `user_not_found` for somebody whom the workspace's account does not know, `last_owner` where no owner would be left,
/// `role_forbidden` where a guest would change the role of one of the account's own users.
pub async fn put_member(app: &App, caller: &Caller, user: UserId, role: Role) -> Answer<MemberRow> {
    let (workspace, account) = (caller.workspace.id, caller.workspace.account_id);
    let mut put_member = app.process.begin_of(caller.account_id).await?;
    lock(&mut put_member, account).await?;
    if !members::is_known(&mut put_member, account, user).await? {
        return Err(no_user(user));
    }
    spare_the_payer(&mut put_member, caller, user).await?;
    if role != Role::Owner {
        keep_an_owner(&mut put_member, workspace, user).await?;
    }
    let before = match members::put(&mut put_member, workspace, user, role).await? {
        Put::Done { before } => before.map(Role::name),
        Put::NoWorkspace | Put::NoUser => return Err(no_user(user)),
    };
    let details = json!({ "user_id": user, "before": before, "role": role.name() });
    note_made_here(&mut put_member, caller, Change::of("member.put", workspace).with(details)).await?;
    let row = members::find(&mut put_member, workspace, user).await?;
    put_member.commit().await?;
    row.ok_or_else(|| ApiError::internal("a member who was just put is not there"))
}

/// Ends a membership of the workspace that the call acts in, with the user's sessions there. A guest loses the keys to
/// the account that they made, since those reach further than the workspace; only operators revoke those of the
/// account's own users.
///
/// # Errors
/// `member_not_found`, `last_owner` where no owner would be left, `role_forbidden` where a guest would remove one of
/// the account's own users.
pub async fn remove_member(app: &App, caller: &Caller, user: UserId) -> Answer<()> {
    let (workspace, account) = (caller.workspace.id, caller.workspace.account_id);
    let mut remove_member = app.process.begin().await?;
    accounts::lock_patiently(&mut remove_member, account).await.map_err(ApiError::of_own_lock)?;
    spare_the_payer(&mut remove_member, caller, user).await?;
    keep_an_owner(&mut remove_member, workspace, user).await?;
    let role = members::remove(&mut remove_member, workspace, user).await?;
    let role =
        role.ok_or_else(|| ApiError::new(Code::MemberNotFound, format!("{user} is no member of {workspace}.")))?;
    let home = users::lock(&mut remove_member, user).await?.map(|row| row.account_id);
    sessions::end_for_user(&mut remove_member, user, Some(workspace)).await?;
    if home != Some(account) {
        for key in keys::revoke_made_by(&mut remove_member, account, user).await? {
            note_here(&mut remove_member, caller, Change::of("key.revoke", key).with(json!({ "made_by": user })))
                .await?;
        }
    }
    let details = json!({ "user_id": user, "role": role.name() });
    note_here(&mut remove_member, caller, Change::of("member.delete", workspace).with(details)).await?;
    remove_member.commit().await?;
    let concerned = [Some(account), home.filter(|home| *home != account)];
    app.process.wakes.send(concerned.into_iter().flatten().map(Wake::Access));
    Ok(())
}

/// Whether a caller who asked for work earlier may still have it done: they have access, and a user is an editor of the
/// workspace at least.
pub async fn may_still_edit(app: &App, by: &CallerIdentity) -> Answer<bool> {
    let mut conn = app.conn().await?;
    if !still_has_access(&mut conn, by).await? {
        return Ok(false);
    }
    let Some(user) = by.user_id else { return Ok(true) };
    let role = users::role(&mut conn, user, by.workspace_id).await?;
    Ok(role.is_some_and(|role| role >= Role::Editor))
}

/// Refuses a guest, even an owner, who would take the workspace from those who pay for it.
async fn spare_the_payer(conn: &mut PgConnection, caller: &Caller, user: UserId) -> Answer<()> {
    let account = caller.workspace.account_id;
    if caller.account_id == account || members::find(conn, caller.workspace.id, user).await?.is_none() {
        return Ok(());
    }
    let home = users::lock(conn, user).await?.map(|row| row.account_id);
    if home != Some(account) {
        return Ok(());
    }
    let message = "The user is of the account that pays for the workspace: a guest changes nothing of theirs.";
    Err(ApiError::new(Code::RoleForbidden, message).suggest("Ask an owner of that account."))
}

/// Refuses a change that would leave a workspace without an owner.
async fn keep_an_owner(conn: &mut PgConnection, workspace: WorkspaceId, user: UserId) -> Answer<()> {
    let is_owner = members::find(conn, workspace, user).await?.is_some_and(|member| member.role == Role::Owner);
    if is_owner && members::owners(conn, workspace).await? < 2 {
        return Err(ApiError::new(Code::LastOwner, format!("{user} is the only owner of {workspace}.")));
    }
    Ok(())
}

async fn lock(conn: &mut PgConnection, account: AccountId) -> Answer<()> {
    accounts::lock(conn, account)
        .await
        .map_err(ApiError::of_own_lock)?
        .then_some(())
        .ok_or_else(|| ApiError::internal("a caller without an account"))
}

async fn find_owned(conn: &mut PgConnection, workspace: WorkspaceId) -> Answer<OwnedRow> {
    let row = workspaces::find(conn, workspace).await?;
    row.ok_or_else(|| ApiError::internal("a caller without a workspace"))
}

fn fit(name: &str) -> Answer<&str> {
    checked_name(name).map_err(|error: DocumentError| ApiError::new(Code::InvalidRequest, format!("{error}.")))
}

fn no_user(user: UserId) -> ApiError {
    let refusal = ApiError::new(Code::UserNotFound, format!("The account knows no user {user}."));
    refusal.suggest("Users of another account are made members by the operator first.")
}
