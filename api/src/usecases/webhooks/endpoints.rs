//! Registering, changing, testing and removing endpoints. The account's audit log records each in the same transaction.

use super::missing;
use super::series::count_ping;
use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::account_audit::{Change, audit_value, note, note_change, note_made};
use crate::usecases::once::{Begun, Made, Once};
use domain::event::{EventId, EventType, ping_bytes};
use domain::ids::{AccountId, DeliveryId, EndpointId};
use domain::series::Trigger;
use runtime::queue::{self, Queue, Subject, Ticket};
use runtime::wake::Wake;
use sqlx::PgConnection;
use store::deliveries::{LatelyPinged, NewDelivery, Opening, end_silent, insert, pings_lately};
use store::endpoints::{self, Endpoint, EndpointChange, MOST_ENDPOINTS, NewEndpoint};
use store::{accounts, events};

/// Pings of an endpoint within a minute (contract §8).
const PINGS_A_MINUTE: i64 = 10;
/// The most waiting deliveries that a removal ends in its own transaction, while workers that record attempts may wait
/// for the endpoint; the scheduler ends the rest.
const ENDED_AT_ONCE: i64 = 500;

/// What follows a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// Nothing.
    Nothing,
    /// One ping.
    Ping,
}

/// Registers an endpoint. The account is locked while they are counted, so that concurrent calls can't exceed the
/// limit.
pub async fn register_webhook(
    app: &App,
    caller: &Caller,
    once: &Once,
    new: &NewEndpoint,
    show: impl FnOnce(Endpoint) -> String,
) -> Answer<Made> {
    let mut register = match once.begin(app).await? {
        Begun::Now(register, _) => register,
        Begun::Before(before) => return Ok(Made::Before(before)),
    };
    accounts::lock(&mut register, new.account_id).await.map_err(ApiError::of_own_lock)?;
    let row = endpoints::insert(&mut register, new).await?.ok_or_else(|| {
        let message = format!("The account has {MOST_ENDPOINTS} endpoints, which is the most.");
        ApiError::new(Code::EndpointLimitReached, message).suggest("DELETE /webhooks/{id} removes one.")
    })?;
    note_made(&mut register, caller, Change::of("webhook.create", row.id).with(audit_value(&row))).await?;
    let body = show(row);
    once.keep(app, &mut register, &body).await?;
    register.commit().await?;
    Ok(Made::Now(body))
}

/// Changes an endpoint and, if asked, records a ping to it, in one transaction. Returns the endpoint and the ping's
/// delivery.
pub async fn change_webhook(
    app: &App,
    caller: &Caller,
    id: EndpointId,
    change: &EndpointChange,
    after: After,
) -> Answer<(Endpoint, Option<DeliveryId>)> {
    let mut changed = app.process.begin_of(caller.account_id).await?;
    let before = endpoints::lock(&mut changed, caller.account_id, id).await.map_err(ApiError::of_own_lock)?;
    let Some(was_enabled) = before else { return Err(missing(&mut changed, id).await?) };
    let updated = endpoints::update(&mut changed, caller.account_id, id, change).await;
    let Some(row) = updated.map_err(ApiError::of_own_lock)? else { return Err(missing(&mut changed, id).await?) };
    note_change(&mut changed, caller, change, was_enabled, &row).await?;
    let pinged = match after {
        After::Nothing => None,
        After::Ping => {
            count_ping(&mut changed, caller.account_id, &app.process.settings).await?;
            Some(record_ping(&mut changed, caller.account_id, &row, caller.traceparent.clone()).await?)
        }
    };
    changed.commit().await?;
    app.process.wakes.send([Wake::Duties]);
    let Some((delivery, ticket)) = pinged else { return Ok((row, None)) };
    app.process.wakes.tickets(&[ticket]);
    Ok((row, Some(delivery)))
}

/// Removes an endpoint and cancels its waiting deliveries, `ENDED_AT_ONCE` at most; a duty cancels the rest.
pub async fn remove_webhook(app: &App, caller: &Caller, id: EndpointId) -> Answer<()> {
    let mut remove = app.process.begin_of(caller.account_id).await?;
    if !endpoints::remove(&mut remove, caller.account_id, id).await? {
        return Err(missing(&mut remove, id).await?);
    }
    end_silent(&mut remove, Some(id), ENDED_AT_ONCE).await?;
    note(&mut remove, caller, Change::of("webhook.delete", id)).await?;
    remove.commit().await?;
    app.process.wakes.send([Wake::Duties]);
    Ok(())
}

/// Refuses the eleventh ping of an endpoint within a minute. The transaction has locked the endpoint.
pub(super) async fn may_ping(conn: &mut PgConnection, endpoint: EndpointId) -> Answer<LatelyPinged> {
    let lately = pings_lately(conn, endpoint, 60.0).await?;
    if lately.pings < PINGS_A_MINUTE {
        return Ok(lately);
    }
    let message = format!("An endpoint takes {PINGS_A_MINUTE} pings a minute.");
    let seconds = lately.wait_seconds.unwrap_or(1).max(1).unsigned_abs();
    Err(ApiError::new(Code::RateLimited, message).retry_after(seconds))
}

/// Records a ping of the account's endpoint, which the transaction has locked, and pushes its ticket.
pub async fn record_ping(
    conn: &mut PgConnection,
    account: AccountId,
    endpoint: &Endpoint,
    traceparent: Option<String>,
) -> Answer<(DeliveryId, Ticket)> {
    let lately = may_ping(conn, endpoint.id).await?;
    let delivery = DeliveryId::mint();
    let event_id = EventId::of_ping(delivery);
    let bytes = ping_bytes(&event_id, lately.now, endpoint.id).map_err(ApiError::internal)?;
    let body = String::from_utf8(bytes).map_err(ApiError::internal)?;
    events::record_ping(conn, account, &event_id, &body).await?;
    let lane = Queue::of_attempt(0, endpoint.is_healthy());
    let ticket = Ticket::new(lane, Subject::Delivery { id: delivery, endpoint: endpoint.id });
    let new = NewDelivery {
        id: delivery,
        endpoint_id: endpoint.id,
        account_id: account,
        workspace_id: None,
        event_id,
        event_type: EventType::Ping,
        job_id: None,
        trigger: Trigger::Test,
        resend_of: None,
        traceparent,
        opening: Opening::Pending { ticket_id: ticket.id.clone() },
    };
    insert(conn, &[new]).await?;
    queue::push(conn, std::slice::from_ref(&ticket)).await?;
    Ok((delivery, ticket))
}
