//! The audit log: `/operator/audit` (contract §11). It is written by the changes themselves, and only read here.

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
use store::audit::{self, AuditRow, Filter};

/// What these operations refuse with, beside what every operation may.
pub const ERRORS: Refusals = &[("GET /operator/audit", &[Code::InvalidCursor])];

/// The operation on the audit log.
pub struct OperatorAudit(pub App);

/// A change that an operator made.
#[derive(Debug, Object)]
pub struct AuditEntry {
    /// Its id.
    pub id: Text,
    /// When.
    pub at: Time,
    /// The name that goes with the operator's token.
    pub operator: Text,
    /// The address that the request came from, or null.
    pub address: Option<Text>,
    /// What was done, such as `account.create` or `read.pause`.
    pub action: Text,
    /// What it was done to: an id, or a read's name.
    pub target: Text,
    /// What was changed, as it was; null where nothing was.
    pub before: Option<Any<Value>>,
    /// And as it is; null where nothing is.
    pub after: Option<Any<Value>>,
    /// The request's `X-Request-Id`.
    pub request_id: Text,
    /// Its place in the log's chain, from 1; null for a row from before there was one.
    pub number: Option<i64>,
    /// SHA-256 over the row and the hash of the one before it, in hex; null where `number` is.
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
    /// What operators did, newest first, and what they looked at (`view`: once an hour for the same operator and
    /// route). It is kept for good, can't be changed, and each row carries the hash of the one before it.
    #[oai(path = "/operator/audit", method = "get", operation_id = "operator_list_audit")]
    #[expect(clippy::too_many_arguments, reason = "an operation's parameters are its arguments")]
    async fn list(
        &self,
        _auth: OperatorAuth,
        /// Only by this operator.
        operator: Query<Option<Text>>,
        /// Only of this sort, such as `account.create`.
        action: Query<Option<Text>>,
        /// Only to this: an id, or a read's name.
        target: Query<Option<Text>>,
        /// Only at or after this time.
        since: Query<Option<Time>>,
        /// Only before this time.
        until: Query<Option<Time>>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<AuditEntry>>> {
        let page = Page::new("operator audit", limit.0, cursor.0.as_ref())?;
        let filter = Filter {
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
