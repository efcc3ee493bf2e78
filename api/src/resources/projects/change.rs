//! A requested change of status: what the agent reports is checked, and its assets get the time of the change.

use super::shape::{ProjectAsset, ReportedStatus};
use super::{ChangeProjectStatus, Project, Projects, checked};
use crate::auth::Caller;
use crate::http::error::Answer;
use crate::http::json::json_of;
use crate::http::text::Time;
use crate::usecases::projects::ProjectAnswer;
use crate::usecases::projects::status::{Assets, change_project_status};
use domain::ids::ProjectId;
use poem_openapi::types::{MaybeUndefined, ToJSON};
use store::projects::{ProjectChange, ProjectRow};

impl Projects {
    /// Changes a project's status as the call says.
    pub(super) async fn change(&self, caller: &Caller, id: ProjectId, asked: ChangeProjectStatus) -> Answer<Project> {
        let said_assets = asked.assets.as_deref().unwrap_or_default();
        if let MaybeUndefined::Value(url) = &asked.assembled_url {
            checked::web_url("assembled_url", url)?;
        }
        checked::urls(said_assets, asked.timeline.value())?;
        // While outputs are waited for, an asset may be named that does not exist yet.
        let must_be_here = matches!(asked.status, ReportedStatus::Idle | ReportedStatus::Rendering);
        let refs = if must_be_here { checked::bare_refs(said_assets) } else { Vec::new() };
        let write = asked.assets.map(|assets| move |now| dated(assets, Time(now)).to_json());
        let timeline = said(asked.timeline, |timeline| json_of(&timeline));
        let change = ProjectChange {
            agent_message: said(asked.agent_message, |text| text.0),
            timeline,
            assembled_url: said(asked.assembled_url, |text| text.0),
            assembled_url_expires_at: said(asked.assembled_url_expires_at, |time| time.0),
            ..ProjectChange::to(asked.status.into())
        };
        let show = |row: ProjectRow| {
            let project = Project::new(row, &self.0)?;
            Ok(ProjectAnswer { webhook_body: project.webhook_body(), answer: project })
        };
        change_project_status(&self.0, caller, id, change, Assets { refs, write }, show).await
    }
}

/// Returns the assets; those without a time get this one.
fn dated(mut assets: Vec<ProjectAsset>, now: Time) -> Vec<ProjectAsset> {
    for asset in &mut assets {
        asset.created_at.get_or_insert(now);
    }
    assets
}

/// Converts a field of the request: absent keeps the value, null removes it, anything else replaces it.
#[expect(clippy::option_option, reason = "as the store takes it: stays, goes, or another")]
fn said<T, U>(field: MaybeUndefined<T>, shown: impl FnOnce(T) -> U) -> Option<Option<U>> {
    match field {
        MaybeUndefined::Undefined => None,
        MaybeUndefined::Null => Some(None),
        MaybeUndefined::Value(value) => Some(Some(shown(value))),
    }
}
