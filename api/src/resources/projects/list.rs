//! A project as `GET /projects` lists it: in short, for `GET /projects/{id}` has all of it, which may be a mebibyte.

use super::ProjectState;
use crate::app::App;
use crate::http::text::{Text, Time};
use poem_openapi::Object;
use store::projects::ListedRow;

/// A project in short.
#[derive(Debug, Object)]
pub struct ListedProject {
    /// Its id.
    pub id: Text,
    /// Where it stands.
    pub status: ProjectState,
    /// How many changes of status there were, the creation being the first.
    pub revision: i64,
    /// What was asked for: its first 200 characters.
    pub brief: Text,
    /// What the agent last said, its first 200 characters, or null.
    pub agent_message: Option<Text>,
    /// Where the result is, or null.
    pub assembled_url: Option<Text>,
    /// Until when it is there, or null.
    pub assembled_url_expires_at: Option<Time>,
    /// Where all of it is read, with a credential.
    pub project_url: Text,
    /// When it was created.
    pub created_at: Time,
    /// When it was last changed.
    pub updated_at: Time,
}

impl ListedProject {
    /// As the row stands.
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
