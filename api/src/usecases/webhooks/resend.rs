//! Sending again what an endpoint of the caller's account did not get: one delivery, or all since a time. Nothing is
//! sent to a disabled endpoint, and a new series replaces a pending one of the same event.

use super::endpoints::may_ping;
use super::missing;
use super::series::{BATCH, Rate, begin_again, begin_some, count_ping, refuse_ahead};
use crate::app::App;
use crate::app::permits::Permit;
use crate::auth::operator::OperatorCaller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::charge::charge_requests;
use chrono::{DateTime, Utc};
use domain::ids::{AccountId, DeliveryId, EndpointId};
use domain::series::Trigger;
use serde_json::json;
use sqlx::PgConnection;
use store::deliveries::{self, DeliveryRow, Unsent, UnsentFilter};
use store::{audit, endpoints};
use tracing::Instrument;

/// Transactions of one call; the next call goes on from there.
const MOST_BATCHES: u32 = 50;
/// Deliveries that one statement looks at, whether they were sent again or not.
const LOOKED_AT_ONCE: i64 = 5_000;
/// As many of them as count as one more request of the account.
const LOOKED_AT_OF_A_REQUEST: usize = 1_000;

/// The outcome of a resend of all that did not arrive.
#[derive(Debug, Clone, Copy)]
pub struct Resent {
    /// Deliveries that were begun again.
    pub resent: u64,
    /// Whether there are more deliveries to send.
    pub has_more: bool,
}

/// Who asks for a delivery to be sent again.
#[derive(Debug, Clone, Copy)]
pub enum By<'a> {
    /// The endpoint's account: the delivery leaves at the account's rate.
    Account,
    /// An operator: it leaves at once, and the operators' audit log records it.
    Operator(&'a OperatorCaller),
}

/// Sends one delivery again, from its first attempt.
pub async fn resend_delivery(
    app: &App,
    account: AccountId,
    endpoint: EndpointId,
    id: DeliveryId,
    by: By<'_>,
) -> Answer<DeliveryRow> {
    let mut resend = app.process.begin_of(account).await?;
    require_enabled(&mut resend, account, endpoint).await?;
    let old = deliveries::by_ids(&mut resend, &[id], Some(endpoint)).await?.pop();
    let old =
        old.ok_or_else(|| ApiError::new(Code::DeliveryNotFound, format!("The endpoint has no delivery {id}.")))?;
    if old.trigger == Trigger::Test {
        may_ping(&mut resend, endpoint).await?;
        if matches!(by, By::Account) {
            count_ping(&mut resend, account, &app.process.settings).await?;
        }
    }
    deliveries::replace(&mut resend, endpoint, &old.event_id).await?;
    // A ping that is sent again stays a ping: a failure does not count against the endpoint.
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
    let rate = match (trigger, by) {
        (Trigger::Test, _) | (_, By::Operator(_)) => Rate::Unbound,
        (_, By::Account) => Rate::of_account(&app.process.settings),
    };
    let (new, tickets) = begin_again(&mut resend, account, endpoint, &[old], trigger, rate).await?;
    let row = deliveries::by_ids(&mut resend, &new, Some(endpoint)).await?.pop();
    if let By::Operator(operator) = by {
        let after = json!({ "delivery_id": new.first(), "endpoint_id": endpoint });
        audit::record(&mut resend, &operator.changed("delivery.resend", id, None, Some(after))).await?;
    }
    resend.commit().await?;
    app.process.wakes.tickets(&tickets);
    row.ok_or_else(|| ApiError::internal("a delivery that was just inserted is not there"))
}

/// Sends again, in batches of one transaction each, what an outage of the receiver left unsent. Each locks the
/// endpoint, so that of two simultaneous calls only one sends. It goes on when its client hangs up, and holds its
/// permit, which is the account's own, until it ends. What it looks at beyond the first thousand counts as more
/// requests of the account.
///
/// # Errors
/// `rate_limited` while another such call of the account is under way, or its resends are too far ahead of its rate.
pub async fn resend_since(app: &App, account: AccountId, endpoint: EndpointId, since: DateTime<Utc>) -> Answer<Resent> {
    let permit = app.resends.take(account).await?;
    let rate = Rate::of_account(&app.process.settings);
    let app = app.clone();
    let mut missed = Missed { app, permit, account, endpoint, since, rate, begun: 0, is_unknown: false, looked_at: 0 };
    let work = async move {
        let sent = missed.send_again().await;
        charge_requests(&missed.app, account, missed.looked_at / LOOKED_AT_OF_A_REQUEST).await;
        match sent {
            // Refused half-way: this call answers what it has begun, and the next one is refused.
            Err(refusal) if missed.begun > 0 && !missed.is_unknown && ends_early(&refusal) => {
                Ok(Resent { resent: missed.begun, has_more: true })
            }
            sent => sent.map(|has_more| Resent { resent: missed.begun, has_more }),
        }
    };
    tokio::spawn(work.in_current_span()).await.map_err(ApiError::internal)?
}

/// Whether a call that has begun something may end with this refusal: the endpoint was disabled or removed, the account
/// is too far ahead, or the next batch has had no turn in time.
fn ends_early(refusal: &ApiError) -> bool {
    refusal.code().status().is_client_error() || refusal.code() == Code::DatabaseUnavailable
}

/// A resend of all that did not arrive at an endpoint. Each look and each batch waits for a turn of its own and gives
/// it back, so that resends of many accounts go on side by side, however long each of them is.
struct Missed {
    app: App,
    permit: Permit,
    account: AccountId,
    endpoint: EndpointId,
    since: DateTime<Utc>,
    rate: Rate,
    /// Deliveries that were begun again.
    begun: u64,
    /// Whether a batch may have been begun or not: its commit was not answered, or refused.
    is_unknown: bool,
    /// Deliveries that were looked at, also by a call that is refused half-way.
    looked_at: usize,
}

impl Missed {
    /// Looks through what did not arrive, the oldest first, and sends it again. Returns whether there is more.
    async fn send_again(&mut self) -> Answer<bool> {
        let (mut batches, mut after) = (0, None);
        loop {
            let (window, found) = self.look(after).await?;
            after = window.last().copied();
            for some in found.chunks(BATCH) {
                if batches == MOST_BATCHES {
                    return Ok(true);
                }
                batches += 1;
                self.begin(some).await?;
            }
            if i64::try_from(window.len()).unwrap_or(i64::MAX) < LOOKED_AT_ONCE {
                return Ok(false);
            }
        }
    }

    /// Returns the next deliveries that did not arrive, and those of them that are to be sent again.
    async fn look(&mut self, after: Option<DeliveryId>) -> Answer<(Vec<DeliveryId>, Vec<Unsent>)> {
        let mut conn = self.app.process.conn_among(self.account, Some(self.permit.few())).await?;
        if after.is_none() {
            // Before anything is looked for: the endpoint may be another account's.
            require_enabled(&mut conn, self.account, self.endpoint).await?;
            refuse_ahead(&mut conn, self.account, self.rate).await?;
        }
        let window = deliveries::not_arrived(&mut conn, self.endpoint, after, LOOKED_AT_ONCE).await?;
        self.looked_at += window.len();
        let since = UnsentFilter::since(self.since);
        let found = deliveries::unsent_among(&mut conn, self.endpoint, &window, &since).await?;
        Ok((window, found))
    }

    /// Begins a batch again, in a transaction.
    async fn begin(&mut self, some: &[Unsent]) -> Answer<()> {
        let mut resend = self.app.process.begin_among(self.account, Some(self.permit.few())).await?;
        require_enabled(&mut resend, self.account, self.endpoint).await?;
        let (batch, tickets) = begin_some(&mut resend, self.account, self.endpoint, some, self.rate).await?;
        resend.commit().await.inspect_err(|_| self.is_unknown = true)?;
        self.app.process.wakes.tickets(&tickets);
        self.begun += batch.count();
        Ok(())
    }
}

/// Locks the endpoint, and refuses one that is disabled or not the account's.
async fn require_enabled(conn: &mut PgConnection, account: AccountId, endpoint: EndpointId) -> Answer<()> {
    match endpoints::lock(conn, account, endpoint).await.map_err(ApiError::of_own_lock)? {
        Some(true) => Ok(()),
        Some(false) => {
            let refusal = ApiError::new(Code::EndpointDisabled, "The endpoint is disabled; nothing is sent to it.");
            Err(refusal.suggest("PATCH /webhooks/{id} with `enabled: true` enables it."))
        }
        None => Err(missing(conn, endpoint).await?),
    }
}
