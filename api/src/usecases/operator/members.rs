//! Members of workspaces. When a membership ends, the user's sessions there and the keys that they made end in the same
//! transaction.

use super::keys::revoke_made_by;
use super::missing;
use crate::app::App;
use crate::auth::operator::OperatorCaller;
use crate::http::error::{Answer, ApiError, Code};
use domain::ids::{UserId, WorkspaceId};
use domain::role::Role;
use runtime::wake::Wake;
use serde_json::json;
use sqlx::Acquire;
use store::members::{self, MemberRow, Put};
use store::{audit, sessions, users, workspaces};

/// Gives a user a role in a workspace, or changes their role.
pub async fn put_member(
    app: &App,
    operator: &OperatorCaller,
    workspace: WorkspaceId,
    user: UserId,
    role: Role,
) -> Answer<MemberRow> {
    let mut conn = app.conn().await?;
    let mut put_member = conn.begin().await?;
    let before = match members::put(&mut put_member, workspace, user, role).await? {
        Put::Done { before } => before,
        Put::NoWorkspace => return Err(missing(Code::WorkspaceNotFound, workspace)),
        Put::NoUser => return Err(missing(Code::UserNotFound, user)),
    };
    let was = before.map(|role| json!({ "user_id": user, "role": role.name() }));
    let is = Some(json!({ "user_id": user, "role": role.name() }));
    audit::record(&mut put_member, &operator.changed("member.put", workspace, was, is)).await?;
    let row = members::find(&mut put_member, workspace, user).await?;
    put_member.commit().await?;
    row.ok_or_else(|| ApiError::internal("a member who was just put is not there"))
}

/// Ends a membership, with the user's sessions there and the keys to the workspace's account that they made.
pub async fn remove_member(app: &App, operator: &OperatorCaller, workspace: WorkspaceId, user: UserId) -> Answer<()> {
    let mut conn = app.conn().await?;
    let mut remove_member = conn.begin().await?;
    let role = members::remove(&mut remove_member, workspace, user)
        .await?
        .ok_or_else(|| ApiError::new(Code::MemberNotFound, format!("{user} is no member of {workspace}.")))?;
    // Locks the user first, as a change of the user does.
    let account = users::lock(&mut remove_member, user).await?.map(|row| row.account_id);
    let owner = workspaces::find(&mut remove_member, workspace).await?;
    let owner = owner.ok_or_else(|| missing(Code::WorkspaceNotFound, workspace))?.account_id;
    sessions::end_for_user(&mut remove_member, user, Some(workspace)).await?;
    let gone = revoke_made_by(&mut remove_member, operator, owner, user).await?;
    let was = Some(json!({ "user_id": user, "role": role.name() }));
    let is = (gone > 0).then(|| json!({ "revoked_keys": gone }));
    audit::record(&mut remove_member, &operator.changed("member.delete", workspace, was, is)).await?;
    remove_member.commit().await?;
    let concerned = [Some(owner), account.filter(|account| *account != owner)];
    app.process.wakes.send(concerned.into_iter().flatten().map(Wake::Access));
    Ok(())
}
