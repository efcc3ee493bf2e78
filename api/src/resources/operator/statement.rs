//! The statement of any account, as the account sees it: `/operator/accounts/{id}/statement` (contract §11).

use super::{OperatorAuth, missing};
use crate::app::App;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, Code};
use crate::http::paging::Limit;
use crate::http::text::Text;
use crate::resources::account::statement::{StatementAnswer, statement_of};
use domain::ids::AccountId;
use poem_openapi::OpenApi;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;

/// The error codes of this operation, besides those that any operation may return.
pub const ERRORS: Refusals =
    &[("GET /operator/accounts/{id}/statement", &[Code::AccountNotFound, Code::InvalidCursor])];

/// The operation on statements.
pub struct OperatorStatements(pub App);

#[OpenApi(tag = "Tag::Operator")]
impl OperatorStatements {
    /// Get a month's statement of any account
    ///
    /// As its account gets it: what stood before the month, the journal's entries of it, newest first, and what stands
    /// after them. `adds_up` says whether the account's balances are what its whole journal adds up to.
    #[oai(path = "/operator/accounts/:id/statement", method = "get", operation_id = "operator_get_statement")]
    async fn statement(
        &self,
        _auth: OperatorAuth,
        /// The account's id.
        id: Path<Text>,
        /// The month, such as `2026-11`; the open one when it is absent.
        month: Query<Option<Text>>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<StatementAnswer>> {
        let id: AccountId = id.0.id(Code::AccountNotFound)?;
        // Not in the account's turns: whoever keeps them taken would keep operators from it. Nor over the connections
        // of the operators' pages, whose statements end after two seconds: a page of an old month reads past the
        // entries of all later ones.
        let mut conn = self.0.conn().await?;
        let found = statement_of(&mut conn, id, month.0.as_ref(), limit.0, cursor.0.as_ref()).await?;
        Ok(Json(found.ok_or_else(|| missing(Code::AccountNotFound, id))?))
    }
}
