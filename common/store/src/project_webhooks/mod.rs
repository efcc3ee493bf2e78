//! The webhooks of projects: one row a change of status, sent at most once (contract §6.2; ARCHITECTURE.md, "Life of a
//! project's webhook").
//!
//! It owns the rows of `project_webhooks`: how they begin, how they are shown, and how they are sent (`send`) or made
//! good by duties (`due`). A row leaves `pending` in one conditional update that is committed before the request
//! leaves, and one statement alone leads back, for a sender that could open no connection: what is not known is
//! recorded as `unknown`.

mod due;
mod send;

pub use due::{call_unknown, lock_due, prune, set_tickets};
pub use send::{Outcome, Waiting, look, mark_sent, postpone, put_back, record};

use chrono::{DateTime, Utc};
use domain::ids::{AccountId, ProjectId, ProjectWebhookId};
use domain::project::{ProjectStatus, WebhookStatus};
use sqlx::PgConnection;

/// The webhook of a change.
#[derive(Debug, Clone)]
pub struct NewWebhook<'a> {
    /// Its id.
    pub id: ProjectWebhookId,
    /// The project.
    pub project_id: ProjectId,
    /// Whose secret signs.
    pub account_id: AccountId,
    /// The project's revision after the change.
    pub revision: i64,
    /// The status that the project came to be in.
    pub event: ProjectStatus,
    /// Where it goes.
    pub url: &'a str,
    /// That URL's host.
    pub url_host: &'a str,
    /// The exact bytes to send; JSON, so text.
    pub body: &'a str,
    /// The ticket that the caller pushes in the same transaction.
    pub ticket_id: &'a str,
    /// The trace that it belongs to.
    pub traceparent: Option<&'a str>,
}

/// Inserts the webhook of a change. A second one of the same revision is an error of the caller's.
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
    /// Which.
    pub id: ProjectWebhookId,
    /// The project.
    pub project_id: ProjectId,
    /// The revision that it tells of.
    pub revision: i64,
    /// The status that it tells of.
    pub event: ProjectStatus,
    /// Where it goes.
    pub url: String,
    /// Where it stands.
    pub status: WebhookStatus,
    /// When it was marked as sent.
    pub sent_at: Option<DateTime<Utc>>,
    /// The headers as they were to be sent, as a JSON object.
    pub request_headers: Option<serde_json::Value>,
    /// The answer's status.
    pub response_status: Option<i16>,
    /// What was wrong, in a word of `domain::attempt`.
    pub error: Option<String>,
    /// The start of the answer's body, at most 1 KiB.
    pub response_excerpt: Option<String>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<i32>,
    /// When the status changed.
    pub created_at: DateTime<Utc>,
    /// When its end was recorded.
    pub finished_at: Option<DateTime<Utc>>,
}

/// Up to `limit` webhooks of the project, newest first, that come after `after` in that order.
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
               response_status, error, response_excerpt, duration_ms, created_at, finished_at
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
