//! Projects and what tells of them: `/projects` (contract §2, "Project"; §3; §4.3; §6.2).
//!
//! A change of status and its webhook are one transaction (`usecases::projects`). The bytes that the webhook sends are
//! written here, from the same value that `GET /projects/{id}` shows; the worker signs and sends them, once. What was
//! sent is `log`. `agent` works on projects that nobody outside does, `messages` is what is said to it, and `steps`
//! what it did.

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
use crate::usecases::projects::runs::planner;
use crate::usecases::projects::status::cancel_project;
use crate::usecases::projects::{Shown, create_project, reach, remove_project, set_project_webhook};
use domain::ids::{AccountId, ProjectId};
use domain::project;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::types::{MaybeUndefined, ToJSON};
use poem_openapi::{Enum, Object, OpenApi};
use store::projects::{self, NewProject, ProjectRow};

/// What these operations refuse with, beside what every operation may.
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
    /// What is asked for.
    #[oai(validator(min_length = 1, max_length = 20000))]
    pub brief: Text,
    /// Who works on it; `autonomous` when not given.
    pub mode: Option<Mode>,
    /// What is to come out; `assembled` when not given.
    pub output_type: Option<Output>,
    /// Where its changes of status are to be told: HTTPS, and publicly reachable.
    pub webhook_url: Option<Text>,
    /// What the agent may take: over it the project is `idle`, and `agent_message` asks.
    pub budget: Option<ProjectBudget>,
}

/// Who works on a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case", rename = "ProjectMode")]
pub enum Mode {
    /// The service's agent: it begins at once.
    Autonomous,
    /// Somebody outside, who reports its statuses with `POST /projects/{id}/status`; it begins as `idle`.
    Manual,
}

/// What is to come out of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case", rename = "ProjectOutputType")]
pub enum Output {
    /// One film, rendered.
    Assembled,
    /// A timeline, to be edited before it is rendered.
    Timeline,
    /// Up to ten films, each of one moment.
    Clips,
}

/// A project's settings.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ChangeProjectSettings {
    /// Where its changes of status are to be told from now on; null tells nobody. Required.
    pub webhook_url: MaybeUndefined<Text>,
}

/// A project's settings.
#[derive(Debug, Object)]
pub struct ProjectSettings {
    /// Where its changes of status are told, or null.
    pub webhook_url: Option<Text>,
}

/// What the agent that works on a project says of it. What is left out stays.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ChangeProjectStatus {
    /// The new status.
    pub status: ReportedStatus,
    /// A word to those who wait; null takes it away.
    #[oai(validator(max_length = 20000))]
    pub agent_message: MaybeUndefined<Text>,
    /// All assets from now on.
    #[oai(validator(max_items = 1000))]
    pub assets: Option<Vec<ProjectAsset>>,
    /// The timeline from now on; null takes it away.
    pub timeline: MaybeUndefined<ProjectTimeline>,
    /// Where the result is, an http or https URL; null takes it away.
    #[oai(validator(max_length = 4096))]
    pub assembled_url: MaybeUndefined<Text>,
    /// Until when it is there; null takes it away.
    pub assembled_url_expires_at: MaybeUndefined<Time>,
}

#[OpenApi(tag = "Tag::Workspace")]
impl Projects {
    /// Create a project
    ///
    /// In the workspace that the call acts in. With the mode `autonomous` it begins as `running`, and an agent makes of
    /// the workspace's footage what the brief asks for: `generating` while work that it started goes on, `rendering`,
    /// and then `idle` with the film at `assembled_url`; or `failed`. It is paid by whoever creates the project. With
    /// `manual` it begins as `idle`. Each status is told to `webhook_url`.
    #[oai(path = "/projects", method = "post", operation_id = "create_project")]
    async fn create(&self, auth: Auth, key: IdempotencyKey, body: Json<CreateProject>) -> Answer<Stored<Project, 201>> {
        let Auth(caller) = auth;
        let asked = body.0;
        let once = Once::of(&self.0, &caller, "POST /projects", key, &asked);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
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
            budget: budget.map(serde_json::to_value).transpose().map_err(ApiError::internal)?,
            planner: planner(&self.0, mode).map(str::to_owned),
        };
        let show = |row: ProjectRow| {
            let project = Project::new(row, &self.0)?;
            Ok(Shown { answer: project.to_json_string(), told: project.told() })
        };
        Ok(create_project(&self.0, &caller, &once, &new, show).await?.into())
    }

    /// List projects
    ///
    /// The projects of the workspace that the call acts in, newest first, in short.
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
        let mut conn = self.0.conn().await?;
        let after = page.after.map(ProjectId::from);
        let rows = projects::list(&mut conn, caller.workspace.id, after, page.fetch()).await?;
        Ok(Json(page.list(rows, |row| row.id.uuid(), |row| ListedProject::new(row, &self.0))))
    }

    /// Get a project
    ///
    /// Its full state. A webhook is sent once and may be lost: this is where the state is confirmed (contract §6.2.5).
    #[oai(path = "/projects/:id", method = "get", operation_id = "get_project")]
    async fn get(
        &self,
        auth: Auth,
        /// The project's id.
        id: Path<Text>,
    ) -> Answer<Json<Project>> {
        let Auth(caller) = auth;
        let mut conn = self.0.conn().await?;
        let row = reach(&mut conn, &caller, id.0.id(Code::ProjectNotFound)?).await?;
        Ok(Json(Project::new(row, &self.0)?))
    }

    /// Set where a project tells of itself
    ///
    /// No webhook is sent for it. A webhook that is on its way already goes where it was to go.
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
    /// What the agent that works on the project calls. Each change raises `revision` and is told to the project's
    /// `webhook_url`, once. `running` and `generating` lead to each other, to `idle` and to `failed`, `running` to
    /// `rendering` also; `idle` leads to `running` and `rendering`; `rendering` to `idle` and `failed`; `failed` to
    /// `running`. Whoever changes it takes it over: the service's own agent works on it no longer.
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
    /// For good, and nobody is told (contract §6.2.2). The agent stops, and so do the jobs that it has started and
    /// waits for, at no cost; those of others that it joined go on.
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
    /// With the log of its webhooks, whatever its status; nobody is told. The jobs of its agent stop, as where it is
    /// cancelled. A project that was cancelled goes by itself after 30 days.
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
