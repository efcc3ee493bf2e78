//! Deliveries of all accounts, and sending again what did not arrive: `/operator/deliveries` (interface.md, "Operators").
//!
//! Sending again is the account's own use case, endpoint by endpoint and batch by batch (`crate::resources::webhooks::deliveries`); here it is
//! asked for by a filter, and each batch leaves its row in the audit log.

use super::{OperatorAuth, OperatorCaller};
use crate::app::App;
use crate::contract::envelope::Accepted;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{Text, Time};
use crate::resources::webhooks::deliveries::{self as resending, Batch, Delivery, Kind, Rate, Status, page_of};
use common::domain::event::EventType;
use common::domain::series::DeliveryStatus;
use common::ending::wakes_of;
use common::ids::{AccountId, EndpointId};
use common::store::audit;
use common::store::deliveries::{self, Everywhere, Filter, Place, UnsentFilter, UnsentOf};
use common::store::endpoints;
use poem_openapi::param::Query;
use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use serde_json::{Value, json};
use sqlx::PgConnection;

/// What these operations refuse with, beside what every operation may.
pub const ERRORS: Refusals = &[
    (
        "GET /operator/deliveries",
        &[Code::InvalidCursor, Code::AccountNotFound, Code::WebhookNotFound, Code::JobNotFound],
    ),
    ("POST /operator/deliveries/resend", &[Code::AccountNotFound, Code::WebhookNotFound]),
];

/// Batches of one call; a call after it goes on where this one ended.
const MOST_BATCHES: u32 = 50;

/// The operations on deliveries.
pub struct OperatorDeliveries(pub App);

/// How a delivery that is worth sending again has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum Unarrived {
    /// All attempts failed.
    Failed,
    /// Not sent, because the endpoint was disabled.
    Skipped,
}

/// Which events to send again: those whose last delivery to an endpoint failed or was skipped.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ResendAll {
    /// Whose deliveries began at or after this time.
    pub since: Time,
    /// And before this one.
    pub until: Option<Time>,
    /// Only to endpoints of this account.
    pub account_id: Option<Text>,
    /// Only to this endpoint.
    pub endpoint_id: Option<Text>,
    /// Only those that ended so.
    pub status: Option<Unarrived>,
    /// Only of this type.
    pub event_type: Option<Kind>,
    /// Only those last answered with this status.
    #[oai(validator(minimum(value = "100"), maximum(value = "599")))]
    pub http_status: Option<i16>,
    /// Only those whose last attempt came to this, such as `tls_failed`.
    pub error: Option<Text>,
    /// `true` sends nothing, and counts what would be sent.
    pub dry_run: Option<bool>,
}

/// What was sent again, or would be.
#[derive(Debug, Object)]
pub struct ResentAll {
    /// Whether nothing was sent, because that was asked for.
    pub dry_run: bool,
    /// Deliveries that were begun, or would be.
    pub resent: u64,
    /// By endpoint.
    pub endpoints: Vec<ResentTo>,
    /// Events to endpoints that are disabled: nothing is sent to those.
    pub disabled: u64,
    /// Whether there are more: send the request again.
    pub has_more: bool,
}

/// What was sent again to one endpoint, or would be.
#[derive(Debug, Object)]
pub struct ResentTo {
    /// The endpoint.
    pub endpoint_id: Text,
    /// Its account.
    pub account_id: Text,
    /// How many.
    pub resent: u64,
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorDeliveries {
    /// List deliveries of all accounts
    ///
    /// Newest first. With filters a page looks through 2,000 deliveries: it may show fewer than `limit`, or none, and still
    /// have more after it.
    #[oai(path = "/operator/deliveries", method = "get", operation_id = "operator_list_deliveries")]
    #[expect(clippy::too_many_arguments, reason = "an operation's parameters are its arguments")]
    async fn list(
        &self,
        _auth: OperatorAuth,
        /// Only to endpoints of this account.
        account_id: Query<Option<Text>>,
        /// Only to this endpoint.
        endpoint_id: Query<Option<Text>>,
        /// Only of this job.
        job_id: Query<Option<Text>>,
        /// Only in this state.
        status: Query<Option<Status>>,
        /// Only of this type.
        event_type: Query<Option<Kind>>,
        /// Only those last answered with this status.
        #[oai(validator(minimum(value = "100"), maximum(value = "599")))]
        http_status: Query<Option<i16>>,
        /// Only those whose last attempt came to this, such as `tls_failed`.
        error: Query<Option<Text>>,
        /// Only those begun at or after this time.
        since: Query<Option<Time>>,
        /// Only those begun before this time.
        until: Query<Option<Time>>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<Delivery>>> {
        let page = Page::new("operator deliveries", limit.0, cursor.0.as_ref())?;
        let filter = Filter {
            status: status.0.map(Into::into),
            event_type: event_type.0.map(Into::into),
            http_status: http_status.0,
            since: since.0.map(|time| time.0),
            until: until.0.map(|time| time.0),
        };
        let every = Everywhere { filter, error: error.0.map(|text| text.0) };
        let mut conn = self.0.conn().await?;
        let place = place(&mut conn, account_id.0, endpoint_id.0, job_id.0).await?;
        Ok(Json(page_of(&mut conn, page, &place, &every).await?))
    }

    /// Send again what did not arrive
    ///
    /// Every event since a time whose last delivery to an endpoint failed or was skipped, as far as the filters pass it: a
    /// new delivery each, from its first attempt. With `dry_run` it is counted alone.
    #[oai(path = "/operator/deliveries/resend", method = "post", operation_id = "operator_resend_deliveries")]
    async fn resend(&self, auth: OperatorAuth, body: Json<ResendAll>) -> Answer<Accepted<ResentAll>> {
        let OperatorAuth(operator) = auth;
        let asked = body.0;
        let account: Option<AccountId> =
            asked.account_id.as_ref().map(|id| id.id(Code::AccountNotFound)).transpose()?;
        let endpoint: Option<EndpointId> =
            asked.endpoint_id.as_ref().map(|id| id.id(Code::WebhookNotFound)).transpose()?;
        let filter = UnsentFilter {
            since: asked.since.0,
            until: asked.until.map(|time| time.0),
            status: asked.status.map(|ended| match ended {
                Unarrived::Failed => DeliveryStatus::Failed,
                Unarrived::Skipped => DeliveryStatus::Skipped,
            }),
            event_type: asked.event_type.map(Into::into),
            http_status: asked.http_status,
            error: asked.error.as_ref().map(|text| text.0.clone()),
        };
        let found = deliveries::unsent_of(&mut *self.0.conn().await?, account, endpoint, &filter).await?;
        let (open, closed): (Vec<UnsentOf>, Vec<UnsentOf>) = found.into_iter().partition(|one| one.enabled);
        let disabled = closed.iter().map(counted).sum();
        if asked.dry_run == Some(true) {
            let endpoints: Vec<ResentTo> = open.iter().map(|one| to(one, counted(one))).collect();
            let resent = endpoints.iter().map(|one| one.resent).sum();
            return Ok(Accepted(ResentAll { dry_run: true, resent, endpoints, disabled, has_more: false }));
        }
        Ok(Accepted(self.resend_all(&operator, &open, &filter, disabled).await?))
    }
}

impl OperatorDeliveries {
    /// Sends again endpoint by endpoint. What is disabled or removed meanwhile is passed over.
    async fn resend_all(
        &self,
        operator: &OperatorCaller,
        open: &[UnsentOf],
        filter: &UnsentFilter,
        disabled: u64,
    ) -> Answer<ResentAll> {
        let mut answer = ResentAll { dry_run: false, resent: 0, endpoints: Vec::new(), disabled, has_more: false };
        let mut left = MOST_BATCHES;
        for one in open {
            let mut sent = 0;
            loop {
                if left == 0 {
                    answer.has_more = true;
                    break;
                }
                left -= 1;
                let note = |count: u64| {
                    let after = json!({ "filter": shown(filter), "resent": count });
                    operator.changed("deliveries.resend", one.endpoint_id, None, Some(after))
                };
                match self.resend_batch(one, filter, &note).await? {
                    Some(Batch::Some(count)) => sent += count,
                    Some(Batch::Last(count)) => {
                        sent += count;
                        break;
                    }
                    None => break,
                }
            }
            answer.resent += sent;
            if sent > 0 {
                answer.endpoints.push(to(one, sent));
            }
        }
        Ok(answer)
    }

    /// The use case: one batch of one endpoint, with its row of the audit log. None when nothing is sent to it any more.
    async fn resend_batch(
        &self,
        one: &UnsentOf,
        filter: &UnsentFilter,
        note: &(dyn Fn(u64) -> audit::Entry + Sync),
    ) -> Answer<Option<Batch>> {
        let mut resend_batch = self.0.process.pool.begin().await?;
        if endpoints::lock(&mut resend_batch, one.account_id, one.endpoint_id).await? != Some(true) {
            return Ok(None);
        }
        let (batch, tickets) =
            resending::batch(&mut resend_batch, one.account_id, one.endpoint_id, filter, Rate::Unbound).await?;
        if let Batch::Some(count @ 1..) | Batch::Last(count @ 1..) = batch {
            audit::record(&mut resend_batch, &note(count)).await?;
        }
        resend_batch.commit().await?;
        self.0.process.wakes.send(wakes_of(&tickets));
        Ok(Some(batch))
    }
}

fn counted(one: &UnsentOf) -> u64 {
    one.count.unsigned_abs()
}

fn to(one: &UnsentOf, resent: u64) -> ResentTo {
    ResentTo { endpoint_id: Text::of(one.endpoint_id), account_id: Text::of(one.account_id), resent }
}

fn shown(filter: &UnsentFilter) -> Value {
    json!({
        "since": Time(filter.since).to_string(),
        "until": filter.until.map(|until| Time(until).to_string()),
        "status": filter.status, "event_type": filter.event_type.map(EventType::name),
        "http_status": filter.http_status, "error": filter.error,
    })
}

async fn place(
    conn: &mut PgConnection,
    account: Option<Text>,
    endpoint: Option<Text>,
    job: Option<Text>,
) -> Answer<Place> {
    match (account, endpoint, job) {
        (None, None, None) => Ok(Place::All),
        (Some(account), None, None) => {
            Ok(Place::Endpoints(endpoints::of_account(conn, account.id(Code::AccountNotFound)?).await?))
        }
        (None, Some(endpoint), None) => Ok(Place::Endpoints(vec![endpoint.id(Code::WebhookNotFound)?])),
        (None, None, Some(job)) => Ok(Place::Job(job.id(Code::JobNotFound)?)),
        _ => Err(ApiError::new(Code::InvalidRequest, "Give one of `account_id`, `endpoint_id` and `job_id`.")),
    }
}
