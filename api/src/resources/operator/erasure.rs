//! Erases an item, a workspace or an account: `POST /operator/items/{id}/erase`, and likewise for workspaces and
//! accounts.
//!
//! Texts and bytes are erased, the ledger stays as numbers. An account must be suspended first, which gives time to
//! reconsider. An erasure that broke off is completed by repeating it: every step skips what is done.

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

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("POST /operator/accounts/{id}/erase", &[Code::AccountNotFound, Code::IllegalTransition]),
    ("POST /operator/workspaces/{id}/erase", &[Code::WorkspaceNotFound, Code::IllegalTransition]),
    ("POST /operator/items/{id}/erase", &[Code::ItemNotFound]),
];

/// The operations that erase.
pub struct OperatorErasures(pub App);

/// The numbers of things that were erased now. Things that were erased before are not counted again.
#[derive(Debug, Object)]
pub struct ErasedAnswer {
    /// Always true.
    pub erased: bool,
    /// The number of workspaces.
    pub workspaces: u64,
    /// The number of items. Their bytes are deleted once no job reads them.
    pub items: u64,
    /// The number of projects.
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
    /// log and name are erased for good; bytes are deleted as for deleted items. Ids and the ledger stay. Repeated, it
    /// continues where it stopped.
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
    /// Its items, projects, members, keys and name are erased for good. An account's default workspace is erased with
    /// its account only.
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
    /// Deletes it as its owner could, and erases its name at once. An item that was deleted before loses its name too.
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
