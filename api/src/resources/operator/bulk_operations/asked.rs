//! The request of a bulk operation: what it does, and what it takes.

use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::{Text, Time};
use crate::http::words::same_words;
use crate::resources::operator::unsent::{Unarrived, selecting_unsent};
use crate::resources::tools::prepare_media::ReadKind;
use crate::resources::webhooks::deliveries::Kind;
use crate::usecases::operator::bulk_operations::BulkSelection;
use crate::usecases::operator::deliveries::UnsentSelection;
use domain::bulk::BulkKind;
use poem_openapi::{Enum, Object};
use store::deliveries::UnsentFilter;
use store::jobs::RerunFilter;

/// What a bulk operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum BulkKindWord {
    /// It sends again the events whose last delivery to an endpoint failed or was skipped.
    ResendDeliveries,
    /// It runs failed reads again, each as a new job that the account which paid for the first one pays for.
    RerunReads,
}

same_words!(BulkKind = BulkKindWord { ResendDeliveries, RerunReads });

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
    pub(super) fn takes(&self) -> Answer<BulkSelection> {
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
