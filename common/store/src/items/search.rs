//! A workspace's items that a filter passes. A page looks at no more than a window of items, whatever its filter.

use super::{ItemRow, by_ids};
use crate::{Seen, WINDOW};
use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::{ItemId, WorkspaceId};
use domain::item::{ItemStatus, ItemType};
use domain::read::Read;
use sqlx::PgConnection;
use uuid::Uuid;

/// Which items are shown. What is none passes everything.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Whose name, `ref` or one of its tags holds this, in any case.
    pub query: Option<String>,
    /// Of this type.
    pub item_type: Option<ItemType>,
    /// Of this status.
    pub status: Option<ItemStatus>,
    /// On which this read is stored.
    pub has_read: Option<Read>,
    /// Which this read applies to, and on which it is not stored.
    pub missing_read: Option<Read>,
    /// With this tag, in any case.
    pub tag: Option<String>,
    /// Made at or after.
    pub created_after: Option<DateTime<Utc>>,
    /// Made before.
    pub created_before: Option<DateTime<Utc>>,
}

impl Filter {
    /// Whether it passes everything.
    pub const fn is_open(&self) -> bool {
        self.query.is_none()
            && self.item_type.is_none()
            && self.status.is_none()
            && self.has_read.is_none()
            && self.missing_read.is_none()
            && self.tag.is_none()
            && self.created_after.is_none()
            && self.created_before.is_none()
    }
}

/// What hosts' clocks, which ids are minted by, may differ from the database's.
const HOSTS_APART: TimeDelta = TimeDelta::minutes(10);

/// Items of a workspace, newest first, from the one after `before`: one fewer than `limit` at most.
pub async fn search(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    filter: &Filter,
    before: Option<ItemId>,
    limit: i64,
) -> sqlx::Result<Seen<ItemRow>> {
    let page = sqlx::query!(
        r#"WITH seen AS MATERIALIZED (
            SELECT id, ref, name, type, status, tags, has_audio, has_video, created_at FROM items
            WHERE workspace_id = $1 AND deleted_at IS NULL AND id < $2 ORDER BY id DESC LIMIT $3
        ), found AS (
            SELECT id FROM seen
            WHERE ($4::text IS NULL OR position(lower($4) IN lower(name)) > 0 OR position(lower($4) IN lower(ref)) > 0
                    OR EXISTS (SELECT FROM unnest(tags) AS tag WHERE position(lower($4) IN lower(tag)) > 0))
                AND ($5::text IS NULL OR type = $5)
                AND ($6::text IS NULL OR status = $6)
                AND ($7::text IS NULL OR EXISTS (SELECT FROM item_reads WHERE item_id = seen.id AND read = $7))
                AND ($8::text IS NULL OR (
                    status = 'ready' AND CASE WHEN $13 THEN has_video ELSE has_audio END
                    AND NOT EXISTS (SELECT FROM item_reads WHERE item_id = seen.id AND read = $8)))
                AND ($9::text IS NULL OR EXISTS (SELECT FROM unnest(tags) AS tag WHERE lower(tag) = lower($9)))
                AND ($10::timestamptz IS NULL OR created_at >= $10)
                AND ($11::timestamptz IS NULL OR created_at < $11)
            ORDER BY id DESC LIMIT $12
        )
        SELECT ARRAY(SELECT id FROM found ORDER BY id DESC) AS "found!: Vec<ItemId>",
            (SELECT count(*) FROM seen) AS "looked_at!",
            (SELECT id FROM seen ORDER BY id LIMIT 1) AS last,
            (SELECT created_at FROM seen ORDER BY id LIMIT 1) AS last_created"#,
        workspace as WorkspaceId,
        before.map_or(Uuid::max(), ItemId::uuid),
        WINDOW,
        filter.query,
        filter.item_type.map(ItemType::name),
        filter.status.map(ItemStatus::name),
        filter.has_read.map(Read::name),
        filter.missing_read.map(Read::name),
        filter.tag,
        filter.created_after,
        filter.created_before,
        limit,
        filter.missing_read.is_some_and(Read::needs_video),
    )
    .fetch_one(&mut *conn)
    .await?;
    let mut found = page.found;
    let is_full = i64::try_from(found.len()).is_ok_and(|many| many >= limit);
    let last_seen = if is_full {
        // One more than is shown: that there are more is told by the last that is, should some be deleted by now.
        found.pop();
        found.last().map(|item| item.uuid())
    } else {
        // Ids are minted in the order of time, so past one that is too old there is nothing.
        let is_past =
            filter.created_after.zip(page.last_created).is_some_and(|(after, last)| last < after - HOSTS_APART);
        page.last.filter(|_| page.looked_at >= WINDOW && !is_past)
    };
    let rows = if found.is_empty() { Vec::new() } else { by_ids(conn, workspace, &found).await? };
    Ok(Seen { rows, last_seen })
}
