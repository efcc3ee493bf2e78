//! The newest items of all workspaces, or of one: for the operators' list.

use chrono::{DateTime, Utc};
use domain::ids::{AccountId, ItemId, WorkspaceId};
use domain::item::{ItemStatus, ItemType};
use sqlx::PgConnection;
use uuid::Uuid;

/// An item, as the operators' list shows it.
#[derive(Debug, Clone)]
pub struct ListedItem {
    /// Its id.
    pub id: ItemId,
    /// The workspace that it is in.
    pub workspace_id: WorkspaceId,
    /// The account of that workspace.
    pub account_id: AccountId,
    /// Its name.
    pub name: String,
    /// Its type; none while it is not known.
    pub item_type: Option<ItemType>,
    /// Its status.
    pub status: ItemStatus,
    /// Its duration; none for an image, and while it is not known.
    pub duration_ms: Option<i64>,
    /// Its size in bytes.
    pub bytes: i64,
    /// When it was added.
    pub created_at: DateTime<Utc>,
    /// The reads that are stored of it.
    pub reads: Vec<String>,
}

/// Selects items; `$tail` is what follows `deleted_at IS NULL AND id < $1`.
macro_rules! select_newest {
    ($tail:tt, $($argument:expr),*) => {
        sqlx::query_as!(
            ListedItem,
            r#"SELECT id AS "id: ItemId", workspace_id AS "workspace_id: WorkspaceId",
                account_id AS "account_id: AccountId", name, type AS "item_type: ItemType",
                status AS "status: ItemStatus", duration_ms, bytes, created_at,
                ARRAY(SELECT read FROM item_reads WHERE item_id = items.id ORDER BY read) AS "reads!"
            FROM items WHERE deleted_at IS NULL AND id < $1 "# + $tail,
            $($argument),*
        )
    };
}

/// Returns items of a workspace, or of all, that are older than `before`, the newest first.
pub async fn newest(
    conn: &mut PgConnection,
    workspace: Option<WorkspaceId>,
    before: Option<ItemId>,
    limit: i64,
) -> sqlx::Result<Vec<ListedItem>> {
    let before = before.map_or(Uuid::max(), ItemId::uuid);
    match workspace {
        None => select_newest!("ORDER BY id DESC LIMIT $2", before, limit).fetch_all(conn).await,
        Some(workspace) => {
            select_newest!("AND workspace_id = $3 ORDER BY id DESC LIMIT $2", before, limit, workspace.uuid())
                .fetch_all(conn)
                .await
        }
    }
}
