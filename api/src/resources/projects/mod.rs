//! Projects, and the webhooks that report on them: `/projects` (contract §2, "Project"; §3; §4.3; §6.2).
//!
//! A change of status and its webhook are one transaction (`usecases::projects`). The webhook's bytes are written here,
//! from the same value that `GET /projects/{id}` shows; the worker signs and sends them, once. `log` lists what was
//! sent. `agent` works on projects that nobody outside works on, `messages` takes messages to it, and `steps` shows its
//! steps.

mod agent;
mod budget;
mod change;
mod checked;
mod list;
mod log;
mod messages;
mod shape;
mod steps;

pub use agent::work_on_projects;
pub use budget::ProjectBudget;
pub use list::ListedProject;
pub use log::{ERRORS as LOG_ERRORS, ProjectDeliveries};
pub use messages::{ERRORS as MESSAGE_ERRORS, ProjectMessages};
pub use shape::{Project, ProjectAsset, ProjectState, ProjectTimeline, ReportedStatus};

use crate::app::App;
use crate::auth::Auth;
use crate::contract::envelope::{Deleted, Stored};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{Text, Time};
use crate::usecases::once::Once;
use crate::usecases::projects::runs::{planner, settle_spent};
use crate::usecases::projects::status::cancel_project;
use crate::usecases::projects::{ProjectAnswer, create_project, reach, remove_project, set_project_webhook};
use domain::ids::{AccountId, ProjectId};
use domain::project;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::types::{MaybeUndefined, ToJSON};
use poem_openapi::{Enum, Object, OpenApi};
use store::projects::{self, NewProject, ProjectRow};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("POST /projects", &[Code::RoleForbidden, Code::WebhookUrlNotAllowed, Code::QuotaReached]),
    ("GET /projects", &[Code::InvalidCursor]),
    ("GET /projects/{id}", &[Code::ProjectNotFound, Code::WorkspaceForbidden]),
    (
        "PATCH /projects/{id}/settings",
        &[Code::ProjectNotFound, Code::WorkspaceForbidden, Code::RoleForbidden, Code::WebhookUrlNotAllowed],
    ),
    (
        "POST /projects/{id}/status",
        &[
            Code::ProjectNotFound,
            Code::WorkspaceForbidden,
            Code::RoleForbidden,
            Code::IllegalTransition,
            Code::QuotaReached,
            Code::RequestTooLarge,
        ],
    ),
    ("POST /projects/{id}/cancel", CHANGING),
    ("DELETE /projects/{id}", &[Code::ProjectNotFound, Code::WorkspaceForbidden, Code::RoleForbidden]),
];
const CHANGING: &[Code] =
    &[Code::ProjectNotFound, Code::WorkspaceForbidden, Code::RoleForbidden, Code::IllegalTransition];

/// The project operations.
pub struct Projects(pub App);

/// A project to create.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct CreateProject {
    /// The task, in words: 1 to 20000 characters, not all of them blanks.
    #[oai(validator(min_length = 1, max_length = 20000))]
    pub brief: Text,
    /// Who works on it; `autonomous` when not given.
    pub mode: Option<Mode>,
    /// The kind of result; `assembled` when not given.
    pub output_type: Option<Output>,
    /// The URL to send its changes of status to: HTTPS, and publicly reachable.
    pub webhook_url: Option<Text>,
    /// What the agent may use. At the limit the project becomes `idle`, and `agent_message` asks for more.
    pub budget: Option<ProjectBudget>,
}

/// Who works on a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case", rename = "ProjectMode")]
pub enum Mode {
    /// The service's agent, which begins at once.
    Autonomous,
    /// Somebody outside, who reports statuses with `POST /projects/{id}/status`; the project begins as `idle`.
    Manual,
}

/// The kinds of results of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case", rename = "ProjectOutputType")]
pub enum Output {
    /// One film, rendered.
    Assembled,
    /// A timeline, to edit before it is rendered.
    Timeline,
    /// Up to ten films, one for each moment.
    Clips,
}

/// A project's settings.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ChangeProjectSettings {
    /// The URL to send its changes of status to from now on; null: none is sent. Required.
    pub webhook_url: MaybeUndefined<Text>,
}

/// A project's settings.
#[derive(Debug, Object)]
pub struct ProjectSettings {
    /// The URL that its changes of status are sent to, or null.
    pub webhook_url: Option<Text>,
}

/// What the agent that works on a project reports. Absent fields keep their values.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ChangeProjectStatus {
    /// The new status.
    pub status: ReportedStatus,
    /// A message to those who wait; null removes it.
    #[oai(validator(max_length = 20000))]
    pub agent_message: MaybeUndefined<Text>,
    /// All assets of the project from now on.
    #[oai(validator(max_items = 1000))]
    pub assets: Option<Vec<ProjectAsset>>,
    /// The timeline from now on; null removes it.
    pub timeline: MaybeUndefined<ProjectTimeline>,
    /// The http or https URL of the result; null removes it.
    #[oai(validator(max_length = 4096))]
    pub assembled_url: MaybeUndefined<Text>,
    /// When that URL expires; null removes it.
    pub assembled_url_expires_at: MaybeUndefined<Time>,
}

#[OpenApi(tag = "Tag::Workspace")]
impl Projects {
    /// Create a project
    ///
    /// Creates it in the workspace that the call acts in. With the mode `autonomous` it begins as `running`, and an
    /// agent makes what the brief asks for from the workspace's footage: the project is `generating` while work that it
    /// started continues, then `rendering`, and finally `idle` with the film at `assembled_url`; or `failed`. The
    /// creator pays for it. With `manual` it begins as `idle`. Each status is sent to `webhook_url`.
    #[oai(path = "/projects", method = "post", operation_id = "create_project")]
    async fn create(&self, auth: Auth, key: IdempotencyKey, body: Json<CreateProject>) -> Answer<Stored<Project, 201>> {
        let Auth(caller) = auth;
        let asked = body.0;
        let once = Once::of(&self.0, &caller, "POST /projects", key, &asked);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        checked::something("brief", &asked.brief)?;
        if let Some(url) = &asked.webhook_url {
            self.check(caller.workspace.account_id, url).await?;
        }
        let budget = asked.budget.map(ProjectBudget::checked).transpose()?;
        let mode = match asked.mode {
            None | Some(Mode::Autonomous) => project::ProjectMode::Autonomous,
            Some(Mode::Manual) => project::ProjectMode::Manual,
        };
        let new = NewProject {
            id: ProjectId::mint(),
            workspace_id: caller.workspace.id,
            account_id: caller.workspace.account_id,
            mode,
            output_type: match asked.output_type {
                None | Some(Output::Assembled) => project::OutputType::Assembled,
                Some(Output::Timeline) => project::OutputType::Timeline,
                Some(Output::Clips) => project::OutputType::Clips,
            },
            brief: asked.brief.0,
            webhook_url: asked.webhook_url.map(|url| url.0),
            user_id: caller.user_id,
            key_id: caller.key_id,
            budget: budget.map(serde_json::to_value).transpose().map_err(ApiError::internal)?,
            planner: planner(&self.0, mode).map(str::to_owned),
        };
        let show = |row: ProjectRow| {
            let project = Project::new(row, &self.0)?;
            Ok(ProjectAnswer { answer: project.to_json_string(), webhook_body: project.webhook_body() })
        };
        Ok(create_project(&self.0, &caller, &once, &new, show).await?.into())
    }

    /// List projects
    ///
    /// Summaries of the projects of the workspace that the call acts in, newest first.
    #[oai(path = "/projects", method = "get", operation_id = "list_projects")]
    async fn list(
        &self,
        auth: Auth,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<ListedProject>>> {
        let Auth(caller) = auth;
        let page = Page::new("projects", limit.0, cursor.0.as_ref())?;
        let mut conn = self.0.process.conn_of(caller.account_id).await?;
        let after = page.after.map(ProjectId::from);
        let rows = projects::list(&mut conn, caller.workspace.id, after, page.fetch()).await?;
        Ok(Json(page.list(rows, |row| row.id.uuid(), |row| ListedProject::new(row, &self.0))))
    }

    /// Get a project
    ///
    /// Returns its full state. A webhook is sent once and may be lost: confirm the state here (contract §6.2.5).
    #[oai(path = "/projects/:id", method = "get", operation_id = "get_project")]
    async fn get(
        &self,
        auth: Auth,
        /// The project's id.
        id: Path<Text>,
    ) -> Answer<Json<Project>> {
        let Auth(caller) = auth;
        let mut conn = self.0.conn().await?;
        let mut row = reach(&mut conn, &caller, id.0.id(Code::ProjectNotFound)?).await?;
        settle_spent(&mut conn, &mut row).await?;
        Ok(Json(Project::new(row, &self.0)?))
    }

    /// Set a project's webhook URL
    ///
    /// This sends no webhook. A webhook that is already on its way still goes to the old URL. The URL ends with the
    /// access of whoever sets it: when their key is revoked, or they may no longer edit in the workspace.
    #[oai(path = "/projects/:id/settings", method = "patch", operation_id = "update_project_settings")]
    async fn settings(
        &self,
        auth: Auth,
        /// The project's id.
        id: Path<Text>,
        body: Json<ChangeProjectSettings>,
    ) -> Answer<Json<ProjectSettings>> {
        let Auth(caller) = auth;
        let id: ProjectId = id.0.id(Code::ProjectNotFound)?;
        let url = match body.0.webhook_url {
            MaybeUndefined::Undefined => {
                return Err(ApiError::new(
                    Code::InvalidRequest,
                    "`webhook_url` is required: expected a string or null.",
                ));
            }
            MaybeUndefined::Null => None,
            MaybeUndefined::Value(url) => Some(url),
        };
        if let Some(url) = &url {
            self.check(caller.workspace.account_id, url).await?;
        }
        set_project_webhook(&self.0, &caller, id, url.as_deref()).await?;
        Ok(Json(ProjectSettings { webhook_url: url }))
    }

    /// Change a project's status
    ///
    /// Called by the agent that works on the project. Each change raises `revision` and is sent to the project's
    /// `webhook_url`, once. `running` and `generating` lead to each other, to `idle` and to `failed`, `running` to
    /// `rendering` also; `idle` leads to `running` and `rendering`; `rendering` to `idle` and `failed`; `failed` to
    /// `running`. Whoever changes the status takes the project over: the service's own agent stops working on it.
    #[oai(path = "/projects/:id/status", method = "post", operation_id = "change_project_status")]
    async fn status(
        &self,
        auth: Auth,
        /// The project's id.
        id: Path<Text>,
        body: Json<ChangeProjectStatus>,
    ) -> Answer<Json<Project>> {
        let Auth(caller) = auth;
        let id: ProjectId = id.0.id(Code::ProjectNotFound)?;
        Ok(Json(self.change(&caller, id, body.0).await?))
    }

    /// Cancel a project
    ///
    /// This is final, and no webhook is sent (contract §6.2.2). The agent stops, and so do the jobs that it started and
    /// waits for, at no charge; jobs of others that it joined continue.
    #[oai(path = "/projects/:id/cancel", method = "post", operation_id = "cancel_project")]
    async fn cancel(
        &self,
        auth: Auth,
        /// The project's id.
        id: Path<Text>,
    ) -> Answer<Json<Project>> {
        let Auth(caller) = auth;
        let id: ProjectId = id.0.id(Code::ProjectNotFound)?;
        Ok(Json(Project::new(cancel_project(&self.0, &caller, id).await?, &self.0)?))
    }

    /// Delete a project
    ///
    /// Deletes it with the log of its webhooks, whatever its status; no webhook is sent. Its agent's jobs stop, as for
    /// a cancelled project. A cancelled project is deleted automatically after 30 days.
    #[oai(path = "/projects/:id", method = "delete", operation_id = "delete_project")]
    async fn remove(
        &self,
        auth: Auth,
        /// The project's id.
        id: Path<Text>,
    ) -> Answer<Json<Deleted>> {
        let Auth(caller) = auth;
        let id: ProjectId = id.0.id(Code::ProjectNotFound)?;
        remove_project(&self.0, &caller, id).await?;
        Ok(Deleted::json())
    }
}

impl Projects {
    async fn check(&self, account: AccountId, url: &str) -> Answer<()> {
        let checked = self.0.process.outbound.check_resolves_public(url, account).await;
        checked.map(|_| ()).map_err(|refused| {
            ApiError::new(Code::WebhookUrlNotAllowed, format!("`webhook_url`: {refused}."))
                .suggest("Give an HTTPS URL whose host is publicly reachable.")
        })
    }
}
