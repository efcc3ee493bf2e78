//! A workspace's calendar (contract §4.9). Entries are listed by the moment they start at.

use chrono::{DateTime, Utc};
use domain::calendar::{LONGEST_DAYS, Status};
use domain::ids::{CalendarEntryId, ItemId, WorkspaceId};
use sqlx::PgConnection;

/// An entry of the calendar.
#[derive(Debug, Clone)]
pub struct EntryRow {
    /// Its id.
    pub id: CalendarEntryId,
    /// The workspace whose calendar it is in.
    pub workspace_id: WorkspaceId,
    /// Its title.
    pub title: String,
    /// When it starts.
    pub starts_at: DateTime<Utc>,
    /// When it ends; none for an entry without an end.
    pub ends_at: Option<DateTime<Utc>>,
    /// The items that it is about, including deleted ones.
    pub items: Vec<ItemId>,
    /// The channel that it is planned for.
    pub channel: Option<String>,
    /// A note on it.
    pub note: Option<String>,
    /// Its status.
    pub status: Status,
    /// How often it was changed.
    pub sequence: i32,
    /// When it was added.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

/// The content of an entry, as its author gives it.
#[derive(Debug, Clone)]
pub struct EntryText<'a> {
    /// Its title.
    pub title: &'a str,
    /// When it starts.
    pub starts_at: DateTime<Utc>,
    /// When it ends; none for an entry without an end.
    pub ends_at: Option<DateTime<Utc>>,
    /// The items that it is about.
    pub items: &'a [ItemId],
    /// The channel that it is planned for.
    pub channel: Option<&'a str>,
    /// A note on it.
    pub note: Option<&'a str>,
    /// Its status.
    pub status: Status,
}

/// Which entries are listed; a field that is none does not restrict the list.
#[derive(Debug, Clone, Copy, Default)]
pub struct Window {
    /// Entries that end at or after this; without an end, those that start at or after it.
    pub from: Option<DateTime<Utc>>,
    /// Entries that start before this.
    pub to: Option<DateTime<Utc>>,
    /// Entries with this status.
    pub status: Option<Status>,
    /// Entries after this one in the order of the list: its start, and the last 8 bytes of its id.
    pub after: Option<(DateTime<Utc>, [u8; 8])>,
}

/// Makes other calls that add to the workspace's calendar wait until the caller's transaction ends.
pub async fn lock(conn: &mut PgConnection, workspace: WorkspaceId) -> sqlx::Result<()> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended('calendar ' || $1::uuid::text, 0))",
        workspace as WorkspaceId
    )
    .fetch_one(conn)
    .await?;
    Ok(())
}

/// Returns how many entries a workspace has, at most `most`.
pub async fn count(conn: &mut PgConnection, workspace: WorkspaceId, most: i64) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        // In the index's order, so that only `most` of its entries are read, and not the whole table.
        r#"SELECT count(*) AS "count!" FROM (
               SELECT FROM calendar_entries WHERE workspace_id = $1 ORDER BY starts_at LIMIT $2) AS counted"#,
        workspace as WorkspaceId,
        most,
    )
    .fetch_one(conn)
    .await
}

/// Adds an entry. Returns its row.
pub async fn add(
    conn: &mut PgConnection,
    id: CalendarEntryId,
    workspace: WorkspaceId,
    says: &EntryText<'_>,
) -> sqlx::Result<EntryRow> {
    sqlx::query_as!(
        EntryRow,
        r#"INSERT INTO calendar_entries (id, workspace_id, title, starts_at, ends_at, items, channel, note, status)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
           RETURNING id AS "id: CalendarEntryId", workspace_id AS "workspace_id: WorkspaceId", title, starts_at, ends_at,
               items AS "items: Vec<ItemId>", channel, note, status AS "status: Status", sequence, created_at, updated_at"#,
        id as CalendarEntryId,
        workspace as WorkspaceId,
        says.title,
        says.starts_at,
        says.ends_at,
        says.items as &[ItemId],
        says.channel,
        says.note,
        says.status as Status,
    )
    .fetch_one(conn)
    .await
}

/// Returns an entry of any workspace, and locks its row until the caller's transaction ends; none when there is no such
/// entry. The caller checks who may see it.
pub async fn find_to_change(conn: &mut PgConnection, id: CalendarEntryId) -> sqlx::Result<Option<EntryRow>> {
    sqlx::query_as!(
        EntryRow,
        r#"SELECT id AS "id: CalendarEntryId", workspace_id AS "workspace_id: WorkspaceId", title, starts_at, ends_at,
               items AS "items: Vec<ItemId>", channel, note, status AS "status: Status", sequence, created_at, updated_at
           FROM calendar_entries WHERE id = $1 FOR NO KEY UPDATE"#,
        id as CalendarEntryId,
    )
    .fetch_optional(conn)
    .await
}

/// Replaces an entry's content. Returns the row. The caller has locked it with [`find_to_change`].
pub async fn change(conn: &mut PgConnection, id: CalendarEntryId, says: &EntryText<'_>) -> sqlx::Result<EntryRow> {
    sqlx::query_as!(
        EntryRow,
        r#"UPDATE calendar_entries SET title = $2, starts_at = $3, ends_at = $4, items = $5, channel = $6, note = $7,
               status = $8, sequence = sequence + 1, updated_at = mws_now()
           WHERE id = $1
           RETURNING id AS "id: CalendarEntryId", workspace_id AS "workspace_id: WorkspaceId", title, starts_at, ends_at,
               items AS "items: Vec<ItemId>", channel, note, status AS "status: Status", sequence, created_at, updated_at"#,
        id as CalendarEntryId,
        says.title,
        says.starts_at,
        says.ends_at,
        says.items as &[ItemId],
        says.channel,
        says.note,
        says.status as Status,
    )
    .fetch_one(conn)
    .await
}

/// Deletes an entry of the workspace. Returns false when there is no such entry.
pub async fn delete(conn: &mut PgConnection, id: CalendarEntryId, workspace: WorkspaceId) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "DELETE FROM calendar_entries WHERE id = $1 AND workspace_id = $2",
        id as CalendarEntryId,
        workspace as WorkspaceId,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Returns entries of a workspace, the earliest first. No entry lasts longer than `LONGEST_DAYS`, so that the index
/// also finds those that began before the window.
pub async fn page(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    window: &Window,
    limit: i64,
) -> sqlx::Result<Vec<EntryRow>> {
    let (after, tail) = window.after.unzip();
    sqlx::query_as!(
        EntryRow,
        r#"SELECT id AS "id: CalendarEntryId", workspace_id AS "workspace_id: WorkspaceId", title, starts_at, ends_at,
               items AS "items: Vec<ItemId>", channel, note, status AS "status: Status", sequence, created_at, updated_at
           FROM calendar_entries
           WHERE workspace_id = $1
               AND starts_at >= greatest($2::timestamptz - make_interval(days => $3), $4::timestamptz,
                   '-infinity'::timestamptz)
               AND starts_at < coalesce($5::timestamptz, 'infinity'::timestamptz)
               AND ($2::timestamptz IS NULL OR coalesce(ends_at, starts_at) >= $2)
               AND ($6::text IS NULL OR status = $6)
               AND ($4::timestamptz IS NULL OR (starts_at, substring(uuid_send(id) FROM 9)) > ($4, $7::bytea))
           ORDER BY starts_at, substring(uuid_send(id) FROM 9)
           LIMIT $8"#,
        workspace as WorkspaceId,
        window.from,
        i32::from(LONGEST_DAYS),
        after,
        window.to,
        window.status.map(Status::name),
        tail.as_ref().map(<[u8; 8]>::as_slice),
        limit,
    )
    .fetch_all(conn)
    .await
}
