//! How jobs and deliveries failed of late, those that are alike as one: `/operator/errors` (contract §11). The page of
//! errors in the console shows the same.

use super::OperatorAuth;
use crate::app::App;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::Answer;
use crate::http::text::{Text, Time};
use crate::resources::tools::jobs::JobKindWord;
use crate::resources::tools::prepare_media::ReadKind;
use crate::usecases::operator::errors::{FailureKind, Failures, failures};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use store::deliveries::DeliveryFailureGroup;

/// The error codes of this operation, besides those that any operation may return.
pub const ERRORS: Refusals = &[("GET /operator/errors", &[])];

/// The operation on kinds of failures.
pub struct OperatorErrors(pub App);

/// Jobs that failed alike: of one kind and read, with one code and one message.
#[derive(Debug, Object)]
pub struct OperatorError {
    /// The kind of the jobs.
    pub kind: JobKindWord,
    /// Their read; null for other work.
    pub read: Option<ReadKind>,
    /// The code of their error.
    pub error_code: Text,
    /// Its message, with `#` for each number in it; 200 characters at most.
    pub message: Text,
    /// How many jobs failed so.
    pub jobs: i64,
    /// How many accounts pay for them.
    pub accounts: i64,
    /// Whether it was first seen within the last hour.
    pub is_new: bool,
    /// Whether it was not seen before the workers of this release ran, which is told for a day.
    pub came_with_release: bool,
    /// How many failed in each of the last 24 hours, the last one at the end.
    pub by_hour: Vec<u32>,
    /// When the first of them failed.
    pub first_at: Time,
    /// When the last of them failed.
    pub last_at: Time,
    /// The newest of them.
    pub newest_job_id: Text,
}

/// Kinds of failures.
#[derive(Debug, Object)]
pub struct OperatorErrorList {
    /// The kinds, at most 100: new ones first, then those that came with the release, then those with the most jobs in
    /// the last hour.
    pub data: Vec<OperatorError>,
    /// Always false: one page has all kinds that are shown.
    pub has_more: bool,
    /// Always null.
    pub next_cursor: Option<Text>,
    /// Whether there were more than 100 kinds, of which those that failed last are shown.
    pub left_out: bool,
    /// When the oldest job that was looked through was made: what failed before is not here. Null if no job failed.
    pub looked_from: Option<Time>,
    /// How deliveries failed.
    pub deliveries: OperatorDeliveryErrors,
}

/// Deliveries to one host whose last attempt failed alike.
#[derive(Debug, Object)]
pub struct OperatorDeliveryError {
    /// The host of their endpoints' URLs, with the port where one is named; `unknown` if the endpoints were deleted.
    pub host: Text,
    /// The error of their last attempt: one of the words in `attempts` of a delivery.
    pub error: Text,
    /// The HTTP status that was answered; null where nothing was.
    pub response_status: Option<i16>,
    /// How many deliveries there are.
    pub deliveries: i64,
    /// How many of them are tried again; the others have failed for good.
    pub pending: i64,
    /// How many of those that failed for good were sent again.
    pub sent_again: i64,
    /// How many of those that were sent again have arrived.
    pub arrived: i64,
    /// How many of those that failed for good were not sent again and have an endpoint that is not deleted.
    pub unsent: i64,
    /// How many endpoints they go to.
    pub endpoints: i64,
    /// How many accounts those belong to.
    pub accounts: i64,
    /// When the first of them was made.
    pub first_at: Time,
    /// When the last of them was made.
    pub last_at: Time,
    /// The newest of them.
    pub newest_delivery_id: Text,
}

/// Kinds of failed deliveries.
#[derive(Debug, Object)]
pub struct OperatorDeliveryErrors {
    /// The kinds, at most 100: those with deliveries that are unsent or tried again first, and of these those with the
    /// most deliveries.
    pub data: Vec<OperatorDeliveryError>,
    /// Whether there were more than 100 kinds.
    pub left_out: bool,
    /// When the oldest delivery that was looked through was made. Null if none failed.
    pub looked_from: Option<Time>,
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorErrors {
    /// List kinds of failures
    ///
    /// The jobs of all accounts that failed within a day, of these the newest 20,000. Those of one kind and read that
    /// failed with one code and one message are one row; numbers in messages are taken as equal. `GET /operator/jobs`
    /// with `status`, `read` and `error_code` lists the jobs of a row.
    ///
    /// `deliveries` has the deliveries that were made within a day and whose last attempt failed, among the newest
    /// 20,000, also while they are tried again. Those to one host with one error and one HTTP status are one row.
    /// `GET /operator/deliveries` with `error` and `http_status` lists them.
    #[oai(path = "/operator/errors", method = "get", operation_id = "operator_list_errors")]
    async fn list(&self, _auth: OperatorAuth) -> Answer<Json<OperatorErrorList>> {
        Ok(Json((&failures(&self.0).await?).into()))
    }
}

impl From<&Failures> for OperatorErrorList {
    fn from(found: &Failures) -> Self {
        Self {
            data: found.kinds.iter().map(OperatorError::from).collect(),
            has_more: false,
            next_cursor: None,
            left_out: found.more,
            looked_from: found.looked_from.map(Time),
            deliveries: OperatorDeliveryErrors {
                data: found.deliveries.kinds.iter().map(OperatorDeliveryError::from).collect(),
                left_out: found.deliveries.more,
                looked_from: found.deliveries.looked_from.map(Time),
            },
        }
    }
}

impl From<&DeliveryFailureGroup> for OperatorDeliveryError {
    fn from(found: &DeliveryFailureGroup) -> Self {
        Self {
            host: Text(found.host.clone()),
            error: Text(found.error.clone()),
            response_status: found.response_status,
            deliveries: found.deliveries,
            pending: found.pending,
            sent_again: found.sent_again,
            arrived: found.arrived,
            unsent: found.unsent,
            endpoints: found.endpoints,
            accounts: found.accounts,
            first_at: Time(found.first_at),
            last_at: Time(found.last_at),
            newest_delivery_id: Text::of(found.sample),
        }
    }
}

impl From<&FailureKind> for OperatorError {
    fn from(found: &FailureKind) -> Self {
        let group = &found.group;
        Self {
            kind: group.kind.into(),
            read: group.read.map(ReadKind::from),
            error_code: Text(group.code.clone()),
            message: Text(group.words.clone()),
            jobs: group.jobs,
            accounts: group.payers,
            is_new: found.is_new,
            came_with_release: found.came_with_release,
            by_hour: found.by_hour.to_vec(),
            first_at: Time(group.first_at),
            last_at: Time(group.last_at),
            newest_job_id: Text::of(group.sample),
        }
    }
}
