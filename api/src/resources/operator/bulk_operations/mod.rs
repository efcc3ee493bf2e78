//! What is done with all that match a filter, by name: `/operator/bulk-operations` (contract §11).
//!
//! Here operations are started, shown and stopped (`usecases::operator::bulk_operations`); a scheduler takes them
//! forward, or the api itself where reads are run again. The preview of deliveries is the dry run of
//! `/operator/deliveries/resend`, that of reads `/operator/failed-reads`; they have the same filters.

mod asked;
mod shown;

pub use shown::{BulkOperationAnswer, skipped_for};

use super::failed_reads::FailedReads;
use super::{OperatorAuth, missing};
use crate::app::App;
use crate::contract::envelope::Accepted;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{Text, Time};
use crate::resources::tools::prepare_media::ReadKind;
use crate::usecases::operator::bulk_operations::{BulkAsked, start, stop};
use asked::StartBulkOperation;
use domain::ids::BulkOperationId;
use poem_openapi::OpenApi;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use shown::BulkStateWord;
use store::bulk_operations::{self, BulkFilter};
use store::inspect;
use store::jobs::{self, RerunFilter};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    (
        "POST /operator/bulk-operations",
        &[Code::AccountNotFound, Code::WebhookNotFound, Code::NameTaken, Code::QuotaReached],
    ),
    ("GET /operator/failed-reads", &[Code::AccountNotFound]),
    ("GET /operator/bulk-operations", &[Code::InvalidCursor]),
    ("GET /operator/bulk-operations/{id}", &[Code::BulkOperationNotFound]),
    ("POST /operator/bulk-operations/{id}/stop", &[Code::BulkOperationNotFound]),
];

/// The operations on bulk operations.
pub struct OperatorBulkOperations(pub App);

#[OpenApi(tag = "Tag::Operator")]
impl OperatorBulkOperations {
    /// Start a bulk operation
    ///
    /// Sends again all events whose last delivery to an endpoint failed or was skipped, and which match the filters:
    /// each as a new delivery, from its first attempt, up to `pace` or 500 a second, the oldest of each endpoint first.
    /// Count them before with `dry_run` of `POST /operator/deliveries/resend`, and pass on its `until`, which must not
    /// lie ahead. With the kind `rerun_reads` it runs failed reads again instead, up to 50 a second, for the accounts
    /// that paid for them: count those before with `GET /operator/failed-reads`. The operation goes on by itself,
    /// whatever restarts meanwhile; at most five run at once.
    #[oai(path = "/operator/bulk-operations", method = "post", operation_id = "operator_start_bulk_operation")]
    async fn start(&self, auth: OperatorAuth, body: Json<StartBulkOperation>) -> Answer<Accepted<BulkOperationAnswer>> {
        let OperatorAuth(operator) = auth;
        let asked = BulkAsked { selection: body.0.takes()?, pace: body.0.pace, name: body.0.name.0 };
        Ok(Accepted(start(&self.0, &operator, &asked).await?.into()))
    }

    /// Count failed reads
    ///
    /// Counts the reads that failed and were not started again since, by the account that paid for them, with the
    /// minutes that were held. It is the preview of `POST /operator/bulk-operations` with the kind `rerun_reads`: pass
    /// on its `until`. An item and read counts once, by its last job.
    #[oai(path = "/operator/failed-reads", method = "get", operation_id = "operator_count_failed_reads")]
    async fn count_failed(
        &self,
        _auth: OperatorAuth,
        /// Only reads whose job was created at or after this time.
        since: Query<Time>,
        /// Only reads whose job was created before this time; until now, if absent.
        until: Query<Option<Time>>,
        /// Only reads that this account paid for.
        account_id: Query<Option<Text>>,
        /// Only this read.
        read: Query<Option<ReadKind>>,
        /// Only reads that failed with this job error code.
        error_code: Query<Option<Text>>,
    ) -> Answer<Json<FailedReads>> {
        let mut conn = self.0.conn().await?;
        let until = match until.0 {
            Some(Time(until)) => until,
            None => inspect::now(&mut conn).await?,
        };
        let filter = RerunFilter {
            since: since.0.0,
            until: Some(until),
            account: account_id.0.map(|id| id.id(Code::AccountNotFound)).transpose()?,
            read: read.0.map(Into::into),
            error_code: error_code.0.map(|text| text.0),
        };
        Ok(Json(FailedReads::of(filter.since, until, &jobs::reruns_of(&mut conn, &filter).await?)))
    }

    /// List bulk operations
    ///
    /// Newest first, with how far each is. Those that have ended are kept as long as accounts' audit logs, 400 days
    /// unless the deployment says otherwise.
    #[oai(path = "/operator/bulk-operations", method = "get", operation_id = "operator_list_bulk_operations")]
    async fn list(
        &self,
        _auth: OperatorAuth,
        /// Only those in this state.
        state: Query<Option<BulkStateWord>>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<BulkOperationAnswer>>> {
        let page = Page::new("operator bulk operations", limit.0, cursor.0.as_ref())?;
        let filter = BulkFilter { state: state.0.map(Into::into), ..BulkFilter::default() };
        let rows = bulk_operations::list(&mut *self.0.conn().await?, filter, page.after, page.fetch()).await?;
        Ok(Json(page.list(rows, |row| row.id.uuid(), Into::into)))
    }

    /// Get a bulk operation
    ///
    /// With how far it is.
    #[oai(path = "/operator/bulk-operations/:id", method = "get", operation_id = "operator_get_bulk_operation")]
    async fn get(
        &self,
        _auth: OperatorAuth,
        /// The operation's id.
        id: Path<Text>,
    ) -> Answer<Json<BulkOperationAnswer>> {
        let id: BulkOperationId = id.0.id(Code::BulkOperationNotFound)?;
        let found = bulk_operations::by_id(&mut *self.0.conn().await?, id).await?;
        Ok(Json(found.ok_or_else(|| missing(Code::BulkOperationNotFound, id))?.into()))
    }

    /// Stop a bulk operation
    ///
    /// What it has sent stays sent, what it has started goes on, and nothing more is. One that has ended stays as it
    /// is.
    #[oai(path = "/operator/bulk-operations/:id/stop", method = "post", operation_id = "operator_stop_bulk_operation")]
    async fn stop(
        &self,
        auth: OperatorAuth,
        /// The operation's id.
        id: Path<Text>,
    ) -> Answer<Json<BulkOperationAnswer>> {
        let OperatorAuth(operator) = auth;
        let id: BulkOperationId = id.0.id(Code::BulkOperationNotFound)?;
        Ok(Json(stop(&self.0, &operator, id).await?.into()))
    }
}
