//! Registering, changing and removing an endpoint.

use super::Endpoint;
use domain::event::EventType;
use domain::ids::{AccountId, EndpointId};
use domain::job::JobKind;
use domain::series::DisabledReason;
use sqlx::PgConnection;

/// How many endpoints an account may have (contract §8).
pub const MOST_ENDPOINTS: i64 = 10;

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

fn kind_names(kinds: &[JobKind]) -> Vec<String> {
    kinds.iter().map(|kind| kind.name().to_owned()).collect()
}

fn names(types: &[EventType]) -> Vec<String> {
    types.iter().map(|each| each.name().to_owned()).collect()
}
