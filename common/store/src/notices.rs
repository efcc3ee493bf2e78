//! What is about to do harm, for the operators' first page: endpoints, accounts, signing secrets and undelivered events
//! that are near their ends.
//!
//! As the numbers of the verdict, each statement looks at what is new, live or next, by an index and up to a bound.

use chrono::{DateTime, Utc};
use domain::ids::{AccountId, EndpointId};
use domain::minutes::Minutes;
use domain::series::FAILURES_THAT_WARN;
use domain::verdict::LOOKED_AT;
use sqlx::PgConnection;

/// How many of the newest jobs are searched for accounts whose minutes run out.
const NEWEST_JOBS: i64 = 500;
/// The fewest deliveries to an endpoint of which the part that failed says something.
pub const LEAST_TRIED: i64 = 20;
/// Minutes are called short when no more than one of so many parts of the month's allowance is left.
const PARTS: i64 = 10;

/// An endpoint that is about to be disabled.
#[derive(Debug, Clone)]
pub struct FailingEndpoint {
    /// The endpoint.
    pub id: EndpointId,
    /// Its account.
    pub account_id: AccountId,
    /// Its failures in a row.
    pub failures: i32,
}

/// Returns the endpoints that have failed [`FAILURES_THAT_WARN`] times in a row or more and are enabled, the worst
/// first, of those that the newest deliveries of a day failed at.
pub async fn failing_endpoints(conn: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<FailingEndpoint>> {
    sqlx::query_as!(
        FailingEndpoint,
        r#"WITH newest AS MATERIALIZED (
               SELECT endpoint_id, status, error FROM deliveries
               WHERE id >= mws_first_id(mws_now() - interval '1 day') ORDER BY id DESC LIMIT $1
           )
           SELECT w.id AS "id!: EndpointId", w.account_id AS "account_id!: AccountId", w.consecutive_failures AS "failures!"
           FROM (
               SELECT DISTINCT endpoint_id FROM newest WHERE status IN ('failed', 'pending') AND error IS NOT NULL
           ) AS failing
           JOIN webhook_endpoints AS w ON w.id = failing.endpoint_id
           WHERE w.enabled AND w.deleted_at IS NULL AND w.consecutive_failures >= $2
           ORDER BY w.consecutive_failures DESC, w.id LIMIT $3"#,
        LOOKED_AT,
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

/// Returns the endpoints that are enabled, have failed less than [`FAILURES_THAT_WARN`] times in a row, and at which
/// half or more of at least [`LEAST_TRIED`] deliveries have failed, the worst first, by the newest deliveries of a day.
pub async fn wavering_endpoints(conn: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<WaveringEndpoint>> {
    sqlx::query_as!(
        WaveringEndpoint,
        r#"WITH newest AS MATERIALIZED (
               SELECT endpoint_id, status, error FROM deliveries
               WHERE id >= mws_first_id(mws_now() - interval '1 day') ORDER BY id DESC LIMIT $1
           ), counted AS (
               SELECT endpoint_id, count(*) AS tried, count(*) FILTER (WHERE error IS NOT NULL) AS failed FROM newest
               WHERE status = 'succeeded' OR (status IN ('failed', 'pending') AND error IS NOT NULL)
               GROUP BY endpoint_id
           )
           SELECT w.id AS "id!: EndpointId", w.account_id AS "account_id!: AccountId", counted.tried AS "tried!",
               counted.failed AS "failed!"
           FROM counted JOIN webhook_endpoints AS w ON w.id = counted.endpoint_id
           WHERE w.enabled AND w.deleted_at IS NULL AND w.consecutive_failures < $2
               AND counted.tried >= $3 AND counted.failed * 2 >= counted.tried
           ORDER BY counted.failed DESC, w.id LIMIT $4"#,
        LOOKED_AT,
        FAILURES_THAT_WARN,
        LEAST_TRIED,
        limit
    )
    .fetch_all(conn)
    .await
}

/// An account whose minutes run out.
#[derive(Debug, Clone)]
pub struct ShortAccount {
    /// The account.
    pub id: AccountId,
    /// What is left of the month and of what was bought.
    pub left: Minutes,
    /// The month's allowance.
    pub allowance: Minutes,
}

/// Returns the accounts that paid for the newest jobs of a day and have something left, but no more than a tenth of
/// their month's allowance, the shortest first.
pub async fn short_accounts(conn: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<ShortAccount>> {
    sqlx::query_as!(
        ShortAccount,
        r#"WITH newest AS MATERIALIZED (
               SELECT payer_account_id FROM jobs
               WHERE id >= mws_first_id(mws_now() - interval '1 day') ORDER BY id DESC LIMIT $1
           ), worked AS (
               SELECT a.id, b.allowance, b.allowance - b.used - b.held + a.bought - a.bought_held AS unspent
               FROM (SELECT DISTINCT payer_account_id FROM newest) AS payers
               JOIN accounts AS a ON a.id = payers.payer_account_id
               JOIN minute_buckets AS b
                   ON b.account_id = a.id AND b.month = date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date
               WHERE a.suspended_at IS NULL
           )
           SELECT id AS "id!: AccountId", unspent AS "left!: Minutes", allowance AS "allowance!: Minutes"
           FROM worked WHERE unspent > 0 AND unspent <= allowance / $2 ORDER BY unspent, id LIMIT $3"#,
        NEWEST_JOBS,
        PARTS,
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
               WHERE later.event_id = d.event_id AND later.endpoint_id = d.endpoint_id AND later.id <> d.id
                   AND (later.status IN ('pending', 'succeeded') OR later.id > d.id))"#,
        retention_days,
        seconds,
        LOOKED_AT
    )
    .fetch_one(conn)
    .await?;
    let times = row.first_at.zip(row.last_at);
    Ok(times.map(|(first_at, last_at)| Unsaved { many: row.many, endpoints: row.endpoints, first_at, last_at }))
}
