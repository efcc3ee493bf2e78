//! What is about to do harm, for the operators' first page, their notices and the verdict: endpoints, accounts, signing
//! secrets and undelivered events that are near their ends.
//!
//! Endpoints and accounts are looked at one by one, by indexes, so that one that is busy hides no other. `known` are
//! those that were found before: they are looked at whatever else there is, and count against no limit, so that they
//! keep nothing new from being found.

mod minutes;

pub use minutes::{ShortAccount, note_short, short_accounts, used_minutes};

use chrono::{DateTime, Utc};
use domain::ids::{AccountId, EndpointId};
use domain::series::FAILURES_THAT_WARN;
use domain::verdict::LOOKED_AT;
use sqlx::PgConnection;

/// The fewest deliveries to an endpoint of which the part that failed says something.
const LEAST_TRIED: i64 = 20;
/// The most deliveries to an endpoint of which the part that failed is looked at.
const MOST_TRIED: i64 = 200;

/// An endpoint that has failed often in a row.
#[derive(Debug, Clone)]
pub struct FailingEndpoint {
    /// The endpoint.
    pub id: EndpointId,
    /// Its account.
    pub account_id: AccountId,
    /// False when its failures have disabled it.
    pub enabled: bool,
    /// Its failures in a row.
    pub failures: i32,
}

/// Returns the endpoints that have failed [`FAILURES_THAT_WARN`] times in a row or more, or were disabled for their
/// failures: all such of `known`, up to `limit` others that are enabled and to which something was sent within a day or
/// waits, and up to `limit` others that were disabled within a day. Those of `known` come first, then those that are
/// disabled, then those that have failed most often. Indexes hold both: however many deliveries others have, none is
/// overlooked.
pub async fn failing_endpoints(
    conn: &mut PgConnection,
    known: &[EndpointId],
    limit: i64,
) -> sqlx::Result<Vec<FailingEndpoint>> {
    // OFFSET keeps what was sent from being read for all endpoints at once.
    sqlx::query_as!(
        FailingEndpoint,
        r#"WITH looked_at AS (
               SELECT id FROM (
                   SELECT w.id FROM webhook_endpoints AS w
                   WHERE w.enabled AND w.deleted_at IS NULL AND w.consecutive_failures >= 10
                       AND w.consecutive_failures >= $2 AND w.id <> ALL ($1::uuid[])
                       AND (EXISTS (
                               SELECT FROM deliveries AS d
                               WHERE d.endpoint_id = w.id AND d.id >= mws_first_id(mws_now() - interval '1 day')
                               OFFSET 0)
                           OR EXISTS (
                               SELECT FROM deliveries AS d
                               WHERE d.endpoint_id = w.id AND d.status = 'pending' AND d.finished_at IS NULL
                                   AND d.lease_until IS NULL
                               OFFSET 0))
                   ORDER BY w.consecutive_failures DESC, w.id LIMIT $3
               ) AS failing
               UNION
               SELECT id FROM (
                   SELECT id FROM webhook_endpoints
                   WHERE disabled_reason = 'too_many_failures' AND deleted_at IS NULL
                       AND disabled_at >= mws_now() - interval '1 day' AND id <> ALL ($1::uuid[])
                   ORDER BY disabled_at DESC LIMIT $3
               ) AS disabled
               UNION
               SELECT unnest($1::uuid[])
           )
           SELECT w.id AS "id!: EndpointId", w.account_id AS "account_id!: AccountId", w.enabled AS "enabled!",
               w.consecutive_failures AS "failures!"
           FROM looked_at JOIN webhook_endpoints AS w ON w.id = looked_at.id
           WHERE w.deleted_at IS NULL AND CASE
               WHEN w.enabled THEN w.consecutive_failures >= $2
               ELSE w.disabled_reason = 'too_many_failures' AND w.operator_disabled_at IS DISTINCT FROM w.disabled_at END
           ORDER BY (w.id = ANY ($1::uuid[])) DESC, w.enabled, w.consecutive_failures DESC, w.id"#,
        known as _,
        FAILURES_THAT_WARN,
        limit
    )
    .fetch_all(conn)
    .await
}

/// An endpoint at which much fails without its being near to be disabled, since some of it arrives.
#[derive(Debug, Clone)]
pub struct WaveringEndpoint {
    /// The endpoint.
    pub id: EndpointId,
    /// Its account.
    pub account_id: AccountId,
    /// Its deliveries that were attempted, of those that were looked at.
    pub tried: i64,
    /// Those of them whose last attempt failed.
    pub failed: i64,
}

/// Returns the enabled endpoints at which half or more of the newest deliveries of a day failed: those of `known`, and
/// up to `limit` others with twenty deliveries or more that have failed less than [`FAILURES_THAT_WARN`] times in a
/// row. Those of `known` come first, then those at which most failed.
///
/// Each endpoint is looked at by its own newest deliveries, at most [`LOOKED_AT`] of them and 200 that were attempted:
/// what others are sent hides nothing. They are read where an attempt failed within a day, which an index tells, and
/// where something failed for good or waits to be sent again.
pub async fn wavering_endpoints(
    conn: &mut PgConnection,
    known: &[EndpointId],
    limit: i64,
) -> sqlx::Result<Vec<WaveringEndpoint>> {
    // OFFSET, as above. The bound of an endpoint's rows stands in a subquery: a planner that knows it reads and sorts
    // all of the day, where endpoints have fewer on average.
    sqlx::query_as!(
        WaveringEndpoint,
        r#"WITH looked_at AS (
               SELECT w.id FROM webhook_endpoints AS w
               WHERE w.enabled AND w.deleted_at IS NULL AND w.failed_at >= mws_now() - interval '25 hours'
                   AND w.consecutive_failures < $3
                   AND (EXISTS (
                           SELECT FROM deliveries AS d
                           WHERE d.endpoint_id = w.id AND d.status IN ('failed', 'skipped')
                               AND d.id >= mws_first_id(mws_now() - interval '1 day')
                           OFFSET 0)
                       OR EXISTS (
                           SELECT FROM deliveries AS d
                           WHERE d.endpoint_id = w.id AND d.status = 'pending' AND d.finished_at IS NULL
                               AND d.lease_until IS NULL AND d.attempt_count > 0
                           OFFSET 0))
               UNION
               SELECT unnest($1::uuid[])
           )
           SELECT w.id AS "id!: EndpointId", w.account_id AS "account_id!: AccountId", counted.tried AS "tried!",
               counted.failed AS "failed!"
           FROM looked_at
           CROSS JOIN LATERAL (
               SELECT count(*) AS tried, count(*) FILTER (WHERE error IS NOT NULL) AS failed
               FROM (
                   SELECT newest.id, newest.error FROM (
                       SELECT id, status, error FROM deliveries
                       WHERE endpoint_id = looked_at.id AND id >= mws_first_id(mws_now() - interval '1 day')
                       ORDER BY id DESC LIMIT (SELECT $4::bigint)
                   ) AS newest
                   WHERE newest.status = 'succeeded'
                       OR (newest.status IN ('failed', 'pending') AND newest.error IS NOT NULL)
                   ORDER BY newest.id DESC LIMIT $5
               ) AS attempted
           ) AS counted
           JOIN webhook_endpoints AS w ON w.id = looked_at.id
           WHERE w.enabled AND w.deleted_at IS NULL AND counted.tried > 0 AND counted.failed * 2 >= counted.tried
               AND (w.id = ANY ($1::uuid[]) OR counted.tried >= $2)
           ORDER BY (w.id = ANY ($1::uuid[])) DESC, counted.failed DESC, w.id
           LIMIT $6::bigint + cardinality($1::uuid[])"#,
        known as _,
        LEAST_TRIED,
        FAILURES_THAT_WARN,
        LOOKED_AT,
        MOST_TRIED,
        limit
    )
    .fetch_all(conn)
    .await
}

/// A signing secret that soon verifies nothing more.
#[derive(Debug, Clone)]
pub struct EndingSecret {
    /// The account that rotated it.
    pub account_id: AccountId,
    /// Until when it verifies.
    pub ends_at: DateTime<Utc>,
}

/// Returns the accounts with an endpoint whose secret before the current one ends within so many hours, the first to
/// end first.
pub async fn ending_secrets(conn: &mut PgConnection, hours: i32, limit: i64) -> sqlx::Result<Vec<EndingSecret>> {
    sqlx::query_as!(
        EndingSecret,
        r#"SELECT s.account_id AS "account_id: AccountId", s.previous_expires_at AS "ends_at!"
           FROM webhook_secrets AS s
           WHERE s.previous_sealed IS NOT NULL AND s.previous_expires_at > mws_now()
               AND s.previous_expires_at <= mws_now() + make_interval(hours => $1)
               AND EXISTS (
                   SELECT FROM webhook_endpoints AS w
                   WHERE w.account_id = s.account_id AND w.enabled AND w.deleted_at IS NULL)
           ORDER BY s.previous_expires_at, s.account_id LIMIT $2"#,
        hours,
        limit
    )
    .fetch_all(conn)
    .await
}

/// Events that did not arrive and are about to be deleted.
#[derive(Debug, Clone, Copy)]
pub struct Unsaved {
    /// The number of deliveries that failed or were skipped.
    pub many: i64,
    /// The endpoints that they were for.
    pub endpoints: i64,
    /// When the oldest of them began.
    pub first_at: DateTime<Utc>,
    /// When the newest of them began.
    pub last_at: DateTime<Utc>,
}

/// Counts the events that are deleted for their age within so many seconds, whose last delivery has failed or was
/// skipped, and whose endpoint was not removed; at most [`LOOKED_AT`] of them. None when there are none.
pub async fn unsaved(conn: &mut PgConnection, retention_days: i32, seconds: f64) -> sqlx::Result<Option<Unsaved>> {
    let row = sqlx::query!(
        r#"SELECT count(*) AS "many!", count(DISTINCT d.endpoint_id) AS "endpoints!",
               min(d.created_at) AS first_at, max(d.created_at) AS last_at
           FROM (
               SELECT id, endpoint_id, event_id, created_at FROM deliveries
               WHERE id < mws_first_id(mws_now() - make_interval(days => $1) + $2::float8 * interval '1 second')
                   AND status IN ('failed', 'skipped') AND trigger <> 'test'
               ORDER BY id LIMIT $3
           ) AS d
           JOIN webhook_endpoints AS w ON w.id = d.endpoint_id AND w.deleted_at IS NULL
           WHERE NOT EXISTS (
               SELECT 1 FROM deliveries AS later
               WHERE later.event_id = d.event_id AND later.endpoint_id = d.endpoint_id
                   AND mws_stands_for(later.status, later.id, d.id))"#,
        retention_days,
        seconds,
        LOOKED_AT
    )
    .fetch_one(conn)
    .await?;
    let times = row.first_at.zip(row.last_at);
    Ok(times.map(|(first_at, last_at)| Unsaved { many: row.many, endpoints: row.endpoints, first_at, last_at }))
}
