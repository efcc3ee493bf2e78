//! What the measurements share: a database of their own, an account, the receiver, the service, and events to tell of.

use crate::Bench;
use crate::children::Running;
use crate::database::Database;
use anyhow::{Context, ensure};
use common::domain::credential::ApiKey;
use common::domain::event::{EventId, EventType};
use common::domain::job::JobKind;
use common::ids::{AccountId, EndpointId, ItemId, JobId, WorkspaceId};
use common::outbound::trusted_client;
use common::queue::{self, Queue};
use common::store::accounts;
use common::store::endpoints::{self, NewEndpoint};
use common::store::events::{self, EndedEvent};
use common::wake::Wakes;
use std::collections::HashMap;
use std::net::TcpListener;
use std::time::{Duration, Instant};
use tokio::time::interval;
use tokio_util::sync::CancellationToken;

/// What an event of a read's end says, without its end: some 700 bytes, as they are.
pub const BODY: &str = r#"{"id":"evt_M8DB96KKJJR5PX2C6SF2ECFZP1","type":"job.succeeded","created_at":"2026-11-20T09:30:00.000Z","workspace_id":"wsp_01JD0000000000000000000000","data":{"job":{"id":"job_01JD0000000000000000000000","workspace_id":"wsp_01JD0000000000000000000000","item_id":"itm_01JD0000000000000000000000","ref":"itm_01JD0000000000000000000000","kind":"read","read":"levels","status":"succeeded","progress":100,"attempt":1,"max_attempts":3,"cancel_requested":false,"estimated_minutes":0.1,"cloud_minutes":0.1,"result":{"stored_reads":["levels"]},"error":null,"context":null,"created_at":"2026-11-20T09:29:58.000Z","started_at":"2026-11-20T09:29:59.000Z","finished_at":"2026-11-20T09:30:00.000Z","request_id":"req_01JD0000000000000000000000"}},"n":"#;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_mins(2);
/// Events that are not counted, since connections and plans are made for them.
const WARM: usize = 100;
/// How often the harness looks.
const LOOK: Duration = Duration::from_millis(5);

/// A measurement's stage.
pub struct Scene<'a> {
    bench: &'a Bench,
    /// Its database.
    pub database: Database,
    /// The receiver.
    pub receiver: Running,
    /// A client without the service's limits.
    pub http: reqwest::Client,
    wakes: Wakes,
    ends: CancellationToken,
}

/// An account with a key.
#[derive(Debug, Clone)]
pub struct Account {
    /// It.
    pub id: AccountId,
    /// Its workspace.
    pub workspace: WorkspaceId,
    /// Its key.
    pub key: ApiKey,
}

/// A request that the receiver had.
#[derive(Debug, Clone)]
pub struct Came {
    /// When, in microseconds.
    pub at_us: i64,
    /// The event.
    pub event: String,
}

impl<'a> Scene<'a> {
    /// A new one, without a service.
    pub async fn new(bench: &'a Bench) -> anyhow::Result<Self> {
        let database = bench.server.fresh().await?;
        let receiver = Running::start(&["receiver".to_owned()]).await?;
        let ends = CancellationToken::new();
        let wakes = Wakes::start(&database.pool, ends.clone());
        Ok(Self { bench, database, receiver, http: trusted_client(&[])?, wakes, ends })
    }

    /// Takes everything down.
    pub async fn end(self, service: Running) -> anyhow::Result<()> {
        service.stop().await?;
        self.receiver.stop().await?;
        self.ends.cancel();
        drop(self.wakes);
        self.bench.server.drop(self.database).await
    }

    /// The service on this database, with these settings beside the usual ones, or in their place.
    pub async fn service(&self, settings: &[&str]) -> anyhow::Result<Running> {
        Running::start(&self.service_arguments(settings)?).await
    }

    /// The arguments that start it.
    pub fn service_arguments(&self, settings: &[&str]) -> anyhow::Result<Vec<String>> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let usual = [
            format!("--database-url={}", self.database.url),
            format!("--data-dir={}", self.bench.server.folder().join("data").display()),
            format!("--listen=127.0.0.1:{port}"),
        ];
        let fixed = [
            "--secret-key=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
            "--operator-token=operator-token-of-the-bench",
            "--default-webhook-secret=whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
            "--outbound-allow=127.0.0.0/8",
            "--rate-per-minute=6000000",
            "--rate-burst=1000000",
            "--monthly-minutes=1000000",
            "--log=error",
        ];
        let name = |text: &str| text.split('=').next().map(str::to_owned);
        let fixed = fixed.iter().filter(|text| !settings.iter().any(|set| name(set) == name(text)));
        let all = std::iter::once("service".to_owned()).chain(usual);
        Ok(all.chain(fixed.chain(settings).map(|&text| text.to_owned())).collect())
    }

    /// A new account.
    pub async fn account(&self) -> anyhow::Result<Account> {
        let key = ApiKey::from_random(AccountId::mint().uuid().into_bytes());
        let mut tx = self.database.pool.begin().await?;
        let made = accounts::create_with_key(&mut tx, "bench", &key).await?;
        tx.commit().await?;
        Ok(Account { id: made.account_id, workspace: made.workspace_id, key })
    }

    /// Where the receiver has this path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.receiver.said)
    }

    /// Endpoints of the account at these URLs.
    pub async fn endpoints(&self, account: &Account, urls: &[String]) -> anyhow::Result<()> {
        let mut conn = self.database.pool.acquire().await?;
        for url in urls {
            let new = NewEndpoint {
                id: EndpointId::mint(),
                account_id: account.id,
                url: url.clone(),
                description: None,
                event_types: EventType::SUBSCRIBABLE.to_vec(),
                kinds: None,
            };
            endpoints::insert(&mut conn, &new).await?.context("an account has ten endpoints")?;
        }
        Ok(())
    }

    /// Healthy endpoints of the account, numbered from 0.
    pub async fn healthy(&self, account: &Account, many: usize) -> anyhow::Result<()> {
        let urls: Vec<String> = (0..many).map(|n| self.url(&format!("/e/{n}"))).collect();
        self.endpoints(account, &urls).await
    }

    /// So many jobs of these accounts each end at once: one transaction, as if everything had waited for its commit.
    /// Answers when that was.
    pub async fn backlog(&self, accounts: &[&Account], events: usize) -> anyhow::Result<Instant> {
        let mut tx = self.database.pool.begin().await?;
        let mut left = events;
        while left > 0 {
            let some = left.min(64);
            let ended: Vec<EndedEvent> = accounts.iter().flat_map(|one| (0..some).map(|_| ended(one))).collect();
            let tickets = events::record(&mut tx, &ended).await?;
            queue::push(&mut tx, &tickets).await?;
            left -= some;
        }
        tx.commit().await?;
        let began = Instant::now();
        self.wakes.queues([Queue::WebhookFirst]);
        Ok(began)
    }

    /// One job of each account ends. Answers when that was committed, and the events.
    pub async fn event(&self, accounts: &[&Account]) -> anyhow::Result<(i64, Vec<String>)> {
        let ended: Vec<EndedEvent> = accounts.iter().map(|one| ended(one)).collect();
        let mut tx = self.database.pool.begin().await?;
        let tickets = events::record(&mut tx, &ended).await?;
        queue::push(&mut tx, &tickets).await?;
        tx.commit().await?;
        let at_us = crate::receiver::now_us();
        self.wakes.queues([Queue::WebhookFirst]);
        Ok((at_us, ended.into_iter().map(|event| event.event_id.to_string()).collect()))
    }

    /// Milliseconds from an event's commit to each of its webhooks, under a steady load of so many events a second.
    pub async fn lateness(
        &self,
        accounts: &[&Account],
        pace: u64,
        events: usize,
        endpoints: usize,
    ) -> anyhow::Result<Vec<f64>> {
        let (mut committed, mut ticks) = (HashMap::new(), interval(Duration::from_millis(1_000 / pace)));
        for n in 0..WARM + events {
            ticks.tick().await;
            let (at_us, ids) = self.event(accounts).await?;
            if n >= WARM {
                committed.extend(ids.into_iter().map(|id| (id, at_us)));
            }
        }
        self.receives((WARM + events) * endpoints).await?;
        let came = self.take().await?;
        #[expect(clippy::cast_precision_loss, reason = "a run takes few microseconds")]
        let late = |one: &Came| Some((one.at_us - committed.get(&one.event)?) as f64 / 1_000.0);
        Ok(came.iter().filter_map(late).collect())
    }

    /// Items of the account that are ready.
    pub async fn items(&self, account: &Account, many: usize) -> anyhow::Result<Vec<ItemId>> {
        let ids: Vec<ItemId> = (0..many).map(|_| ItemId::mint()).collect();
        sqlx::query(
            "INSERT INTO items (id, workspace_id, account_id, ref, name, type, status, duration_ms, has_audio, has_video,
                 object_key)
             SELECT id, $2, $3, id::text, 'bench', 'video', 'ready', 60000, true, true, 'none'
             FROM unnest($1::uuid[]) AS made (id)",
        )
        .bind(&ids)
        .bind(account.workspace)
        .bind(account.id)
        .execute(&self.database.pool)
        .await?;
        Ok(ids)
    }

    /// How many requests came to healthy paths.
    pub async fn received(&self) -> anyhow::Result<usize> {
        Ok(self.http.get(self.url("/count")).send().await?.text().await?.parse()?)
    }

    /// What came since this was asked last.
    pub async fn take(&self) -> anyhow::Result<Vec<Came>> {
        let text = self.http.get(self.url("/take")).send().await?.text().await?;
        let came = |line: &str| {
            let (at_us, event) = line.split_once(' ')?;
            Some(Came { at_us: at_us.parse().ok()?, event: event.to_owned() })
        };
        Ok(text.lines().filter_map(came).collect())
    }

    /// Waits for so many requests, counted from the receiver's start.
    pub async fn receives(&self, many: usize) -> anyhow::Result<()> {
        let began = Instant::now();
        loop {
            let received = self.received().await?;
            if received >= many {
                return Ok(());
            }
            ensure!(began.elapsed() < PATIENCE, "{received} of {many} requests have come");
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Waits until this counts nothing.
    pub async fn until_none(&self, query: &'static str) -> anyhow::Result<()> {
        until_none(query, async || self.database.count(query).await).await
    }
}

/// Waits until `count` comes to nothing; `what` is counted.
pub async fn until_none(what: &str, count: impl AsyncFn() -> anyhow::Result<i64>) -> anyhow::Result<()> {
    let began = Instant::now();
    while count().await? > 0 {
        ensure!(began.elapsed() < PATIENCE, "there are still some: {what}");
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}

fn ended(account: &Account) -> EndedEvent {
    let job = JobId::mint();
    EndedEvent {
        event_id: EventId::of_job(job, EventType::JobSucceeded),
        event_type: EventType::JobSucceeded,
        job_id: job,
        kind: JobKind::Read,
        workspace_id: account.workspace,
        account_id: account.id,
        body: format!("{BODY}\"{job}\"}}"),
        traceparent: None,
    }
}
