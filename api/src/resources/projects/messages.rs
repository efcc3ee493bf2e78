//! Messages to the agent that works on a project, and the log of its steps: `/projects/{id}/messages` and
//! `/projects/{id}/log`. Additions to the specification, which says that an idle project awaits feedback.

use super::budget::ProjectBudget;
use super::steps::ProjectStep;
use super::{Project, checked};
use crate::app::App;
use crate::auth::Auth;
use crate::contract::envelope::Stored;
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::Text;
use crate::usecases::once::Once;
use crate::usecases::projects::runs::{MessageToAgent, say_to_project};
use crate::usecases::projects::{ProjectAnswer, reach};
use domain::ids::{ProjectId, ProjectStepId};
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use poem_openapi::{Object, OpenApi};
use store::project_runs;
use store::projects::ProjectRow;

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    (
        "POST /projects/{id}/messages",
        &[
            Code::ProjectNotFound,
            Code::WorkspaceForbidden,
            Code::RoleForbidden,
            Code::IllegalTransition,
            Code::QuotaReached,
        ],
    ),
    ("GET /projects/{id}/log", &[Code::ProjectNotFound, Code::WorkspaceForbidden, Code::InvalidCursor]),
];

/// The operations.
pub struct ProjectMessages(pub App);

/// A message to the agent.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ProjectMessage {
    /// What to change, 1 to 4000 characters, not all of them blanks: another length, words to look for or to leave out,
    /// with or without music or captions. What it does not mention stays as it was.
    #[oai(validator(min_length = 1, max_length = 4000))]
    pub text: Text,
    /// What the agent may use from now on, in all of its work on the project. Absent fields keep their values.
    pub budget: Option<ProjectBudget>,
}

#[OpenApi(tag = "Tag::Workspace")]
impl ProjectMessages {
    /// Send a message to a project's agent
    ///
    /// A project that is `idle` or `failed` becomes `running` again: the agent does its work again with the message, on
    /// behalf of whoever sends it. Reads are stored by then, and cost nothing again.
    #[oai(path = "/projects/:id/messages", method = "post", operation_id = "say_to_project")]
    async fn say(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        /// The project's id.
        id: Path<Text>,
        body: Json<ProjectMessage>,
    ) -> Answer<Stored<Project>> {
        let Auth(caller) = auth;
        let id: ProjectId = id.0.id(Code::ProjectNotFound)?;
        let asked = serde_json::json!([id, body.0.to_json()]);
        let once = Once::of(&self.0, &caller, "POST /projects/{id}/messages", key, &asked);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        checked::something("text", &body.0.text)?;
        let budget = body.0.budget.map(ProjectBudget::checked).transpose()?;
        let message = MessageToAgent { project: id, text: &body.0.text, budget };
        let show = |row: ProjectRow| {
            let project = Project::new(row, &self.0)?;
            Ok(ProjectAnswer { answer: project.to_json_string(), webhook_body: project.webhook_body() })
        };
        Ok(say_to_project(&self.0, &caller, &once, message, show).await?.into())
    }

    /// List what a project's agent did
    ///
    /// Each call of a tool, oldest first: those for the brief, and for each message since. The steps for
    /// the ten messages before the latest are kept too.
    #[oai(path = "/projects/:id/log", method = "get", operation_id = "list_project_steps")]
    async fn log(
        &self,
        auth: Auth,
        /// The project's id.
        id: Path<Text>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<ProjectStep>>> {
        let Auth(caller) = auth;
        let id: ProjectId = id.0.id(Code::ProjectNotFound)?;
        let page = Page::of("project_steps", id.uuid(), limit.0, cursor.0.as_ref())?;
        let mut conn = self.0.process.conn_of(caller.account_id).await?;
        reach(&mut conn, &caller, id).await?;
        let after = page.after.map(ProjectStepId::from);
        let rows = project_runs::steps(&mut conn, id, after, page.fetch()).await?;
        Ok(Json(page.list(rows, |row| row.id.uuid(), ProjectStep::from)))
    }
}
