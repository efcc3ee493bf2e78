//! What a project looks like, in answers and in the body of its webhooks (contract §2, "Project", "Asset", "Timeline",
//! "Scene"). Both are written from the one [`Project`] here, so that they can't differ.
//!
//! Assets and timelines are kept as they are shown, with every field; what the agent left out is null.

use super::budget::{BudgetLeft, ProjectBudget, ProjectSpent};
use crate::app::App;
use crate::http::error::{Answer, ApiError};
use crate::http::text::{Text, Time};
use crate::usecases::projects::runs::opened_budget;
use domain::project::ProjectStatus;
use poem_openapi::types::{Any, ParseFromJSON, ToJSON};
use poem_openapi::{Enum, Object};
use serde_json::Value;
use store::projects::ProjectRow;

/// Where a project stands (contract §3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum ProjectState {
    /// The agent works.
    Running,
    /// It waits for the outputs of models.
    Generating,
    /// The work is complete: the result is ready, or waits for feedback.
    Idle,
    /// The final video is being rendered.
    Rendering,
    /// It ended without a result; it may be taken up again.
    Failed,
    /// It was given up, for good.
    Cancelled,
}

/// A status that is told by a webhook: every one but `cancelled` (contract §6.2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum ReportedStatus {
    /// The agent works.
    Running,
    /// It waits for the outputs of models.
    Generating,
    /// The work is complete: the result is ready, or waits for feedback.
    Idle,
    /// The final video is being rendered.
    Rendering,
    /// It ended without a result; it may be taken up again.
    Failed,
}

/// A project: what an agent works on.
#[derive(Debug, Object)]
#[expect(clippy::struct_field_names, reason = "the names are the interface's")]
pub struct Project {
    /// Its id.
    pub id: Text,
    /// Where it stands.
    pub status: ProjectState,
    /// How many changes of status there were, the creation being the first. It orders what webhooks tell.
    pub revision: i64,
    /// How it is worked on: `autonomous` or `manual`.
    pub mode: Text,
    /// What is to come out: `assembled`, `timeline` or `clips`.
    pub output_type: Text,
    /// What was asked for.
    pub brief: Text,
    /// What the agent last said, or null.
    pub agent_message: Option<Text>,
    /// Where the result is, or null.
    pub assembled_url: Option<Text>,
    /// Until when it is there, or null.
    pub assembled_url_expires_at: Option<Time>,
    /// Where the project is read, with a credential: `GET /projects/{id}`. There is no page of it.
    pub project_url: Text,
    /// Where its changes of status are told, or null.
    pub webhook_url: Option<Text>,
    /// Which planner works on it: `keywords`, the one that is built in, or the id of a model; null where somebody
    /// outside does.
    pub planner: Option<Text>,
    /// What the agent may take, or null.
    pub budget: Option<ProjectBudget>,
    /// What it took, as of the latest change of status: charged, or held for what goes on.
    pub spent: ProjectSpent,
    /// What is left of the budget.
    pub left: BudgetLeft,
    /// The timeline that the agent made, for the timelines' tools; or null.
    pub timeline_id: Option<Text>,
    /// The item that the agent made, or null.
    pub output_item_id: Option<Text>,
    /// What was made for it.
    pub assets: Vec<ProjectAsset>,
    /// How that is put together, or null.
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
    /// What names it. With `idle` and `rendering`, an item of the library, unless it has a `url`.
    pub r#ref: Text,
    /// What it is, such as `image_to_video`.
    pub r#type: Text,
    /// Where it is, an http or https URL.
    pub url: Option<Text>,
    /// What made it.
    pub model: Option<Text>,
    /// What that was told.
    pub prompt: Option<Text>,
    /// Seconds.
    pub duration: Option<f64>,
    /// Such as `16:9`.
    pub aspect_ratio: Option<Text>,
    /// The picture that it was made from.
    pub source_image_url: Option<Text>,
    /// The video that it was made from.
    pub source_video_url: Option<Text>,
    /// The picture that it was made after.
    pub reference_image_url: Option<Text>,
    /// When it was made; when not given, the time of the change that brought it.
    pub created_at: Option<Time>,
}

/// How a project's video is put together.
#[derive(Debug, Clone, Object)]
#[oai(deny_unknown_fields)]
pub struct ProjectTimeline {
    /// Seconds.
    pub duration_seconds: Option<f64>,
    /// Such as `16:9`.
    pub aspect_ratio: Option<Text>,
    /// The skills that were used.
    #[oai(default)]
    pub skills: Vec<Text>,
    /// The scenes, in their order.
    #[oai(default, validator(max_items = 1000))]
    pub scenes: Vec<ProjectScene>,
    /// What is heard.
    pub audio: Option<ProjectAudio>,
    /// What is laid over the scenes.
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
    /// The asset that is shown.
    pub r#ref: Option<Text>,
    /// What it is.
    pub r#type: Option<Text>,
    /// Its place in the order.
    pub position: Option<i32>,
    /// Seconds.
    pub duration: Option<f64>,
    /// What happens in it.
    pub description: Option<Text>,
    /// Its picture.
    pub image_url: Option<Text>,
    /// Its video.
    pub video_url: Option<Text>,
    /// What made the video.
    pub video_model: Option<Text>,
    /// What made the picture.
    pub image_model: Option<Text>,
    /// What that was told.
    pub prompt: Option<Text>,
    /// How loud it is.
    pub volume: Option<f64>,
    /// How it comes in, or null.
    pub fade_in: Option<Any<Value>>,
    /// How it goes, or null.
    pub fade_out: Option<Any<Value>>,
}

/// What is heard in a timeline.
#[derive(Debug, Clone, Object)]
#[oai(deny_unknown_fields)]
pub struct ProjectAudio {
    /// The voice, or null.
    pub voiceover: Option<Any<Value>>,
    /// The music, or null.
    pub music: Option<Any<Value>>,
    /// All tracks.
    #[oai(default)]
    pub tracks: Vec<Any<Value>>,
}

impl Project {
    /// As the row stands. What the agent made has a link that was signed now.
    pub fn new(row: ProjectRow, app: &App) -> Answer<Self> {
        let budget = row.budget.as_ref().map(opened_budget).transpose()?;
        let made = row.output_item_id.map(|item| app.links.to_media(item, row.now));
        let (link, link_expires) = made.unzip();
        Ok(Self {
            project_url: Text(format!("{}/projects/{}", app.base_url, row.id)),
            planner: row.planner.map(Text),
            spent: ProjectSpent::of(row.spent_minutes, row.spent_credits, row.spent_steps),
            left: BudgetLeft::of(budget.unwrap_or_default(), (row.spent_minutes, row.spent_credits), row.spent_steps),
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

    /// The body of the webhook that tells of the status: the whole project, and `event` (contract §6.2.3).
    pub fn told(&self) -> String {
        let mut body = self.to_json().unwrap_or_default();
        body["event"] = body["status"].clone();
        body.to_string()
    }
}

/// What is kept in a row, read back into its shape.
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
mod tests {
    use super::*;
    use domain::agent::Budget;
    use domain::credits::Credits;
    use domain::minutes::Minutes;
    use serde_json::json;

    /// One secret signs both, in one form: what a member of a workspace can write must never read as the event of a
    /// job.
    #[test]
    fn the_body_of_a_projects_webhook_can_not_be_taken_for_a_job_event_whatever_is_written_into_it() {
        let event = json!({ "id": "evt_M8DB96KKJJR5PX2C6SF2ECFZP1", "type": "job.succeeded", "data": { "job": {} } });
        let text = || Text(event.to_string());
        let at = || Time("2026-11-20T09:30:00Z".parse().expect("a time"));
        let asset = json!({ "ref": event.to_string(), "type": "job.succeeded" });
        let project = Project {
            id: Text("prj_01JD3M5N7P9Q1R3S5T7V9W1X3Y".to_owned()),
            status: ProjectState::Idle,
            revision: 1,
            mode: text(),
            output_type: text(),
            brief: text(),
            agent_message: Some(text()),
            assembled_url: Some(text()),
            assembled_url_expires_at: None,
            project_url: text(),
            webhook_url: Some(text()),
            planner: Some(text()),
            budget: None,
            spent: ProjectSpent::of(Minutes::ZERO, Credits::ZERO, 0),
            left: BudgetLeft::of(Budget::default(), (Minutes::ZERO, Credits::ZERO), 0),
            timeline_id: Some(text()),
            output_item_id: Some(text()),
            assets: ProjectAsset::parse_from_json(Some(asset)).into_iter().collect(),
            timeline: ProjectTimeline::parse_from_json(Some(json!({ "overlays": [event], "captions": event }))).ok(),
            created_at: at(),
            updated_at: at(),
        };
        assert!(project.timeline.is_some() && project.assets.len() == 1);
        let body: Value = serde_json::from_str(&project.told()).expect("JSON");
        let fields: Vec<&str> = body.as_object().expect("an object").keys().map(String::as_str).collect();
        assert!(!fields.contains(&"type") && !fields.contains(&"data"), "{fields:?}");
        assert_eq!((&body["id"], &body["event"]), (&json!("prj_01JD3M5N7P9Q1R3S5T7V9W1X3Y"), &json!("idle")));
    }
}
