//! The webhook of a project's revision and its ticket, in the transaction of the change, and what a large one costs its
//! caller beside the commit.

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::Answer;
use crate::usecases::charge::charge_requests;
use domain::ids::{AccountId, ProjectId, ProjectWebhookId};
use domain::project::ProjectStatus;
use runtime::queue::{self, Queue, Subject, Ticket};
use sqlx::PgConnection;
use store::project_webhooks::{self, NewWebhook};
use store::projects::ProjectRow;
use url::Url;

/// Bytes of a change that count as one request.
const A_REQUEST: usize = 16 << 10;

/// One revision of a project, and the URL of its webhook.
pub(super) struct Revision {
    project: ProjectId,
    account: AccountId,
    number: i64,
    status: ProjectStatus,
    webhook_url: Option<String>,
}

impl Revision {
    /// The revision that the row is at.
    pub(super) fn of(row: &ProjectRow) -> Self {
        Self {
            project: row.id,
            account: row.account_id,
            number: row.revision,
            status: row.status,
            webhook_url: row.webhook_url.clone(),
        }
    }

    /// Writes the revision's webhook and the webhook's ticket, if it has one.
    pub(super) async fn tell(&self, conn: &mut PgConnection, caller: &Caller, body: &str) -> Answer<()> {
        let Some(url) = self.webhook_url.as_deref().filter(|_| self.status.fires()) else { return Ok(()) };
        let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
        let webhook = ProjectWebhookId::mint();
        let ticket = Ticket::new(Queue::Project, Subject::ProjectWebhook(webhook));
        let new = NewWebhook {
            id: webhook,
            project_id: self.project,
            account_id: self.account,
            revision: self.number,
            event: self.status,
            url,
            url_host: &host,
            body,
            ticket_id: &ticket.id,
            traceparent: caller.traceparent.as_deref(),
        };
        project_webhooks::insert(conn, &new).await?;
        queue::push(conn, std::slice::from_ref(&ticket)).await?;
        Ok(())
    }

    /// Call it after the commit: wakes a worker to send the webhook.
    pub(super) fn wake(&self, app: &App) {
        if self.webhook_url.is_some() {
            app.process.wakes.queues([Queue::Project]);
        }
    }
}

/// Counts a large project at its caller's rate, as [`charge_requests`] does: one request for every 16 KiB written and
/// sent.
pub(super) fn charge(app: &App, caller: &Caller, bytes: usize) -> impl Future<Output = ()> + Send + use<> {
    charge_requests(app, caller.account_id, bytes / A_REQUEST)
}
