//! New series of events that were sent before. To find them takes long where many were sent again, and workers that
//! record attempts, of all accounts, may wait for an endpoint's lock: so they are found before the endpoint is locked.
//! Then the caller's transaction locks it, so that two simultaneous calls do not both send. What an account sends again
//! leaves at its rate.

use crate::http::error::{Answer, ApiError};
use crate::http::rate;
use domain::ids::{AccountId, DeliveryId, EndpointId};
use domain::series::Trigger;
use runtime::config::Settings;
use runtime::queue::{self, Queue, Subject, Ticket};
use sqlx::PgConnection;
use store::credentials::Pace;
use store::deliveries::{self, Opening, Unsent, UnsentFilter};
use store::paces::{self, A_DAY_US, MOST_PINGS_A_DAY, MOST_RESENT_A_DAY, Paced};

/// Events that one transaction sends again.
pub const BATCH: usize = 1_000;

/// How fast events that are sent again leave.
#[derive(Debug, Clone, Copy)]
pub enum Rate {
    /// At the account's request rate: those beyond its burst are due later, one after another.
    Account {
        /// The account's rate.
        pace: Pace,
        /// How far ahead of now the account may be in each of its paces, in microseconds.
        most: [(Paced, i64); 2],
    },
    /// At once: an operator's resend, and a ping.
    Unbound,
}

impl Rate {
    /// The rate of an account, by the settings.
    pub fn of_account(settings: &Settings) -> Self {
        let most = [Paced::Resends, Paced::ResendsADay].map(|what| (what, rate::most_us(settings, what)));
        Self::Account { pace: rate::pace(settings), most }
    }
}

/// How many events one transaction sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Batch {
    /// This many, and there may be more.
    Some(u64),
    /// This many, and there are no more.
    Last(u64),
}

impl Batch {
    /// How many it is.
    pub const fn count(self) -> u64 {
        let (Self::Some(count) | Self::Last(count)) = self;
        count
    }
}

/// Returns some of an endpoint's unsent events, the oldest first, for [`begin_some`]. Call it while no lock is held.
pub async fn find_some(
    conn: &mut PgConnection,
    endpoint: EndpointId,
    filter: &UnsentFilter,
) -> sqlx::Result<Vec<Unsent>> {
    deliveries::unsent(conn, endpoint, filter, i64::try_from(BATCH).unwrap_or(i64::MAX)).await
}

/// Begins new series for those of the found events that are still unsent, the oldest first, and pushes their tickets.
///
/// # Errors
/// `rate_limited` when the account's resends are too far ahead of its rate.
pub async fn begin_some(
    conn: &mut PgConnection,
    account: AccountId,
    endpoint: EndpointId,
    found: &[Unsent],
    rate: Rate,
) -> Answer<(Batch, Vec<Ticket>)> {
    let ids: Vec<DeliveryId> = found.iter().map(|found| found.id).collect();
    let old = deliveries::still_unsent(conn, endpoint, &ids).await?;
    let (_, tickets) = begin_again(conn, account, endpoint, &old, Trigger::Resend, rate).await?;
    let count = old.len() as u64;
    let is_last = found.len() < BATCH;
    Ok((if is_last { Batch::Last(count) } else { Batch::Some(count) }, tickets))
}

/// Begins new series of old events, in the lane for resends, and pushes their tickets.
pub async fn begin_again(
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
        series.push(old.again(id, account, endpoint, trigger, opening).map_err(ApiError::internal)?);
    }
    deliveries::insert(conn, &series).await?;
    queue::push(conn, &tickets).await?;
    Ok((series.into_iter().map(|new| new.id).collect(), tickets))
}

/// Refuses an account whose resends are too far ahead of its rate, or which has sent as many again as it may in a day.
///
/// # Errors
/// `rate_limited`, with when it can send more again.
pub async fn refuse_ahead(conn: &mut PgConnection, account: AccountId, rate: Rate) -> Answer<()> {
    let Rate::Account { most, .. } = rate else { return Ok(()) };
    match paces::longest_wait(conn, account, &most).await? {
        Some(wait) => Err(rate::too_soon(wait)),
        None => Ok(()),
    }
}

/// Returns when each of `many` deliveries is due, in milliseconds from now.
async fn waits(conn: &mut PgConnection, account: AccountId, many: usize, rate: Rate) -> Answer<Vec<i64>> {
    let Rate::Account { pace, .. } = rate else { return Ok(vec![0; many]) };
    if many == 0 {
        return Ok(Vec::new());
    }
    refuse_ahead(conn, account, rate).await?;
    let count = i64::try_from(many).unwrap_or(i64::MAX);
    let by_us = count.saturating_mul(pace.interval_us);
    let ahead_us = paces::advance(conn, account, Paced::Resends, by_us).await?;
    let of_a_day = count.saturating_mul(A_DAY_US / MOST_RESENT_A_DAY);
    paces::advance(conn, account, Paced::ResendsADay, of_a_day).await?;
    Ok(pace.waits_ms(ahead_us).take(many).collect())
}

/// Counts a ping of the account.
///
/// # Errors
/// `rate_limited` once it has sent as many as it may in a day, with when it can send another.
pub async fn count_ping(conn: &mut PgConnection, account: AccountId, settings: &Settings) -> Answer<()> {
    let most = rate::most(settings, &[Paced::PingsADay]);
    if let Some(wait) = paces::longest_wait(conn, account, &most).await? {
        return Err(rate::too_soon(wait));
    }
    paces::advance(conn, account, Paced::PingsADay, A_DAY_US / MOST_PINGS_A_DAY).await?;
    Ok(())
}
