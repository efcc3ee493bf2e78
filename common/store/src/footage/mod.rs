//! Footage as rows: what is seen and said in items. The end of the read that found it writes it; searches and pages
//! read it.
//!
//! A read's rows and its document are stored in one transaction, and the rows only when the document was stored. Rows
//! that exist already stay, so that an end can't be blocked by what an earlier one left. No function here joins one
//! read with another: `domain::footage` does so when somebody asks. Neighbour: `search` finds words in the rows.

mod search;

pub use search::{
    FoundPassage, SeenMoment, Within, alike, lexemes, reach_for_alike, said, seen_at, unindexed, untranscribed,
};

use domain::footage::{Moment, Passage, Rows, SpeakerTurn};
use domain::ids::ItemId;
use sqlx::PgConnection;
use sqlx::types::Json;

/// Rows per statement. Storing those of a day of talk takes seconds, and a statement may not take half a minute.
const ROWS: usize = 250;

/// Adds the moments of these items.
pub async fn add_moments(conn: &mut PgConnection, of: &[(ItemId, &Rows)]) -> sqlx::Result<()> {
    let rows: Vec<(ItemId, &Moment)> =
        of.iter().flat_map(|(item, rows)| rows.moments.iter().map(|row| (*item, row))).collect();
    for rows in rows.chunks(ROWS) {
        sqlx::query!(
            "INSERT INTO moments (item_id, start_ms, end_ms, number, thumbnail_key)
         SELECT * FROM unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::text[])
         ON CONFLICT DO NOTHING",
            &rows.iter().map(|(item, _)| item.uuid()).collect::<Vec<_>>(),
            &rows.iter().map(|(_, moment)| moment.start_ms).collect::<Vec<_>>(),
            &rows.iter().map(|(_, moment)| moment.end_ms).collect::<Vec<_>>(),
            &rows.iter().map(|(_, moment)| moment.number).collect::<Vec<_>>(),
            &rows.iter().map(|(_, moment)| moment.thumbnail_key.clone()).collect::<Vec<_>>() as &[Option<String>]
        )
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}

/// Adds the passages of these items: what is said in them, and the text in their pictures.
pub async fn add_passages(conn: &mut PgConnection, of: &[(ItemId, &Rows)]) -> sqlx::Result<()> {
    let numbered = |shown: bool, passages: &[Passage]| -> Vec<(bool, i32, Passage)> {
        (1..).zip(passages).map(|(number, passage)| (shown, number, passage.clone())).collect()
    };
    let all = |rows: &Rows| numbered(false, &rows.passages).into_iter().chain(numbered(true, &rows.written));
    let rows: Vec<(ItemId, (bool, i32, Passage))> =
        of.iter().flat_map(|(item, rows)| all(rows).map(|row| (*item, row))).collect();
    let own_words = |passage: &Passage| i32::try_from(passage.own_words).unwrap_or(i32::MAX);
    for rows in rows.chunks(ROWS) {
        sqlx::query!(
            "INSERT INTO passages (item_id, shown, number, workspace_id, text, own_words, times)
         SELECT p.item_id, p.shown, p.number, i.workspace_id, p.text, p.own_words, p.times
         FROM unnest($1::uuid[], $2::bool[], $3::int[], $4::text[], $5::int[], $6::json[])
             AS p (item_id, shown, number, text, own_words, times)
         JOIN items i ON i.id = p.item_id
         ON CONFLICT DO NOTHING",
            &rows.iter().map(|row| row.0.uuid()).collect::<Vec<_>>(),
            &rows.iter().map(|row| row.1.0).collect::<Vec<_>>(),
            &rows.iter().map(|row| row.1.1).collect::<Vec<_>>(),
            &rows.iter().map(|row| row.1.2.text.clone()).collect::<Vec<_>>(),
            &rows.iter().map(|row| own_words(&row.1.2)).collect::<Vec<_>>(),
            &rows.iter().map(|row| serde_json::json!(row.1.2.times)).collect::<Vec<_>>()
        )
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}

/// Adds the turns of these items.
pub async fn add_turns(conn: &mut PgConnection, of: &[(ItemId, &Rows)]) -> sqlx::Result<()> {
    let rows: Vec<(ItemId, i32, &SpeakerTurn)> =
        of.iter().flat_map(|(item, rows)| (1..).zip(&rows.turns).map(|(number, turn)| (*item, number, turn))).collect();
    for rows in rows.chunks(ROWS) {
        sqlx::query!(
            "INSERT INTO turns (item_id, number, start_ms, end_ms, speaker)
         SELECT * FROM unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::text[])
         ON CONFLICT DO NOTHING",
            &rows.iter().map(|row| row.0.uuid()).collect::<Vec<_>>(),
            &rows.iter().map(|row| row.1).collect::<Vec<_>>(),
            &rows.iter().map(|row| row.2.start_ms).collect::<Vec<_>>(),
            &rows.iter().map(|row| row.2.end_ms).collect::<Vec<_>>(),
            &rows.iter().map(|row| row.2.speaker.clone()).collect::<Vec<_>>()
        )
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}

/// Returns an item's moments, in the order of their starts.
pub async fn moments(conn: &mut PgConnection, item: ItemId) -> sqlx::Result<Vec<Moment>> {
    sqlx::query_as!(
        Moment,
        "SELECT number, start_ms, end_ms, thumbnail_key FROM moments WHERE item_id = $1 ORDER BY start_ms",
        item as ItemId
    )
    .fetch_all(conn)
    .await
}

/// Returns at most `limit` of an item's moments that start at this millisecond or later, in the order of their starts.
pub async fn moments_from(
    conn: &mut PgConnection,
    item: ItemId,
    from_ms: i32,
    limit: i64,
) -> sqlx::Result<Vec<Moment>> {
    sqlx::query_as!(
        Moment,
        "SELECT number, start_ms, end_ms, thumbnail_key FROM moments
         WHERE item_id = $1 AND start_ms >= $2 ORDER BY start_ms LIMIT $3",
        item as ItemId,
        from_ms,
        limit
    )
    .fetch_all(conn)
    .await
}

/// Returns at most `limit` passages of what is written in an item's pictures between these milliseconds, in their
/// order. It looks at all that is written in the one item.
pub async fn written_between(
    conn: &mut PgConnection,
    item: ItemId,
    (from_ms, until_ms): (i32, i32),
    limit: i64,
) -> sqlx::Result<Vec<Passage>> {
    let rows = sqlx::query!(
        r#"SELECT text, own_words, times AS "times: Json<Vec<(i32, i32)>>" FROM passages
           WHERE item_id = $1 AND shown
               AND (times -> 0 ->> 0)::int < $3 AND (times -> 0 ->> 1)::int >= $2
           ORDER BY number LIMIT $4"#,
        item as ItemId,
        from_ms,
        until_ms,
        limit
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| passage(row.text, row.own_words, row.times)).collect())
}

/// Returns the passages that are said in an item, in their order, without the text in its pictures.
pub async fn passages(conn: &mut PgConnection, item: ItemId) -> sqlx::Result<Vec<Passage>> {
    let rows = sqlx::query!(
        r#"SELECT text, own_words, times AS "times: Json<Vec<(i32, i32)>>" FROM passages
           WHERE item_id = $1 AND NOT shown ORDER BY number"#,
        item as ItemId
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| passage(row.text, row.own_words, row.times)).collect())
}

fn passage(text: String, own_words: i32, times: Json<Vec<(i32, i32)>>) -> Passage {
    Passage { text, own_words: usize::try_from(own_words).unwrap_or_default(), times: times.0 }
}

/// Returns an item's turns, in the order of their starts.
pub async fn turns(conn: &mut PgConnection, item: ItemId) -> sqlx::Result<Vec<SpeakerTurn>> {
    sqlx::query_as!(
        SpeakerTurn,
        "SELECT start_ms, end_ms, speaker FROM turns WHERE item_id = $1 ORDER BY start_ms, number",
        item as ItemId
    )
    .fetch_all(conn)
    .await
}

/// The picture that a link shows.
#[derive(Debug, Clone)]
pub struct Linked {
    /// Its key in the media store; none when there is no picture.
    pub thumbnail_key: Option<String>,
    /// Whether the link has expired.
    pub expired: bool,
}

/// Returns the picture of an item, for a link that expires at this unix time in seconds; none when the item is deleted
/// or its account is suspended.
pub async fn item_picture(conn: &mut PgConnection, item: ItemId, expires: f64) -> sqlx::Result<Option<Linked>> {
    sqlx::query_as!(
        Linked,
        r#"SELECT thumbnail_key, mws_now() >= to_timestamp($2) AS "expired!" FROM items
           WHERE id = $1 AND deleted_at IS NULL
               AND NOT EXISTS (SELECT FROM accounts a WHERE a.id = items.account_id AND a.suspended_at IS NOT NULL)"#,
        item as ItemId,
        expires
    )
    .fetch_optional(conn)
    .await
}

/// Returns the picture of one moment of an item, under the same conditions as [`item_picture`].
pub async fn moment_picture(
    conn: &mut PgConnection,
    item: ItemId,
    number: i32,
    expires: f64,
) -> sqlx::Result<Option<Linked>> {
    sqlx::query_as!(
        Linked,
        r#"SELECT m.thumbnail_key, mws_now() >= to_timestamp($3) AS "expired!"
           FROM moments m JOIN items i ON i.id = m.item_id AND i.deleted_at IS NULL
           WHERE m.item_id = $1 AND m.number = $2
               AND NOT EXISTS (SELECT FROM accounts a WHERE a.id = i.account_id AND a.suspended_at IS NOT NULL)"#,
        item as ItemId,
        number,
        expires
    )
    .fetch_optional(conn)
    .await
}
