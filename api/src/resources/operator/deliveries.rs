//! Deliveries of all accounts, and sending them again: `/operator/deliveries` (contract §11).
//!
//! Those that did not arrive are named by a filter, and sent again endpoint by endpoint
//! (`usecases::operator::deliveries`). Any single one can be sent again by its id.

use super::unsent::{Unarrived, selecting_unsent};
use super::{OperatorAuth, missing};
use crate::app::App;
use crate::contract::envelope::Accepted;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{Text, Time};
use crate::resources::webhooks::deliveries::{Delivery, DeliveryDetail, Kind, Status, page_of};
use crate::usecases::operator::deliveries::{UnsentSelection, resend_all};
use crate::usecases::webhooks::resend::{By, resend_delivery};
use chrono::SubsecRound;
use domain::ids::{AccountId, DeliveryId, EndpointId};
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use sqlx::PgConnection;
use store::deliveries::{self, DeliveryFilter, DeliverySearchFilter, SearchScope, UnsentFilter, UnsentOf};
use store::{endpoints, inspect};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    (
        "GET /operator/deliveries",
        &[Code::InvalidCursor, Code::AccountNotFound, Code::WebhookNotFound, Code::JobNotFound],
    ),
    ("GET /operator/deliveries/{id}", &[Code::DeliveryNotFound]),
    ("POST /operator/deliveries/resend", &[Code::AccountNotFound, Code::WebhookNotFound]),
    (
        "POST /operator/deliveries/{id}/resend",
        &[Code::DeliveryNotFound, Code::WebhookNotFound, Code::WorkspaceForbidden, Code::EndpointDisabled],
    ),
];

/// The operations on deliveries.
pub struct OperatorDeliveries(pub App);

selecting_unsent! {
    /// Which events to send again: those whose last delivery to an endpoint failed or was skipped.
    ResendAll {
        /// `true` sends nothing, and counts what would be sent.
        dry_run: Option<bool>,
    }
}

/// The result of a resend, or of its dry run.
#[derive(Debug, Object)]
pub struct ResentAll {
    /// Whether it was a dry run, which sends nothing.
    pub dry_run: bool,
    /// Only deliveries created before this time were looked at: the `until` of the request, or now. A bulk operation
    /// with the same filters and this `until` sends what was counted.
    pub until: Time,
    /// The number of deliveries that were started, or would be.
    pub resent: u64,
    /// How many of them each endpoint is sent, or would be.
    pub endpoints: Vec<ResentTo>,
    /// The number of events to endpoints that are disabled: those are not sent.
    pub disabled: u64,
    /// Whether more events match: send the request again.
    pub has_more: bool,
}

/// The result of a resend, or of its dry run, for one endpoint.
#[derive(Debug, Object)]
pub struct ResentTo {
    /// The endpoint.
    pub endpoint_id: Text,
    /// Its account.
    pub account_id: Text,
    /// The number of deliveries that were started, or would be.
    pub resent: u64,
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorDeliveries {
    /// List deliveries of all accounts
    ///
    /// Newest first. With filters a page looks through 2,000 deliveries: it may have fewer than `limit`, or none, and
    /// still be followed by more. For a token of the role `metadata` `response_excerpt` and `response_headers` are
    /// null.
    #[oai(path = "/operator/deliveries", method = "get", operation_id = "operator_list_deliveries")]
    #[expect(clippy::too_many_arguments, reason = "an operation's parameters are its arguments")]
    async fn list(
        &self,
        auth: OperatorAuth,
        /// Only deliveries to endpoints of this account.
        account_id: Query<Option<Text>>,
        /// Only deliveries to this endpoint.
        endpoint_id: Query<Option<Text>>,
        /// Only deliveries of this job's events.
        job_id: Query<Option<Text>>,
        /// Only deliveries with this status.
        status: Query<Option<Status>>,
        /// Only events of this type.
        event_type: Query<Option<Kind>>,
        /// Only deliveries whose last answer had this HTTP status, 100 to 599.
        #[oai(validator(minimum(value = "100"), maximum(value = "599")))]
        http_status: Query<Option<i16>>,
        /// Only deliveries whose last attempt had this error, such as `tls_failed`.
        error: Query<Option<Text>>,
        /// Only deliveries created at or after this time.
        since: Query<Option<Time>>,
        /// Only deliveries created before this time.
        until: Query<Option<Time>>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<Delivery>>> {
        let page = Page::new("operator deliveries", limit.0, cursor.0.as_ref())?;
        let filter = DeliveryFilter {
            status: status.0.map(Into::into),
            event_type: event_type.0.map(Into::into),
            http_status: http_status.0,
            since: since.0.map(|time| time.0),
            until: until.0.map(|time| time.0),
        };
        let every = DeliverySearchFilter { filter, error: error.0.map(|text| text.0) };
        let mut conn = self.0.conn().await?;
        let scope = search_scope(&mut conn, account_id.0, endpoint_id.0, job_id.0).await?;
        let mut list = page_of(&mut conn, page, &scope, &every).await?;
        if !auth.0.sees_payloads() {
            for delivery in &mut list.data {
                delivery.hide_payloads();
            }
        }
        Ok(Json(list))
    }

    /// Get a delivery of any account
    ///
    /// With the requests that were sent and what was answered. For a token of the role `metadata` the body, paths,
    /// headers and excerpts are null.
    #[oai(path = "/operator/deliveries/:id", method = "get", operation_id = "operator_get_delivery")]
    async fn get(
        &self,
        auth: OperatorAuth,
        /// The delivery's id.
        id: Path<Text>,
    ) -> Answer<Json<DeliveryDetail>> {
        let id: DeliveryId = id.0.id(Code::DeliveryNotFound)?;
        let mut conn = self.0.conn().await?;
        let row = deliveries::by_ids(&mut conn, &[id], None).await?.pop();
        let row = row.ok_or_else(|| missing(Code::DeliveryNotFound, id))?;
        let attempts = deliveries::sent_of(&mut conn, id).await?;
        let mut found = DeliveryDetail::new(row, attempts, deliveries::body_of(&mut conn, id).await?);
        if !auth.0.sees_payloads() {
            found.hide_payloads();
        }
        Ok(Json(found))
    }

    /// Resend what did not arrive
    ///
    /// Sends every event since a time again whose last delivery to an endpoint failed or was skipped, and which matches
    /// the filters: each as a new delivery, from its first attempt. With `dry_run` they are only counted. One request
    /// sends at most 50,000; for more, start a bulk operation (`POST /operator/bulk-operations`).
    #[oai(path = "/operator/deliveries/resend", method = "post", operation_id = "operator_resend_deliveries")]
    async fn resend(&self, auth: OperatorAuth, body: Json<ResendAll>) -> Answer<Accepted<ResentAll>> {
        let OperatorAuth(operator) = auth;
        let asked = body.0;
        let UnsentSelection { account, endpoint, filter } = asked.selection()?;
        let mut conn = self.0.conn().await?;
        let until = match filter.until {
            Some(until) => until,
            None => inspect::now(&mut conn).await?,
        };
        let dry_run = asked.dry_run == Some(true);
        // What is counted is counted until the time that the answer shows, which has whole milliseconds.
        let until = if dry_run { until.trunc_subsecs(3) } else { until };
        let filter = UnsentFilter { until: Some(until), ..filter };
        let found = deliveries::unsent_of(&mut conn, account, endpoint, &filter).await?;
        drop(conn);
        let (open, closed): (Vec<UnsentOf>, Vec<UnsentOf>) = found.into_iter().partition(|one| one.enabled);
        let disabled = closed.iter().map(counted).sum();
        let (endpoints, has_more): (Vec<ResentTo>, bool) = if dry_run {
            (open.iter().map(|one| to(one.endpoint_id, one.account_id, counted(one))).collect(), false)
        } else {
            let all = resend_all(&self.0, &operator, &open, &filter).await?;
            (all.endpoints.iter().map(|one| to(one.endpoint, one.account, one.resent)).collect(), all.has_more)
        };
        let resent = endpoints.iter().map(|one| one.resent).sum();
        Ok(Accepted(ResentAll { dry_run, until: Time(until), resent, endpoints, disabled, has_more }))
    }

    /// Resend a delivery of any account
    ///
    /// Sends it again from its first attempt, whether it arrived or not: as a new delivery, which names it in
    /// `resend_of`. If it, or a resend of it, is still pending, that one is cancelled.
    #[oai(path = "/operator/deliveries/:id/resend", method = "post", operation_id = "operator_resend_delivery")]
    async fn resend_one(
        &self,
        auth: OperatorAuth,
        /// The delivery's id.
        id: Path<Text>,
    ) -> Answer<Accepted<Delivery>> {
        let OperatorAuth(operator) = auth;
        let id: DeliveryId = id.0.id(Code::DeliveryNotFound)?;
        let found = deliveries::by_ids(&mut *self.0.conn().await?, &[id], None).await?.pop();
        let old = found.ok_or_else(|| missing(Code::DeliveryNotFound, id))?;
        let by = By::Operator(&operator);
        let again = resend_delivery(&self.0, old.account_id, old.endpoint_id, id, by).await?;
        Ok(Accepted(Delivery::new(again, Vec::new())))
    }
}

fn counted(one: &UnsentOf) -> u64 {
    one.count.unsigned_abs()
}

fn to(endpoint: EndpointId, account: AccountId, resent: u64) -> ResentTo {
    ResentTo { endpoint_id: Text::of(endpoint), account_id: Text::of(account), resent }
}

async fn search_scope(
    conn: &mut PgConnection,
    account: Option<Text>,
    endpoint: Option<Text>,
    job: Option<Text>,
) -> Answer<SearchScope> {
    match (account, endpoint, job) {
        (None, None, None) => Ok(SearchScope::All),
        (Some(account), None, None) => {
            Ok(SearchScope::Endpoints(endpoints::of_account(conn, account.id(Code::AccountNotFound)?).await?))
        }
        (None, Some(endpoint), None) => Ok(SearchScope::Endpoints(vec![endpoint.id(Code::WebhookNotFound)?])),
        (None, None, Some(job)) => Ok(SearchScope::Job(job.id(Code::JobNotFound)?)),
        _ => Err(ApiError::new(Code::InvalidRequest, "Give one of `account_id`, `endpoint_id` and `job_id`.")),
    }
}
