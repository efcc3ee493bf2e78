//! A workspace's items that a filter passes, in the order that is asked for. A page looks at no more than some windows
//! of items, whatever its filter.
//!
//! Each order has a statement, and again for the items of a board: one that takes any of them is planned for none.

use super::{ItemRow, by_ids};
use crate::{Seen, WINDOW};
use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::{ItemId, WorkspaceId};
use domain::item::{ItemSort, ItemStatus, ItemType};
use domain::read::Read;
use sqlx::PgConnection;
use std::time::{Duration, Instant};
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
    /// One of these: those of a board.
    pub among: Option<Vec<ItemId>>,
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
            && self.among.is_none()
    }
}

/// Where a list of items stands: at this item, whatever the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its id.
    pub id: ItemId,
    /// Its name in small letters, which lists by name are sorted by; empty in others.
    pub name: String,
}

/// Windows that a page looks through until one has something: an empty page would be taken for the end of the list.
const MOST_WINDOWS: usize = 10;
/// And how long it does so.
const LONGEST_LOOK: Duration = Duration::from_millis(500);

/// What hosts' clocks, which ids are minted by, may differ from the database's.
const HOSTS_APART: TimeDelta = TimeDelta::minutes(10);

/// What a page looked at, and what passed.
struct Looked {
    found: Vec<ItemId>,
    /// Their names, in small letters.
    names: Vec<String>,
    many: i64,
    last: Option<ItemId>,
    last_name: Option<String>,
    last_created: Option<DateTime<Utc>>,
}

/// The statement that looks at these items in this order. What `$seen` says of them has `$13` and on.
macro_rules! look {
    ($seen:tt, $order:tt, $asked:expr, $window:expr, $($place:expr),+) => {
        sqlx::query_as!(
            Looked,
            r#"WITH seen AS MATERIALIZED (
                SELECT id, ref, name, lower(name) AS small_name, type, status, tags, has_audio, has_video, created_at,
                    row_number() OVER (ORDER BY "# + $order + r#") AS place
                FROM items WHERE workspace_id = $1 AND deleted_at IS NULL AND "# + $seen + r#"
                ORDER BY "# + $order + r#" LIMIT $2
            ), found AS (
                SELECT id, place, small_name FROM seen
                WHERE ($3::text IS NULL OR position(lower($3) IN small_name) > 0
                        OR position(lower($3) IN lower(ref)) > 0
                        OR EXISTS (SELECT FROM unnest(tags) AS tag WHERE position(lower($3) IN lower(tag)) > 0))
                    AND ($4::text IS NULL OR type = $4)
                    AND ($5::text IS NULL OR status = $5)
                    AND ($6::text IS NULL OR EXISTS (SELECT FROM item_reads WHERE item_id = seen.id AND read = $6))
                    AND ($7::text IS NULL OR (
                        status = 'ready' AND CASE WHEN $12 THEN has_video ELSE has_audio END
                        AND NOT EXISTS (SELECT FROM item_reads WHERE item_id = seen.id AND read = $7)))
                    AND ($8::text IS NULL OR EXISTS (SELECT FROM unnest(tags) AS tag WHERE lower(tag) = lower($8)))
                    AND ($9::timestamptz IS NULL OR created_at >= $9)
                    AND ($10::timestamptz IS NULL OR created_at < $10)
                ORDER BY place LIMIT $11
            )
            SELECT ARRAY(SELECT id FROM found ORDER BY place) AS "found!: Vec<ItemId>",
                ARRAY(SELECT small_name FROM found ORDER BY place) AS "names!",
                (SELECT count(*) FROM seen) AS "many!",
                (SELECT id FROM seen ORDER BY place DESC LIMIT 1) AS "last: ItemId",
                (SELECT small_name FROM seen ORDER BY place DESC LIMIT 1) AS last_name,
                (SELECT created_at FROM seen ORDER BY place DESC LIMIT 1) AS last_created"#,
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
            $($place),+
        )
    };
}

/// What is asked for.
struct Wanted<'a> {
    workspace: WorkspaceId,
    filter: &'a Filter,
    limit: i64,
}

/// Items of a workspace in this order, from the one behind `after`: one fewer than `limit` at most, and none where none
/// is left or none was found for long.
pub async fn search(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    filter: &Filter,
    sort: ItemSort,
    mut after: Option<Place>,
    limit: i64,
) -> sqlx::Result<Seen<ItemRow, Place>> {
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

/// What is found in the next window.
async fn window(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    filter: &Filter,
    sort: ItemSort,
    after: Option<Place>,
    limit: i64,
) -> sqlx::Result<Seen<ItemRow, Place>> {
    let wanted = Wanted { workspace, filter, limit };
    let window = if filter.is_open() { limit } else { WINDOW };
    let looked = match &filter.among {
        None => wanted.of_all(conn, sort, after, window).await?,
        Some(among) => wanted.of_these(conn, sort, after, among).await?,
    };
    let Looked { mut found, mut names, .. } = looked;
    let is_full = i64::try_from(found.len()).is_ok_and(|many| many >= limit);
    let last_seen = if is_full {
        // One more than is shown: that there are more is told by the last that is, should some be deleted by now.
        found.truncate(found.len().saturating_sub(1));
        names.truncate(found.len());
        found.last().copied().zip(names.pop())
    } else {
        let is_past = looked.last_created.is_some_and(|last| wanted.ends_before(sort, last));
        looked.last.zip(looked.last_name).filter(|_| looked.many >= window && !is_past)
    };
    let last_seen =
        last_seen.map(|(id, name)| Place { id, name: if sort == ItemSort::Name { name } else { String::new() } });
    let rows = if found.is_empty() { Vec::new() } else { by_ids(conn, workspace, &found).await? };
    Ok(Seen { rows, last_seen })
}

impl Wanted<'_> {
    /// Whether what stands behind an item that was made then is all too old, or too new. Ids are minted in the order of
    /// time.
    fn ends_before(&self, sort: ItemSort, last: DateTime<Utc>) -> bool {
        match sort {
            ItemSort::Newest => self.filter.created_after.is_some_and(|after| last < after - HOSTS_APART),
            ItemSort::Oldest => self.filter.created_before.is_some_and(|before| last > before + HOSTS_APART),
            ItemSort::Name => false,
        }
    }

    /// Looks at the workspace's items.
    async fn of_all(
        &self,
        conn: &mut PgConnection,
        sort: ItemSort,
        after: Option<Place>,
        window: i64,
    ) -> sqlx::Result<Looked> {
        let (id, name) = start(sort, after);
        match sort {
            ItemSort::Newest => look!("id < $13", "id DESC", self, window, id).fetch_one(conn).await,
            ItemSort::Oldest => look!("id > $13", "id", self, window, id).fetch_one(conn).await,
            ItemSort::Name => {
                look!(
                    r#"(lower(name) COLLATE "C", id) > ($14, $13)"#,
                    r#"lower(name) COLLATE "C", id"#,
                    self,
                    window,
                    id,
                    name
                )
                .fetch_one(conn)
                .await
            }
        }
    }

    /// Looks at these items alone, of which there are no more than a window has.
    async fn of_these(
        &self,
        conn: &mut PgConnection,
        sort: ItemSort,
        after: Option<Place>,
        among: &[ItemId],
    ) -> sqlx::Result<Looked> {
        let (id, name) = start(sort, after);
        let among: Vec<Uuid> = among.iter().map(|item| item.uuid()).collect();
        match sort {
            ItemSort::Newest => {
                look!("id < $13 AND id = ANY ($14)", "id DESC", self, WINDOW, id, &among).fetch_one(conn).await
            }
            ItemSort::Oldest => {
                look!("id > $13 AND id = ANY ($14)", "id", self, WINDOW, id, &among).fetch_one(conn).await
            }
            ItemSort::Name => {
                look!(
                    r#"(lower(name) COLLATE "C", id) > ($14, $13) AND id = ANY ($15)"#,
                    r#"lower(name) COLLATE "C", id"#,
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
}

/// Where a list begins that stands there; ahead of everything where it does not stand anywhere.
fn start(sort: ItemSort, after: Option<Place>) -> (Uuid, String) {
    match after {
        Some(place) => (place.id.uuid(), place.name),
        None if sort == ItemSort::Newest => (Uuid::max(), String::new()),
        None => (Uuid::nil(), String::new()),
    }
}
