//! The feeds with which calendar programs read a workspace's calendar. Only a hash of the token in a feed's URL is
//! stored.

use chrono::{DateTime, Utc};
use domain::ids::{AccountId, CalendarFeedId, KeyId, UserId, WorkspaceId};
use sqlx::PgConnection;

/// A feed.
#[derive(Debug, Clone)]
pub struct FeedRow {
    /// Its id.
    pub id: CalendarFeedId,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When a program last read it; none when none has.
    pub last_read_at: Option<DateTime<Utc>>,
}

/// Stores a feed, and the user or the key that made it. Returns its row.
pub async fn add(
    conn: &mut PgConnection,
    id: CalendarFeedId,
    workspace: WorkspaceId,
    token_hash: &[u8],
    user: Option<UserId>,
    key: Option<KeyId>,
) -> sqlx::Result<FeedRow> {
    sqlx::query_as!(
        FeedRow,
        r#"INSERT INTO calendar_feeds (id, workspace_id, token_hash, user_id, key_id) VALUES ($1, $2, $3, $4, $5)
           RETURNING id AS "id: CalendarFeedId", created_at, last_read_at"#,
        id as CalendarFeedId,
        workspace as WorkspaceId,
        token_hash,
        user as Option<UserId>,
        key as Option<KeyId>,
    )
    .fetch_one(conn)
    .await
}

/// Returns the feeds of a workspace, newest first, at most `most`.
pub async fn of_workspace(conn: &mut PgConnection, workspace: WorkspaceId, most: i64) -> sqlx::Result<Vec<FeedRow>> {
    sqlx::query_as!(
        FeedRow,
        r#"SELECT id AS "id: CalendarFeedId", created_at, last_read_at FROM calendar_feeds
           WHERE workspace_id = $1 ORDER BY id DESC LIMIT $2"#,
        workspace as WorkspaceId,
        most,
    )
    .fetch_all(conn)
    .await
}

/// Deletes a feed of the workspace. Returns false when there is no such feed.
pub async fn end(conn: &mut PgConnection, id: CalendarFeedId, workspace: WorkspaceId) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "DELETE FROM calendar_feeds WHERE id = $1 AND workspace_id = $2",
        id as CalendarFeedId,
        workspace as WorkspaceId,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Returns the workspace of a feed, of any account; none when there is no such feed.
pub async fn workspace_of(conn: &mut PgConnection, id: CalendarFeedId) -> sqlx::Result<Option<WorkspaceId>> {
    sqlx::query_scalar!(
        r#"SELECT workspace_id AS "workspace_id: WorkspaceId" FROM calendar_feeds WHERE id = $1"#,
        id as CalendarFeedId,
    )
    .fetch_optional(conn)
    .await
}

/// Whether a feed of the workspace has this token.
pub async fn has_token(conn: &mut PgConnection, workspace: WorkspaceId, token_hash: &[u8]) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM calendar_feeds WHERE token_hash = $1 AND workspace_id = $2) AS "has!""#,
        token_hash,
        workspace as WorkspaceId,
    )
    .fetch_one(conn)
    .await
}

/// A read of a feed, once it is counted.
#[derive(Debug, Clone)]
pub struct CountedRead {
    /// The workspace whose calendar it is.
    pub workspace_id: WorkspaceId,
    /// The account that owns the workspace.
    pub account_id: AccountId,
    /// The workspace's name.
    pub name: String,
    /// Whether the feed was read `most_a_minute` times or less within the minute.
    pub within: bool,
    /// The database's time.
    pub now: DateTime<Utc>,
}

/// Counts a read of the feed with this token. Returns none when there is no such feed, its account is suspended, or
/// whoever made it has no access any more.
pub async fn count_read(
    conn: &mut PgConnection,
    token_hash: &[u8],
    most_a_minute: i32,
) -> sqlx::Result<Option<CountedRead>> {
    sqlx::query_as!(
        CountedRead,
        r#"UPDATE calendar_feeds f SET last_read_at = mws_now(),
               reads = CASE WHEN minute_since > mws_now() - interval '1 minute' THEN least(reads, $2) + 1 ELSE 1 END,
               minute_since = CASE WHEN minute_since > mws_now() - interval '1 minute' THEN minute_since ELSE mws_now() END
           FROM workspaces w JOIN accounts a ON a.id = w.account_id
           WHERE f.token_hash = $1 AND w.id = f.workspace_id AND a.suspended_at IS NULL
               AND mws_link_maker_holds(f.user_id, f.key_id, f.workspace_id)
           RETURNING f.workspace_id AS "workspace_id: WorkspaceId", w.account_id AS "account_id: AccountId", w.name,
               reads <= $2 AS "within!", mws_now() AS "now!""#,
        token_hash,
        most_a_minute,
    )
    .fetch_optional(conn)
    .await
}
