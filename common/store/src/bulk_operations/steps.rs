//! The turns and steps of an operation that runs. A step locks the operation, sends some deliveries of its first
//! endpoint again, and counts them here in the same transaction. So whatever process is killed, what was sent is
//! counted, and nothing is sent twice.

use domain::bulk::BulkKind;
use domain::ids::{AccountId, BulkOperationId, DeliveryId, EndpointId};
use sqlx::PgConnection;

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
