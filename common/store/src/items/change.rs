//! Changes an item's name, `ref` and tags.

use domain::ids::{ItemId, WorkspaceId};
use sqlx::PgConnection;
use sqlx::error::DatabaseError;

/// Changes to an item; a field that is none stays as it is.
#[derive(Debug, Clone, Default)]
pub struct ItemChange {
    /// Its name.
    pub name: Option<String>,
    /// Its `ref`.
    pub item_ref: Option<String>,
    /// Its tags, which replace all that it has.
    pub tags: Option<Vec<String>>,
}

/// Whether an item was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    /// It was.
    Yes,
    /// The workspace has no such item.
    NotThere,
    /// Another item of the workspace has that `ref`.
    RefTaken,
}

/// Changes an item of this workspace. Returns whether it was changed, or why not.
pub async fn change(
    conn: &mut PgConnection,
    item: ItemId,
    workspace: WorkspaceId,
    change: &ItemChange,
) -> sqlx::Result<Changed> {
    let changed = sqlx::query!(
        "UPDATE items SET name = coalesce($3, name), ref = coalesce($4, ref), tags = coalesce($5, tags)
         WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL",
        item as ItemId,
        workspace as WorkspaceId,
        change.name,
        change.item_ref,
        change.tags.as_deref(),
    )
    .execute(conn)
    .await;
    match changed {
        Ok(done) if done.rows_affected() == 0 => Ok(Changed::NotThere),
        Ok(_) => Ok(Changed::Yes),
        Err(error) if error.as_database_error().is_some_and(DatabaseError::is_unique_violation) => {
            Ok(Changed::RefTaken)
        }
        Err(error) => Err(error),
    }
}
