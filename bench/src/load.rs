//! The shared parts of measurements: a database of their own, an account, the receiver, the service, and events.

use crate::Bench;
use crate::children::Running;
use crate::cost::Reading;
use crate::database::Database;
use crate::seed::{self, Account, BODY};
use crate::watch::Watch;
use anyhow::{Context, ensure};
use domain::credential::ApiKey;
use domain::event::{EventId, EventType};
use domain::ids::{AccountId, EndpointId, ItemId, JobId};
use domain::job::JobKind;
use domain::read::Read;
use runtime::outbound::trusted_client;
use runtime::queue::{self, Queue};
use runtime::wake::Wakes;
use sqlx::{Connection, PgConnection, PgPool};
use std::collections::HashMap;
use std::net::TcpListener;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use store::accounts;
use store::endpoints::{self, NewEndpoint};
use store::events::{self, EndedEvent};
use tokio::time::interval;
use tokio_util::sync::CancellationToken;

/// The operator's token.
pub const OPERATOR: &str = "operator-token-of-the-bench";
const OPERATOR_TOKEN: &str = "--operator-token=operator-token-of-the-bench";
/// The time limit of anything that the harness waits for.
const TIMEOUT: Duration = Duration::from_mins(5);
/// Events that are not counted, since connections and plans are made for them.
const WARM: usize = 100;
/// The pause between the harness's checks: it shares the machine with what it measures.
const LOOK: Duration = Duration::from_millis(100);
/// The reads that workers compute here. Jobs of the others wait in full tables, for workers that are not there.
pub const COMPUTED: [Read; 4] = [Read::Speech, Read::Speakers, Read::Beats, Read::Levels];

/// The setting of a measurement.
pub struct Scene<'a> {
    bench: &'a Bench,
    /// Its database.
    pub database: Database,
    /// The receiver.
    pub receiver: Running,
    /// Another receiver, for paths that misbehave: what they cost it is no cost of the first.
    pub troubled: Running,
    /// A client without the service's timeouts.
    pub http: reqwest::Client,
    wakes: Wakes,
    ends: CancellationToken,
    made: Mutex<Vec<AccountId>>,
}

/// A request that the receiver got.
#[derive(Debug, Clone)]
pub struct Came {
    /// When it came, in microseconds since 1970.
    pub at_us: i64,
    /// The event's id.
    pub event: String,
}

impl<'a> Scene<'a> {
    /// Makes a new one, without a service: on a database of its own, or on the one with full tables.
    pub async fn new(bench: &'a Bench) -> anyhow::Result<Self> {
        let database = match &bench.grown {
            Some(grown) => bench.server.open(grown.name()).await?,
            None => bench.server.fresh().await?,
        };
        let receiver = ["receiver".to_owned()];
        let (receiver, troubled) = (Running::start(&receiver).await?, Running::start(&receiver).await?);
        let ends = CancellationToken::new();
        let wakes = Wakes::start(&database.pool, ends.clone());
        let (http, made) = (trusted_client(&[])?, Mutex::default());
        Ok(Self { bench, database, receiver, troubled, http, wakes, ends, made })
    }

    /// Stops the service and takes everything down.
    pub async fn end(self, service: Running) -> anyhow::Result<()> {
        service.stop().await?;
        self.close().await
    }

    /// The same when the service is stopped already. Clears what is left in full tables.
    pub async fn close(self) -> anyhow::Result<()> {
        if self.bench.grown.is_some() {
            let made = self.made.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let mut conn = self.direct().await?;
            seed::clear(&mut conn, &made).await?;
            conn.close().await?;
        }
        self.ends.cancel();
        self.receiver.stop().await?;
        self.troubled.stop().await?;
        match &self.bench.grown {
            Some(_) => self.database.pool.close().await,
            None => self.bench.server.drop(self.database).await?,
        }
        Ok(())
    }

    /// Returns a connection without the service's timeouts.
    pub async fn direct(&self) -> sqlx::Result<PgConnection> {
        self.bench.server.connect(&self.database.name).await
    }

    /// Reads the counters now, for this process and for the database.
    pub async fn reading(&self, service: &Running) -> anyhow::Result<Reading> {
        Reading::take(self.bench, service.pid()?, &self.database).await
    }

    /// Begins to watch a measurement, with these processes beside the harness and the receivers; none unless the run is
    /// to tell what statements take.
    pub async fn watch(&self, parts: &[(&str, &Running)]) -> anyhow::Result<Option<Watch>> {
        if self.bench.statements.is_none() {
            return Ok(None);
        }
        let mut pids = vec![("the harness", std::process::id())];
        let receivers = [("the receiver", &self.receiver), ("the other receiver", &self.troubled)];
        for &(name, part) in receivers.iter().chain(parts) {
            pids.push((name, part.pid()?));
        }
        Ok(Some(Watch::begin(&self.bench.server, &self.database, &pids).await?))
    }

    /// Tells of what was watched, a measurement of `many` of something. The processes must run yet.
    pub async fn told(&self, watch: Option<Watch>, what: &str, many: usize) -> anyhow::Result<()> {
        let (Some(watch), Some(file)) = (watch, &self.bench.statements) else { return Ok(()) };
        let told = watch.end(&self.bench.server, &self.database).await?;
        let what = format!("{}{what}", self.bench.condition.prefix());
        told.print(&what, many);
        told.append(file, &what, many)
    }

    /// Wakes the workers for these queues.
    pub fn wake(&self, queues: impl IntoIterator<Item = Queue>) {
        self.wakes.queues(queues);
    }

    /// Starts the service on this database, with these settings beside the usual ones, or replacing them.
    pub async fn service(&self, settings: &[&str]) -> anyhow::Result<Running> {
        Running::start(&self.service_arguments(settings)?).await
    }

    /// Returns the arguments that start it.
    pub fn service_arguments(&self, settings: &[&str]) -> anyhow::Result<Vec<String>> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let usual = [
            format!("--database-url={}", self.database.url),
            format!("--data-dir={}", self.bench.server.folder().join("data").display()),
            format!("--listen=127.0.0.1:{port}"),
        ];
        let computed = format!("--reads={}", COMPUTED.map(Read::name).join(","));
        let full = [self.bench.condition.retention().to_owned(), computed];
        let full = full.into_iter().filter(|_| !self.bench.is_empty());
        let fixed = [
            "--secret-key=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
            OPERATOR_TOKEN,
            "--default-webhook-secret=whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
            "--outbound-allow=127.0.0.0/8",
            "--rate-per-minute=6000000",
            "--rate-burst=1000000",
            "--monthly-minutes=1000000",
            "--log=error",
        ];
        let name = |text: &str| text.split('=').next().map(str::to_owned);
        let fixed = fixed.iter().filter(|text| !settings.iter().any(|set| name(set) == name(text)));
        let all = std::iter::once("service".to_owned()).chain(usual).chain(full);
        Ok(all.chain(fixed.chain(settings).map(|&text| text.to_owned())).collect())
    }

    /// Makes a new account.
    pub async fn account(&self) -> anyhow::Result<Account> {
        self.accounts(1).await?.pop().context("one was made")
    }

    /// Makes `many` new accounts.
    pub async fn accounts(&self, many: usize) -> anyhow::Result<Vec<Account>> {
        let accounts = accounts(&self.database.pool, many).await?;
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.extend(accounts.iter().map(|account| account.id));
        drop(made);
        Ok(accounts)
    }

    /// Returns the receiver's URL for this path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.receiver.said)
    }

    /// Returns the URL for this path of the other receiver, which may misbehave.
    pub fn troubled_url(&self, path: &str) -> String {
        format!("http://{}{path}", self.troubled.said)
    }

    /// Makes endpoints of the account at these URLs.
    pub async fn endpoints(&self, account: &Account, urls: &[String]) -> anyhow::Result<()> {
        for url in urls {
            endpoint(&self.database.pool, account, url).await?;
        }
        Ok(())
    }

    /// Makes healthy endpoints of the account, numbered from 0.
    pub async fn healthy(&self, account: &Account, many: usize) -> anyhow::Result<()> {
        let urls: Vec<String> = (0..many).map(|n| self.url(&format!("/e/{n}"))).collect();
        self.endpoints(account, &urls).await
    }

    /// Ends `events` jobs of each of these accounts at once: in one transaction, as if all had waited for its commit.
    pub async fn backlog(&self, accounts: &[&Account], events: usize) -> anyhow::Result<()> {
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
        self.wakes.queues([Queue::WebhookFirst]);
        Ok(())
    }

    /// Ends one job of each account. Returns when that was committed, in microseconds, and the events' ids.
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

    /// Returns the milliseconds from each event's commit to each of its webhooks, at `pace` events per second.
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

    /// Makes ready items of the account.
    pub async fn items(&self, account: &Account, many: usize) -> anyhow::Result<Vec<ItemId>> {
        let ids: Vec<ItemId> = (0..many).map(|_| ItemId::mint()).collect();
        let owned: Vec<(ItemId, &Account)> = ids.iter().map(|id| (*id, account)).collect();
        seed::items(&self.database.pool, &owned).await?;
        Ok(ids)
    }

    /// Returns how many requests came to healthy paths.
    pub async fn received(&self) -> anyhow::Result<usize> {
        Ok(self.http.get(self.url("/count")).send().await?.text().await?.parse()?)
    }

    /// Returns the requests that came since the last call.
    pub async fn take(&self) -> anyhow::Result<Vec<Came>> {
        let text = self.http.get(self.url("/take")).send().await?.text().await?;
        let came = |line: &str| {
            let (at_us, event) = line.split_once(' ')?;
            Some(Came { at_us: at_us.parse().ok()?, event: event.to_owned() })
        };
        Ok(text.lines().filter_map(came).collect())
    }

    /// Waits until `many` requests have come, counted from the receiver's start.
    pub async fn receives(&self, many: usize) -> anyhow::Result<()> {
        let began = Instant::now();
        loop {
            let received = self.received().await?;
            if received >= many {
                return Ok(());
            }
            ensure!(began.elapsed() < TIMEOUT, "{received} of {many} requests have come");
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Waits until the query returns no row.
    pub async fn until_none(&self, query: &'static str) -> anyhow::Result<()> {
        until(query, async || Ok(!self.database.has(query).await?)).await
    }
}

/// Waits until `is_so` holds; the error after `TIMEOUT` names `what`.
pub async fn until(what: &str, is_so: impl AsyncFn() -> anyhow::Result<bool>) -> anyhow::Result<()> {
    let began = Instant::now();
    while !is_so().await? {
        ensure!(began.elapsed() < TIMEOUT, "it takes too long: {what}");
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}

/// Makes `many` new accounts.
pub async fn accounts(pool: &PgPool, many: usize) -> anyhow::Result<Vec<Account>> {
    let (mut tx, mut made) = (pool.begin().await?, Vec::with_capacity(many));
    for _ in 0..many {
        let key = ApiKey::from_random(AccountId::mint().uuid().into_bytes());
        let account = accounts::create_with_key(&mut tx, "bench", &key).await?;
        made.push(Account { id: account.account_id, workspace: account.workspace_id, key });
    }
    tx.commit().await?;
    Ok(made)
}

/// Makes an endpoint of the account, which may have at most ten.
pub async fn endpoint(pool: &PgPool, account: &Account, url: &str) -> anyhow::Result<EndpointId> {
    let new = NewEndpoint {
        id: EndpointId::mint(),
        account_id: account.id,
        url: url.to_owned(),
        description: None,
        event_types: EventType::SUBSCRIBABLE.to_vec(),
        kinds: None,
    };
    endpoints::insert(&mut *pool.acquire().await?, &new).await?.context("an account has ten endpoints")?;
    Ok(new.id)
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
