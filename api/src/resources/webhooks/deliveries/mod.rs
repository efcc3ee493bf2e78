//! The delivery log of an endpoint, and sending again: `/webhooks/{id}/deliveries` (spec §4.3, §6.1.11).
//!
//! A resend is a new series from the first attempt. One of a series that is still pending takes its place, so that the
//! receiver is not called by both.

mod shapes;

use crate::app::App;
use crate::auth::Auth;
use crate::contract::envelope::Accepted;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::rate;
use crate::http::text::{Text, Time};
use crate::resources::webhooks::{may_ping, missing};
use common::domain::series::Trigger;
use common::ending::wakes_of;
use common::ids::{AccountId, DeliveryId, EndpointId};
use common::queue::{self, Queue, Subject, Ticket};
use common::store::credentials::Pace;
use common::store::deliveries::{
    self, DeliveryRow, Everywhere, Filter, NewDelivery, Opening, Place, Unsent, UnsentFilter,
};
use common::store::endpoints;
use common::store::paces::{self, What};
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
pub use shapes::{Attempt, Delivery, DeliveryDetail, Kind, Status};
use shapes::{Resent, ResentSince};
use sqlx::{Acquire, PgConnection};
use std::collections::HashMap;

/// What these operations refuse with, beside what every operation may.
pub const ERRORS: Refusals = &[
    ("GET /webhooks/{id}/deliveries", &[Code::WebhookNotFound, Code::WorkspaceForbidden, Code::InvalidCursor]),
    (
        "GET /webhooks/{id}/deliveries/{delivery_id}",
        &[Code::WebhookNotFound, Code::WorkspaceForbidden, Code::DeliveryNotFound],
    ),
    (
        "POST /webhooks/{id}/deliveries",
        &[Code::WebhookNotFound, Code::WorkspaceForbidden, Code::DeliveryNotFound, Code::EndpointDisabled],
    ),
];

/// Events resent in one transaction.
const SOME: i64 = 1_000;
/// Transactions of one call; a call after it goes on where this one ended.
const MOST_BATCHES: u32 = 50;

/// The delivery operations.
pub struct Deliveries(pub App);

/// What to send again: one of the two.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct Resend {
    /// This delivery.
    pub delivery_id: Option<Text>,
    /// Every event since this time whose last delivery failed or was skipped.
    pub since: Option<Time>,
}

#[OpenApi(tag = "Tag::Webhooks")]
impl Deliveries {
    /// List deliveries
    ///
    /// The endpoint's delivery log, newest first, with the status and error of the receiver. Kept 30 days. With filters a
    /// page looks through 2,000 deliveries: it may show fewer than `limit`, or none, and still have more after it.
    #[oai(path = "/webhooks/:id/deliveries", method = "get", operation_id = "list_deliveries")]
    #[expect(clippy::too_many_arguments, reason = "an operation's parameters are its arguments")]
    async fn list(
        &self,
        auth: Auth,
        /// The endpoint's id.
        id: Path<Text>,
        /// Only those in this state.
        status: Query<Option<Status>>,
        /// Only those of this type.
        event_type: Query<Option<Kind>>,
        /// Only those last answered with this status.
        #[oai(validator(minimum(value = "100"), maximum(value = "599")))]
        http_status: Query<Option<i16>>,
        /// Only those begun at or after this time.
        since: Query<Option<Time>>,
        /// Only those begun before this time.
        until: Query<Option<Time>>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<Delivery>>> {
        let Auth(caller) = auth;
        let id: EndpointId = id.0.id(Code::WebhookNotFound)?;
        let page = Page::new("deliveries", limit.0, cursor.0.as_ref())?;
        let filter = Filter {
            status: status.0.map(Into::into),
            event_type: event_type.0.map(Into::into),
            http_status: http_status.0,
            since: since.0.map(|time| time.0),
            until: until.0.map(|time| time.0),
        };
        let mut conn = self.0.conn().await?;
        if endpoints::find(&mut conn, caller.account_id, id).await?.is_none() {
            return Err(missing(&mut conn, id).await?);
        }
        let every = Everywhere { filter, error: None };
        Ok(Json(page_of(&mut conn, page, &Place::Endpoints(vec![id]), &every).await?))
    }

    /// Get a delivery
    ///
    /// With what was sent: the body, and of each attempt the host, the path and the headers, signature and all.
    #[oai(path = "/webhooks/:id/deliveries/:delivery_id", method = "get", operation_id = "get_delivery")]
    async fn get(
        &self,
        auth: Auth,
        /// The endpoint's id.
        id: Path<Text>,
        /// The delivery's id.
        delivery_id: Path<Text>,
    ) -> Answer<Json<DeliveryDetail>> {
        let Auth(caller) = auth;
        let id: EndpointId = id.0.id(Code::WebhookNotFound)?;
        let delivery: DeliveryId = delivery_id.0.id(Code::DeliveryNotFound)?;
        let mut conn = self.0.conn().await?;
        if endpoints::find(&mut conn, caller.account_id, id).await?.is_none() {
            return Err(missing(&mut conn, id).await?);
        }
        let row = deliveries::by_ids(&mut conn, &[delivery], Some(id)).await?.pop();
        let none = || ApiError::new(Code::DeliveryNotFound, format!("The endpoint has no delivery {delivery}."));
        let row = row.ok_or_else(none)?;
        let attempts = deliveries::sent_of(&mut conn, delivery).await?;
        let body = deliveries::body_of(&mut conn, delivery).await?;
        Ok(Json(DeliveryDetail::new(row, attempts, body)))
    }

    /// Send again
    ///
    /// With `delivery_id`, that delivery from its first attempt: a new delivery, which names it in `resend_of`. One that
    /// is still pending is cancelled for it, and so is a resend of it. With `since`, every event since then whose last delivery failed or was
    /// skipped.
    #[oai(path = "/webhooks/:id/deliveries", method = "post", operation_id = "resend_delivery")]
    async fn resend(
        &self,
        auth: Auth,
        /// The endpoint's id.
        id: Path<Text>,
        body: Json<Resend>,
    ) -> Answer<Accepted<Resent>> {
        let Auth(caller) = auth;
        let endpoint: EndpointId = id.0.id(Code::WebhookNotFound)?;
        match (body.0.delivery_id, body.0.since) {
            (Some(delivery), None) => {
                let delivery: DeliveryId = delivery.id(Code::DeliveryNotFound)?;
                let again = self.resend_one(caller.account_id, endpoint, delivery).await?;
                Ok(Accepted(Resent::One(again)))
            }
            (None, Some(since)) => {
                let resent = self.resend_since(caller.account_id, endpoint, since).await?;
                Ok(Accepted(Resent::Many(resent)))
            }
            _ => Err(ApiError::new(Code::InvalidRequest, "Give either `delivery_id` or `since`.")),
        }
    }
}

impl Deliveries {
    /// How fast an account's resends leave.
    fn rate(&self) -> Rate {
        let settings = &self.0.process.settings;
        let most_us = rate::most(settings, &[What::Resends]).iter().map(|(_, most_us)| *most_us).sum();
        Rate::Account { pace: rate::pace(settings), most_us }
    }

    /// The use case: one delivery again, from its first attempt.
    async fn resend_one(&self, account: AccountId, endpoint: EndpointId, id: DeliveryId) -> Answer<Delivery> {
        let mut conn = self.0.conn().await?;
        let mut resend = conn.begin().await?;
        enabled(&mut resend, account, endpoint).await?;
        let old = deliveries::by_ids(&mut resend, &[id], Some(endpoint)).await?.pop();
        let old =
            old.ok_or_else(|| ApiError::new(Code::DeliveryNotFound, format!("The endpoint has no delivery {id}.")))?;
        if old.trigger == Trigger::Test {
            may_ping(&mut resend, endpoint).await?;
        }
        deliveries::replace(&mut resend, endpoint, &old.event_id).await?;
        // A ping stays a ping when it is sent again: it counts for nothing.
        let trigger = if old.trigger == Trigger::Test { Trigger::Test } else { Trigger::Resend };
        let old = Unsent {
            id,
            workspace_id: old.workspace_id,
            event_id: old.event_id,
            event_type: old.event_type,
            job_id: old.job_id,
            traceparent: old.traceparent,
        };
        // Pings have a limit of their own.
        let rate = if trigger == Trigger::Test { Rate::Unbound } else { self.rate() };
        let (new, tickets) = again(&mut resend, account, endpoint, &[old], trigger, rate).await?;
        let row = deliveries::by_ids(&mut resend, &new, Some(endpoint)).await?.pop();
        resend.commit().await?;
        self.0.process.wakes.send(wakes_of(&tickets));
        let row = row.ok_or_else(|| ApiError::internal("a delivery that was just inserted is not there"))?;
        Ok(Delivery::new(row, Vec::new()))
    }

    /// The use case: what an outage of the receiver left unsent, in batches of one transaction each. The endpoint is
    /// locked in each, so that two calls at once do not both send.
    async fn resend_since(&self, account: AccountId, endpoint: EndpointId, since: Time) -> Answer<ResentSince> {
        let filter = UnsentFilter::since(since.0);
        let mut conn = self.0.conn().await?;
        let mut begun = 0;
        for _ in 0..MOST_BATCHES {
            let mut resend = conn.begin().await?;
            match enabled(&mut resend, account, endpoint).await {
                // Disabled or removed half-way: what was begun is told, and a call after this one is refused.
                Err(refusal) if begun > 0 && refusal.code().status().is_client_error() => break,
                other => other?,
            }
            let (batch, tickets) = match batch(&mut resend, account, endpoint, &filter, self.rate()).await {
                Err(refusal) if begun > 0 && refusal.code() == Code::RateLimited => break,
                other => other?,
            };
            resend.commit().await?;
            self.0.process.wakes.send(wakes_of(&tickets));
            match batch {
                Batch::Some(count) => begun += count,
                Batch::Last(count) => return Ok(ResentSince { resent: begun + count, has_more: false }),
            }
        }
        Ok(ResentSince { resent: begun, has_more: true })
    }
}

/// How fast what is sent again leaves.
#[derive(Debug, Clone, Copy)]
pub enum Rate {
    /// At the account's request rate: what goes beyond its burst is due later, one delivery after another.
    Account {
        /// Its rate.
        pace: Pace,
        /// How far ahead of now it may be, in microseconds.
        most_us: i64,
    },
    /// As fast as it can: an operator's resend, and a ping.
    Unbound,
}

/// What one transaction sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Batch {
    /// So many, and there may be more.
    Some(u64),
    /// So many, and there are no more.
    Last(u64),
}

/// Begins new series for some of an endpoint's unsent events, the oldest first, and pushes their tickets. The transaction
/// has locked the endpoint.
///
/// # Errors
/// `rate_limited` when what the account has sent again is too far ahead of its rate.
pub async fn batch(
    conn: &mut PgConnection,
    account: AccountId,
    endpoint: EndpointId,
    filter: &UnsentFilter,
    rate: Rate,
) -> Answer<(Batch, Vec<Ticket>)> {
    let old = deliveries::unsent(conn, endpoint, filter, SOME).await?;
    let (_, tickets) = again(conn, account, endpoint, &old, Trigger::Resend, rate).await?;
    let count = old.len() as u64;
    let is_last = old.len() < usize::try_from(SOME).unwrap_or(usize::MAX);
    Ok((if is_last { Batch::Last(count) } else { Batch::Some(count) }, tickets))
}

/// Locks the endpoint, and refuses one that is disabled or not the account's.
async fn enabled(conn: &mut PgConnection, account: AccountId, endpoint: EndpointId) -> Answer<()> {
    match endpoints::lock(conn, account, endpoint).await? {
        Some(true) => Ok(()),
        Some(false) => {
            let refusal = ApiError::new(Code::EndpointDisabled, "The endpoint is disabled; nothing is sent to it.");
            Err(refusal.suggest("PATCH /webhooks/{id} with `enabled: true` enables it."))
        }
        None => Err(missing(conn, endpoint).await?),
    }
}

/// Starts new series of old events, in the lane for what is sent again, and pushes their tickets.
async fn again(
    conn: &mut PgConnection,
    account: AccountId,
    endpoint: EndpointId,
    old: &[Unsent],
    trigger: Trigger,
    rate: Rate,
) -> Answer<(Vec<DeliveryId>, Vec<Ticket>)> {
    let waits_ms = waits(conn, account, old.len(), rate).await?;
    let mut series = Vec::with_capacity(old.len());
    let mut tickets = Vec::with_capacity(old.len());
    for (old, after_ms) in old.iter().zip(waits_ms) {
        let id = DeliveryId::mint();
        let opening = if after_ms > 0 {
            Opening::Later { after_ms }
        } else {
            let ticket = Ticket::new(Queue::WebhookSlow, Subject::Delivery { id, endpoint });
            let ticket_id = ticket.id.clone();
            tickets.push(ticket);
            Opening::Pending { ticket_id }
        };
        series.push(NewDelivery {
            id,
            endpoint_id: endpoint,
            account_id: account,
            workspace_id: old.workspace_id,
            event_id: old.event_id.parse().map_err(ApiError::internal)?,
            event_type: old.event_type,
            job_id: old.job_id,
            trigger,
            resend_of: Some(old.id),
            traceparent: old.traceparent.clone(),
            opening,
        });
    }
    deliveries::insert(conn, &series).await?;
    queue::push(conn, &tickets).await?;
    Ok((series.into_iter().map(|new| new.id).collect(), tickets))
}

/// A page of the deliveries of a place, each with its attempts.
pub async fn page_of(conn: &mut PgConnection, page: Page, place: &Place, every: &Everywhere) -> Answer<List<Delivery>> {
    let before = page.after.map(DeliveryId::from);
    let seen = deliveries::everywhere(conn, place, every, before, page.fetch()).await?;
    let rows = deliveries::by_ids(conn, &seen.rows, None).await?;
    let mut attempts = attempts_of(conn, &rows).await?;
    let shown = rows.into_iter().map(|row| {
        let its = attempts.remove(&row.id).unwrap_or_default();
        (row.id, Delivery::new(row, its))
    });
    let mut shown: HashMap<DeliveryId, Delivery> = shown.collect();
    Ok(page.window(seen, |id| id.uuid(), |id| shown.remove(&id)))
}

/// The attempts of these deliveries, each one's in order.
async fn attempts_of(conn: &mut PgConnection, rows: &[DeliveryRow]) -> Answer<HashMap<DeliveryId, Vec<Attempt>>> {
    let ids: Vec<DeliveryId> = rows.iter().map(|row| row.id).collect();
    let mut attempts: HashMap<DeliveryId, Vec<Attempt>> = HashMap::new();
    for row in deliveries::attempts_of(conn, &ids).await? {
        attempts.entry(row.delivery_id).or_default().push(row.into());
    }
    Ok(attempts)
}

/// When each of so many is due, in milliseconds from now.
async fn waits(conn: &mut PgConnection, account: AccountId, many: usize, rate: Rate) -> Answer<Vec<i64>> {
    let Rate::Account { pace, most_us } = rate else { return Ok(vec![0; many]) };
    if many == 0 {
        return Ok(Vec::new());
    }
    if let Some((what, seconds)) = paces::wait(conn, account, &[(What::Resends, most_us)]).await? {
        return Err(rate::too_soon(what, seconds));
    }
    let by_us = i64::try_from(many).unwrap_or(i64::MAX).saturating_mul(pace.interval_us);
    let ahead_us = paces::count(conn, account, What::Resends, by_us).await?;
    Ok(pace.waits_ms(ahead_us).take(many).collect())
}
