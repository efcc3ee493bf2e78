//! The makers that workers offer, and those whose providers answer nothing.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

/// A maker that a worker offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MakerOffer {
    /// Its name: a built-in engine's, or a model's id.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Records which makers a worker offers, and deletes those that no worker has offered for 30 days.
pub async fn announce(conn: &mut PgConnection, offers: &[MakerOffer]) -> sqlx::Result<()> {
    sqlx::query!(
        "WITH gone AS (
             DELETE FROM generation_makers WHERE seen_at < mws_now() - interval '30 days' AND name <> ALL ($1)
         )
         INSERT INTO generation_makers (name, version)
         SELECT name, version FROM unnest($1::text[], $2::text[]) AS offered (name, version) ORDER BY name
         ON CONFLICT (name) DO UPDATE SET version = excluded.version, seen_at = mws_now()",
        &offers.iter().map(|one| one.name.clone()).collect::<Vec<_>>(),
        &offers.iter().map(|one| one.version.clone()).collect::<Vec<_>>()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Returns whether a worker has offered this maker within the last ten minutes.
pub async fn is_offered(conn: &mut PgConnection, maker: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM generation_makers WHERE name = $1 AND seen_at > mws_now() - interval '10 minutes'
           ) AS "is!""#,
        maker
    )
    .fetch_one(conn)
    .await
}

/// Returns the names of the makers that workers have offered within the last seven days, as long as for reads.
pub async fn makers(conn: &mut PgConnection) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar!(
        "SELECT name FROM generation_makers WHERE seen_at > mws_now() - interval '7 days' ORDER BY name"
    )
    .fetch_all(conn)
    .await
}

/// Records whether a model's provider answered a request. One answer, to whichever request, ends its failing.
pub async fn note_answer(conn: &mut PgConnection, model: &str, answered: bool) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE generation_makers
         SET failing_since = CASE WHEN $2 THEN NULL ELSE coalesce(failing_since, mws_now()) END,
             failed_at = CASE WHEN $2 THEN NULL ELSE mws_now() END
         WHERE name = $1 AND (NOT $2 OR failing_since IS NOT NULL)",
        model,
        answered
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A model whose provider answers nothing.
#[derive(Debug, Clone)]
pub struct FailingMaker {
    /// The model's id.
    pub name: String,
    /// When the first request failed after the last that was answered.
    pub since: DateTime<Utc>,
}

/// Returns the models whose providers have answered nothing for a minute or longer, and were asked within an hour.
pub async fn failing(conn: &mut PgConnection) -> sqlx::Result<Vec<FailingMaker>> {
    sqlx::query_as!(
        FailingMaker,
        r#"SELECT name, failing_since AS "since!" FROM generation_makers
           WHERE failed_at > mws_now() - interval '1 hour' AND failed_at >= failing_since + interval '1 minute'"#
    )
    .fetch_all(conn)
    .await
}
