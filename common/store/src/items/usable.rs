//! The items that a timeline or a canvas names, if they can be shown or heard.

use super::resolve::shown_rate;
use chrono::{DateTime, Utc};
use domain::ids::{ItemId, WorkspaceId};
use domain::item::ItemType;
use domain::media_use::{Media, is_svg};
use domain::pixels::Pictures;
use domain::timeline::{Micros, SourceFacts};
use sqlx::PgConnection;

/// An item that can be shown or heard.
#[derive(Debug, Clone)]
pub struct UsableItem {
    /// Its id.
    pub id: ItemId,
    /// Its name.
    pub name: String,
    /// Its type, duration, streams and pictures.
    pub facts: SourceFacts,
    /// The database's time, for links to it.
    pub now: DateTime<Utc>,
}

/// Returns the given items that are ready and in the workspace, in any order.
pub async fn usable(
    conn: &mut PgConnection,
    items: &[ItemId],
    workspace: WorkspaceId,
) -> sqlx::Result<Vec<UsableItem>> {
    let rows = sqlx::query!(
        r#"SELECT id AS "id: ItemId", name, type AS "item_type!: ItemType", duration_ms, has_audio AS "has_audio!",
               has_video AS "has_video!", seekable IS TRUE AS "seekable!", width, height, rate_frames, rate_seconds,
               content_type, mws_now() AS "now!"
           FROM items
           WHERE id = ANY ($1) AND workspace_id = $2 AND status = 'ready' AND deleted_at IS NULL
               AND type IS NOT NULL AND object_key IS NOT NULL"#,
        items as &[ItemId],
        workspace as WorkspaceId,
    )
    .fetch_all(conn)
    .await?;
    let usable = rows.into_iter().map(|row| UsableItem {
        id: row.id,
        name: row.name,
        facts: SourceFacts {
            media: Media {
                kind: row.item_type,
                has_audio: row.has_audio,
                has_video: row.has_video,
                is_svg: is_svg(row.content_type.as_deref()),
            },
            duration: row.duration_ms.map(Micros::ms),
            seekable: row.seekable,
            pictures: Pictures::of(row.width, row.height, shown_rate(row.rate_frames, row.rate_seconds, row.has_video)),
        },
        now: row.now,
    });
    Ok(usable.collect())
}
