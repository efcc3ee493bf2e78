//! The shape of a project, in answers and in the body of its webhooks (contract §2, "Project", "Asset", "Timeline",
//! "Scene"). Both are written from the one [`Project`] here, so that they can't differ.
//!
//! Assets and timelines are stored as they are shown, with every field; what the agent left out is null.

use super::budget::{BudgetLeft, ProjectBudget, ProjectSpent};
use crate::app::App;
use crate::http::error::{Answer, ApiError};
use crate::http::json::json_of;
use crate::http::text::{Text, Time};
use crate::usecases::projects::runs::opened_budget;
use domain::project::ProjectStatus;
use poem_openapi::types::{Any, ParseFromJSON};
use poem_openapi::{Enum, Object};
use serde_json::Value;
use store::projects::ProjectRow;

/// The status of a project (contract §3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum ProjectState {
    /// The agent is working.
    Running,
    /// It waits for the outputs of models.
    Generating,
    /// The work is complete: the result is ready, or feedback is awaited.
    Idle,
    /// The final video is being rendered.
    Rendering,
    /// It ended without a result; work on it can be resumed.
    Failed,
    /// It was cancelled, which is final.
    Cancelled,
}

/// A status that a webhook reports: every one but `cancelled` (contract §6.2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum ReportedStatus {
    /// The agent is working.
    Running,
    /// It waits for the outputs of models.
    Generating,
    /// The work is complete: the result is ready, or feedback is awaited.
    Idle,
    /// The final video is being rendered.
    Rendering,
    /// It ended without a result; work on it can be resumed.
    Failed,
}

/// A project: a task for an agent, and its result.
#[derive(Debug, Object)]
#[expect(clippy::struct_field_names, reason = "the names are the interface's")]
pub struct Project {
    /// Its id.
    pub id: Text,
    /// Its status.
    pub status: ProjectState,
    /// The number of its statuses so far, counting the one it was created with. It orders webhooks.
    pub revision: i64,
    /// Who works on it: `autonomous` or `manual`.
    pub mode: Text,
    /// The kind of result: `assembled`, `timeline` or `clips`.
    pub output_type: Text,
    /// The task, in words.
    pub brief: Text,
    /// The agent's last message; null when there is none.
    pub agent_message: Option<Text>,
    /// The URL of the result, or null.
    pub assembled_url: Option<Text>,
    /// When that URL expires, or null.
    pub assembled_url_expires_at: Option<Time>,
    /// The URL of this project, to read with a credential: `GET /projects/{id}`. It has no web page.
    pub project_url: Text,
    /// The URL that its changes of status are sent to; null when none is set, or whoever set it has no access any more.
    pub webhook_url: Option<Text>,
    /// The planner that works on it: `keywords`, which is built in, or the id of a model; null when somebody outside
    /// works on it.
    pub planner: Option<Text>,
    /// What the agent may use; null when no budget was given.
    pub budget: Option<ProjectBudget>,
    /// What it has used as of the latest change of status, or as of now where the agent works on it no more: charged,
    /// or held for work that goes on.
    pub spent: ProjectSpent,
    /// What is left of the budget.
    pub left: BudgetLeft,
    /// The timeline that the agent made, for the timelines' tools; null when there is none, or when it is deleted.
    pub timeline_id: Option<Text>,
    /// The item that the agent made; null when there is none, or when it is deleted.
    pub output_item_id: Option<Text>,
    /// The media that was made for it.
    pub assets: Vec<ProjectAsset>,
    /// How the assets are put together, or null.
    pub timeline: Option<ProjectTimeline>,
    /// When it was created.
    pub created_at: Time,
    /// When it was last changed.
    pub updated_at: Time,
}

/// Something that was made for a project.
#[derive(Debug, Clone, Object)]
#[oai(deny_unknown_fields)]
pub struct ProjectAsset {
    /// Its name. With `idle` and `rendering` it must be an item of the library, unless it has a `url`.
    pub r#ref: Text,
    /// Its type, such as `image_to_video`.
    pub r#type: Text,
    /// Its http or https URL; null for an item of the library.
    pub url: Option<Text>,
    /// The model that made it.
    pub model: Option<Text>,
    /// The prompt that the model was given.
    pub prompt: Option<Text>,
    /// Its duration, in seconds.
    pub duration: Option<f64>,
    /// Its aspect ratio, such as `16:9`.
    pub aspect_ratio: Option<Text>,
    /// The picture that it was made from.
    pub source_image_url: Option<Text>,
    /// The video that it was made from.
    pub source_video_url: Option<Text>,
    /// A picture that it was modelled on.
    pub reference_image_url: Option<Text>,
    /// When it was made; when not given, the time of the change that added it.
    pub created_at: Option<Time>,
}

/// How a project's video is put together.
#[derive(Debug, Clone, Object)]
#[oai(deny_unknown_fields)]
pub struct ProjectTimeline {
    /// Its duration, in seconds.
    pub duration_seconds: Option<f64>,
    /// Its aspect ratio, such as `16:9`.
    pub aspect_ratio: Option<Text>,
    /// The names of the skills that were used.
    #[oai(default)]
    pub skills: Vec<Text>,
    /// The scenes, in their order.
    #[oai(default, validator(max_items = 1000))]
    pub scenes: Vec<ProjectScene>,
    /// The sound.
    pub audio: Option<ProjectAudio>,
    /// The overlays over the scenes.
    #[oai(default)]
    pub overlays: Vec<Any<Value>>,
    /// The captions, or null.
    pub captions: Option<Any<Value>>,
}

/// One scene of a timeline.
#[derive(Debug, Clone, Object)]
#[oai(deny_unknown_fields)]
pub struct ProjectScene {
    /// Its id.
    pub id: Text,
    /// The `ref` of the asset that it shows.
    pub r#ref: Option<Text>,
    /// Its type.
    pub r#type: Option<Text>,
    /// Its position among the scenes.
    pub position: Option<i32>,
    /// Its duration, in seconds.
    pub duration: Option<f64>,
    /// A description of what happens in it.
    pub description: Option<Text>,
    /// The URL of its picture.
    pub image_url: Option<Text>,
    /// The URL of its video.
    pub video_url: Option<Text>,
    /// The model that made the video.
    pub video_model: Option<Text>,
    /// The model that made the picture.
    pub image_model: Option<Text>,
    /// The prompt that the model was given.
    pub prompt: Option<Text>,
    /// Its volume.
    pub volume: Option<f64>,
    /// Its fade-in, or null.
    pub fade_in: Option<Any<Value>>,
    /// Its fade-out, or null.
    pub fade_out: Option<Any<Value>>,
}

/// The sound of a timeline.
#[derive(Debug, Clone, Object)]
#[oai(deny_unknown_fields)]
pub struct ProjectAudio {
    /// The voiceover, or null.
    pub voiceover: Option<Any<Value>>,
    /// The music, or null.
    pub music: Option<Any<Value>>,
    /// All tracks.
    #[oai(default)]
    pub tracks: Vec<Any<Value>>,
}

impl Project {
    /// Returns the row as the interface shows it. The item that the agent made gets a freshly signed link.
    pub fn new(row: ProjectRow, app: &App) -> Answer<Self> {
        let budget = row.budget.as_ref().map(opened_budget).transpose()?;
        let made = row.output_item_id.map(|item| app.links.to_media(item, row.now));
        let (link, link_expires) = made.unzip();
        Ok(Self {
            project_url: Text(format!("{}/projects/{}", app.base_url, row.id)),
            planner: row.planner.map(Text),
            spent: ProjectSpent::of(row.spent_minutes, row.spent_credits, row.spent_steps),
            left: BudgetLeft::of(budget.unwrap_or_default(), row.spent_minutes, row.spent_credits, row.spent_steps),
            budget: budget.map(ProjectBudget::from),
            timeline_id: row.timeline_id.map(Text::of),
            output_item_id: row.output_item_id.map(Text::of),
            id: Text::of(row.id),
            status: row.status.into(),
            revision: row.revision,
            mode: Text(row.mode),
            output_type: Text(row.output_type),
            brief: Text(row.brief),
            agent_message: row.agent_message.map(Text),
            assembled_url: row.assembled_url.map(Text).or(link),
            assembled_url_expires_at: row.assembled_url_expires_at.map(Time).or(link_expires),
            webhook_url: row.webhook_url.map(Text),
            assets: kept(row.assets)?,
            timeline: row.timeline.map(kept).transpose()?,
            created_at: Time(row.created_at),
            updated_at: Time(row.updated_at),
        })
    }

    /// Returns the body of the webhook that reports the status: the whole project, and `event` (contract §6.2.3).
    pub fn webhook_body(&self) -> String {
        let mut body = json_of(self);
        body["event"] = body["status"].clone();
        body.to_string()
    }
}

/// Parses a stored value.
fn kept<T: ParseFromJSON>(value: Value) -> Answer<T> {
    T::parse_from_json(Some(value)).map_err(|error| ApiError::internal(error.into_message()))
}

impl From<ProjectStatus> for ProjectState {
    fn from(status: ProjectStatus) -> Self {
        match status {
            ProjectStatus::Running => Self::Running,
            ProjectStatus::Generating => Self::Generating,
            ProjectStatus::Idle => Self::Idle,
            ProjectStatus::Rendering => Self::Rendering,
            ProjectStatus::Failed => Self::Failed,
            ProjectStatus::Cancelled => Self::Cancelled,
        }
    }
}

impl From<ReportedStatus> for ProjectStatus {
    fn from(event: ReportedStatus) -> Self {
        match event {
            ReportedStatus::Running => Self::Running,
            ReportedStatus::Generating => Self::Generating,
            ReportedStatus::Idle => Self::Idle,
            ReportedStatus::Rendering => Self::Rendering,
            ReportedStatus::Failed => Self::Failed,
        }
    }
}

#[cfg(test)]
mod tests;
