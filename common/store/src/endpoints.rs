//! Webhook endpoints: where an account wants its events (contract §2, "Webhook endpoint").
//!
//! It owns what owners set. `attempts::record` counts failures, and disables an endpoint that has too many. The row of
//! a removed endpoint stays until its deliveries are pruned, so that the log of what was sent to it stays whole.

use chrono::{DateTime, Utc};
use domain::event::EventType;
use domain::ids::{AccountId, EndpointId};
use domain::job::JobKind;
use domain::series::DisabledReason;
use sqlx::PgConnection;

/// How many endpoints an account may have (contract §8).
pub const MOST_ENDPOINTS: i64 = 10;

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

/// An endpoint to register.
#[derive(Debug, Clone)]
pub struct NewEndpoint {
    /// Its id.
    pub id: EndpointId,
    /// The account that owns it.
    pub account_id: AccountId,
    /// The URL that events are sent to; the caller has checked it.
    pub url: String,
    /// The owner's description.
    pub description: Option<String>,
    /// The types of events that it receives.
    pub event_types: Vec<EventType>,
    /// The kinds of jobs whose events it receives; none means every kind.
    pub kinds: Option<Vec<JobKind>>,
}

/// Registers an endpoint. Returns none when the account has [`MOST_ENDPOINTS`] already. The caller has locked the
/// account (`accounts::lock`).
pub async fn insert(conn: &mut PgConnection, new: &NewEndpoint) -> sqlx::Result<Option<Endpoint>> {
    sqlx::query_as!(
        Endpoint,
        r#"INSERT INTO webhook_endpoints (id, account_id, url, description, event_types, kinds)
           SELECT $1, $2, $3, $4, $5, $7
           WHERE (SELECT count(*) FROM webhook_endpoints WHERE account_id = $2 AND deleted_at IS NULL) < $6
           RETURNING id AS "id: EndpointId", url, description, event_types, kinds, enabled,
               CASE WHEN operator_disabled_at = disabled_at THEN 'operator' ELSE disabled_reason END
                   AS "disabled_reason?: DisabledReason", disabled_at, consecutive_failures,
               last_success_at, created_at, updated_at"#,
        new.id as _,
        new.account_id as _,
        new.url,
        new.description,
        &names(&new.event_types),
        MOST_ENDPOINTS,
        new.kinds.as_deref().map(kind_names) as _
    )
    .fetch_optional(conn)
    .await
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

/// Changes of an endpoint, by its owner or an operator; a field that is none stays as it is.
#[derive(Debug, Clone, Default)]
pub struct EndpointChange {
    /// A new URL, which the caller has checked. Pending attempts use it too.
    pub url: Option<String>,
    /// A new description; an inner none removes it.
    pub description: Option<Option<String>>,
    /// The types of events that it is to receive.
    pub event_types: Option<Vec<EventType>>,
    /// The kinds of jobs whose events it is to receive; an inner none means every kind.
    pub kinds: Option<Option<Vec<JobKind>>>,
    /// Whether it is to be enabled. Enabling a disabled endpoint sets its count of failures to 0 (contract §6.1.10).
    pub enabled: Option<bool>,
    /// Whether an operator asks for it, and not its owner. Their word replaces the reason of an endpoint that is
    /// disabled already, so that the end of a suspension does not enable it.
    pub is_operators: bool,
}

/// Changes an endpoint of the account, and locks it until the transaction ends, even when nothing is changed. Returns
/// none when the account has no such endpoint.
pub async fn update(
    conn: &mut PgConnection,
    account: AccountId,
    id: EndpointId,
    change: &EndpointChange,
) -> sqlx::Result<Option<Endpoint>> {
    sqlx::query_as!(
        Endpoint,
        r#"UPDATE webhook_endpoints AS w
           SET url = coalesce($3, w.url),
               description = CASE WHEN $4 THEN $5 ELSE w.description END,
               event_types = coalesce($6, w.event_types),
               kinds = CASE WHEN $8 THEN $9 ELSE w.kinds END,
               enabled = coalesce($7, w.enabled),
               consecutive_failures = CASE WHEN $7 AND NOT w.enabled THEN 0 ELSE w.consecutive_failures END,
               disabled_reason = CASE
                   WHEN $7 THEN NULL WHEN NOT $7 AND $10 THEN 'user'
                   WHEN NOT $7 THEN coalesce(w.disabled_reason, 'user') ELSE w.disabled_reason END,
               disabled_at = CASE
                   WHEN $7 THEN NULL WHEN NOT $7 THEN coalesce(w.disabled_at, mws_now()) ELSE w.disabled_at END,
               operator_disabled_at = CASE
                   WHEN $10 AND NOT $7 THEN coalesce(w.disabled_at, mws_now()) ELSE w.operator_disabled_at END,
               updated_at = CASE
                   WHEN $3::text IS NOT NULL OR $4 OR $6::text[] IS NOT NULL OR $8 OR $7 <> w.enabled
                       OR ($10 AND NOT $7 AND w.operator_disabled_at IS DISTINCT FROM w.disabled_at) THEN mws_now()
                   ELSE w.updated_at END
           WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL
           RETURNING id AS "id: EndpointId", url, description, event_types, kinds, enabled,
               CASE WHEN operator_disabled_at = disabled_at THEN 'operator' ELSE disabled_reason END
                   AS "disabled_reason?: DisabledReason", disabled_at, consecutive_failures,
               last_success_at, created_at, updated_at"#,
        id as _,
        account as _,
        change.url,
        change.description.is_some(),
        change.description.clone().flatten(),
        change.event_types.as_deref().map(names) as _,
        change.enabled,
        change.kinds.is_some(),
        change.kinds.iter().flatten().next().map(|kinds| kind_names(kinds)) as _,
        change.is_operators
    )
    .fetch_optional(conn)
    .await
}

/// Removes an endpoint of the account; `deliveries::end_silent` ends its waiting series. Returns false when the account
/// has no such endpoint.
pub async fn remove(conn: &mut PgConnection, account: AccountId, id: EndpointId) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "UPDATE webhook_endpoints SET deleted_at = mws_now(), updated_at = mws_now()
         WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL",
        id as _,
        account as _
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
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

fn kind_names(kinds: &[JobKind]) -> Vec<String> {
    kinds.iter().map(|kind| kind.name().to_owned()).collect()
}

fn names(types: &[EventType]) -> Vec<String> {
    types.iter().map(|each| each.name().to_owned()).collect()
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
