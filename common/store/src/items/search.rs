//! Searches a workspace's items with a filter, in one of several orders. A page looks at no more than some windows of
//! items, whatever its filter.
//!
//! Each order has its own statement, and another for a board's items: one for all of them would get no good plan.
//! 10,500 items of which none passes take 13 ms of the database; they took 52 while each name was lowered and numbered.

use super::{ItemRow, by_ids};
use crate::{Seen, WINDOW};
use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::{ItemId, WorkspaceId};
use domain::item::{ItemSort, ItemStatus, ItemType};
use domain::read::Read;
use sqlx::PgConnection;
use std::time::{Duration, Instant};
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

/// How many windows a page looks through until one has a match: clients take an empty page for the end of the list.
const MOST_WINDOWS: usize = 10;
/// How long a page may look through windows.
const LONGEST_LOOK: Duration = Duration::from_millis(500);

/// How far hosts' clocks, by which ids are minted, may differ from the database's.
const HOSTS_APART: TimeDelta = TimeDelta::minutes(10);

/// What a window contained, and which of its items matched.
struct Looked {
    found: Vec<ItemId>,
    /// The names of the found items, in lower case.
    names: Vec<String>,
    many: i64,
    last: Option<ItemId>,
    last_name: Option<String>,
    last_created: Option<DateTime<Utc>>,
}

/// The statement that looks at a window of items. `$seen` is its condition and order, with parameters from `$14` on;
/// `$name` is what the order needs of a name; `$order` and `$back` are the order of what was seen, and its reverse.
/// Columns are judged where a row is read, and reads are looked up only for rows that pass. The window stands in a
/// subquery, so that the planner does not know it and goes by the index: knowing it, it read the whole table and sorted
/// what lies behind a place in the middle of a list by name.
macro_rules! look {
    ($seen:tt, $name:tt, $order:tt, $back:tt, $asked:expr, $window:expr, $($place:expr),+) => {
        sqlx::query_as!(
            Looked,
            r#"WITH seen AS MATERIALIZED (
                SELECT id, created_at, "# + $name + r#" AS list_name,
                    ($4::text IS NULL OR type = $4)
                    AND ($5::text IS NULL OR status = $5)
                    AND ($9::timestamptz IS NULL OR created_at >= $9)
                    AND ($10::timestamptz IS NULL OR created_at < $10)
                    AND ($7::text IS NULL OR (status = 'ready' AND CASE WHEN $12 THEN has_video ELSE has_audio END))
                    AND ($8::text IS NULL OR (tags <> '{}'
                        AND EXISTS (SELECT FROM unnest(tags) AS tag WHERE lower(tag) = lower($8))))
                    AND ($3::text IS NULL OR position(lower($3) IN (lower_name COLLATE "C")) > 0
                        OR id = $13
                        OR (position(lower($3) IN lower(ref)) > 0
                            AND (NOT starts_with(ref, 'itm_') OR starts_with(lower($3), 'itm_')))
                        OR (tags <> '{}'
                            AND EXISTS (SELECT FROM unnest(tags) AS tag WHERE position(lower($3) IN lower(tag)) > 0))) AS passes
                FROM items WHERE workspace_id = $1 AND deleted_at IS NULL AND "# + $seen + r#" LIMIT (SELECT $2::bigint)
            ), found AS (
                SELECT id, list_name FROM seen
                WHERE passes
                    AND ($6::text IS NULL OR EXISTS (SELECT FROM item_reads WHERE item_id = seen.id AND read = $6))
                    AND ($7::text IS NULL OR NOT EXISTS (SELECT FROM item_reads WHERE item_id = seen.id AND read = $7))
                ORDER BY "# + $order + r#" LIMIT $11
            ), last AS (
                SELECT id, list_name, created_at FROM seen ORDER BY "# + $back + r#" LIMIT 1
            )
            SELECT ARRAY(SELECT id FROM found ORDER BY "# + $order + r#") AS "found!: Vec<ItemId>",
                ARRAY(SELECT list_name FROM found ORDER BY "# + $order + r#") AS "names!",
                (SELECT count(*) FROM seen) AS "many!",
                (SELECT id FROM last) AS "last: ItemId",
                (SELECT list_name FROM last) AS last_name,
                (SELECT created_at FROM last) AS last_created"#,
            $asked.workspace as WorkspaceId,
            $window,
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
    ($seen:tt, $order:tt, $back:tt, $asked:expr, $window:expr, $($place:expr),+) => {
        look!($seen, "''::text", $order, $back, $asked, $window, $($place),+)
    };
}

/// `look` in the order of names.
macro_rules! look_by_name {
    ($seen:tt, $asked:expr, $window:expr, $($place:expr),+) => {
        look!(
            $seen,
            "lower_name",
            "list_name, id",
            "list_name DESC, id DESC",
            $asked,
            $window,
            $($place),+
        )
    };
}

/// The fixed parts of a search.
struct Wanted<'a> {
    workspace: WorkspaceId,
    filter: &'a ItemFilter,
    limit: i64,
}

/// Returns items of a workspace in this order that follow `after`, at most `limit` minus one. No rows mean that none
/// are left, or that none matched within the time and the windows of one page.
pub async fn search(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    filter: &ItemFilter,
    sort: ItemSort,
    mut after: Option<ItemPosition>,
    limit: i64,
) -> sqlx::Result<Seen<ItemRow, ItemPosition>> {
    let (began, mut windows) = (Instant::now(), 1);
    loop {
        let seen = window(conn, workspace, filter, sort, after, limit).await?;
        let goes_on = windows < MOST_WINDOWS && began.elapsed() < LONGEST_LOOK;
        if !seen.rows.is_empty() || seen.last_seen.is_none() || !goes_on {
            return Ok(seen);
        }
        (after, windows) = (seen.last_seen, windows + 1);
    }
}

/// Returns the matches of the next window.
async fn window(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    filter: &ItemFilter,
    sort: ItemSort,
    after: Option<ItemPosition>,
    limit: i64,
) -> sqlx::Result<Seen<ItemRow, ItemPosition>> {
    let wanted = Wanted { workspace, filter, limit };
    let window = if filter.is_open() { limit } else { WINDOW };
    let looked = match &filter.among {
        None => wanted.of_all(conn, sort, after, window).await?,
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
        let is_past = looked.last_created.is_some_and(|last| wanted.ends_before(sort, last));
        looked.last.zip(looked.last_name).filter(|_| looked.many >= window && !is_past)
    };
    let last_seen = last_seen
        .map(|(id, name)| ItemPosition { id, name: if sort == ItemSort::Name { name } else { String::new() } });
    let rows = if found.is_empty() { Vec::new() } else { by_ids(conn, workspace, &found).await? };
    Ok(Seen { rows, last_seen })
}

impl Wanted<'_> {
    /// Whether all items after one that was made at `last` are outside the filter's times. Ids are minted in the order
    /// of time.
    fn ends_before(&self, sort: ItemSort, last: DateTime<Utc>) -> bool {
        match sort {
            ItemSort::Newest => self.filter.created_after.is_some_and(|after| last < after - HOSTS_APART),
            ItemSort::Oldest => self.filter.created_before.is_some_and(|before| last > before + HOSTS_APART),
            ItemSort::Name => false,
        }
    }

    /// Looks at all of the workspace's items.
    async fn of_all(
        &self,
        conn: &mut PgConnection,
        sort: ItemSort,
        after: Option<ItemPosition>,
        window: i64,
    ) -> sqlx::Result<Looked> {
        let (id, name) = self.start(sort, after);
        match sort {
            ItemSort::Newest => {
                look_by_id!("id < $14 ORDER BY id DESC", "id DESC", "id", self, window, id).fetch_one(conn).await
            }
            ItemSort::Oldest => {
                look_by_id!("id > $14 ORDER BY id", "id", "id DESC", self, window, id).fetch_one(conn).await
            }
            ItemSort::Name => {
                look_by_name!("(lower_name, id) > ($15, $14) ORDER BY lower_name, id", self, window, id, name)
                    .fetch_one(conn)
                    .await
            }
        }
    }

    /// Looks at these items alone; there are no more of them than a window holds.
    async fn of_these(
        &self,
        conn: &mut PgConnection,
        sort: ItemSort,
        after: Option<ItemPosition>,
        among: &[ItemId],
    ) -> sqlx::Result<Looked> {
        let (id, name) = self.start(sort, after);
        let among: Vec<Uuid> = among.iter().map(|item| item.uuid()).collect();
        match sort {
            ItemSort::Newest => {
                let seen = look_by_id!(
                    "id < $14 AND id = ANY ($15) ORDER BY id DESC",
                    "id DESC",
                    "id",
                    self,
                    WINDOW,
                    id,
                    &among
                );
                seen.fetch_one(conn).await
            }
            ItemSort::Oldest => {
                let seen =
                    look_by_id!("id > $14 AND id = ANY ($15) ORDER BY id", "id", "id DESC", self, WINDOW, id, &among);
                seen.fetch_one(conn).await
            }
            ItemSort::Name => {
                look_by_name!(
                    "(lower_name, id) > ($15, $14) AND id = ANY ($16) ORDER BY lower_name, id",
                    self,
                    WINDOW,
                    id,
                    name,
                    &among
                )
                .fetch_one(conn)
                .await
            }
        }
    }

    /// Returns the id and the name after which a window begins: after `after`, and no earlier than the filter's times.
    fn start(&self, sort: ItemSort, after: Option<ItemPosition>) -> (Uuid, String) {
        let ItemFilter { created_after, created_before, .. } = self.filter;
        let (id, name) = after.map_or((None, String::new()), |place| (Some(place.id.uuid()), place.name));
        let id = match sort {
            ItemSort::Newest => {
                let first = created_before.map_or(Uuid::max(), |before| first_id_of(before + HOSTS_APART));
                id.unwrap_or(Uuid::max()).min(first)
            }
            ItemSort::Oldest => {
                let first = created_after.map_or(Uuid::nil(), |after| first_id_of(after - HOSTS_APART));
                id.unwrap_or_default().max(first)
            }
            ItemSort::Name => id.unwrap_or_default(),
        };
        (id, name)
    }
}

/// Returns the lowest id of this time: ids begin with its milliseconds, 48 bits of them from 1970 on.
fn first_id_of(at: DateTime<Utc>) -> Uuid {
    let ms = u64::try_from(at.timestamp_millis()).unwrap_or(0).min((1 << 48) - 1);
    Uuid::from_u128(u128::from(ms) << 80)
}
