//! Operators' bulk operations: what is done with all that match a filter, by name, and how far it is (contract §11).
//!
//! One that sends deliveries has a row for each endpoint that it has not finished. A step locks the operation, sends
//! some deliveries of its first endpoint again, and counts them here in the same transaction. So whatever process is
//! killed, what was sent is counted, and nothing is sent twice. One of failed reads has a place in place of these rows
//! (`jobs::rerun`).

use crate::deliveries::{UnsentFilter, UnsentOf};
use crate::jobs::RerunFilter;
use chrono::{DateTime, Utc};
use domain::bulk::{BulkKind, BulkState};
use domain::event::EventType;
use domain::ids::{AccountId, BulkOperationId, DeliveryId, EndpointId, JobId};
use domain::read::Read;
use domain::series::DeliveryStatus;
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

/// A bulk operation.
#[derive(Debug, Clone)]
pub struct BulkOperation {
    /// Its id.
    pub id: BulkOperationId,
    /// Its name, which no other one has.
    pub name: String,
    /// What it does.
    pub kind: BulkKind,
    /// How far it is.
    pub state: BulkState,
    /// It takes deliveries, or jobs of failed reads, that were created at or after this.
    pub since: DateTime<Utc>,
    /// It takes deliveries, or jobs of failed reads, that were created before this.
    pub until: DateTime<Utc>,
    /// It takes deliveries to endpoints of this account, or reads that it paid for; of any, if none.
    pub account_id: Option<AccountId>,
    /// It takes deliveries to this endpoint; to any, if none.
    pub endpoint_id: Option<EndpointId>,
    /// It takes those that failed, or those that were skipped; both, if none.
    pub status: Option<DeliveryStatus>,
    /// It takes those of this type; of any, if none.
    pub event_type: Option<EventType>,
    /// It takes those whose last response had this HTTP status; any, if none.
    pub http_status: Option<i16>,
    /// It takes those whose last attempt failed for this reason; for any, if none.
    pub error: Option<String>,
    /// How many deliveries it sends each second; as many as a turn takes, if none.
    pub pace: Option<i16>,
    /// It runs this read again; any, if none.
    pub read: Option<Read>,
    /// It runs reads again that failed with this code; with any, if none.
    pub error_code: Option<String>,
    /// What was held for the failed reads that matched when it was started, in hundredths of a minute; none for
    /// deliveries.
    pub minutes: Option<i64>,
    /// The last job that it has behind it; none before its first step, and for deliveries.
    pub after_job: Option<JobId>,
    /// How many failed reads it skipped for which reason: an object of numbers by reason; empty for deliveries.
    pub skips: Value,
    /// The name of the operator who started it.
    pub operator: String,
    /// The address that they started it from.
    pub address: Option<String>,
    /// The id of the request that started it.
    pub request_id: String,
    /// How many deliveries or failed reads matched when it was started.
    pub total: i64,
    /// How many it has sent or started again.
    pub done: i64,
    /// How many of the matching deliveries it has not sent: they needed no resend any more, or their endpoint was
    /// disabled or removed. Of failed reads, how many it has not started; `skips` says why.
    pub skipped: i64,
    /// The name of the operator who stopped it.
    pub stopped_by: Option<String>,
    /// When it was started.
    pub created_at: DateTime<Utc>,
    /// When it was stopped or had come to its end.
    pub ended_at: Option<DateTime<Utc>>,
}

impl BulkOperation {
    /// Returns the filter of the failed reads that it runs again.
    pub fn failed_reads(&self) -> RerunFilter {
        RerunFilter {
            since: self.since,
            until: Some(self.until),
            account: self.account_id,
            read: self.read,
            error_code: self.error_code.clone(),
        }
    }

    /// Returns the filter of the deliveries that it sends again.
    pub fn filter(&self) -> UnsentFilter {
        UnsentFilter {
            since: self.since,
            until: Some(self.until),
            status: self.status,
            event_type: self.event_type,
            http_status: self.http_status,
            error: self.error.clone(),
        }
    }
}

/// Lets one transaction at a time start an operation, so that two can't both find the last place.
pub async fn lock_start(conn: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('bulk operations', 0))").execute(conn).await?;
    Ok(())
}

/// Returns how many operations run.
pub async fn count_running(conn: &mut PgConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar!(r#"SELECT count(*) AS "count!" FROM bulk_operations WHERE state = 'running'"#)
        .fetch_one(conn)
        .await
}

/// Returns the names of operations that begin with this text, up to ten thousand.
pub async fn names_from(conn: &mut PgConnection, start: &str) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar!("SELECT name FROM bulk_operations WHERE starts_with(name, $1) LIMIT 10000", start)
        .fetch_all(conn)
        .await
}

/// Starts an operation on these endpoints. All of `new` is stored except the state, the counts of what was done, and
/// the times: these are the same for every operation that starts.
pub async fn insert(conn: &mut PgConnection, new: &BulkOperation, endpoints: &[UnsentOf]) -> sqlx::Result<()> {
    sqlx::query!(
        "WITH made AS (
             INSERT INTO bulk_operations (id, name, kind, since, until, account_id, endpoint_id, status, event_type,
                 http_status, error, operator, address, request_id, total, pace, read, error_code, minutes)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $19, $20, $21, $22)
             RETURNING id
         )
         INSERT INTO bulk_operation_endpoints (operation_id, endpoint_id, account_id, counted)
         SELECT made.id, found.endpoint_id, found.account_id, found.counted
         FROM made, unnest($16::uuid[], $17::uuid[], $18::bigint[]) AS found (endpoint_id, account_id, counted)",
        new.id as _,
        new.name,
        new.kind.name(),
        new.since,
        new.until,
        new.account_id as _,
        new.endpoint_id as _,
        new.status.map(DeliveryStatus::name),
        new.event_type.map(EventType::name),
        new.http_status,
        new.error,
        new.operator,
        new.address,
        new.request_id,
        new.total,
        &endpoints.iter().map(|one| one.endpoint_id).collect::<Vec<_>>() as _,
        &endpoints.iter().map(|one| one.account_id).collect::<Vec<_>>() as _,
        &endpoints.iter().map(|one| one.count).collect::<Vec<_>>(),
        new.pace,
        new.read.map(Read::name),
        new.error_code,
        new.minutes
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Which operations are read; a field that is none does not restrict them.
#[derive(Debug, Clone, Copy, Default)]
pub struct BulkFilter<'a> {
    /// The one with this id.
    pub id: Option<BulkOperationId>,
    /// The one with this name.
    pub name: Option<&'a str>,
    /// Those in this state.
    pub state: Option<BulkState>,
}

/// Returns up to `limit` operations, newest first, that are older than `after`.
pub async fn list(
    conn: &mut PgConnection,
    filter: BulkFilter<'_>,
    after: Option<Uuid>,
    limit: i64,
) -> sqlx::Result<Vec<BulkOperation>> {
    sqlx::query_as!(
        BulkOperation,
        r#"SELECT id AS "id: BulkOperationId", name, kind AS "kind: BulkKind", state AS "state: BulkState", since,
               until, account_id AS "account_id: AccountId", endpoint_id AS "endpoint_id: EndpointId",
               status AS "status: DeliveryStatus", event_type AS "event_type: EventType", http_status, error, pace,
               read AS "read: Read", error_code, minutes, after_job AS "after_job: JobId", skips, operator,
               address, request_id, total, done, skipped, stopped_by, created_at, ended_at
           FROM bulk_operations
           WHERE ($1::uuid IS NULL OR id = $1)
               AND ($2::text IS NULL OR name = $2)
               AND ($3::text IS NULL OR state = $3)
               AND ($4::uuid IS NULL OR id < $4)
           ORDER BY id DESC
           LIMIT $5"#,
        filter.id as _,
        filter.name,
        filter.state.map(BulkState::name),
        after,
        limit
    )
    .fetch_all(conn)
    .await
}

/// Returns the operation with this id; none when there is none.
pub async fn by_id(conn: &mut PgConnection, id: BulkOperationId) -> sqlx::Result<Option<BulkOperation>> {
    Ok(list(conn, BulkFilter { id: Some(id), ..BulkFilter::default() }, None, 1).await?.pop())
}

/// Returns the operations of this kind that run and whose next turn has come, the oldest first.
pub async fn due(conn: &mut PgConnection, kind: BulkKind) -> sqlx::Result<Vec<BulkOperationId>> {
    sqlx::query_scalar!(
        r#"SELECT id AS "id: BulkOperationId" FROM bulk_operations
           WHERE state = 'running' AND kind = $1 AND turn_at <= mws_now() ORDER BY id"#,
        kind.name()
    )
    .fetch_all(conn)
    .await
}

/// A turn at an operation.
#[derive(Debug, Clone, Copy)]
pub struct BulkTurn {
    /// How many deliveries it may send; as many as a turn takes, if none.
    pub pace: Option<i16>,
}

/// Takes the turn at an operation, and sets its next turn to `after_ms` milliseconds from now. Returns none if the
/// operation does not run any more, or another process has taken the turn.
pub async fn take_turn(conn: &mut PgConnection, id: BulkOperationId, after_ms: i64) -> sqlx::Result<Option<BulkTurn>> {
    sqlx::query_as!(
        BulkTurn,
        "UPDATE bulk_operations SET turn_at = mws_now() + $2::bigint * interval '1 ms'
         WHERE id = $1 AND state = 'running' AND turn_at <= mws_now() RETURNING pace",
        id as _,
        after_ms
    )
    .fetch_optional(conn)
    .await
}

/// Locks an operation for a step. Returns false when it does not run any more, or another process takes a step of it.
pub async fn lock_running(conn: &mut PgConnection, id: BulkOperationId) -> sqlx::Result<bool> {
    let row = sqlx::query!(
        "SELECT id FROM bulk_operations WHERE id = $1 AND state = 'running' FOR NO KEY UPDATE SKIP LOCKED",
        id as _
    );
    Ok(row.fetch_optional(conn).await?.is_some())
}

/// An endpoint that an operation has not finished.
#[derive(Debug, Clone, Copy)]
pub struct BulkEndpoint {
    /// The endpoint.
    pub endpoint_id: EndpointId,
    /// The endpoint's account.
    pub account_id: AccountId,
    /// The last of its deliveries that the operation has passed; none before the first step.
    pub after_id: Option<DeliveryId>,
}

/// Returns the endpoint that an operation goes on with; none when it has come to its end.
pub async fn next_endpoint(conn: &mut PgConnection, id: BulkOperationId) -> sqlx::Result<Option<BulkEndpoint>> {
    sqlx::query_as!(
        BulkEndpoint,
        r#"SELECT endpoint_id AS "endpoint_id: EndpointId", account_id AS "account_id: AccountId",
               after_id AS "after_id: DeliveryId"
           FROM bulk_operation_endpoints WHERE operation_id = $1 ORDER BY endpoint_id LIMIT 1"#,
        id as _
    )
    .fetch_optional(conn)
    .await
}

/// Counts `sent` deliveries of an operation's endpoint, in the transaction that sends them again, and records that the
/// operation has passed all deliveries up to `after`. With `is_last` the endpoint is finished: its row is deleted, and
/// the deliveries that were counted for it at the start and not sent are counted as skipped.
pub async fn advance(
    conn: &mut PgConnection,
    id: BulkOperationId,
    endpoint: EndpointId,
    sent: i64,
    after: Option<DeliveryId>,
    is_last: bool,
) -> sqlx::Result<()> {
    sqlx::query!(
        "WITH further AS (
             UPDATE bulk_operation_endpoints
             SET counted = greatest(counted - $3::bigint, 0), after_id = coalesce($5, after_id)
             WHERE operation_id = $1 AND endpoint_id = $2 AND NOT $4::boolean
         ), behind AS (
             DELETE FROM bulk_operation_endpoints
             WHERE operation_id = $1 AND endpoint_id = $2 AND $4
             RETURNING greatest(counted - $3, 0) AS beyond
         )
         UPDATE bulk_operations
         SET done = done + $3, skipped = skipped + coalesce((SELECT beyond FROM behind), 0)
         WHERE id = $1 AND state = 'running'",
        id as _,
        endpoint as _,
        sent,
        is_last,
        after as _
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Ends an operation that has finished all its endpoints. Returns whether it ran.
pub async fn finish(conn: &mut PgConnection, id: BulkOperationId) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "UPDATE bulk_operations SET state = 'finished', ended_at = mws_now()
         WHERE id = $1 AND state = 'running'
             AND NOT EXISTS (SELECT FROM bulk_operation_endpoints WHERE operation_id = $1)",
        id as _
    );
    Ok(done.execute(conn).await?.rows_affected() == 1)
}

/// Stops an operation: the endpoints that it has not finished are dropped, and what it has done stays done. It waits
/// for a step that is under way. Returns whether the operation ran.
pub async fn stop(conn: &mut PgConnection, id: BulkOperationId, operator: &str) -> sqlx::Result<bool> {
    let row = sqlx::query!(
        r#"WITH stopped AS (
               UPDATE bulk_operations SET state = 'stopped', stopped_by = $2, ended_at = mws_now()
               WHERE id = $1 AND state = 'running'
               RETURNING id
           ), left_out AS (
               DELETE FROM bulk_operation_endpoints USING stopped WHERE operation_id = stopped.id
           )
           SELECT EXISTS (SELECT FROM stopped) AS "stopped!""#,
        id as _,
        operator
    );
    Ok(row.fetch_one(conn).await?.stopped)
}

/// Deletes up to `limit` operations that ended longer than `days` ago. Returns how many.
pub async fn prune(conn: &mut PgConnection, days: i32, limit: i64) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "DELETE FROM bulk_operations WHERE id = ANY (ARRAY(
             SELECT id FROM bulk_operations WHERE ended_at < mws_now() - make_interval(days => $1)
             ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED))",
        days,
        limit
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
