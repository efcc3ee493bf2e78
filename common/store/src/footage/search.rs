//! Finding words in footage: passages that hold them, passages with words alike, and the moments that they are in.
//!
//! Every statement begins with the workspace, and so do the indexes: what others have in their libraries neither shows
//! nor slows. What a passage is worth is judged by `domain::search`.

use crate::WINDOW;
use chrono::{DateTime, Utc};
use domain::footage::{Moment, Passage};
use domain::ids::{ItemId, WorkspaceId};
use domain::plan::SHORTEST_MS;
use sqlx::PgConnection;
use sqlx::types::Json;
use std::time::Duration;

/// How much of a query's trigrams a passage must hold to be looked at: two letters that changed places in a word of
/// five leave a third.
const ALIKE: &str = "0.33";

/// Where to look, and how far.
#[derive(Debug, Clone, Copy)]
pub struct Within<'a> {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// These items alone; all of the workspace's when not given.
    pub items: Option<&'a [ItemId]>,
    /// Rows, at most.
    pub limit: i64,
}

/// A passage that may be what was asked for.
#[derive(Debug, Clone)]
pub struct FoundPassage {
    /// The item.
    pub item: ItemId,
    /// What clients call it.
    pub item_ref: String,
    /// The passage.
    pub passage: Passage,
    /// Whether it is written in the picture, and not said.
    pub shown: bool,
    /// What the index makes of each of its words.
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

/// What the index makes of each of these words: a lexeme, several with a space between them, or nothing.
pub async fn lexemes(conn: &mut PgConnection, words: &[String]) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar!(r#"SELECT mws_lexemes($1) AS "lexemes!""#, words).fetch_one(conn).await
}

/// Passages that hold what `query` asks for, in the language of `websearch_to_tsquery`, the best first.
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

/// Until the transaction ends: what `alike` takes for alike, and how long a statement may take.
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

/// Passages with words like these, the most alike first. In a transaction, after [`reach_for_alike`].
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

/// What is seen while something is said.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The moment.
    pub moment: Moment,
    /// When it was looked up: links to it are good for a while from then.
    pub now: DateTime<Utc>,
}

/// The moment of each of these items at this millisecond, in their order.
pub async fn seen_at(conn: &mut PgConnection, at: &[(ItemId, i32)]) -> sqlx::Result<Vec<Option<Seen>>> {
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
            *slot = Some(Seen { moment, now: row.now });
        }
    }
    Ok(seen)
}

/// The refs of videos without a search index that could have one, newest first: of these items, or else of the
/// workspace's newest, since a library may be large and all of it indexed. A silent film may show words, and is among
/// them; what no read would help, such as sound or what can't be read at all, is not. One of these items that is still
/// processing is.
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

/// The refs of items with sound but without a transcript, which have no words to be found by, newest first. Of these
/// items, or else of the workspace's newest.
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
