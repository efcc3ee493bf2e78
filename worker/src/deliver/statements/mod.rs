//! The statements that claim, revalidate, record, hand back and defer deliveries, many in each.
//!
//! Their answers go to the scheduler as events. A statement that fails is tried again, since the database may be away
//! for a moment; the scheduler process repairs what could not be written then, from the rows alone. Each call holds
//! what must not end before it, its ticket first of all.

use super::messages::{Awaited, Held, HeldTicket};
use super::retries::with_retries;
use super::scheduler::{Cursor, Event, Leased, Prefetch, Slot};
use crate::batch::Batcher;
use domain::ids::{DeliveryId, EndpointId};
use runtime::process::Process;
use runtime::wake::Wakes;
use sqlx::PgPool;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use store::PoolSize;
use store::attempts::{self, CountedEndpoint, EndedAttempt};
use store::deliveries::{self, Claim, CurrentTarget, Deferred, Delay, HandedBackClaim, Wanted};
use tokio::time::Instant;

/// The most calls of a kind in one statement.
const MOST_IN_A_BATCH: usize = 256;
/// The pause between records, where several come at once: nobody waits for a success to be written.
const RECORDS_APART: Duration = Duration::from_millis(5);
/// The most endpoints that are prefetched from in one statement.
const MOST_ENDPOINTS: usize = 4;
/// The connections for statements that find rows by their ids: one for each kind of batch.
const CONNECTIONS: PoolSize = PoolSize(6);

/// A call about an endpoint's backlog. Such calls are done one after another.
pub enum BacklogCall {
    Delay(Delay, Held),
    Prefetch(Prefetch, Awaited),
}

/// The batches of one process.
pub struct Statements {
    pub claims: Batcher<(DeliveryId, Awaited), ()>,
    pub backlogs: Batcher<BacklogCall, ()>,
    pub revalidations: Batcher<(DeliveryId, i32), Option<CurrentTarget>>,
    pub records: Batcher<(EndedAttempt, Held), ()>,
    pub hand_backs: Batcher<(HandedBackClaim, Held), ()>,
    pub deferrals: Batcher<(Deferred, Held), ()>,
}

/// Claims for one process.
#[derive(Clone)]
struct Claimer {
    pool: PgPool,
    worker: Arc<str>,
    lease_ms: i64,
}

impl Statements {
    /// Starts the batches. Claims are leased for `lease`, of which an attempt takes `attempt` at most.
    pub fn start(process: &Process, lease: Duration, attempt: Duration) -> Self {
        let pool = store::generic_plan_pool(&process.pool, CONNECTIONS);
        let claimer = Claimer { pool: pool.clone(), worker: Arc::clone(&process.name), lease_ms: whole_ms(lease) };
        Self {
            claims: start_claims(claimer.clone()),
            backlogs: start_backlogs(claimer),
            revalidations: start_revalidations(pool.clone(), whole_ms(attempt)),
            records: start_records(pool.clone(), process.pool.clone(), process.wakes.clone()),
            hand_backs: start_hand_backs(pool.clone(), process.wakes.clone()),
            deferrals: start_deferrals(pool, process.wakes.clone()),
        }
    }
}

/// Returns a time in whole milliseconds.
pub fn whole_ms(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

impl Claimer {
    /// Claims these deliveries and the wanted ones of endpoints, each with the moment at which the successful statement
    /// was begun. None where every try failed.
    async fn claim(&self, ids: &[DeliveryId], wanted: &[Wanted]) -> Option<Vec<Leased<Claim>>> {
        let claim = || async {
            let mut conn = self.pool.acquire().await?;
            let since = Instant::now();
            let claims = deliveries::claim(&mut conn, ids, wanted, &self.worker, self.lease_ms).await?;
            Ok(claims.into_iter().map(|claim| leased(claim, since)).collect())
        };
        with_retries("claimed", claim).await
    }
}

fn start_claims(claimer: Claimer) -> Batcher<(DeliveryId, Awaited), ()> {
    Batcher::new(MOST_IN_A_BATCH, move |calls: Vec<(DeliveryId, Awaited)>| {
        let claimer = claimer.clone();
        async move {
            let done = vec![(); calls.len()];
            let ids: Vec<DeliveryId> = calls.iter().map(|(id, _)| *id).collect();
            let claims = claimer.claim(&ids, &[]).await.unwrap_or_default();
            // Two tickets of one delivery may meet in a batch: the first gets the claim, the other none.
            let mut by_id: HashMap<DeliveryId, Leased<Claim>> =
                claims.into_iter().map(|leased| (leased.id, leased)).collect();
            for (id, awaited) in calls {
                if let Some(leased) = by_id.remove(&id) {
                    awaited.answer(|failed| claimed(failed, leased));
                }
            }
            done
        }
    })
}

/// Turns the event for a failed claim into the one for a claim that succeeded.
fn claimed(failed: Event<Claim, HeldTicket>, leased: Leased<Claim>) -> Event<Claim, HeldTicket> {
    let Event::NotClaimed { lane, ticket, .. } = failed else { return failed };
    let slot = Slot { lane, account: leased.delivery.account_id, endpoint: leased.delivery.endpoint_id };
    Event::Claimed { slot, leased, ticket }
}

/// Returns the claim as the scheduler takes it; it was asked for at `since`.
pub fn leased(claim: Claim, since: Instant) -> Leased<Claim> {
    Leased { id: claim.id, since, is_healthy: claim.healthy, delivery: claim }
}

fn start_backlogs(claimer: Claimer) -> Batcher<BacklogCall, ()> {
    Batcher::new(MOST_IN_A_BATCH, move |calls: Vec<BacklogCall>| {
        let claimer = claimer.clone();
        async move {
            let done = vec![(); calls.len()];
            let (mut delays, mut delayed, mut prefetches) = (Vec::new(), Vec::new(), Vec::new());
            for call in calls {
                match call {
                    BacklogCall::Delay(delay, held) => {
                        delays.push(delay);
                        delayed.push(held);
                    }
                    BacklogCall::Prefetch(prefetch, held) => prefetches.push((prefetch, held)),
                }
            }
            if !delays.is_empty() {
                let delay = || async { deliveries::delay_tickets(&mut *claimer.pool.acquire().await?, &delays).await };
                // Tickets that could not be delayed are spent, and their deliveries get new ones.
                with_retries("delayed in the queue", delay).await;
                drop(delayed);
            }
            while !prefetches.is_empty() {
                let some = prefetches.drain(..prefetches.len().min(MOST_ENDPOINTS)).collect();
                prefetch(&claimer, some).await;
            }
            done
        }
    })
}

/// Claims the next deliveries of each endpoint, and tells the scheduler.
async fn prefetch(claimer: &Claimer, prefetches: Vec<(Prefetch, Awaited)>) {
    let wanted = |(prefetch, _): &(Prefetch, Awaited)| Wanted {
        endpoint: prefetch.endpoint,
        many: i64::try_from(prefetch.many).unwrap_or(i64::MAX),
        after: prefetch.after,
    };
    let wanted: Vec<Wanted> = prefetches.iter().map(wanted).collect();
    let mut next = claimer.claim(&[], &wanted).await;
    let found = |next: &Option<Vec<Leased<Claim>>>, endpoint| {
        let of_it = next.iter().flatten().filter(|leased| leased.delivery.endpoint_id == endpoint).count();
        i64::try_from(of_it).unwrap_or(i64::MAX)
    };
    // A few deliveries come late, with ids below the cursor. They are claimed when those after it are not enough.
    let bounded = wanted.iter().filter(|one| one.after.is_some());
    let rest = bounded.map(|one| Wanted { after: None, many: one.many - found(&next, one.endpoint), ..*one });
    let rest: Vec<Wanted> = rest.filter(|one| one.many > 0).collect();
    if let Some(next) = next.as_mut().filter(|_| !rest.is_empty()) {
        next.extend(claimer.claim(&[], &rest).await.unwrap_or_default());
    }
    let mut by_endpoint: HashMap<EndpointId, Vec<Leased<Claim>>> = HashMap::new();
    let is_answered = next.is_some();
    for leased in next.into_iter().flatten() {
        by_endpoint.entry(leased.delivery.endpoint_id).or_default().push(leased);
    }
    let found = |endpoint: &EndpointId| by_endpoint.get(endpoint).map_or(0, Vec::len);
    let short = prefetches.iter().filter(|(prefetch, _)| found(&prefetch.endpoint) < prefetch.many);
    let short: Vec<EndpointId> = short.map(|(prefetch, _)| prefetch.endpoint).collect();
    let failing = if is_answered { failing(claimer, &short).await } else { short };
    for (Prefetch { endpoint, many, .. }, awaited) in prefetches {
        let mut leased = by_endpoint.remove(&endpoint).unwrap_or_default();
        leased.sort_unstable_by_key(|leased| leased.id);
        let is_full = leased.len() >= many;
        let after = leased.last().map(|leased| leased.id).filter(|_| is_full);
        let cursor = Cursor { more: is_full || failing.contains(&endpoint), after };
        awaited.answer(|_| Event::Prefetched { endpoint, leased, cursor });
    }
}

/// Returns those of these endpoints that fail now; all of them if the database can't be asked.
async fn failing(claimer: &Claimer, endpoints: &[EndpointId]) -> Vec<EndpointId> {
    if endpoints.is_empty() {
        return Vec::new();
    }
    let look = || async { deliveries::failing(&mut *claimer.pool.acquire().await?, endpoints).await };
    with_retries("looked for", look).await.unwrap_or_else(|| endpoints.to_vec())
}

fn start_revalidations(pool: PgPool, attempt_ms: i64) -> Batcher<(DeliveryId, i32), Option<CurrentTarget>> {
    Batcher::new(MOST_IN_A_BATCH, move |claims: Vec<(DeliveryId, i32)>| {
        let pool = pool.clone();
        async move {
            let revalidate =
                || async { deliveries::revalidate(&mut *pool.acquire().await?, &claims, attempt_ms).await };
            let found = with_retries("revalidated", revalidate).await.unwrap_or_default();
            let mut by_id: HashMap<DeliveryId, CurrentTarget> =
                found.into_iter().map(|target| (target.id, target)).collect();
            claims.iter().map(|(id, _)| by_id.remove(id)).collect()
        }
    })
}

/// Successes are recorded by their ids, with a generic plan. The statement that counts failures joins the batch with
/// itself, so it uses a pool that does not force one. While deliveries are sent the service is not quiet: a retry may
/// be due before schedulers would look, and a disabled endpoint's other deliveries are to be ended.
fn start_records(planned: PgPool, any: PgPool, wakes: Wakes) -> Batcher<(EndedAttempt, Held), ()> {
    Batcher::paced(MOST_IN_A_BATCH, RECORDS_APART, move |calls: Vec<(EndedAttempt, Held)>| {
        let (planned, any, wakes) = (planned.clone(), any.clone(), wakes.clone());
        async move {
            let (ended, _held): (Vec<EndedAttempt>, Vec<Held>) = calls.into_iter().unzip();
            let done = vec![(); ended.len()];
            let (succeeded, others) = attempts::parted(ended);
            if !succeeded.is_empty() {
                let record = || async { attempts::record_succeeded(&mut *planned.acquire().await?, &succeeded).await };
                with_retries("recorded", record).await;
            }
            if !others.is_empty() {
                let record = || async { attempts::record(&mut *any.acquire().await?, &others).await };
                with_retries("recorded", record).await.unwrap_or_default().iter().for_each(CountedEndpoint::tell);
            }
            wakes.stir_everyone();
            done
        }
    })
}

fn start_hand_backs(pool: PgPool, wakes: Wakes) -> Batcher<(HandedBackClaim, Held), ()> {
    Batcher::new(MOST_IN_A_BATCH, move |calls: Vec<(HandedBackClaim, Held)>| {
        let (pool, wakes) = (pool.clone(), wakes.clone());
        async move {
            let (claims, held): (Vec<HandedBackClaim>, Vec<Held>) = calls.into_iter().unzip();
            let hand_back = || async { deliveries::hand_back(&mut *pool.acquire().await?, &claims).await };
            // Claims that could not be handed back are rescued when their leases end.
            with_retries("handed back", hand_back).await;
            wakes.stir_everyone();
            vec![(); held.len()]
        }
    })
}

fn start_deferrals(pool: PgPool, wakes: Wakes) -> Batcher<(Deferred, Held), ()> {
    Batcher::new(MOST_IN_A_BATCH, move |calls: Vec<(Deferred, Held)>| {
        let (pool, wakes) = (pool.clone(), wakes.clone());
        async move {
            let (late, held): (Vec<Deferred>, Vec<Held>) = calls.into_iter().unzip();
            let defer = || async { deliveries::defer(&mut *pool.acquire().await?, &late).await };
            // The reissue pushes new tickets for deliveries that could not be deferred.
            with_retries("deferred", defer).await;
            wakes.stir_everyone();
            vec![(); held.len()]
        }
    })
}

#[cfg(test)]
mod tests;
