//! Searches a workspace's items with a filter, in one of several orders. A page looks at no more than
//! [`MOST_LOOKED_AT`] items, whatever its filter.
//!
//! Each order has its own statement, and another for a board's items: one for all of them would get no good plan. Rows
//! are judged as the index hands them over, and none is kept, so that a full page ends the look.

use super::{ItemRow, by_ids};
use crate::{Seen, WINDOW};
use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::{ItemId, WorkspaceId};
use domain::item::{ItemSort, ItemStatus, ItemType};
use domain::read::Read;
use sqlx::PgConnection;
use uuid::Uuid;

/// Which items are shown; a field that is none does not restrict them.
#[derive(Debug, Clone, Default)]
pub struct ItemFilter {
    /// Those whose name, `ref` or one of whose tags contains this, in any case; and the one whose id this is.
    pub query: Option<String>,
    /// Those of this type.
    pub item_type: Option<ItemType>,
    /// Those with this status.
    pub status: Option<ItemStatus>,
    /// Those on which this read is stored.
    pub has_read: Option<Read>,
    /// Those which this read applies to, but on which it is not stored.
    pub missing_read: Option<Read>,
    /// Those with this tag, in any case.
    pub tag: Option<String>,
    /// Those made at or after this.
    pub created_after: Option<DateTime<Utc>>,
    /// Those made before this.
    pub created_before: Option<DateTime<Utc>>,
    /// Those among these items, which are a board's.
    pub among: Option<Vec<ItemId>>,
}

impl ItemFilter {
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
            && self.among.is_none()
    }

    /// The item whose id is searched for, if what is searched for is one.
    fn asked_id(&self) -> Option<Uuid> {
        self.query.as_deref()?.trim().parse::<ItemId>().ok().map(ItemId::uuid)
    }
}

/// The place in a list of items just after this item, in any order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemPosition {
    /// Its id.
    pub id: ItemId,
    /// Its name in lower case, for lists in the order of names; empty for other orders.
    pub name: String,
}

/// How many items a page looks at, at most: many, since clients take an empty page for the end of the list. Where each
/// item's reads are looked up, which is most of the work, such a page takes some forty milliseconds.
const MOST_LOOKED_AT: i64 = 6 * WINDOW;

/// How far hosts' clocks, by which ids are minted, may differ from the database's.
const HOSTS_APART: TimeDelta = TimeDelta::minutes(10);

/// What a page found, and where it stopped.
struct Looked {
    found: Vec<ItemId>,
    /// The names of the found items, in lower case.
    names: Vec<String>,
    /// The last item that was looked at, where the page is not full and there may be more.
    last: Option<ItemId>,
    last_name: Option<String>,
}

/// The statement that looks at items. `$seen` is its condition, with parameters from `$14` on; `$name` is what the
/// order needs of a name; `$order` is the order. Columns are judged where a row is read, and reads are looked up only
/// for rows that pass. How many rows are looked at stands in subqueries, and so does the workspace, so that the planner
/// knows neither and goes by the workspace's index. Knowing the number, it read the whole table and sorted it. Knowing
/// that a workspace has many of all items, it went through those of all workspaces in the order of their ids, which
/// to the oldest of this workspace may be a long way. What is searched for is lowered once, in a subquery too; names
/// and tags are kept in lower case, each tag between two characters that none has.
macro_rules! look {
    ($seen:tt, $name:tt, $order:tt, $asked:expr, $($place:expr),+) => {
        sqlx::query_as!(
            Looked,
            r#"WITH found AS MATERIALIZED (
                SELECT id, list_name FROM (
                    SELECT id, "# + $name + r#" AS list_name,
                        ($4::text IS NULL OR type = $4)
                        AND ($5::text IS NULL OR status = $5)
                        AND ($9::timestamptz IS NULL OR created_at >= $9)
                        AND ($10::timestamptz IS NULL OR created_at < $10)
                        AND ($7::text IS NULL OR (status = 'ready' AND CASE WHEN $12 THEN has_video ELSE has_audio END))
                        AND ($8::text IS NULL
                            OR position((SELECT chr(31) || lower($8) || chr(31)) IN (lower_tags COLLATE "C")) > 0)
                        AND ($3::text IS NULL OR position((SELECT lower($3)) IN (lower_name COLLATE "C")) > 0
                            OR id = $13
                            OR ((NOT starts_with(ref, 'itm_') OR starts_with((SELECT lower($3)), 'itm_'))
                                AND position((SELECT lower($3)) IN lower(ref)) > 0)
                            OR position((SELECT lower($3)) IN (lower_tags COLLATE "C")) > 0)
                            AS passes
                    FROM items WHERE workspace_id = (SELECT $1::uuid) AND deleted_at IS NULL AND "# + $seen + r#"
                    ORDER BY "# + $order + r#" LIMIT (SELECT $2::bigint)
                ) AS seen
                WHERE passes
                    AND ($6::text IS NULL OR EXISTS (SELECT FROM item_reads WHERE item_id = seen.id AND read = $6))
                    AND ($7::text IS NULL OR NOT EXISTS (SELECT FROM item_reads WHERE item_id = seen.id AND read = $7))
                ORDER BY "# + $order + r#" LIMIT $11
            ), last AS (
                SELECT id, "# + $name + r#" AS list_name FROM items
                WHERE (SELECT count(*) FROM found) < $11
                    AND workspace_id = (SELECT $1::uuid) AND deleted_at IS NULL AND "# + $seen + r#"
                ORDER BY "# + $order + r#" OFFSET (SELECT $2::bigint - 1) LIMIT 1
            )
            SELECT ARRAY(SELECT id FROM found ORDER BY "# + $order + r#") AS "found!: Vec<ItemId>",
                ARRAY(SELECT list_name FROM found ORDER BY "# + $order + r#") AS "names!",
                (SELECT id FROM last) AS "last: ItemId",
                (SELECT list_name FROM last) AS last_name"#,
            $asked.workspace as WorkspaceId,
            MOST_LOOKED_AT,
            $asked.filter.query,
            $asked.filter.item_type.map(ItemType::name),
            $asked.filter.status.map(ItemStatus::name),
            $asked.filter.has_read.map(Read::name),
            $asked.filter.missing_read.map(Read::name),
            $asked.filter.tag,
            $asked.filter.created_after,
            $asked.filter.created_before,
            $asked.limit,
            $asked.filter.missing_read.is_some_and(Read::needs_video),
            $asked.filter.asked_id(),
            $($place),+
        )
    };
}

/// `look` in the order of ids.
macro_rules! look_by_id {
    ($seen:tt, $order:tt, $asked:expr, $($place:expr),+) => {
        look!($seen, "''::text", $order, $asked, $($place),+)
    };
}

/// `look` in the order of names.
macro_rules! look_by_name {
    ($seen:tt, $asked:expr, $($place:expr),+) => {
        look!($seen, "lower_name", "list_name, id", $asked, $($place),+)
    };
}

/// The fixed parts of a search.
struct Wanted<'a> {
    workspace: WorkspaceId,
    filter: &'a ItemFilter,
    limit: i64,
}

/// Returns items of a workspace in this order that follow `after`, at most `limit` minus one. No rows mean that none
/// are left, or that none matched among the items of one look.
pub async fn search(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    filter: &ItemFilter,
    sort: ItemSort,
    after: Option<ItemPosition>,
    limit: i64,
) -> sqlx::Result<Seen<ItemRow, ItemPosition>> {
    // Tags are kept with this character between them, and nobody's name or tag has it.
    if [&filter.query, &filter.tag].into_iter().flatten().any(|text| text.contains('\u{1f}')) {
        return Ok(Seen { rows: Vec::new(), last_seen: None });
    }
    let wanted = Wanted { workspace, filter, limit };
    let looked = match &filter.among {
        None => wanted.of_all(conn, sort, after).await?,
        Some(among) => wanted.of_these(conn, sort, after, among).await?,
    };
    let Looked { mut found, mut names, .. } = looked;
    let is_full = i64::try_from(found.len()).is_ok_and(|many| many >= limit);
    let last_seen = if is_full {
        // One more than `limit - 1` was found, so there are more. The page's last item says so, even if the extra one
        // is deleted by now.
        found.truncate(found.len().saturating_sub(1));
        names.truncate(found.len());
        found.last().copied().zip(names.pop())
    } else {
        looked.last.zip(looked.last_name)
    };
    let last_seen = last_seen
        .map(|(id, name)| ItemPosition { id, name: if sort == ItemSort::Name { name } else { String::new() } });
    let rows = if found.is_empty() { Vec::new() } else { by_ids(conn, workspace, &found).await? };
    Ok(Seen { rows, last_seen })
}

impl Wanted<'_> {
    /// Looks at all of the workspace's items.
    async fn of_all(
        &self,
        conn: &mut PgConnection,
        sort: ItemSort,
        after: Option<ItemPosition>,
    ) -> sqlx::Result<Looked> {
        let ((low, high), name) = self.bounds(sort, after);
        match sort {
            ItemSort::Newest => look_by_id!("id > $14 AND id < $15", "id DESC", self, low, high).fetch_one(conn).await,
            ItemSort::Oldest => look_by_id!("id > $14 AND id < $15", "id", self, low, high).fetch_one(conn).await,
            ItemSort::Name => look_by_name!("(lower_name, id) > ($15, $14)", self, low, name).fetch_one(conn).await,
        }
    }

    /// Looks at these items alone; there are no more of them than one look takes.
    async fn of_these(
        &self,
        conn: &mut PgConnection,
        sort: ItemSort,
        after: Option<ItemPosition>,
        among: &[ItemId],
    ) -> sqlx::Result<Looked> {
        let ((low, high), name) = self.bounds(sort, after);
        let among = among.iter().map(|item| item.uuid());
        // The order of names begins behind a name, so that ids have no bounds there.
        let among: Vec<Uuid> = among.filter(|id| sort == ItemSort::Name || (low < *id && *id < high)).collect();
        match sort {
            ItemSort::Newest => look_by_id!("id = ANY ($14)", "id DESC", self, &among).fetch_one(conn).await,
            ItemSort::Oldest => look_by_id!("id = ANY ($14)", "id", self, &among).fetch_one(conn).await,
            ItemSort::Name => {
                let seen = look_by_name!("(lower_name, id) > ($15, $14) AND id = ANY ($16)", self, low, name, &among);
                seen.fetch_one(conn).await
            }
        }
    }

    /// Returns the ids between which those of a page are, and the name after which they begin: behind `after`, and made
    /// within the filter's times. Ids are minted in the order of time.
    fn bounds(&self, sort: ItemSort, after: Option<ItemPosition>) -> ((Uuid, Uuid), String) {
        let ItemFilter { created_after, created_before, .. } = self.filter;
        let low = created_after.map_or(Uuid::nil(), |after| first_id_of(after - HOSTS_APART));
        let high = created_before.map_or(Uuid::max(), |before| first_id_of(before + HOSTS_APART));
        let (id, name) = after.map_or((None, String::new()), |place| (Some(place.id.uuid()), place.name));
        let between = match sort {
            ItemSort::Newest => (low, id.map_or(high, |id| id.min(high))),
            ItemSort::Oldest => (id.map_or(low, |id| id.max(low)), high),
            ItemSort::Name => (id.unwrap_or_default(), Uuid::max()),
        };
        (between, name)
    }
}

/// Returns the lowest id of this time: ids begin with its milliseconds, 48 bits of them from 1970 on.
fn first_id_of(at: DateTime<Utc>) -> Uuid {
    let ms = u64::try_from(at.timestamp_millis()).unwrap_or(0).min((1 << 48) - 1);
    Uuid::from_u128(u128::from(ms) << 80)
}
