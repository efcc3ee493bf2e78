//! Searches deliveries, an endpoint's own or those of all accounts (contract §6.1.11, §11). A page looks at no more
//! than a window of rows, whatever its filters.

use super::log::DeliveryFilter;
use crate::{Seen, WINDOW};
use chrono::{DateTime, TimeDelta, Utc};
use domain::event::{EventId, EventType};
use domain::ids::{DeliveryId, EndpointId, JobId};
use domain::series::DeliveryStatus;
use sqlx::PgConnection;
use uuid::Uuid;

/// Where to search. For each of these an index gives the order, newest first.
#[derive(Debug, Clone)]
pub enum SearchScope {
    /// All deliveries.
    All,
    /// Deliveries to these endpoints.
    Endpoints(Vec<EndpointId>),
    /// Deliveries of this job's events.
    Job(JobId),
}

/// Which of the deliveries in the scope are shown; a field that is none does not restrict them.
#[derive(Debug, Clone, Default)]
pub struct DeliverySearchFilter {
    /// The filters of the account's own log.
    pub filter: DeliveryFilter,
    /// Those whose last attempt failed for this reason, by its name in `domain::attempt`.
    pub error: Option<String>,
}

impl DeliverySearchFilter {
    fn is_open(&self) -> bool {
        let DeliveryFilter { status, event_type, http_status, since, until } = self.filter;
        status.is_none()
            && event_type.is_none()
            && http_status.is_none()
            && since.is_none()
            && until.is_none()
            && self.error.is_none()
    }
}

/// How far a host's clock may be ahead of the database's. `until` is a time of the database.
const HOSTS_AHEAD: TimeDelta = TimeDelta::minutes(10);

struct Row {
    delivery: Option<DeliveryId>,
    looked_at: i64,
    last: Option<Uuid>,
    last_created: Option<DateTime<Utc>>,
}

/// Runs the search with `$scan` as the statement that lists rows; `$10` is that scan's own parameter.
macro_rules! look {
    ($scan:tt, $conn:expr, $every:expr, $edge:expr, $limit:expr, $window:expr $(, $own:expr)?) => {
        sqlx::query_as!(
            Row,
            "WITH seen AS (" + $scan + r#"), found AS (
                 SELECT id FROM seen
                 WHERE ($3::text IS NULL OR status = $3)
                     AND ($4::text IS NULL OR event_type = $4)
                     AND ($5::smallint IS NULL OR response_status = $5)
                     AND ($6::text IS NULL OR error = $6)
                     AND ($7::timestamptz IS NULL OR created_at >= $7)
                     AND ($8::timestamptz IS NULL OR created_at < $8)
                 ORDER BY id DESC LIMIT $9
             )
             SELECT found.id AS "delivery?: DeliveryId", (SELECT count(*) FROM seen) AS "looked_at!",
                 edge.id AS "last?", edge.created_at AS "last_created?"
             FROM (VALUES (1)) AS one (row)
             LEFT JOIN found ON true
             LEFT JOIN (SELECT id, created_at FROM seen ORDER BY id LIMIT 1) AS edge ON true
             ORDER BY found.id DESC"#,
            $edge,
            $window,
            $every.filter.status.map(DeliveryStatus::name),
            $every.filter.event_type.map(EventType::name),
            $every.filter.http_status,
            $every.error,
            $every.filter.since,
            $every.filter.until,
            $limit
            $(, $own)?
        )
        .fetch_all($conn)
        .await?
    };
}

/// Returns up to `limit` deliveries of the scope that pass the filter, newest first and older than `before`.
///
/// How many of an endpoint's deliveries are looked at stands in a subquery, so that the planner does not know it. Where
/// it knew 2,000, and endpoints had 500 on average, it read and sorted all 500,000 of one endpoint.
pub async fn search(
    conn: &mut PgConnection,
    place: &SearchScope,
    every: &DeliverySearchFilter,
    before: Option<DeliveryId>,
    limit: i64,
) -> sqlx::Result<Seen<DeliveryId>> {
    let edge = edge(before, every.filter.until);
    let window = if every.is_open() { limit } else { WINDOW };
    let rows = match place {
        SearchScope::All => look!(
            "SELECT id, status, event_type, response_status, error, created_at FROM deliveries WHERE id < $1 ORDER BY id DESC LIMIT $2",
            conn,
            every,
            edge,
            limit,
            window
        ),
        SearchScope::Endpoints(endpoints) => look!(
            "SELECT own.* FROM unnest($10::uuid[]) AS place (id) CROSS JOIN LATERAL (
                 SELECT id, status, event_type, response_status, error, created_at FROM deliveries
                 WHERE endpoint_id = place.id AND id < $1
                 ORDER BY id DESC LIMIT (SELECT $2::bigint)
             ) AS own ORDER BY own.id DESC LIMIT $2",
            conn,
            every,
            edge,
            limit,
            window,
            endpoints as &[EndpointId]
        ),
        SearchScope::Job(job) => look!(
            "SELECT id, status, event_type, response_status, error, created_at FROM deliveries WHERE event_id = ANY ($10) AND id < $1 ORDER BY id DESC LIMIT $2",
            conn,
            every,
            edge,
            limit,
            window,
            &EventType::SUBSCRIBABLE.map(|ended| EventId::of_job(*job, ended).to_string())
        ),
    };
    let last = rows.first().filter(|row| row.looked_at >= window);
    // Ids are minted in the order of time, so no row past one that is too old can match.
    let since = every.filter.since;
    let beyond = last.filter(|row| since.is_none_or(|since| row.last_created.is_none_or(|last| last >= since)));
    let last_seen = beyond.and_then(|row| row.last);
    Ok(Seen { rows: rows.iter().filter_map(|row| row.delivery).collect(), last_seen })
}

/// Returns the id below which a page begins. Ids sort by the time at which they were minted, so deliveries made before
/// `until` have lower ones.
fn edge(before: Option<DeliveryId>, until: Option<DateTime<Utc>>) -> Uuid {
    let until = until.and_then(|until| until.checked_add_signed(HOSTS_AHEAD));
    let until = until.and_then(|until| u128::try_from(until.timestamp_millis()).ok());
    // The first 48 bits of an id are its milliseconds.
    let until = until.map(|ms| Uuid::from_u128(ms << 80));
    before.map(DeliveryId::uuid).into_iter().chain(until).min().unwrap_or(Uuid::max())
}
