//! `GET /workspaces`: where the caller can act, and as what (contract §4.3, §5).

use crate::app::App;
use crate::auth::{Auth, CredentialKind};
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{Text, Time};
use poem_openapi::param::Query;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use store::workspaces::{self, WorkspaceRow};

/// What these operations refuse with, beside what every operation may.
pub const ERRORS: Refusals = &[("GET /workspaces", &[Code::InvalidCursor])];

/// The workspace operations.
pub struct Workspaces(pub App);

/// A workspace that the caller can reach.
#[derive(Debug, Object)]
pub struct Workspace {
    /// Its id, as `x-workspace-id` takes it.
    pub id: Text,
    /// What its account calls it.
    pub name: Text,
    /// The caller's role: `owner`, `editor` or `viewer`.
    pub role: Text,
    /// Whether it is the default workspace of your own account, which at most one is. A call without `x-workspace-id`
    /// acts there, if you and the connection can reach it.
    pub is_default: bool,
    /// When it was created.
    pub created_at: Time,
}

impl From<WorkspaceRow> for Workspace {
    fn from(row: WorkspaceRow) -> Self {
        Self {
            id: Text::of(row.id),
            name: Text(row.name),
            role: Text(row.role),
            is_default: row.is_default,
            created_at: Time(row.created_at),
        }
    }
}

#[OpenApi(tag = "Tag::Account")]
impl Workspaces {
    /// List workspaces
    ///
    /// The workspaces that the credential can reach, with the caller's role in each. An API key or a script session
    /// reaches one. An OAuth access token reaches those that its user is a member of and has let the connection into.
    #[oai(path = "/workspaces", method = "get", operation_id = "list_workspaces")]
    async fn list(
        &self,
        auth: Auth,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<Workspace>>> {
        let Auth(caller) = auth;
        let page = Page::new("workspaces", limit.0, cursor.0.as_ref())?;
        let mut conn = self.0.conn().await?;
        let signed_in = caller.user_id.filter(|_| caller.credential == CredentialKind::OAuth);
        let rows = if let Some(user) = signed_in {
            let allowed = caller.allowed_workspaces.as_deref();
            workspaces::of_user(&mut conn, caller.account_id, user, allowed, page.after, page.fetch()).await?
        } else {
            let (account, role) = (caller.account_id, caller.workspace.role.name());
            workspaces::bound(&mut conn, account, caller.workspace.id, role).await?
        };
        Ok(Json(page.list(rows, |row| row.id.uuid(), Workspace::from)))
    }
}
