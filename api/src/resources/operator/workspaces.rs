//! Workspaces: `/operator/workspaces` (contract §11).

use super::{OperatorAuth, named};
use crate::app::App;
use crate::contract::envelope::Created;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{Text, Time};
use crate::usecases::operator::workspaces::{AsDefault, change_workspace, open_workspace};
use domain::ids::{AccountId, WorkspaceId};
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use store::workspaces::{self, OwnedRow};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("POST /operator/workspaces", &[Code::AccountNotFound]),
    ("GET /operator/workspaces", &[Code::InvalidCursor, Code::AccountNotFound]),
    ("PATCH /operator/workspaces/{id}", &[Code::WorkspaceNotFound]),
];

/// The operations on workspaces.
pub struct OperatorWorkspaces(pub App);

/// A workspace to open.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct OpenWorkspace {
    /// The account that owns it.
    pub account_id: Text,
    /// Its name.
    #[oai(validator(max_length = 200))]
    pub name: Text,
}

/// What to change in a workspace. Absent fields keep their values.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ChangeWorkspace {
    /// A new name.
    #[oai(validator(max_length = 200))]
    pub name: Option<Text>,
    /// `true` makes it its account's default, instead of the previous one. To undo that, make another one the default.
    pub is_default: Option<bool>,
}

/// A workspace and the account that owns it.
#[derive(Debug, Object)]
pub struct OperatorWorkspace {
    /// Its id.
    pub id: Text,
    /// The account that owns it.
    pub account_id: Text,
    /// Its name.
    pub name: Text,
    /// Whether it is its account's default.
    pub is_default: bool,
    /// When it was opened.
    pub created_at: Time,
}

impl From<OwnedRow> for OperatorWorkspace {
    fn from(row: OwnedRow) -> Self {
        Self {
            id: Text::of(row.id),
            account_id: Text::of(row.account_id),
            name: Text(row.name),
            is_default: row.is_default,
            created_at: Time(row.created_at),
        }
    }
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorWorkspaces {
    /// Open a workspace
    ///
    /// The first workspace of an account is its default.
    #[oai(path = "/operator/workspaces", method = "post", operation_id = "operator_create_workspace")]
    async fn create(&self, auth: OperatorAuth, body: Json<OpenWorkspace>) -> Answer<Created<OperatorWorkspace>> {
        let OperatorAuth(operator) = auth;
        let account: AccountId = body.0.account_id.id(Code::AccountNotFound)?;
        let name = named(&body.0.name)?;
        Ok(Created(open_workspace(&self.0, &operator, account, name).await?.into()))
    }

    /// List workspaces
    ///
    /// All workspaces, newest first.
    #[oai(path = "/operator/workspaces", method = "get", operation_id = "operator_list_workspaces")]
    async fn list(
        &self,
        _auth: OperatorAuth,
        /// Only workspaces that this account owns.
        account_id: Query<Option<Text>>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<OperatorWorkspace>>> {
        let page = Page::new("operator workspaces", limit.0, cursor.0.as_ref())?;
        let account = account_id.0.map(|text| text.id(Code::AccountNotFound)).transpose()?;
        let rows = workspaces::list(&mut *self.0.conn().await?, account, page.after, page.fetch()).await?;
        Ok(Json(page.list(rows, |row| row.id.uuid(), OperatorWorkspace::from)))
    }

    /// Change a workspace
    ///
    /// Changes its name, or makes it its account's default.
    #[oai(path = "/operator/workspaces/:id", method = "patch", operation_id = "operator_update_workspace")]
    async fn change(
        &self,
        auth: OperatorAuth,
        /// The workspace's id.
        id: Path<Text>,
        body: Json<ChangeWorkspace>,
    ) -> Answer<Json<OperatorWorkspace>> {
        let OperatorAuth(operator) = auth;
        let id: WorkspaceId = id.0.id(Code::WorkspaceNotFound)?;
        if body.0.is_default == Some(false) {
            let message = "`is_default` can only be true: an account has a default workspace, so name another one.";
            return Err(ApiError::new(Code::InvalidRequest, message));
        }
        let name = body.0.name.as_ref().map(named).transpose()?;
        let default = if body.0.is_default == Some(true) { AsDefault::This } else { AsDefault::Unchanged };
        Ok(Json(change_workspace(&self.0, &operator, id, name, default).await?.into()))
    }
}
