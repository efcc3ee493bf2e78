//! Opening and changing workspaces, under their account's lock, so that it has one default workspace at any time.

use super::accounts::lock;
use super::missing;
use crate::app::App;
use crate::auth::operator::OperatorCaller;
use crate::http::error::{Answer, Code};
use domain::ids::{AccountId, WorkspaceId};
use serde_json::{Value, json};
use sqlx::Acquire;
use store::audit;
use store::workspaces::{self, OwnedRow};

/// What happens to a workspace's place as its account's default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AsDefault {
    /// It stays the default, or not.
    Unchanged,
    /// It becomes the default instead of the present one.
    This,
}

/// Opens a workspace; an account's first one is its default.
pub async fn open_workspace(app: &App, operator: &OperatorCaller, account: AccountId, name: &str) -> Answer<OwnedRow> {
    let mut conn = app.conn().await?;
    let mut open_workspace = conn.begin().await?;
    lock(&mut open_workspace, account).await?;
    let row = workspaces::open(&mut open_workspace, account, name).await?;
    let row = row.ok_or_else(|| missing(Code::AccountNotFound, account))?;
    audit::record(&mut open_workspace, &operator.changed("workspace.create", row.id, None, Some(audit_value(&row))))
        .await?;
    open_workspace.commit().await?;
    Ok(row)
}

/// Changes a workspace's name, if a new one is given, and whether it is its account's default.
pub async fn change_workspace(
    app: &App,
    operator: &OperatorCaller,
    id: WorkspaceId,
    name: Option<&str>,
    default: AsDefault,
) -> Answer<OwnedRow> {
    let absent = || missing(Code::WorkspaceNotFound, id);
    let mut conn = app.conn().await?;
    let mut change_workspace = conn.begin().await?;
    // A workspace never changes hands, so its account can be read before it is locked.
    let found = workspaces::find(&mut change_workspace, id).await?.ok_or_else(absent)?;
    lock(&mut change_workspace, found.account_id).await?;
    let before = workspaces::find(&mut change_workspace, id).await?.ok_or_else(absent)?;
    if let Some(name) = name {
        workspaces::rename(&mut change_workspace, id, name).await?;
    }
    if default == AsDefault::This {
        workspaces::unset_default(&mut change_workspace, before.account_id).await?;
        workspaces::set_default(&mut change_workspace, id).await?;
    }
    let after = workspaces::find(&mut change_workspace, id).await?.ok_or_else(absent)?;
    let entry = operator.changed("workspace.update", id, Some(audit_value(&before)), Some(audit_value(&after)));
    audit::record(&mut change_workspace, &entry).await?;
    change_workspace.commit().await?;
    Ok(after)
}

/// A workspace as the audit log shows it.
fn audit_value(row: &OwnedRow) -> Value {
    json!({ "account_id": row.account_id, "name": row.name, "is_default": row.is_default })
}
