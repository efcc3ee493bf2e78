//! What the webhook tests share: a service with an account and a receiver, and the worker and the duties called by
//! hand, so that nothing has to be waited for.

use clap::Parser;
use domain::attempt::AttemptTimes;
use domain::credential::ApiKey;
use domain::event::{EventId, EventType};
use domain::ids::{AccountId, DeliveryId, EndpointId, JobId, WorkspaceId};
use domain::job::JobKind;
use mws_tests::world::{Receiver, Tenant, World, until, wait_for_locks};
use poem::endpoint::BoxEndpoint;
use poem::{Endpoint as _, EndpointExt as _, Request, Response};
use runtime::config::{ApiSettings, Settings};
use runtime::process::Process;
use runtime::queue::{self, Subject};
use std::sync::OnceLock;
use std::time::Duration;
use store::PoolSize;
use store::attempts::EndedAttempt;
use store::deliveries::{self, AttemptRow, Claim, DeliveryRow, DeliverySearchFilter, SearchScope};
use store::endpoints::{self, Endpoint, NewEndpoint};
use store::events::{self, EndedEvent};
use worker::deliver::Deliverer;

pub const DEFAULT_SECRET: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

/// Enough for a machine that is busy with other tests.
const DEADLINE: Duration = Duration::from_mins(2);
/// How long an attempt may take: a receiver that a test holds answers late on a busy machine, and is not to be given
/// up.
pub const ATTEMPT_MS: u64 = 60_000;

/// Connections of a worker's process.
const CONNECTIONS: PoolSize = PoolSize(10);

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    api: ApiSettings,
}

pub struct Bench {
    pub process: Process,
    pub deliverer: Deliverer,
    pub receiver: Receiver,
    pub account: AccountId,
    pub workspace: WorkspaceId,
    pub key: ApiKey,
    pub world: World,
    routes: OnceLock<BoxEndpoint<'static>>,
}

impl Bench {
    pub async fn new() -> anyhow::Result<Self> {
        Self::with(|_| ()).await
    }

    /// A bench with other settings.
    pub async fn with(change: impl FnOnce(&mut Settings)) -> anyhow::Result<Self> {
        let world = World::with(|settings| {
            // As many slots as a worker has, unless it is told otherwise.
            settings.worker_webhooks = 256;
            settings.webhook_timeout_ms = ATTEMPT_MS;
            change(settings);
        })
        .await?;
        let Tenant { account, workspace, key, .. } = world.tenant("One").await?;
        let process = Process::start(world.settings.clone(), CONNECTIONS, "worker").await?;
        let deliverer = Deliverer::new(&process)?;
        Ok(Self {
            process,
            deliverer,
            receiver: Receiver::start()?,
            account,
            workspace,
            key,
            world,
            routes: OnceLock::new(),
        })
    }

    /// Another worker process on the same database.
    pub async fn another_worker(&self) -> anyhow::Result<Deliverer> {
        let process = Process::start(self.world.settings.clone(), CONNECTIONS, "worker").await?;
        Ok(Deliverer::new(&process)?)
    }

    /// Calls the routes of an api in the worker's process. They are put together once.
    pub async fn call(&self, request: Request) -> Response {
        let routes = self.routes.get_or_init(|| {
            let app = api::assemble(self.process.clone(), Arguments::parse_from(["test"]).api).expect("an app");
            api::router(app).boxed()
        });
        routes.get_response(request).await
    }

    pub async fn conn(&self) -> sqlx::pool::PoolConnection<sqlx::Postgres> {
        self.world.pool().acquire().await.expect("the test server answers")
    }

    /// Has the routes wait for a lock for half a minute, as [`World::wait_for_locks`] has those of the world.
    pub async fn wait_for_locks(&self) -> anyhow::Result<()> {
        wait_for_locks(&self.process.pool, CONNECTIONS).await
    }

    /// An enabled endpoint at the receiver, for all events.
    pub async fn endpoint(&self) -> EndpointId {
        self.endpoint_at(&self.receiver.url).await
    }

    /// One at this URL, which nobody checks.
    pub async fn endpoint_at(&self, url: &str) -> EndpointId {
        let new = NewEndpoint {
            id: EndpointId::mint(),
            account_id: self.account,
            url: url.to_owned(),
            description: None,
            event_types: EventType::SUBSCRIBABLE.to_vec(),
            kinds: None,
        };
        endpoints::insert(&mut *self.conn().await, &new).await.expect("inserted").expect("there is room").id
    }

    pub async fn endpoint_row(&self, id: EndpointId) -> Endpoint {
        endpoints::find(&mut *self.conn().await, self.account, id).await.expect("read").expect("there")
    }

    /// Ends so many jobs, as the worker's finish does: events, deliveries and tickets in one transaction.
    pub async fn end_jobs(&self, many: usize) -> Vec<JobId> {
        let ended: Vec<EndedEvent> = (0..many).map(|_| self.ended(JobId::mint())).collect();
        self.record(&ended).await;
        ended.iter().map(|event| event.job_id).collect()
    }

    pub fn ended(&self, job: JobId) -> EndedEvent {
        self.ended_as(job, EventType::JobSucceeded)
    }

    pub fn ended_as(&self, job: JobId, event_type: EventType) -> EndedEvent {
        let event_id = EventId::of_job(job, event_type);
        EndedEvent {
            body: format!("{{\"id\":\"{event_id}\",  \"exact\":\"bytes ✓\"}}"),
            event_id,
            event_type,
            job_id: job,
            kind: JobKind::Read,
            workspace_id: self.workspace,
            account_id: self.account,
            traceparent: None,
        }
    }

    /// Returns how many tickets there were.
    pub async fn record(&self, ended: &[EndedEvent]) -> usize {
        let mut tx = self.process.pool.begin().await.expect("begun");
        let tickets = events::record(&mut tx, ended).await.expect("recorded");
        queue::push(&mut tx, &tickets).await.expect("pushed");
        tx.commit().await.expect("committed");
        tickets.len()
    }

    /// Takes every waiting ticket, the first lane's flagged.
    pub async fn tickets(&self) -> Vec<(bool, Subject)> {
        self.tickets_of(i64::MAX).await
    }

    /// Takes so many of them.
    pub async fn tickets_of(&self, most: i64) -> Vec<(bool, Subject)> {
        let rows: Vec<(String, Vec<u8>)> = sqlx::query_as(
            "DELETE FROM apalis.jobs WHERE id IN (
                SELECT id FROM apalis.jobs WHERE job_type LIKE 'webhook:%' AND status = 'Pending' ORDER BY id LIMIT $1)
             RETURNING job_type, job",
        )
        .bind(most)
        .fetch_all(self.world.pool())
        .await
        .expect("taken");
        rows.into_iter()
            .map(|(queue, job)| (queue == "webhook:first", serde_json::from_slice(&job).expect("a subject")))
            .collect()
    }

    /// How many tickets wait.
    pub async fn ticket_count(&self) -> i64 {
        let count = "SELECT count(*) FROM apalis.jobs WHERE status = 'Pending'";
        sqlx::query_scalar(count).fetch_one(self.world.pool()).await.expect("counted")
    }

    /// Loses the ticket that was pushed last.
    pub async fn forget_newest_ticket(&self) {
        sqlx::query("DELETE FROM apalis.jobs WHERE id = (SELECT ticket_id FROM deliveries ORDER BY id DESC LIMIT 1)")
            .execute(self.world.pool())
            .await
            .expect("deleted");
    }

    /// Works all waiting tickets to their end, all at once. Returns how many there were.
    pub async fn work(&self) -> usize {
        self.work_by(std::slice::from_ref(&self.deliverer)).await
    }

    /// Works all waiting tickets to their end, shared out among these workers. Returns how many there were.
    pub async fn work_by(&self, workers: &[Deliverer]) -> usize {
        let tickets = self.tickets().await;
        let many = tickets.len();
        Self::share(workers, tickets).await;
        many
    }

    /// Works these tickets to their end, all at once.
    pub async fn work_on(&self, tickets: Vec<(bool, Subject)>) {
        Self::share(std::slice::from_ref(&self.deliverer), tickets).await;
    }

    async fn share(workers: &[Deliverer], tickets: Vec<(bool, Subject)>) {
        let handlers = tickets.into_iter().enumerate().map(|(n, (first, subject))| {
            let worker = &workers[n % workers.len()];
            async move { if first { worker.deliver_first(subject).await } else { worker.deliver_slow(subject).await } }
        });
        futures_util::future::join_all(handlers).await;
        // What follows in the lines goes on beside the tickets.
        for worker in workers {
            worker.end(DEADLINE).await;
        }
    }

    pub async fn reissue(&self) -> u64 {
        scheduler::reissue_deliveries::run_once(&self.process).await.expect("reissued")
    }

    pub async fn advance(&self, seconds: i64) {
        let by = Duration::from_secs(u64::try_from(seconds).expect("forward"));
        self.world.advance(by).await.expect("moved");
    }

    /// The endpoint's deliveries, oldest first.
    pub async fn deliveries(&self, endpoint: EndpointId) -> Vec<DeliveryRow> {
        let mut conn = self.conn().await;
        let (place, every) = (SearchScope::Endpoints(vec![endpoint]), DeliverySearchFilter::default());
        let seen = deliveries::search(&mut conn, &place, &every, None, 1_000).await.expect("listed");
        let mut rows = deliveries::by_ids(&mut conn, &seen.rows, None).await.expect("read");
        rows.reverse();
        rows
    }

    pub async fn only_delivery(&self, endpoint: EndpointId) -> DeliveryRow {
        let rows = self.deliveries(endpoint).await;
        assert_eq!(rows.len(), 1);
        rows.into_iter().next().expect("one")
    }

    pub async fn attempts(&self, id: DeliveryId) -> Vec<AttemptRow> {
        deliveries::attempts_of(&mut *self.conn().await, &[id]).await.expect("read")
    }

    /// Claims a delivery for a process that will never be heard of again.
    pub async fn claim_and_die(&self, id: DeliveryId) -> Claim {
        let claims = deliveries::claim(&mut *self.conn().await, &[id], &[], "dead-1-X", 30_000).await.expect("claimed");
        claims.into_iter().next().expect("it was due")
    }

    /// Waits until this holds.
    pub async fn until(&self, what: &str, holds: impl Fn() -> bool) {
        until(what, async || Ok(holds().then_some(()))).await.expect("it comes");
    }

    /// Ends in what must hold of the whole database.
    pub async fn end(self) -> anyhow::Result<()> {
        self.process.shutdown.cancel();
        self.process.pool.close().await;
        Box::pin(self.world.end()).await
    }
}

/// An attempt as a worker that was given up for dead would record it.
pub fn late(claim: &Claim) -> EndedAttempt {
    EndedAttempt {
        delivery_id: claim.id,
        claim_no: claim.claim_no,
        endpoint_id: claim.endpoint_id,
        attempt: claim.attempt,
        counts: true,
        worker: "dead-1-X".to_owned(),
        at: claim.claimed_at,
        duration_ms: 5,
        times: AttemptTimes::NONE,
        url_host: None,
        url_path: None,
        kept_headers: None,
        response_status: Some(200),
        error: None,
        response_excerpt: None,
        response_headers: None,
        clock_ahead_seconds: None,
        next: domain::series::Next::Succeeded,
    }
}
