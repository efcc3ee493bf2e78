//! Webhook endpoints: where an account wants its events (contract §2, "Webhook endpoint").
//!
//! It owns what owners set. `attempts::record` counts failures, and disables an endpoint that has too many. The row of
//! a removed endpoint stays until its deliveries are pruned, so that the log of what was sent to it stays whole.

mod change;
mod every;

pub use change::{EndpointChange, MOST_ENDPOINTS, NewEndpoint, insert, remove, update};
pub use every::{EndpointOf, disabled_lately, every, failed_lately};

use chrono::{DateTime, Utc};
use domain::ids::{AccountId, EndpointId};
use domain::series::DisabledReason;
use sqlx::PgConnection;

/// An endpoint (contract §6.3).
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Its id.
    pub id: EndpointId,
    /// The URL that events are sent to.
    pub url: String,
    /// The owner's description.
    pub description: Option<String>,
    /// The types of events that it receives.
    pub event_types: Vec<String>,
    /// The kinds of jobs whose events it receives; none means every kind.
    pub kinds: Option<Vec<String>>,
    /// Whether it is enabled: events are sent to it.
    pub enabled: bool,
    /// Why it is disabled; none when it is enabled.
    pub disabled_reason: Option<DisabledReason>,
    /// When it was disabled; none when it is enabled.
    pub disabled_at: Option<DateTime<Utc>>,
    /// Failed attempts since the last success or enabling.
    pub consecutive_failures: i32,
    /// When an attempt last succeeded, with a precision of ten seconds; none when none has.
    pub last_success_at: Option<DateTime<Utc>>,
    /// When it was registered.
    pub created_at: DateTime<Utc>,
    /// When its owner last changed it, or its failures disabled it.
    pub updated_at: DateTime<Utc>,
}

impl Endpoint {
    /// Whether it is enabled and has no failures since its last success, as `mws_is_healthy` in SQL.
    pub const fn is_healthy(&self) -> bool {
        self.enabled && self.consecutive_failures == 0
    }
}

/// Returns an endpoint of the account; none when it has no such endpoint.
pub async fn find(conn: &mut PgConnection, account: AccountId, id: EndpointId) -> sqlx::Result<Option<Endpoint>> {
    sqlx::query_as!(
        Endpoint,
        r#"SELECT id AS "id: EndpointId", url, description, event_types, kinds, enabled,
               CASE WHEN operator_disabled_at = disabled_at THEN 'operator' ELSE disabled_reason END
                   AS "disabled_reason?: DisabledReason", disabled_at, consecutive_failures,
               last_success_at, created_at, updated_at
           FROM webhook_endpoints WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL"#,
        id as _,
        account as _
    )
    .fetch_optional(conn)
    .await
}

/// Returns every endpoint that the account has or had, including removed ones: deliveries are found by them.
pub async fn of_account(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<Vec<EndpointId>> {
    sqlx::query_scalar!(r#"SELECT id AS "id: EndpointId" FROM webhook_endpoints WHERE account_id = $1"#, account as _)
        .fetch_all(conn)
        .await
}

/// Locks an endpoint of the account until the transaction ends. Returns whether it is enabled; none when there is no
/// such endpoint.
pub async fn lock(conn: &mut PgConnection, account: AccountId, id: EndpointId) -> sqlx::Result<Option<bool>> {
    sqlx::query_scalar!(
        "SELECT enabled FROM webhook_endpoints WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL
         FOR NO KEY UPDATE",
        id as _,
        account as _
    )
    .fetch_optional(conn)
    .await
}

/// Returns whether any account has this endpoint: another account's endpoint and one that does not exist are refused
/// differently.
pub async fn exists(conn: &mut PgConnection, id: EndpointId) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM webhook_endpoints WHERE id = $1 AND deleted_at IS NULL) AS "exists!""#,
        id as _
    )
    .fetch_one(conn)
    .await
}

/// Returns up to `limit` endpoints of the account, newest first, that are older than `after`.
pub async fn list(
    conn: &mut PgConnection,
    account: AccountId,
    after: Option<EndpointId>,
    limit: i64,
) -> sqlx::Result<Vec<Endpoint>> {
    sqlx::query_as!(
        Endpoint,
        r#"SELECT id AS "id: EndpointId", url, description, event_types, kinds, enabled,
               CASE WHEN operator_disabled_at = disabled_at THEN 'operator' ELSE disabled_reason END
                   AS "disabled_reason?: DisabledReason", disabled_at, consecutive_failures,
               last_success_at, created_at, updated_at
           FROM webhook_endpoints
           WHERE account_id = $1 AND deleted_at IS NULL AND ($2::uuid IS NULL OR id < $2)
           ORDER BY id DESC
           LIMIT $3"#,
        account as _,
        after as _,
        limit
    )
    .fetch_all(conn)
    .await
}

/// Deletes up to `limit` rows of endpoints that were removed more than `retention_days` ago and have no deliveries any
/// more. Returns how many.
pub async fn prune(conn: &mut PgConnection, retention_days: i32, limit: i64) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "DELETE FROM webhook_endpoints WHERE id = ANY (ARRAY(
             SELECT w.id FROM webhook_endpoints AS w
             WHERE w.deleted_at < mws_now() - make_interval(days => $1)
                 AND (SELECT d.id FROM deliveries AS d WHERE d.endpoint_id = w.id LIMIT 1) IS NULL
             ORDER BY w.id LIMIT $2 FOR UPDATE SKIP LOCKED))",
        retention_days,
        limit
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
