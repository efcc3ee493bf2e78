//! Erasing an item, a workspace or an account: `POST /operator/items/{id}/erase`, likewise of workspaces and
//! accounts.
//!
//! Words and bytes go, the ledger stays as numbers. An account is suspended first: that is the moment to think again.
//! What is cut off half-way is done by asking again: every step leaves out what is done.

use super::OperatorAuth;
use crate::app::App;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, Code};
use crate::http::text::Text;
use crate::usecases::operator::erasure::{ErasedNow, erase_account, erase_item, erase_workspace};
use domain::ids::{AccountId, ItemId, WorkspaceId};
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};

/// What these operations refuse with, beside what every operation may.
pub const ERRORS: Refusals = &[
    ("POST /operator/accounts/{id}/erase", &[Code::AccountNotFound, Code::IllegalTransition]),
    ("POST /operator/workspaces/{id}/erase", &[Code::WorkspaceNotFound, Code::IllegalTransition]),
    ("POST /operator/items/{id}/erase", &[Code::ItemNotFound]),
];

/// The operations that erase.
pub struct OperatorErasures(pub App);

/// What was erased now. What was erased before is not counted again.
#[derive(Debug, Object)]
pub struct ErasedAnswer {
    /// Always true.
    pub erased: bool,
    /// Workspaces.
    pub workspaces: u64,
    /// Items. Their bytes follow, once no job reads them.
    pub items: u64,
    /// Projects.
    pub projects: u64,
}

impl From<ErasedNow> for ErasedAnswer {
    fn from(now: ErasedNow) -> Self {
        let ErasedNow { workspaces, items, projects } = now;
        Self { erased: true, workspaces, items, projects }
    }
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorErasures {
    /// Erase an account
    ///
    /// It must be suspended. Its workspaces with their items and projects, its users, endpoints, signing secret, audit
    /// log and name go, for good; bytes follow as for deleted items. Ids and the ledger stay. Asked again, it goes on
    /// where it was.
    #[oai(path = "/operator/accounts/:id/erase", method = "post", operation_id = "operator_erase_account")]
    async fn account(
        &self,
        auth: OperatorAuth,
        /// The account's id.
        id: Path<Text>,
    ) -> Answer<Json<ErasedAnswer>> {
        let OperatorAuth(operator) = auth;
        let id: AccountId = id.0.id(Code::AccountNotFound)?;
        Ok(Json(erase_account(&self.0, &operator, id).await?.into()))
    }

    /// Erase a workspace
    ///
    /// Its items, projects, members, keys and name go, for good. An account's default workspace goes with its account.
    #[oai(path = "/operator/workspaces/:id/erase", method = "post", operation_id = "operator_erase_workspace")]
    async fn workspace(
        &self,
        auth: OperatorAuth,
        /// The workspace's id.
        id: Path<Text>,
    ) -> Answer<Json<ErasedAnswer>> {
        let OperatorAuth(operator) = auth;
        let id: WorkspaceId = id.0.id(Code::WorkspaceNotFound)?;
        Ok(Json(erase_workspace(&self.0, &operator, id).await?.into()))
    }

    /// Erase an item
    ///
    /// As if its owner had deleted it, and what it was called goes at once. One that was deleted before loses its name
    /// too.
    #[oai(path = "/operator/items/:id/erase", method = "post", operation_id = "operator_erase_item")]
    async fn item(
        &self,
        auth: OperatorAuth,
        /// The item's id.
        id: Path<Text>,
    ) -> Answer<Json<ErasedAnswer>> {
        let OperatorAuth(operator) = auth;
        let id: ItemId = id.0.id(Code::ItemNotFound)?;
        Ok(Json(erase_item(&self.0, &operator, id).await?.into()))
    }
}
