//! A project as `GET /projects` lists it: a summary, since `GET /projects/{id}` returns all of it, up to 1 MiB.

use super::ProjectState;
use crate::app::App;
use crate::http::text::{Text, Time};
use poem_openapi::Object;
use store::projects::ListedRow;

/// A summary of a project.
#[derive(Debug, Object)]
pub struct ListedProject {
    /// Its id.
    pub id: Text,
    /// Its status.
    pub status: ProjectState,
    /// The number of its statuses so far, counting the one it was created with.
    pub revision: i64,
    /// The first 200 characters of the brief.
    pub brief: Text,
    /// The agent's last message, its first 200 characters; null when there is none.
    pub agent_message: Option<Text>,
    /// The URL of the result, or null.
    pub assembled_url: Option<Text>,
    /// When that URL expires, or null.
    pub assembled_url_expires_at: Option<Time>,
    /// The URL of the whole project, to read with a credential.
    pub project_url: Text,
    /// When it was created.
    pub created_at: Time,
    /// When it was last changed.
    pub updated_at: Time,
}

impl ListedProject {
    /// Returns the row as the list shows it.
    pub fn new(row: ListedRow, app: &App) -> Self {
        let (link, link_expires) = row.output_item_id.map(|item| app.links.to_media(item, row.now)).unzip();
        Self {
            project_url: Text(format!("{}/projects/{}", app.base_url, row.id)),
            id: Text::of(row.id),
            status: row.status.into(),
            revision: row.revision,
            brief: Text(row.brief),
            agent_message: row.agent_message.map(Text),
            assembled_url: row.assembled_url.map(Text).or(link),
            assembled_url_expires_at: row.assembled_url_expires_at.map(Time).or(link_expires),
            created_at: Time(row.created_at),
            updated_at: Time(row.updated_at),
        }
    }
}
