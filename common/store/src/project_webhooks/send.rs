//! Sends a project's webhook at most once: what to send, the mark that is committed first, and the outcome.
//!
//! [`look`] changes nothing. [`mark_sent`] is the fence: if two workers or two tickets call it, one gets true. The
//! caller runs it outside any transaction, so that it is committed when it returns.

use chrono::{DateTime, Utc};
use domain::attempt::AttemptError;
use domain::ids::{AccountId, ProjectId, ProjectWebhookId};
use domain::project::WebhookStatus;
use sqlx::PgConnection;

/// A webhook that may be sent, with all that sending needs.
#[derive(Debug, Clone)]
pub struct PendingWebhook {
    /// Its id.
    pub id: ProjectWebhookId,
    /// The project.
    pub project_id: ProjectId,
    /// The account whose secret signs it.
    pub account_id: AccountId,
    /// The URL that it goes to.
    pub url: String,
    /// The host of that URL.
    pub url_host: String,
    /// The stored bytes, which are sent as they are.
    pub body: String,
    /// Whether whoever set the URL may still set one.
    pub held: bool,
    /// The account's current signing secret, sealed; none means that nothing is signed (contract §6.2.4).
    pub sealed: Option<Vec<u8>>,
    /// How often it was handed back because of this machine, not of the receiver.
    pub put_backs: i32,
    /// The database's time.
    pub now: DateTime<Utc>,
}

/// Returns the webhook, if it is pending and due; none otherwise.
pub async fn look(conn: &mut PgConnection, id: ProjectWebhookId) -> sqlx::Result<Option<PendingWebhook>> {
    sqlx::query_as!(
        PendingWebhook,
        r#"SELECT w.id AS "id: ProjectWebhookId", w.project_id AS "project_id: ProjectId",
               w.account_id AS "account_id: AccountId", w.url, w.url_host, w.body, w.put_backs,
               mws_link_maker_holds(p.webhook_user_id, p.webhook_key_id, p.workspace_id) AS "held!",
               s.sealed AS "sealed?", mws_now() AS "now!"
           FROM project_webhooks AS w
           JOIN projects AS p ON p.id = w.project_id
           LEFT JOIN webhook_secrets AS s ON s.account_id = w.account_id
           WHERE w.id = $1 AND w.status = 'pending' AND w.due_at <= mws_now()"#,
        id as _
    )
    .fetch_optional(conn)
    .await
}

/// Deletes the webhooks of a project that are pending for a URL whose setter may no longer set one. A change that finds
/// no URL has none either. They are locked in the order of their ids, since several workers may do this at once.
pub async fn delete_unheld(conn: &mut PgConnection, project: ProjectId) -> sqlx::Result<()> {
    sqlx::query!(
        "DELETE FROM project_webhooks WHERE id = ANY (ARRAY(
             SELECT w.id FROM project_webhooks AS w JOIN projects AS p ON p.id = w.project_id
             WHERE w.project_id = $1 AND w.status = 'pending'
                 AND NOT mws_link_maker_holds(p.webhook_user_id, p.webhook_key_id, p.workspace_id)
             ORDER BY w.id
             FOR UPDATE OF w
         ))",
        project as _
    )
    .execute(conn)
    .await
    .map(drop)
}

/// Marks a pending webhook as sent, with the headers that it will be sent with. True allows the caller to send it,
/// once; the caller must then [`record`] its end within `lease_ms` milliseconds. False when it was not pending.
pub async fn mark_sent(
    conn: &mut PgConnection,
    id: ProjectWebhookId,
    worker: &str,
    request_headers: &serde_json::Value,
    lease_ms: i64,
) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "UPDATE project_webhooks
         SET status = 'sent', sent_at = mws_now(), sent_by = $2, request_headers = $3,
             lease_until = mws_now() + $4::bigint * interval '1 ms'
         WHERE id = $1 AND status = 'pending'",
        id as _,
        worker,
        request_headers,
        lease_ms
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The outcome of a webhook that was sent.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The response's HTTP status; none without a response.
    pub response_status: Option<i16>,
    /// Why it failed; none on success.
    pub error: Option<AttemptError>,
    /// The start of the response's body, at most 1 KiB.
    pub response_excerpt: Option<String>,
    /// The response's headers, as `domain::answer_headers` keeps them; none without any.
    pub response_headers: Option<String>,
    /// How long the request took, in milliseconds.
    pub duration_ms: i32,
}

impl Outcome {
    /// Returns the state that it leads to.
    pub const fn status(&self) -> WebhookStatus {
        if self.error.is_none() { WebhookStatus::Succeeded } else { WebhookStatus::Failed }
    }
}

/// Records the end of a webhook that this worker sent, and deletes its body, which is not needed again. Returns false,
/// and changes nothing, when it was recorded as unknown meanwhile.
pub async fn record(
    conn: &mut PgConnection,
    id: ProjectWebhookId,
    worker: &str,
    outcome: &Outcome,
) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "UPDATE project_webhooks
         SET status = $3, response_status = $4, error = $5, response_excerpt = $6, duration_ms = $7,
             response_headers = $8, finished_at = mws_now(), body = ''
         WHERE id = $1 AND status = 'sent' AND sent_by = $2",
        id as _,
        worker,
        outcome.status().name(),
        outcome.response_status,
        outcome.error.map(AttemptError::name),
        outcome.response_excerpt,
        outcome.duration_ms,
        outcome.response_headers
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Hands back a webhook that this worker has marked as sent and could not send because of its own machine: no
/// connection was opened. It is due again after `after_ms`. Returns false, and changes nothing, when it was recorded as
/// unknown meanwhile.
pub async fn hand_back(
    conn: &mut PgConnection,
    id: ProjectWebhookId,
    worker: &str,
    after_ms: i64,
) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "UPDATE project_webhooks
         SET status = 'pending', sent_at = NULL, sent_by = NULL, lease_until = NULL, request_headers = NULL,
             ticket_id = NULL, put_backs = put_backs + 1, due_at = mws_now() + $3::bigint * interval '1 ms'
         WHERE id = $1 AND status = 'sent' AND sent_by = $2 AND finished_at IS NULL",
        id as _,
        worker,
        after_ms
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Defers a pending webhook, which has no ticket then. One that was sent meanwhile is left alone.
pub async fn defer(conn: &mut PgConnection, id: ProjectWebhookId, after_ms: i64) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE project_webhooks SET ticket_id = NULL, due_at = mws_now() + $2::bigint * interval '1 ms'
         WHERE id = $1 AND status = 'pending'",
        id as _,
        after_ms
    )
    .execute(conn)
    .await?;
    Ok(())
}
