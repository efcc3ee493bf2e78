//! Operators' bulk operations: what is done with all that match a filter, by name, and how far it is (contract §11).
//!
//! One that sends deliveries has a row for each endpoint that it has not finished; `steps` takes it further. One of
//! failed reads has a place in place of these rows (`jobs::rerun`).

mod start;
mod steps;

pub use start::{count_running, insert, lock_start, names_from};
pub use steps::{BulkEndpoint, BulkTurn, advance, due, finish, lock_running, next_endpoint, take_turn};

use crate::deliveries::UnsentFilter;
use crate::jobs::RerunFilter;
use chrono::{DateTime, Utc};
use domain::bulk::{BulkKind, BulkState};
use domain::event::EventType;
use domain::ids::{AccountId, BulkOperationId, EndpointId, JobId};
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
