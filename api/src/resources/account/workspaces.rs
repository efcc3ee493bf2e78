//! `/workspaces`: the workspaces in which the caller can act, with their role; owners open and rename them (contract
//! §4.3, §5). `members` lists who else acts there.

use super::members::here;
use crate::app::App;
use crate::auth::{Auth, CredentialKind};
use crate::contract::envelope::Stored;
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{Text, Time};
use crate::usecases::once::Once;
use crate::usecases::workspaces::{open_workspace, rename_workspace};
use domain::ids::AccountId;
use domain::role::Role;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use poem_openapi::{Object, OpenApi};
use store::workspaces::{self, OwnedRow, WorkspaceRow};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("GET /workspaces", &[Code::InvalidCursor]),
    ("POST /workspaces", &[Code::WorkspaceForbidden, Code::QuotaReached]),
    ("PATCH /workspaces/{id}", &[Code::WorkspaceForbidden]),
];

/// The workspace operations.
pub struct Workspaces(pub App);

/// The name of a workspace.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct WorkspaceName {
    /// Its name, 1 to 200 characters on one line.
    pub name: Text,
}

/// A workspace that the caller can reach.
#[derive(Debug, Object)]
pub struct Workspace {
    /// Its id, for `x-workspace-id`.
    pub id: Text,
    /// Its name.
    pub name: Text,
    /// The caller's role: `owner`, `editor` or `viewer`.
    pub role: Text,
    /// Whether it is the default workspace of your own account; at most one is. A call without `x-workspace-id` acts
    /// there, if you and the connection can reach it.
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

impl Workspace {
    /// Returns the workspace as an owner of this account sees it.
    fn owned(row: OwnedRow, account: AccountId) -> Self {
        Self {
            id: Text::of(row.id),
            name: Text(row.name),
            role: Role::Owner.name().into(),
            is_default: row.is_default && row.account_id == account,
            created_at: Time(row.created_at),
        }
    }
}

#[OpenApi(tag = "Tag::Account")]
impl Workspaces {
    /// List workspaces
    ///
    /// Lists the workspaces that the credential can reach, with the caller's role in each. An API key or a script
    /// session reaches one. An OAuth access token reaches those of which its user is a member and into which they let
    /// the connection.
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

    /// Open a workspace
    ///
    /// Opens another workspace of the caller's account; only an owner may. A user who opens it becomes its owner; an
    /// API key still acts in its own workspace only, and `POST /keys` makes one for the new workspace. An account has
    /// at most 100.
    #[oai(path = "/workspaces", method = "post", operation_id = "create_workspace")]
    async fn create(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        body: Json<WorkspaceName>,
    ) -> Answer<Stored<Workspace, 201>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "POST /workspaces", key, &body.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let account = caller.account_id;
        let show = |row: OwnedRow| Workspace::owned(row, account).to_json_string();
        Ok(open_workspace(&self.0, &caller, &once, &body.0.name, show).await?.into())
    }

    /// Rename a workspace
    ///
    /// Renames the workspace that the call acts in; only an owner may.
    #[oai(path = "/workspaces/:id", method = "patch", operation_id = "update_workspace")]
    async fn update(
        &self,
        auth: Auth,
        /// The workspace that the call acts in.
        id: Path<Text>,
        body: Json<WorkspaceName>,
    ) -> Answer<Json<Workspace>> {
        let Auth(caller) = auth;
        here(&caller, &id.0)?;
        let row = rename_workspace(&self.0, &caller, &body.0.name).await?;
        Ok(Json(Workspace::owned(row, caller.account_id)))
    }
}
