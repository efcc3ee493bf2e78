//! A project's change of status, and what is told of it.
//!
//! The change, its webhook and the webhook's ticket are one transaction; the caller's rate pays for a large one afterwards.

use super::shape::{ProjectAsset, ReportedStatus, small_enough};
use super::{ChangeProjectStatus, Project, Projects, checked, reach};
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::rate::pace;
use crate::http::text::Time;
use common::domain::project::ProjectStatus;
use common::ids::{ProjectId, ProjectWebhookId};
use common::queue::{self, Queue, Subject, Ticket};
use common::store::credentials;
use common::store::project_webhooks::{self, NewWebhook};
use common::store::projects::{self, Change, ProjectRow};
use poem_openapi::types::{MaybeUndefined, ToJSON};
use sqlx::{Acquire, PgConnection};
use url::Url;

/// Bytes of a change that count as one request.
const A_REQUEST: usize = 16 << 10;

impl Projects {
    /// The use case "change status": the change and its webhook in one transaction.
    pub(super) async fn change(&self, caller: &Caller, id: ProjectId, asked: ChangeProjectStatus) -> Answer<Project> {
        let assets = asked.assets.as_deref().unwrap_or_default();
        if let MaybeUndefined::Value(url) = &asked.assembled_url {
            checked::web_url("assembled_url", url)?;
        }
        checked::urls(assets, asked.timeline.value())?;
        let mut conn = self.0.conn().await?;
        let mut changed = conn.begin().await?;
        // While outputs are waited for, an asset may be named that is still to come.
        if matches!(asked.status, ReportedStatus::Idle | ReportedStatus::Rendering) {
            checked::refs(&mut changed, caller.workspace, assets).await?;
        }
        let assets = match asked.assets {
            Some(assets) => dated(assets, Time(projects::now(&mut changed).await?)).to_json(),
            None => None,
        };
        let timeline = said(asked.timeline, |timeline| timeline.to_json().unwrap_or_default());
        let change = Change {
            status: asked.status.into(),
            agent_message: said(asked.agent_message, |text| text.0),
            assets,
            timeline,
            assembled_url: said(asked.assembled_url, |text| text.0),
            assembled_url_expires_at: said(asked.assembled_url_expires_at, |time| time.0),
        };
        let Some(row) = projects::change(&mut changed, id, caller.workspace.id, &change).await? else {
            return Err(refused(&mut changed, caller, id, change.status).await?);
        };
        // What is there from now on, whichever call brought which part of it.
        small_enough(Some(&row.assets), row.timeline.as_ref())?;
        let (project, bytes) = self.tell(&mut changed, caller, row).await?;
        self.within_quota(&mut changed, caller).await?;
        changed.commit().await?;
        self.wake(&project);
        self.charge(&mut conn, caller, bytes).await;
        Ok(project)
    }

    /// Counts a large project at its caller's rate as what it is: a request for each 16 KiB that are written and told. The
    /// change that it came with has been made.
    pub(super) async fn charge(&self, conn: &mut PgConnection, caller: &Caller, bytes: usize) {
        let requests = i64::try_from(bytes / A_REQUEST).unwrap_or(i64::MAX);
        let pace = pace(&self.0.process.settings);
        if requests > 0
            && let Err(error) = credentials::charge(conn, caller.account_id, requests, pace).await
        {
            tracing::warn!(error = %error, "A large project was not counted at its caller's rate.");
        }
    }

    /// Writes the webhook of a change, if it is to be told, and its ticket. Returns how many bytes the project has as it is
    /// told, too.
    pub(super) async fn tell(
        &self,
        conn: &mut PgConnection,
        caller: &Caller,
        row: ProjectRow,
    ) -> Answer<(Project, usize)> {
        let (id, account_id, revision, event) = (row.id, row.account_id, row.revision, row.status);
        let project = Project::new(row, &self.0.base_url)?;
        let body = project.told();
        let Some(url) = project.webhook_url.as_deref().filter(|_| event.fires()) else {
            return Ok((project, body.len()));
        };
        let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
        let webhook = ProjectWebhookId::mint();
        let ticket = Ticket::new(Queue::Project, Subject::ProjectWebhook(webhook));
        let new = NewWebhook {
            id: webhook,
            project_id: id,
            account_id,
            revision,
            event,
            url,
            url_host: &host,
            body: &body,
            ticket_id: &ticket.id,
            traceparent: caller.traceparent.as_deref(),
        };
        project_webhooks::insert(conn, &new).await?;
        queue::push(conn, std::slice::from_ref(&ticket)).await?;
        Ok((project, body.len()))
    }

    /// After the commit: says that there is a webhook to send.
    pub(super) fn wake(&self, project: &Project) {
        if project.webhook_url.is_some() {
            self.0.process.wakes.queues([Queue::Project]);
        }
    }
}

/// Why a change was not made.
pub(super) async fn refused(
    conn: &mut PgConnection,
    caller: &Caller,
    id: ProjectId,
    next: ProjectStatus,
) -> Answer<ApiError> {
    let status = reach(conn, caller, id).await?.status;
    let legal: Vec<&str> = status.may_lead_to().into_iter().map(ProjectStatus::name).collect();
    let leads = if legal.is_empty() { "nothing else".to_owned() } else { legal.join(", ") };
    let message = format!("The project is `{}`, which can become {leads}, and not `{}`.", status.name(), next.name());
    Ok(ApiError::new(Code::IllegalTransition, message))
}

/// The assets, those without a time of their own with this one.
fn dated(mut assets: Vec<ProjectAsset>, now: Time) -> Vec<ProjectAsset> {
    for asset in &mut assets {
        asset.created_at.get_or_insert(now);
    }
    assets
}

/// What is asked of a field: nothing, to take its value away, or another one.
#[expect(clippy::option_option, reason = "as the store takes it: stays, goes, or another")]
fn said<T, U>(field: MaybeUndefined<T>, shown: impl FnOnce(T) -> U) -> Option<Option<U>> {
    match field {
        MaybeUndefined::Undefined => None,
        MaybeUndefined::Null => Some(None),
        MaybeUndefined::Value(value) => Some(Some(shown(value))),
    }
}
