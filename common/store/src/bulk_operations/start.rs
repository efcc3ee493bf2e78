//! Starting an operation: its place, its name, and its row with one for each endpoint.

use super::BulkOperation;
use crate::deliveries::UnsentOf;
use domain::event::EventType;
use domain::read::Read;
use domain::series::DeliveryStatus;
use sqlx::PgConnection;

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
