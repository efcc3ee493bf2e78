//! The delivery log of an endpoint, and sending again: `/webhooks/{id}/deliveries` (contract §4.3, §6.1.11).
//!
//! A resend is a new series, from the first attempt. It replaces a series of the same delivery that is still pending,
//! so that the receiver is not called by both.

mod shapes;
mod words;

use crate::app::App;
use crate::auth::Auth;
use crate::contract::envelope::Accepted;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{Text, Time};
use crate::usecases::webhooks::missing;
use crate::usecases::webhooks::resend::{By, resend_delivery, resend_since};
use domain::ids::{DeliveryId, EndpointId};
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
pub use shapes::{Attempt, Delivery, DeliveryDetail};
use shapes::{Resent, ResentSince};
use sqlx::PgConnection;
use std::collections::HashMap;
use store::deliveries::{self, DeliveryFilter, DeliveryRow, DeliverySearchFilter, SearchScope};
use store::endpoints;
pub use words::{Kind, Status};

/// The error codes of these operations, besides those that any operation may return.
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

/// The delivery operations.
pub struct Deliveries(pub App);

/// What to send again: exactly one of the two fields.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct Resend {
    /// The delivery to send again.
    pub delivery_id: Option<Text>,
    /// Every event since this time whose last delivery failed or was skipped.
    pub since: Option<Time>,
}

#[OpenApi(tag = "Tag::Webhooks")]
impl Deliveries {
    /// List deliveries
    ///
    /// Lists the endpoint's deliveries, newest first, with the receiver's status and the error. They are kept for 30
    /// days. With filters a page looks through 2,000 deliveries: it may have fewer than `limit`, or none, and still be
    /// followed by more.
    #[oai(path = "/webhooks/:id/deliveries", method = "get", operation_id = "list_deliveries")]
    #[expect(clippy::too_many_arguments, reason = "an operation's parameters are its arguments")]
    async fn list(
        &self,
        auth: Auth,
        /// The endpoint's id.
        id: Path<Text>,
        /// Only those with this status.
        status: Query<Option<Status>>,
        /// Only those of this event type.
        event_type: Query<Option<Kind>>,
        /// Only those whose last answer had this HTTP status, 100 to 599.
        #[oai(validator(minimum(value = "100"), maximum(value = "599")))]
        http_status: Query<Option<i16>>,
        /// Only those created at or after this time.
        since: Query<Option<Time>>,
        /// Only those created before this time.
        until: Query<Option<Time>>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<Delivery>>> {
        let Auth(caller) = auth;
        let id: EndpointId = id.0.id(Code::WebhookNotFound)?;
        let page = Page::of("deliveries", id.uuid(), limit.0, cursor.0.as_ref())?;
        let filter = DeliveryFilter {
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
        let every = DeliverySearchFilter { filter, error: None };
        Ok(Json(page_of(&mut conn, page, &SearchScope::Endpoints(vec![id]), &every).await?))
    }

    /// Get a delivery
    ///
    /// With the requests that were sent: the body, and for each attempt the host, the path and the headers with the
    /// signature.
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
    /// With `delivery_id`, sends that delivery again from its first attempt: a new delivery, which names it in
    /// `resend_of`. If that one, or a resend of it, is still pending, it is cancelled. With `since`, sends every event
    /// since then whose last delivery failed or was skipped.
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
                let again = resend_delivery(&self.0, caller.account_id, endpoint, delivery, By::Account).await?;
                Ok(Accepted(Resent::One(Delivery::new(again, Vec::new()))))
            }
            (None, Some(since)) => {
                let all = resend_since(&self.0, caller.account_id, endpoint, since.0).await?;
                Ok(Accepted(Resent::Many(ResentSince { resent: all.resent, has_more: all.has_more })))
            }
            _ => Err(ApiError::new(Code::InvalidRequest, "Give either `delivery_id` or `since`.")),
        }
    }
}

/// Returns a page of deliveries in this scope, each with its attempts.
pub async fn page_of(
    conn: &mut PgConnection,
    page: Page,
    scope: &SearchScope,
    every: &DeliverySearchFilter,
) -> Answer<List<Delivery>> {
    let before = page.after.map(DeliveryId::from);
    let seen = deliveries::search(conn, scope, every, before, page.fetch()).await?;
    let rows = deliveries::by_ids(conn, &seen.rows, None).await?;
    let mut attempts = attempts_of(conn, &rows).await?;
    let shown = rows.into_iter().map(|row| {
        let its = attempts.remove(&row.id).unwrap_or_default();
        (row.id, Delivery::new(row, its))
    });
    let mut shown: HashMap<DeliveryId, Delivery> = shown.collect();
    Ok(page.window(seen, |id| id.uuid(), |id| shown.remove(&id)))
}

/// Returns the attempts of these deliveries, each delivery's in order.
async fn attempts_of(conn: &mut PgConnection, rows: &[DeliveryRow]) -> Answer<HashMap<DeliveryId, Vec<Attempt>>> {
    let ids: Vec<DeliveryId> = rows.iter().map(|row| row.id).collect();
    let mut attempts: HashMap<DeliveryId, Vec<Attempt>> = HashMap::new();
    for row in deliveries::attempts_of(conn, &ids).await? {
        attempts.entry(row.delivery_id).or_default().push(row.into());
    }
    Ok(attempts)
}
