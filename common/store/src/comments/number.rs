//! Counts the comments on a subject, and those by a public link; both numbers are bounded.

use domain::comment::Subject;
use domain::ids::PublicLinkId;
use sqlx::PgConnection;

/// Makes other comments on the same subject wait until the caller's transaction ends.
pub async fn lock(conn: &mut PgConnection, subject: Subject) -> sqlx::Result<()> {
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('comments ' || $1::uuid::text, 0))", subject.uuid())
        .fetch_one(conn)
        .await?;
    Ok(())
}

/// Returns how many comments an item or a timeline has, at most `most`.
pub async fn count(conn: &mut PgConnection, subject: Subject, most: i64) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        // In the index's order, so that only `most` of its entries are read, and not the whole table.
        r#"SELECT count(*) AS "count!" FROM (
               SELECT FROM comments WHERE coalesce(item_id, timeline_id) = $1 ORDER BY id LIMIT $2) AS counted"#,
        subject.uuid(),
        most,
    )
    .fetch_one(conn)
    .await
}

/// The number of comments written by a public link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guests {
    /// All of them, at most `most`.
    pub in_all: i64,
    /// Those of the last minute, at most `most`.
    pub lately: i64,
}

/// Returns how many comments were written by this link; each number is at most `most`.
pub async fn count_of_link(conn: &mut PgConnection, link: PublicLinkId, most: i64) -> sqlx::Result<Guests> {
    sqlx::query_as!(
        Guests,
        r#"SELECT count(*) AS "in_all!",
               count(*) FILTER (WHERE created_at > mws_now() - interval '1 minute') AS "lately!"
           FROM (SELECT created_at FROM comments WHERE link_id = $1 ORDER BY created_at DESC LIMIT $2) AS counted"#,
        link as PublicLinkId,
        most,
    )
    .fetch_one(conn)
    .await
}
