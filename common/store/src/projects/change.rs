//! Changes of a project's status, with what the agent made.

use super::ProjectRow;
use chrono::{DateTime, Utc};
use domain::credits::Credits;
use domain::ids::{AccountId, ItemId, ProjectId, TimelineId, WorkspaceId};
use domain::minutes::Minutes;
use domain::project::ProjectStatus;
use serde_json::Value;
use sqlx::PgConnection;

/// A change of status and of other fields. A field that is none stays as it is; an inner none removes it.
#[derive(Debug, Clone)]
pub struct ProjectChange {
    /// The new status.
    pub status: ProjectStatus,
    /// The agent's message.
    pub agent_message: Option<Option<String>>,
    /// All assets, a JSON list that replaces the former one.
    pub assets: Option<Value>,
    /// The new timeline, a JSON object.
    pub timeline: Option<Option<Value>>,
    /// The URL of the result.
    pub assembled_url: Option<Option<String>>,
    /// When that URL expires.
    pub assembled_url_expires_at: Option<Option<DateTime<Utc>>>,
    /// What the agent has made and used; none when the change is not the agent's.
    pub made: Option<AgentWork>,
}

/// What an agent has made for a project, and used so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct AgentWork {
    /// The timeline that it made.
    pub timeline: Option<TimelineId>,
    /// The item that it made.
    pub item: Option<ItemId>,
    /// The minutes of all of its runs.
    pub minutes: Minutes,
    /// The AI credits of all of its runs.
    pub credits: Credits,
    /// How many steps all of its runs had.
    pub steps: i32,
}

impl ProjectChange {
    /// Returns a change of the status alone.
    pub const fn to(status: ProjectStatus) -> Self {
        Self {
            status,
            agent_message: None,
            assets: None,
            timeline: None,
            assembled_url: None,
            assembled_url_expires_at: None,
            made: None,
        }
    }
}

/// Changes a project of the workspace, if its status may be followed by the new one, and raises its revision. Returns
/// none when it may not, or there is no such project; [`super::find`] tells which.
pub async fn change(
    conn: &mut PgConnection,
    id: ProjectId,
    workspace: WorkspaceId,
    change: &ProjectChange,
) -> sqlx::Result<Option<ProjectRow>> {
    let from: Vec<String> = change.status.may_follow().iter().map(|status| status.name().to_owned()).collect();
    sqlx::query_file_as!(
        ProjectRow,
        "src/project_change.sql",
        id as _,
        workspace as _,
        &from,
        change.status.name(),
        change.agent_message.is_some(),
        change.agent_message.clone().flatten(),
        // As text, since sqlx binds values as `jsonb`, which would change the order of their keys.
        change.assets.as_ref().map(Value::to_string),
        change.timeline.is_some(),
        change.timeline.iter().flatten().next().map(Value::to_string),
        change.assembled_url.is_some(),
        change.assembled_url.clone().flatten(),
        change.assembled_url_expires_at.is_some(),
        change.assembled_url_expires_at.flatten(),
        change.made.is_some(),
        change.made.and_then(|made| made.timeline) as _,
        change.made.and_then(|made| made.item) as _,
        change.made.map_or(Minutes::ZERO, |made| made.minutes) as _,
        change.made.map_or(0, |made| made.steps),
        change.made.map_or(Credits::ZERO, |made| made.credits) as _
    )
    .fetch_optional(conn)
    .await
}
