//! What is done with all that match a filter, by name: `/operator/bulk-operations` (contract §11).
//!
//! Here operations are started, shown and stopped (`usecases::operator::bulk_operations`); a scheduler takes them
//! forward, or the api itself where reads are run again. The preview of deliveries is the dry run of
//! `/operator/deliveries/resend`, that of reads `/operator/failed-reads`; they have the same filters.

use super::failed_reads::FailedReads;
use super::unsent::{Unarrived, selecting_unsent};
use super::{OperatorAuth, missing};
use crate::app::App;
use crate::contract::envelope::Accepted;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{MinuteCount, Text, Time};
use crate::http::words::same_words;
use crate::resources::tools::prepare_media::ReadKind;
use crate::resources::webhooks::deliveries::Kind;
use crate::usecases::operator::bulk_operations::{BulkAsked, BulkSelection, start, stop};
use crate::usecases::operator::deliveries::UnsentSelection;
use domain::bulk::{BulkKind, BulkState};
use domain::ids::BulkOperationId;
use domain::minutes::Minutes;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use serde_json::Value;
use std::cmp::Reverse;
use store::bulk_operations::{self, BulkFilter, BulkOperation};
use store::deliveries::UnsentFilter;
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

/// What a bulk operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum BulkKindWord {
    /// It sends again the events whose last delivery to an endpoint failed or was skipped.
    ResendDeliveries,
    /// It runs failed reads again, each as a new job that the account which paid for the first one pays for.
    RerunReads,
}

/// How far a bulk operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum BulkStateWord {
    /// It goes on.
    Running,
    /// An operator stopped it.
    Stopped,
    /// It has come to its end.
    Finished,
}

same_words!(BulkKind = BulkKindWord { ResendDeliveries, RerunReads });
same_words!(BulkState = BulkStateWord { Running, Stopped, Finished });

selecting_unsent! {
    /// A bulk operation to start.
    StartBulkOperation {
        /// Its name, which no other one has. A request that is sent again with the same name, filters and pace starts
        /// nothing, and is answered with the operation.
        #[oai(validator(min_length = 1, max_length = 200))]
        name: Text,
        /// What it does.
        kind: BulkKindWord,
        /// How many deliveries are sent each second, so that a receiver that has just come back gets no more than it
        /// can take; up to 500, if absent. Not with the kind `rerun_reads`.
        #[oai(validator(minimum(value = "1"), maximum(value = "100")))]
        pace: Option<i16>,
        /// Only this read; with the kind `rerun_reads` alone.
        read: Option<ReadKind>,
        /// Only reads that failed with this job error code; with the kind `rerun_reads` alone.
        error_code: Option<Text>,
    }
}

impl StartBulkOperation {
    /// Returns what the operation takes.
    ///
    /// # Errors
    /// `invalid_request` for a filter that is of the other kind alone.
    fn takes(&self) -> Answer<BulkSelection> {
        let selection = self.selection()?;
        let UnsentSelection { account, endpoint, filter } = &selection;
        let of_reads = self.read.is_some() || self.error_code.is_some();
        let of_deliveries = endpoint.is_some()
            || self.pace.is_some()
            || filter.status.is_some()
            || filter.event_type.is_some()
            || filter.http_status.is_some()
            || filter.error.is_some();
        match self.kind {
            BulkKindWord::ResendDeliveries if of_reads => {
                Err(ApiError::new(Code::InvalidRequest, "`read` and `error_code` are of the kind `rerun_reads` alone."))
            }
            BulkKindWord::RerunReads if of_deliveries => Err(ApiError::new(
                Code::InvalidRequest,
                "The kind `rerun_reads` takes `since`, `until`, `account_id`, `read` and `error_code`, and no `pace`.",
            )),
            BulkKindWord::ResendDeliveries => Ok(BulkSelection::Unsent(selection)),
            BulkKindWord::RerunReads => Ok(BulkSelection::Failed(RerunFilter {
                since: filter.since,
                until: filter.until,
                account: *account,
                read: self.read.map(Into::into),
                error_code: self.error_code.as_ref().map(|text| text.0.clone()),
            })),
        }
    }
}

/// How many failed reads were skipped for one reason.
#[derive(Debug, Object)]
pub struct SkippedFor {
    /// The reason: the code of `prepare_media`'s answer (such as `insufficient_minutes` or `queue_full`) or of the
    /// refusal (such as `account_suspended`, or `rate_limited` where other changes of the account that pays were under
    /// way for too long); `stored` and `under_way` for reads that are; `matched_no_longer` for those that somebody ran
    /// again or deleted meanwhile.
    pub reason: Text,
    /// How many.
    pub count: i64,
}

/// A bulk operation.
#[derive(Debug, Object)]
pub struct BulkOperationAnswer {
    /// Its id.
    pub id: Text,
    /// Its name.
    pub name: Text,
    /// What it does.
    pub kind: BulkKindWord,
    /// How far it is.
    pub state: BulkStateWord,
    /// The number of deliveries to endpoints that were enabled, or of failed reads, that matched when it was started.
    pub total: i64,
    /// The number of deliveries that it has sent again, or of reads that it has started again. It is above `total` if
    /// some that were under way at the start have failed since.
    pub done: i64,
    /// The number of deliveries that were counted and not sent: somebody else had sent them again meanwhile, or their
    /// endpoint was disabled or removed. Of reads, those that were not started: `skipped_for` says why.
    pub skipped: i64,
    /// How many failed reads were skipped for which reason; empty for deliveries.
    pub skipped_for: Vec<SkippedFor>,
    /// The cloud minutes that were held for the failed reads which matched when it was started; null for deliveries.
    pub estimated_minutes: Option<MinuteCount>,
    /// Deliveries, or jobs of failed reads, created at or after this time.
    pub since: Time,
    /// Deliveries, or jobs of failed reads, created before this time.
    pub until: Time,
    /// Deliveries to endpoints of this account, or reads that it paid for; null for those of any.
    pub account_id: Option<Text>,
    /// Deliveries to this endpoint; null for any.
    pub endpoint_id: Option<Text>,
    /// Deliveries with this status; null for both.
    pub status: Option<Unarrived>,
    /// Events of this type; null for any.
    pub event_type: Option<Kind>,
    /// Deliveries whose last answer had this HTTP status; null for any.
    pub http_status: Option<i16>,
    /// Deliveries whose last attempt had this error; null for any.
    pub error: Option<Text>,
    /// How many deliveries it sends each second; null for up to 500.
    pub pace: Option<i16>,
    /// This read, run again; null for any, and for deliveries.
    pub read: Option<ReadKind>,
    /// Reads that failed with this job error code; null for any, and for deliveries.
    pub error_code: Option<Text>,
    /// The name of the operator who started it.
    pub started_by: Text,
    /// The name of the operator who stopped it; null if nobody did.
    pub stopped_by: Option<Text>,
    /// When it was started.
    pub created_at: Time,
    /// When it was stopped or had come to its end; null while it runs.
    pub ended_at: Option<Time>,
}

impl From<BulkOperation> for BulkOperationAnswer {
    fn from(row: BulkOperation) -> Self {
        Self {
            id: Text::of(row.id),
            name: Text(row.name),
            kind: row.kind.into(),
            state: row.state.into(),
            total: row.total,
            done: row.done,
            skipped: row.skipped,
            skipped_for: skipped_for(&row.skips),
            estimated_minutes: row.minutes.map(|held| Minutes::from_hundredths(held).into()),
            since: Time(row.since),
            until: Time(row.until),
            account_id: row.account_id.map(Text::of),
            endpoint_id: row.endpoint_id.map(Text::of),
            status: row.status.and_then(Unarrived::of),
            event_type: row.event_type.map(Into::into),
            http_status: row.http_status,
            error: row.error.map(Text),
            pace: row.pace,
            read: row.read.map(Into::into),
            error_code: row.error_code.map(Text),
            started_by: Text(row.operator),
            stopped_by: row.stopped_by.map(Text),
            created_at: Time(row.created_at),
            ended_at: row.ended_at.map(Time),
        }
    }
}

/// Returns how many were skipped for which reason, the most frequent first.
pub fn skipped_for(skips: &Value) -> Vec<SkippedFor> {
    let reasons = skips.as_object().into_iter().flatten();
    let mut all: Vec<SkippedFor> = reasons
        .map(|(reason, count)| SkippedFor { reason: Text(reason.clone()), count: count.as_i64().unwrap_or_default() })
        .collect();
    all.sort_by_key(|one| Reverse(one.count));
    all
}

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
