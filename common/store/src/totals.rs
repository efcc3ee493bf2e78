//! What the whole service holds: counted seldom, by a look at every account, and read from one row.

use sqlx::PgConnection;

/// What the service held when it was last counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Totals {
    /// Hundredths of minutes that are held for jobs.
    pub held_hundredths: f64,
    /// Bytes in the media store, reserved ones included.
    pub media_bytes: f64,
}

/// Counts. It reads a row or more of each account, so call it once a minute at most, in one process.
pub async fn count(conn: &mut PgConnection) -> sqlx::Result<()> {
    let counted = sqlx::query!(
        "INSERT INTO service_totals AS known (held_hundredths, media_bytes, counted_at)
         SELECT (SELECT coalesce(sum(held), 0) FROM minute_buckets WHERE held > 0)::bigint
                 + (SELECT coalesce(sum(bought_held), 0) FROM accounts WHERE bought_held > 0)::bigint
                 - (SELECT coalesce(sum(month_freed + bought_freed), 0) FROM minute_unfolded)::bigint,
             (SELECT coalesce(sum(media_bytes), 0) FROM account_usage)::bigint
                 + (SELECT coalesce(sum(media_bytes), 0) FROM account_usage_changes)::bigint,
             mws_now()
         ON CONFLICT (one) DO UPDATE SET held_hundredths = excluded.held_hundredths, media_bytes = excluded.media_bytes,
             counted_at = excluded.counted_at"
    );
    counted.execute(conn).await?;
    Ok(())
}

/// Returns what was counted last; none before the first count.
pub async fn last(conn: &mut PgConnection) -> sqlx::Result<Option<Totals>> {
    sqlx::query_as!(
        Totals,
        r#"SELECT held_hundredths::double precision AS "held_hundredths!",
               media_bytes::double precision AS "media_bytes!"
           FROM service_totals"#
    )
    .fetch_optional(conn)
    .await
}
