//! Users' memberships of workspaces: `/operator/members` (contract §11).

use super::OperatorAuth;
use crate::app::App;
use crate::contract::envelope::{Created, Deleted};
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{Text, Time};
use crate::http::words::same_words;
use crate::usecases::operator::members::{put_member, remove_member};
use domain::ids::{UserId, WorkspaceId};
use domain::role::Role;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use store::members::{self, MemberRow};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("POST /operator/members", &[Code::WorkspaceNotFound, Code::UserNotFound]),
    ("GET /operator/members", &[Code::InvalidCursor, Code::WorkspaceNotFound, Code::UserNotFound]),
    (
        "DELETE /operator/members/{workspaceId}/{userId}",
        &[Code::WorkspaceNotFound, Code::UserNotFound, Code::MemberNotFound],
    ),
];

/// The operations on members.
pub struct OperatorMembers(pub App);

/// A role in a workspace; each includes the rights of those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum RoleWord {
    /// Reads.
    Viewer,
    /// Also starts work.
    Editor,
    /// Also manages members.
    Owner,
}

same_words!(Role = RoleWord { Viewer, Editor, Owner });

/// A membership to give or to change.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct PutMember {
    /// The workspace; its account may be another than the user's.
    pub workspace_id: Text,
    /// The user.
    pub user_id: Text,
    /// The role to give.
    pub role: RoleWord,
}

/// A membership.
#[derive(Debug, Object)]
pub struct OperatorMember {
    /// The workspace.
    pub workspace_id: Text,
    /// The user.
    pub user_id: Text,
    /// The user's name.
    pub user_name: Text,
    /// Their role in the workspace.
    pub role: RoleWord,
    /// When they became a member.
    pub created_at: Time,
}

impl From<MemberRow> for OperatorMember {
    fn from(row: MemberRow) -> Self {
        Self {
            workspace_id: Text::of(row.workspace_id),
            user_id: Text::of(row.user_id),
            user_name: Text(row.user_name),
            role: row.role.into(),
            created_at: Time(row.created_at),
        }
    }
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorMembers {
    /// Give a user a role in a workspace
    ///
    /// Makes them a member, or changes a member's role.
    #[oai(path = "/operator/members", method = "post", operation_id = "operator_put_member")]
    async fn put(&self, auth: OperatorAuth, body: Json<PutMember>) -> Answer<Created<OperatorMember>> {
        let OperatorAuth(operator) = auth;
        let workspace: WorkspaceId = body.0.workspace_id.id(Code::WorkspaceNotFound)?;
        let user: UserId = body.0.user_id.id(Code::UserNotFound)?;
        let role = Role::from(body.0.role);
        Ok(Created(put_member(&self.0, &operator, workspace, user, role).await?.into()))
    }

    /// List members
    ///
    /// Lists the members of a workspace, or the memberships of a user: give exactly one of the two.
    #[oai(path = "/operator/members", method = "get", operation_id = "operator_list_members")]
    async fn list(
        &self,
        _auth: OperatorAuth,
        /// The workspace whose members to list.
        workspace_id: Query<Option<Text>>,
        /// The user whose memberships to list.
        user_id: Query<Option<Text>>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<OperatorMember>>> {
        let mut conn = self.0.conn().await?;
        match (workspace_id.0, user_id.0) {
            (Some(workspace), None) => {
                let id: WorkspaceId = workspace.id(Code::WorkspaceNotFound)?;
                let page = Page::of("operator members", id.uuid(), limit.0, cursor.0.as_ref())?;
                let rows = members::of_workspace(&mut conn, id, page.after, page.fetch()).await?;
                Ok(Json(page.list(rows, |row| row.user_id.uuid(), OperatorMember::from)))
            }
            (None, Some(user)) => {
                let id: UserId = user.id(Code::UserNotFound)?;
                let page = Page::of("operator memberships", id.uuid(), limit.0, cursor.0.as_ref())?;
                let rows = members::of_user(&mut conn, id, page.after, page.fetch()).await?;
                Ok(Json(page.list(rows, |row| row.workspace_id.uuid(), OperatorMember::from)))
            }
            _ => Err(ApiError::new(Code::InvalidRequest, "Give either `workspace_id` or `user_id`.")),
        }
    }

    /// End a membership
    ///
    /// The user loses access to the workspace at once: their sessions there end, and the keys to the workspace's
    /// account that they made, or whose keys made them, are revoked. Work that they have started continues. If the
    /// account is their own, they remain one of its users: disable them to keep them out of all of it.
    #[oai(path = "/operator/members/:workspaceId/:userId", method = "delete", operation_id = "operator_delete_member")]
    async fn remove(
        &self,
        auth: OperatorAuth,
        /// The workspace's id.
        #[oai(name = "workspaceId")]
        workspace_id: Path<Text>,
        /// The user's id.
        #[oai(name = "userId")]
        user_id: Path<Text>,
    ) -> Answer<Json<Deleted>> {
        let OperatorAuth(operator) = auth;
        let workspace: WorkspaceId = workspace_id.0.id(Code::WorkspaceNotFound)?;
        let user: UserId = user_id.0.id(Code::UserNotFound)?;
        remove_member(&self.0, &operator, workspace, user).await?;
        Ok(Deleted::json())
    }
}
