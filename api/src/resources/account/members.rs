//! `/workspaces/{id}/members`: members of the workspace that the call acts in, and their roles (contract §4.3, §5).

use crate::app::App;
use crate::auth::{Auth, Caller};
use crate::contract::envelope::Deleted;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{Text, Time};
use crate::resources::operator::members::RoleWord;
use crate::usecases::workspaces::{put_member, remove_member};
use domain::ids::UserId;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use store::members::{self, MemberRow};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("GET /workspaces/{id}/members", &[Code::WorkspaceForbidden, Code::InvalidCursor]),
    ("PUT /workspaces/{id}/members/{userId}", &[Code::WorkspaceForbidden, Code::UserNotFound, Code::LastOwner]),
    (
        "DELETE /workspaces/{id}/members/{userId}",
        &[Code::WorkspaceForbidden, Code::UserNotFound, Code::MemberNotFound, Code::LastOwner],
    ),
];

/// The operations on members.
pub struct Members(pub App);

/// The role to give.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct MemberRole {
    /// The role.
    pub role: RoleWord,
}

/// A member of a workspace.
#[derive(Debug, Object)]
#[oai(rename = "WorkspaceMember")]
pub struct Member {
    /// The user.
    pub user_id: Text,
    /// The user's name.
    pub user_name: Text,
    /// Their role in the workspace.
    pub role: RoleWord,
    /// When they became a member.
    pub created_at: Time,
}

impl From<MemberRow> for Member {
    fn from(row: MemberRow) -> Self {
        Self {
            user_id: Text::of(row.user_id),
            user_name: Text(row.user_name),
            role: row.role.into(),
            created_at: Time(row.created_at),
        }
    }
}

#[OpenApi(tag = "Tag::Account")]
impl Members {
    /// List a workspace's members
    ///
    /// Lists the members of the workspace that the call acts in; only owners may. API keys are not members: each acts
    /// as an owner in the one workspace that it is bound to.
    #[oai(path = "/workspaces/:id/members", method = "get", operation_id = "list_members")]
    async fn list(
        &self,
        auth: Auth,
        /// The workspace that the call acts in.
        id: Path<Text>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<Member>>> {
        let Auth(caller) = auth;
        here(&caller, &id.0)?;
        let page = Page::of("members", caller.workspace.id.uuid(), limit.0, cursor.0.as_ref())?;
        let mut conn = self.0.conn().await?;
        let rows = members::of_workspace(&mut conn, caller.workspace.id, page.after, page.fetch()).await?;
        Ok(Json(page.list(rows, |row| row.user_id.uuid(), Member::from)))
    }

    /// Give a user a role in a workspace
    ///
    /// Makes them a member, or changes a member's role. Only users of the workspace's account, or members of one of
    /// that account's workspaces, can be given a role. The last owner must stay one.
    #[oai(path = "/workspaces/:id/members/:userId", method = "put", operation_id = "put_member")]
    async fn put(
        &self,
        auth: Auth,
        /// The workspace that the call acts in.
        id: Path<Text>,
        /// The user.
        #[oai(name = "userId")]
        user_id: Path<Text>,
        body: Json<MemberRole>,
    ) -> Answer<Json<Member>> {
        let Auth(caller) = auth;
        here(&caller, &id.0)?;
        let user: UserId = user_id.0.id(Code::UserNotFound)?;
        Ok(Json(put_member(&self.0, &caller, user, body.0.role.into()).await?.into()))
    }

    /// End a membership
    ///
    /// The user's sessions in the workspace end too, and so do the keys to its account that they made. The last owner
    /// can't be removed.
    #[oai(path = "/workspaces/:id/members/:userId", method = "delete", operation_id = "delete_member")]
    async fn delete(
        &self,
        auth: Auth,
        /// The workspace that the call acts in.
        id: Path<Text>,
        /// The user.
        #[oai(name = "userId")]
        user_id: Path<Text>,
    ) -> Answer<Json<Deleted>> {
        let Auth(caller) = auth;
        here(&caller, &id.0)?;
        let user: UserId = user_id.0.id(Code::UserNotFound)?;
        remove_member(&self.0, &caller, user).await?;
        Ok(Deleted::json())
    }
}

/// Refuses any workspace but the one that the call acts in.
///
/// # Errors
/// `workspace_forbidden`.
pub(super) fn here(caller: &Caller, named: &Text) -> Answer<()> {
    if named.0 == caller.workspace.id.to_string() {
        return Ok(());
    }
    let message = format!("The call acts in {}.", caller.workspace.id);
    let refusal = ApiError::new(Code::WorkspaceForbidden, message);
    Err(refusal.suggest("Name the workspace in x-workspace-id too, if you can reach it."))
}
