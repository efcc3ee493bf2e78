//! The webhooks of projects: one row per change of status, sent at most once (contract §6.2; ARCHITECTURE.md, "Life of
//! a project's webhook").
//!
//! It owns the rows of `project_webhooks`: how they begin, how they are shown, sent (`send`), and recovered by duties
//! (`due`). A row leaves `pending` by one conditional update that is committed before the request is sent. Only one
//! statement leads back, for a sender that could open no connection. A result that is not known is recorded as
//! `unknown`.

mod due;
mod send;

pub use due::{call_unknown, lock_due, prune, set_tickets};
pub use send::{Outcome, PendingWebhook, defer, delete_unheld, hand_back, look, mark_sent, record};

use chrono::{DateTime, Utc};
use domain::ids::{AccountId, ProjectId, ProjectWebhookId};
use domain::project::{ProjectStatus, WebhookStatus};
use sqlx::PgConnection;

/// A webhook to insert, for a change of status.
#[derive(Debug, Clone)]
pub struct NewWebhook<'a> {
    /// Its id.
    pub id: ProjectWebhookId,
    /// The project.
    pub project_id: ProjectId,
    /// The account whose secret signs it.
    pub account_id: AccountId,
    /// The project's revision after the change.
    pub revision: i64,
    /// The project's new status.
    pub event: ProjectStatus,
    /// The URL that it goes to.
    pub url: &'a str,
    /// The host of that URL.
    pub url_host: &'a str,
    /// The exact bytes to send. They are JSON, so a string.
    pub body: &'a str,
    /// The ticket that the caller pushes in the same transaction.
    pub ticket_id: &'a str,
    /// The trace that it belongs to.
    pub traceparent: Option<&'a str>,
}

/// Inserts the webhook of a change. It fails when the revision has one already, which is a mistake of the caller.
pub async fn insert(conn: &mut PgConnection, new: &NewWebhook<'_>) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO project_webhooks (id, project_id, account_id, revision, event, url, url_host, body, ticket_id,
             traceparent)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        new.id as _,
        new.project_id as _,
        new.account_id as _,
        new.revision,
        new.event.name(),
        new.url,
        new.url_host,
        new.body,
        new.ticket_id,
        new.traceparent
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A webhook as the log shows it.
#[derive(Debug, Clone)]
pub struct WebhookRow {
    /// Its id.
    pub id: ProjectWebhookId,
    /// The project.
    pub project_id: ProjectId,
    /// The project's revision after the change.
    pub revision: i64,
    /// The project's new status.
    pub event: ProjectStatus,
    /// The URL that it goes to.
    pub url: String,
    /// Its state.
    pub status: WebhookStatus,
    /// When it was marked as sent; none while it is pending.
    pub sent_at: Option<DateTime<Utc>>,
    /// The headers that it was to be sent with, as a JSON object.
    pub request_headers: Option<serde_json::Value>,
    /// The response's HTTP status; none without a response.
    pub response_status: Option<i16>,
    /// Why it failed, by its name in `domain::attempt`; none when it did not.
    pub error: Option<String>,
    /// The start of the response's body, at most 1 KiB.
    pub response_excerpt: Option<String>,
    /// The response's headers, as `domain::answer_headers` keeps them; none without any.
    pub response_headers: Option<String>,
    /// How long the request took, in milliseconds.
    pub duration_ms: Option<i32>,
    /// When the project's status changed.
    pub created_at: DateTime<Utc>,
    /// When its end was recorded; none before.
    pub finished_at: Option<DateTime<Utc>>,
}

/// Returns up to `limit` webhooks of the project, newest first, that are older than `after`.
pub async fn list(
    conn: &mut PgConnection,
    project: ProjectId,
    after: Option<ProjectWebhookId>,
    limit: i64,
) -> sqlx::Result<Vec<WebhookRow>> {
    sqlx::query_as!(
        WebhookRow,
        r#"SELECT id AS "id: ProjectWebhookId", project_id AS "project_id: ProjectId", revision,
               event AS "event: ProjectStatus", url, status AS "status: WebhookStatus", sent_at, request_headers,
               response_status, error, response_excerpt, response_headers, duration_ms, created_at, finished_at
           FROM project_webhooks
           WHERE project_id = $1 AND ($2::uuid IS NULL OR id < $2)
           ORDER BY id DESC
           LIMIT $3"#,
        project as _,
        after as _,
        limit
    )
    .fetch_all(conn)
    .await
}
