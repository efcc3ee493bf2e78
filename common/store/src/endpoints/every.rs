//! What operators see: endpoints of all accounts, and those that were disabled for their failures.

use super::Endpoint;
use chrono::{DateTime, Utc};
use domain::ids::{AccountId, EndpointId};
use domain::series::DisabledReason;
use sqlx::PgConnection;

/// An endpoint and its account.
#[derive(Debug, Clone)]
pub struct EndpointOf {
    /// The account that owns it.
    pub account_id: AccountId,
    /// The endpoint.
    pub endpoint: Endpoint,
    /// When it was removed; none when it was not.
    pub deleted_at: Option<DateTime<Utc>>,
}

/// Returns endpoints of all accounts or of one, newest first, that are older than `after`, including removed ones; with
/// `id`, only that one. For operators.
pub async fn every(
    conn: &mut PgConnection,
    id: Option<EndpointId>,
    account: Option<AccountId>,
    after: Option<EndpointId>,
    limit: i64,
) -> sqlx::Result<Vec<EndpointOf>> {
    let rows = sqlx::query!(
        r#"SELECT id AS "id: EndpointId", account_id AS "account_id: AccountId", url, description, event_types, kinds,
               enabled, CASE WHEN operator_disabled_at = disabled_at THEN 'operator' ELSE disabled_reason END
                   AS "disabled_reason?: DisabledReason", disabled_at, consecutive_failures,
               last_success_at, created_at, updated_at, deleted_at
           FROM webhook_endpoints
           WHERE ($1::uuid IS NULL OR id = $1) AND ($2::uuid IS NULL OR account_id = $2) AND ($3::uuid IS NULL OR id < $3)
           ORDER BY id DESC
           LIMIT $4"#,
        id as _,
        account as _,
        after as _,
        limit
    )
    .fetch_all(conn)
    .await?;
    let shown = rows.into_iter().map(|row| EndpointOf {
        account_id: row.account_id,
        deleted_at: row.deleted_at,
        endpoint: Endpoint {
            id: row.id,
            url: row.url,
            description: row.description,
            event_types: row.event_types,
            kinds: row.kinds,
            enabled: row.enabled,
            disabled_reason: row.disabled_reason,
            disabled_at: row.disabled_at,
            consecutive_failures: row.consecutive_failures,
            last_success_at: row.last_success_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
        },
    });
    Ok(shown.collect())
}

/// Returns the endpoints that were disabled for their failures, the last disabled first. For operators.
pub async fn failed_lately(conn: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<EndpointId>> {
    sqlx::query_scalar!(
        r#"SELECT id AS "id: EndpointId" FROM webhook_endpoints
           WHERE disabled_reason = 'too_many_failures' AND deleted_at IS NULL ORDER BY disabled_at DESC LIMIT $1"#,
        limit
    )
    .fetch_all(conn)
    .await
}

/// Returns how many endpoints were disabled for their failures within the last hour and are still disabled.
pub async fn disabled_lately(conn: &mut PgConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM webhook_endpoints
           WHERE disabled_reason = 'too_many_failures' AND deleted_at IS NULL
               AND disabled_at >= mws_now() - interval '1 hour'"#
    )
    .fetch_one(conn)
    .await
}
