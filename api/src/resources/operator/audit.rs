//! The audit log: `/operator/audit` (contract §11). The changes themselves write it; here it is only read.

use super::OperatorAuth;
use crate::app::App;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{Text, Time};
use poem_openapi::param::Query;
use poem_openapi::payload::Json;
use poem_openapi::types::Any;
use poem_openapi::{Object, OpenApi};
use serde_json::Value;
use store::audit::{self, AuditFilter, AuditRow};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[("GET /operator/audit", &[Code::InvalidCursor])];

/// The operation on the audit log.
pub struct OperatorAudit(pub App);

/// A change that an operator made, or a view.
#[derive(Debug, Object)]
pub struct AuditEntry {
    /// Its id.
    pub id: Text,
    /// When it happened.
    pub at: Time,
    /// The operator's name, which belongs to the token.
    pub operator: Text,
    /// The address that the request came from, or null.
    pub address: Option<Text>,
    /// The action, such as `account.create` or `read.pause`.
    pub action: Text,
    /// The target of the action: an id, or a read's name.
    pub target: Text,
    /// The changed values before the action; null when there were none.
    pub before: Option<Any<Value>>,
    /// The changed values after the action; null when there are none.
    pub after: Option<Any<Value>>,
    /// The request's `X-Request-Id`.
    pub request_id: Text,
    /// Its number in the log's chain, from 1; null for a row that is older than the chain.
    pub number: Option<i64>,
    /// SHA-256 over the row and the previous row's hash, in hexadecimal; null when `number` is.
    pub hash: Option<Text>,
}

impl From<AuditRow> for AuditEntry {
    fn from(row: AuditRow) -> Self {
        Self {
            id: Text::of(row.id),
            at: Time(row.at),
            operator: Text(row.operator),
            address: row.address.map(Text),
            action: Text(row.action),
            target: Text(row.target),
            before: row.before.map(Any),
            after: row.after.map(Any),
            request_id: Text(row.request_id),
            number: row.number,
            hash: row.hash.map(Text),
        }
    }
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorAudit {
    /// List changes
    ///
    /// Lists what operators did, newest first, and what they viewed (`view`: once an hour for the same operator and
    /// route). It is kept for good, can't be changed, and each row carries the hash of the one before it.
    #[oai(path = "/operator/audit", method = "get", operation_id = "operator_list_audit")]
    #[expect(clippy::too_many_arguments, reason = "an operation's parameters are its arguments")]
    async fn list(
        &self,
        _auth: OperatorAuth,
        /// Only actions of this operator.
        operator: Query<Option<Text>>,
        /// Only this action, such as `account.create`.
        action: Query<Option<Text>>,
        /// Only actions on this target: an id, or a read's name.
        target: Query<Option<Text>>,
        /// Only actions at or after this time.
        since: Query<Option<Time>>,
        /// Only actions before this time.
        until: Query<Option<Time>>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<AuditEntry>>> {
        let page = Page::new("operator audit", limit.0, cursor.0.as_ref())?;
        let filter = AuditFilter {
            operator: operator.0.as_deref(),
            action: action.0.as_deref(),
            target: target.0.as_deref(),
            since: since.0.map(|time| time.0),
            until: until.0.map(|time| time.0),
        };
        let rows = audit::list(&mut *self.0.conn().await?, filter, page.after, page.fetch()).await?;
        Ok(Json(page.list(rows, |row| row.id.uuid(), AuditEntry::from)))
    }
}
