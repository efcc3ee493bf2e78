//! Finds words in footage: passages that contain them, passages with similar words, and the moments that they are in.
//!
//! Every statement begins with the workspace, and so do the indexes: other workspaces' libraries are neither shown nor
//! slow it down. `domain::search` ranks the passages.

use crate::WINDOW;
use chrono::{DateTime, Utc};
use domain::footage::{Moment, Passage};
use domain::ids::{ItemId, WorkspaceId};
use domain::plan::SHORTEST_MS;
use sqlx::PgConnection;
use sqlx::types::Json;
use std::time::Duration;

/// The share of a query's trigrams that a passage must contain to be looked at: two letters swapped in a word of five
/// leave a third.
const ALIKE: &str = "0.33";

/// Where to search, and how many rows to return.
#[derive(Debug, Clone, Copy)]
pub struct Within<'a> {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The items to search; none means all items of the workspace.
    pub items: Option<&'a [ItemId]>,
    /// How many rows to return at most.
    pub limit: i64,
}

/// A passage that may match the query.
#[derive(Debug, Clone)]
pub struct FoundPassage {
    /// The item.
    pub item: ItemId,
    /// The item's ref, which clients use as its name.
    pub item_ref: String,
    /// The passage.
    pub passage: Passage,
    /// Whether it is text in the picture, and not speech.
    pub shown: bool,
    /// The lexemes of each of its words, as the index has them.
    pub lexemes: Vec<String>,
}

struct Row {
    item_id: ItemId,
    item_ref: String,
    text: String,
    own_words: i32,
    times: Json<Vec<(i32, i32)>>,
    shown: bool,
    lexemes: Vec<String>,
}

impl From<Row> for FoundPassage {
    fn from(row: Row) -> Self {
        let own_words = usize::try_from(row.own_words).unwrap_or_default();
        let passage = Passage { text: row.text, own_words, times: row.times.0 };
        Self { item: row.item_id, item_ref: row.item_ref, passage, shown: row.shown, lexemes: row.lexemes }
    }
}

/// Returns the index's lexemes of each of these words: one, several with spaces between them, or an empty string.
pub async fn lexemes(conn: &mut PgConnection, words: &[String]) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar!(r#"SELECT mws_lexemes($1) AS "lexemes!""#, words).fetch_one(conn).await
}

/// Returns passages that match `query`, in the syntax of `websearch_to_tsquery`, the best first.
pub async fn said(conn: &mut PgConnection, query: &str, within: Within<'_>) -> sqlx::Result<Vec<FoundPassage>> {
    sqlx::query_file_as!(
        Row,
        "src/footage/said.sql",
        within.workspace as WorkspaceId,
        query,
        within.items as Option<&[ItemId]>,
        within.limit
    )
    .fetch_all(conn)
    .await
    .map(|rows| rows.into_iter().map(FoundPassage::from).collect())
}

/// Sets, until the transaction ends, how similar words must be for [`alike`], and how long a statement may take.
pub async fn reach_for_alike(conn: &mut PgConnection, patience: Duration) -> sqlx::Result<()> {
    sqlx::query!(
        "SELECT set_config('pg_trgm.word_similarity_threshold', $1, true) AS alike,
                set_config('statement_timeout', $2, true) AS patience",
        ALIKE,
        patience.as_millis().to_string()
    )
    .fetch_one(conn)
    .await?;
    Ok(())
}

/// Returns passages with similar words, the most similar first. Call it in a transaction, after [`reach_for_alike`].
pub async fn alike(conn: &mut PgConnection, words: &str, within: Within<'_>) -> sqlx::Result<Vec<FoundPassage>> {
    sqlx::query_file_as!(
        Row,
        "src/footage/alike.sql",
        within.workspace as WorkspaceId,
        words,
        within.items as Option<&[ItemId]>,
        within.limit
    )
    .fetch_all(conn)
    .await
    .map(|rows| rows.into_iter().map(FoundPassage::from).collect())
}

/// The moment that is seen while something is said.
#[derive(Debug, Clone)]
pub struct SeenMoment {
    /// The moment.
    pub moment: Moment,
    /// When it was looked up; links to its picture last for a while from then.
    pub now: DateTime<Utc>,
}

/// Returns the moment of each of these items at this millisecond, in the order given; none where the item has no moment
/// by then.
pub async fn seen_at(conn: &mut PgConnection, at: &[(ItemId, i32)]) -> sqlx::Result<Vec<Option<SeenMoment>>> {
    let rows = sqlx::query!(
        r#"SELECT asked.place AS "place!", m.number, m.start_ms, m.end_ms, m.thumbnail_key,
                  mws_now() AS "now!"
           FROM unnest($1::uuid[], $2::int[]) WITH ORDINALITY AS asked (item_id, at_ms, place)
           CROSS JOIN LATERAL (
               SELECT * FROM moments
               WHERE moments.item_id = asked.item_id AND moments.start_ms <= asked.at_ms
               ORDER BY moments.start_ms DESC
               LIMIT 1
           ) AS m"#,
        &at.iter().map(|one| one.0.uuid()).collect::<Vec<_>>(),
        &at.iter().map(|one| one.1).collect::<Vec<_>>()
    )
    .fetch_all(conn)
    .await?;
    let mut seen = vec![None; at.len()];
    for row in rows {
        let place = usize::try_from(row.place - 1).ok();
        if let Some(slot) = place.and_then(|place| seen.get_mut(place)) {
            let (number, start_ms, end_ms) = (row.number, row.start_ms, row.end_ms);
            let moment = Moment { number, start_ms, end_ms, thumbnail_key: row.thumbnail_key };
            *slot = Some(SeenMoment { moment, now: row.now });
        }
    }
    Ok(seen)
}

/// Returns the refs of videos that have no search index but could have one, newest first: of the given items, or else
/// of the workspace's newest, since a library may be large and all of it indexed. Silent films are among them, as they
/// may show words; items that no read would help, such as sound or unreadable files, are not. Given items that are
/// still processing are.
pub async fn unindexed(conn: &mut PgConnection, within: Within<'_>) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar!(
        r#"SELECT i.ref AS "ref!"
           FROM unnest(coalesce($2::uuid[], ARRAY(
               SELECT id FROM items WHERE workspace_id = $1 AND deleted_at IS NULL ORDER BY id DESC LIMIT $5
           ))) AS asked (id)
           JOIN items i ON i.id = asked.id AND i.workspace_id = $1 AND i.deleted_at IS NULL
           WHERE (i.has_video AND i.status = 'ready' AND i.duration_ms >= $4
                   OR $2::uuid[] IS NOT NULL AND i.status = 'processing')
               AND NOT EXISTS (SELECT FROM item_reads r WHERE r.item_id = i.id AND r.read = 'search_index')
           ORDER BY i.id DESC LIMIT $3"#,
        within.workspace as WorkspaceId,
        within.items as Option<&[ItemId]>,
        within.limit,
        SHORTEST_MS,
        WINDOW,
    )
    .fetch_all(conn)
    .await
}

/// Returns the refs of items with sound but without a transcript, which can't be found by their words, newest first: of
/// the given items, or else of the workspace's newest.
pub async fn untranscribed(conn: &mut PgConnection, within: Within<'_>) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar!(
        r#"SELECT i.ref AS "ref!"
           FROM unnest(coalesce($2::uuid[], ARRAY(
               SELECT id FROM items WHERE workspace_id = $1 AND deleted_at IS NULL ORDER BY id DESC LIMIT $5
           ))) AS asked (id)
           JOIN items i ON i.id = asked.id AND i.workspace_id = $1 AND i.deleted_at IS NULL
           WHERE i.has_audio AND i.status = 'ready' AND i.duration_ms >= $4
               AND NOT EXISTS (SELECT FROM item_reads r WHERE r.item_id = i.id AND r.read = 'transcript')
           ORDER BY i.id DESC LIMIT $3"#,
        within.workspace as WorkspaceId,
        within.items as Option<&[ItemId]>,
        within.limit,
        SHORTEST_MS,
        WINDOW,
    )
    .fetch_all(conn)
    .await
}
