//! What documents name may have been deleted since. So names are looked up when a document or a list is shown, and what
//! is deleted is not named.

use crate::usecases::variants::original_of;
use domain::document::DocumentKind;
use domain::ids::{ItemId, TimelineId};
use serde_json::Value;
use sqlx::PgConnection;
use std::collections::HashMap;
use store::documents::{self, ListedRow};
use store::items;
use uuid::Uuid;

/// Returns the refs of the items that a document names and that still exist. Empties the field of the timeline of which
/// it is a variant, if that is deleted.
pub async fn look_up(
    conn: &mut PgConnection,
    named: &[ItemId],
    variant_of: Option<&mut Option<TimelineId>>,
) -> sqlx::Result<HashMap<ItemId, String>> {
    if let Some(field) = variant_of
        && let Some(timeline) = *field
        && documents::workspaces_of(conn, DocumentKind::Timeline, &[timeline.uuid()]).await?.is_empty()
    {
        *field = None;
    }
    if named.is_empty() {
        return Ok(HashMap::new());
    }
    Ok(items::refs(conn, named).await?.into_iter().collect())
}

/// Sets `variant_of` of listed timelines to null where the timeline that it names is deleted.
pub async fn forget_variants(conn: &mut PgConnection, rows: &mut [ListedRow]) -> sqlx::Result<()> {
    let variant_of = |row: &ListedRow| original_of(&row.summary).map(TimelineId::uuid);
    let named: Vec<Uuid> = rows.iter().filter_map(variant_of).collect();
    if named.is_empty() {
        return Ok(());
    }
    let existing = documents::workspaces_of(conn, DocumentKind::Timeline, &named).await?;
    for row in rows {
        if variant_of(row).is_some_and(|id| !existing.contains_key(&id)) {
            row.summary["variant_of"] = Value::Null;
        }
    }
    Ok(())
}
