//! What an item is called and sorted by.

use domain::ids::{ItemId, WorkspaceId};
use sqlx::PgConnection;
use sqlx::error::DatabaseError;

/// What to change of an item; what is none stays.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// What people call it.
    pub name: Option<String>,
    /// What clients call it.
    pub item_ref: Option<String>,
    /// What it is sorted by, in the place of all it has.
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

/// Changes an item of this workspace.
pub async fn change(
    conn: &mut PgConnection,
    item: ItemId,
    workspace: WorkspaceId,
    change: &Change,
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
