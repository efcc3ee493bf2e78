//! The statements that deliveries are claimed, looked at, recorded, put back and put off with, many in each.
//!
//! One that fails is tried again, since the database may be away for a moment. What could not be written then is made good by
//! the scheduler, from the rows alone.

use super::places::{Refill, Rest};
use crate::batch::Batcher;
use common::ids::{DeliveryId, EndpointId};
use common::process::Process;
use common::queue;
use common::store::attempts::{self, Counted, EndedAttempt};
use common::store::deliveries::{self, Claim, NextUp, Present, PutBack, PutOff, Wanted};
use common::store::{self, PoolSize};
use sqlx::PgPool;
use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The most claims, second looks, records, put-backs or put-offs in one statement.
const MOST_IN_A_BATCH: usize = 256;
/// The most endpoints whose backlogs are worked in one statement.
const MOST_ENDPOINTS: usize = 4;
/// For how long the tickets of a backlog are put off. What a worker that dies leaves waiting waits so long.
const BEHIND: Duration = Duration::from_secs(10);
/// A connection for each batch that goes by ids.
const CONNECTIONS: PoolSize = PoolSize(6);
/// How often a statement is tried before its deliveries are left to the scheduler.
const TRIES: u32 = 5;
/// Before the second try; each later pause is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// A claim, and the moment it was asked for.
#[derive(Debug)]
pub struct Claimed {
    pub claim: Claim,
    pub since: Instant,
}

/// What is to be done about what waits for an endpoint.
#[derive(Debug, Clone, Copy)]
pub enum Backlog {
    /// Put its tickets off, this delivery's among them.
    SetBehind(EndpointId, DeliveryId),
    /// Claim some.
    Fetch(Refill),
    /// Put this delivery's ticket off if it is unclaimed when what was asked before is done.
    Await(DeliveryId),
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Fetched {
    /// The claims, if some were to be fetched.
    pub claimed: Vec<Claimed>,
    /// What is left behind.
    pub rest: Rest,
}

/// The batches of one process.
pub struct Batches {
    pub claims: Batcher<DeliveryId, Option<Claimed>>,
    pub looks: Batcher<(DeliveryId, i32), Option<Present>>,
    pub records: Batcher<EndedAttempt, ()>,
    pub put_backs: Batcher<PutBack, ()>,
    pub put_offs: Batcher<PutOff, ()>,
    pub backlogs: Batcher<Backlog, Fetched>,
}

/// Claims for one process.
#[derive(Clone)]
struct Claimer {
    pool: PgPool,
    worker: Arc<str>,
    lease_ms: i64,
}

impl Batches {
    /// Starts them. Claims are leased for so long.
    pub fn start(process: &Process, lease: Duration) -> Self {
        let pool = store::planned_once(&process.pool, CONNECTIONS);
        let lease_ms = i64::try_from(lease.as_millis()).unwrap_or(i64::MAX);
        let claimer = Claimer { pool: pool.clone(), worker: Arc::clone(&process.name), lease_ms };
        Self {
            claims: claims(claimer.clone()),
            looks: looks(pool.clone()),
            records: records(pool.clone(), process.pool.clone()),
            put_backs: put_backs(pool.clone()),
            put_offs: put_offs(pool),
            backlogs: backlogs(claimer),
        }
    }
}

impl Claimer {
    async fn claim(&self, ids: &[DeliveryId]) -> Vec<Claimed> {
        let since = Instant::now();
        let claim = || async {
            let mut conn = self.pool.acquire().await?;
            deliveries::claim(&mut conn, ids, &self.worker, self.lease_ms).await
        };
        let claims = tried("claimed", claim).await.unwrap_or_default();
        claims.into_iter().map(|claim| Claimed { claim, since }).collect()
    }
}

fn claims(claimer: Claimer) -> Batcher<DeliveryId, Option<Claimed>> {
    Batcher::new(MOST_IN_A_BATCH, move |ids: Vec<DeliveryId>| {
        let claimer = claimer.clone();
        async move {
            let claims = claimer.claim(&ids).await;
            // Two tickets of one delivery may meet in a batch: the first gets the claim, the other none.
            let mut by_id: HashMap<DeliveryId, Claimed> = claims.into_iter().map(|one| (one.claim.id, one)).collect();
            ids.iter().map(|id| by_id.remove(id)).collect()
        }
    })
}

fn backlogs(claimer: Claimer) -> Batcher<Backlog, Fetched> {
    Batcher::new(MOST_IN_A_BATCH, move |asked: Vec<Backlog>| {
        let claimer = claimer.clone();
        async move {
            let (mut crowded, mut behind, mut awaited, mut wanted) = (vec![], vec![], vec![], vec![]);
            for one in &asked {
                match one {
                    Backlog::SetBehind(endpoint, delivery) => {
                        behind.push(*delivery);
                        if !crowded.contains(endpoint) {
                            crowded.push(*endpoint);
                        }
                    }
                    Backlog::Fetch(refill) => {
                        let Refill { endpoint, after, many, .. } = *refill;
                        wanted.push(Wanted { endpoint, after, many: i64::try_from(many).unwrap_or(i64::MAX) });
                    }
                    Backlog::Await(delivery) => awaited.push(*delivery),
                }
            }
            postpone(&claimer, &behind, &crowded).await;
            let mut fetched = HashMap::new();
            for some in wanted.chunks(MOST_ENDPOINTS) {
                fetched.extend(fetch(&claimer, some).await);
            }
            let all = fetched.values().flat_map(|one: &Fetched| one.claimed.iter());
            let taken: HashSet<DeliveryId> = all.map(|one| one.claim.id).collect();
            awaited.retain(|delivery| !taken.contains(delivery));
            postpone(&claimer, &awaited, &[]).await;
            let answer = |one: &Backlog| match one {
                Backlog::Fetch(refill) => fetched.remove(&refill.endpoint).unwrap_or_default(),
                Backlog::SetBehind(..) | Backlog::Await(_) => Fetched::default(),
            };
            asked.iter().map(answer).collect()
        }
    })
}

async fn postpone(claimer: &Claimer, deliveries: &[DeliveryId], endpoints: &[EndpointId]) {
    if !deliveries.is_empty() {
        let postpone =
            || async { queue::postpone(&mut *claimer.pool.acquire().await?, deliveries, endpoints, BEHIND).await };
        // Those that could not be put off are spent, and given new ones.
        tried("put off in the queue", postpone).await;
    }
}

/// Claims what each endpoint is to get next. Where nothing could be looked up there may be more.
async fn fetch(claimer: &Claimer, wanted: &[Wanted]) -> HashMap<EndpointId, Fetched> {
    let mut next = next_up(claimer, wanted).await;
    // Few come late, with an id from before; they are looked for once what comes after is not enough.
    let bounded = wanted.iter().filter(|one| one.after.is_some());
    let rest = bounded.map(|one| Wanted { after: None, many: one.many - next.count_of(one.endpoint), ..*one });
    let rest: Vec<Wanted> = rest.filter(|one| one.many > 0).collect();
    if !rest.is_empty() {
        next.join(next_up(claimer, &rest).await);
    }
    let left = |one: &Wanted| Rest {
        more: next.failing.contains(&one.endpoint) || next.count_of(one.endpoint) >= one.many,
        after: next.last_of(one.endpoint).filter(|_| next.count_of(one.endpoint) >= one.many),
    };
    let fetched = wanted.iter().map(|one| (one.endpoint, Fetched { claimed: Vec::new(), rest: left(one) }));
    let mut fetched: HashMap<EndpointId, Fetched> = fetched.collect();
    let ids: Vec<DeliveryId> = next.waiting.iter().map(|(id, _)| *id).collect();
    if !ids.is_empty() {
        for one in claimer.claim(&ids).await {
            fetched.entry(one.claim.endpoint_id).or_default().claimed.push(one);
        }
    }
    fetched
}

async fn next_up(claimer: &Claimer, wanted: &[Wanted]) -> NextUp {
    let look = || async { deliveries::next_up(&mut *claimer.pool.acquire().await?, wanted).await };
    let unknown = || NextUp { failing: wanted.iter().map(|one| one.endpoint).collect(), ..NextUp::default() };
    tried("looked up", look).await.unwrap_or_else(unknown)
}

fn looks(pool: PgPool) -> Batcher<(DeliveryId, i32), Option<Present>> {
    Batcher::new(MOST_IN_A_BATCH, move |claims: Vec<(DeliveryId, i32)>| {
        let pool = pool.clone();
        async move {
            let look = || async { deliveries::look_again(&mut *pool.acquire().await?, &claims).await };
            let found = tried("looked at again", look).await.unwrap_or_default();
            let mut by_id: HashMap<DeliveryId, Present> = found.into_iter().map(|found| (found.id, found)).collect();
            claims.iter().map(|(id, _)| by_id.remove(id)).collect()
        }
    })
}

/// Successes go by ids; what counts failures joins the batch with itself, and is planned for it.
fn records(planned: PgPool, any: PgPool) -> Batcher<EndedAttempt, ()> {
    Batcher::new(MOST_IN_A_BATCH, move |ended: Vec<EndedAttempt>| {
        let (planned, any) = (planned.clone(), any.clone());
        async move {
            let done = vec![(); ended.len()];
            let (succeeded, others) = attempts::parted(ended);
            if !succeeded.is_empty() {
                let record = || async { attempts::record_succeeded(&mut *planned.acquire().await?, &succeeded).await };
                tried("recorded", record).await;
            }
            if !others.is_empty() {
                let counted = tried("recorded", || async { record(&any, &others).await }).await;
                counted.unwrap_or_default().iter().for_each(Counted::tell);
            }
            done
        }
    })
}

async fn record(pool: &PgPool, ended: &[EndedAttempt]) -> sqlx::Result<Vec<Counted>> {
    attempts::record(&mut *pool.acquire().await?, ended).await
}

fn put_backs(pool: PgPool) -> Batcher<PutBack, ()> {
    Batcher::new(MOST_IN_A_BATCH, move |claims: Vec<PutBack>| {
        let pool = pool.clone();
        async move {
            let put_back = || async { deliveries::put_back(&mut *pool.acquire().await?, &claims).await };
            // Those that could not be put back are rescued when their leases end.
            let _ = tried("put back", put_back).await;
            vec![(); claims.len()]
        }
    })
}

fn put_offs(pool: PgPool) -> Batcher<PutOff, ()> {
    Batcher::new(MOST_IN_A_BATCH, move |late: Vec<PutOff>| {
        let pool = pool.clone();
        async move {
            let put_off = || async { deliveries::put_off(&mut *pool.acquire().await?, &late).await };
            let _ = tried("put off", put_off).await;
            vec![(); late.len()]
        }
    })
}

/// Tries a statement a few times, since the database may be away for a moment. The last failure is logged here.
async fn tried<T, F, Trying>(done: &'static str, statement: F) -> Option<T>
where
    F: Fn() -> Trying,
    Trying: Future<Output = sqlx::Result<T>>,
{
    let mut pause = FIRST_PAUSE;
    for _ in 1..TRIES {
        match statement().await {
            Ok(answer) => return Some(answer),
            Err(error) => tracing::debug!(error = %error, "Deliveries could not be {done}; trying again."),
        }
        tokio::time::sleep(pause).await;
        pause *= 2;
    }
    let last = statement().await;
    last.inspect_err(|error| tracing::error!(error = %error, "Deliveries could not be {done}; they will be rescued."))
        .ok()
}
