//! A bulk operation as it is shown: what it takes, and how far it is.

use super::asked::BulkKindWord;
use crate::http::text::{MinuteCount, Text, Time};
use crate::http::words::same_words;
use crate::resources::operator::unsent::Unarrived;
use crate::resources::tools::prepare_media::ReadKind;
use crate::resources::webhooks::deliveries::Kind;
use domain::bulk::BulkState;
use domain::minutes::Minutes;
use poem_openapi::{Enum, Object};
use serde_json::Value;
use std::cmp::Reverse;
use store::bulk_operations::BulkOperation;

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

same_words!(BulkState = BulkStateWord { Running, Stopped, Finished });

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
