//! The webhooks of a project's changes: `/projects/{id}/deliveries`. A project's webhook is sent once (contract §6.2),
//! so here its owner sees what happened to one that did not arrive.

use super::ProjectState;
use crate::app::App;
use crate::auth::Auth;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{Text, Time};
use crate::usecases::projects::reach;
use domain::answer_headers;
use domain::ids::{ProjectId, ProjectWebhookId};
use domain::project::WebhookStatus;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use std::collections::BTreeMap;
use store::project_webhooks::{self, WebhookRow};

/// The error codes of this operation, besides those that any operation may return.
pub const ERRORS: Refusals =
    &[("GET /projects/{id}/deliveries", &[Code::ProjectNotFound, Code::WorkspaceForbidden, Code::InvalidCursor])];

/// The log's operation.
pub struct ProjectDeliveries(pub App);

/// The status of a change's webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum ProjectDeliveryState {
    /// It has not been sent.
    Pending,
    /// It is being sent.
    Sent,
    /// It was answered with status 2xx in time.
    Succeeded,
    /// It was answered with another status, or not at all. It is not sent again.
    Failed,
    /// A crash of this service hid the result. It may have arrived, and is not sent again.
    Unknown,
}

/// The one webhook of a change of status.
#[derive(Debug, Object)]
pub struct ProjectDelivery {
    /// Its id.
    pub delivery_id: Text,
    /// The project.
    pub project_id: Text,
    /// The project's revision that it reports.
    pub revision: i64,
    /// The project's status that it reports; never `cancelled`.
    pub event: ProjectState,
    /// The URL that it is sent to.
    pub url: Text,
    /// Its status.
    pub status: ProjectDeliveryState,
    /// The receiver's HTTP status; null when there was no answer.
    pub response_status: Option<i16>,
    /// The error, or null: a word as in the log of job webhooks.
    pub error: Option<Text>,
    /// The start of the receiver's answer; null when there was none.
    pub response_excerpt: Option<Text>,
    /// The headers of its answer, or null: as in the log of job webhooks.
    pub response_headers: Option<BTreeMap<String, String>>,
    /// Its duration in milliseconds, or null.
    pub duration_ms: Option<i32>,
    /// When the status changed.
    pub created_at: Time,
    /// When it was sent; null before.
    pub sent_at: Option<Time>,
    /// When its result was known; null before.
    pub finished_at: Option<Time>,
}

#[OpenApi(tag = "Tag::Workspace")]
impl ProjectDeliveries {
    /// List a project's webhooks
    ///
    /// Lists the webhooks of the project's changes of status, newest first: at most one for each change. Kept for 30
    /// days.
    #[oai(path = "/projects/:id/deliveries", method = "get", operation_id = "list_project_deliveries")]
    async fn list(
        &self,
        auth: Auth,
        /// The project's id.
        id: Path<Text>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<ProjectDelivery>>> {
        let Auth(caller) = auth;
        let id: ProjectId = id.0.id(Code::ProjectNotFound)?;
        let page = Page::of("project_deliveries", id.uuid(), limit.0, cursor.0.as_ref())?;
        let mut conn = self.0.conn().await?;
        reach(&mut conn, &caller, id).await?;
        let after = page.after.map(ProjectWebhookId::from);
        let rows = project_webhooks::list(&mut conn, id, after, page.fetch()).await?;
        Ok(Json(page.list(rows, |row| row.id.uuid(), ProjectDelivery::from)))
    }
}

impl From<WebhookRow> for ProjectDelivery {
    fn from(row: WebhookRow) -> Self {
        Self {
            delivery_id: Text::of(row.id),
            project_id: Text::of(row.project_id),
            revision: row.revision,
            event: row.event.into(),
            url: Text(row.url),
            status: match row.status {
                WebhookStatus::Pending => ProjectDeliveryState::Pending,
                WebhookStatus::Sent => ProjectDeliveryState::Sent,
                WebhookStatus::Succeeded => ProjectDeliveryState::Succeeded,
                WebhookStatus::Failed => ProjectDeliveryState::Failed,
                WebhookStatus::Unknown => ProjectDeliveryState::Unknown,
            },
            response_status: row.response_status,
            error: row.error.map(Text),
            response_excerpt: row.response_excerpt.map(Text),
            response_headers: row.response_headers.as_deref().map(answer_headers::by_name),
            duration_ms: row.duration_ms,
            created_at: Time(row.created_at),
            sent_at: row.sent_at.map(Time),
            finished_at: row.finished_at.map(Time),
        }
    }
}
