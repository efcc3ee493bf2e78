//! The whole life of jobs that do nothing, from their tickets to their events, compared with bare tickets of apalis.
//!
//! The harness queues jobs in waves, as large as an account's limit allows, and the database times a wave: from the
//! first claim to the last end. So the harness's work between waves is in no figure, and within one it checks every 100
//! ms whether a job is left.

use crate::Bench;
use crate::children::Running;
use crate::cost::{self, Cost};
use crate::load::{COMPUTED, Scene, until};
use crate::seed::Account;
use crate::seed::{self, Start};
use crate::table::{Bar, Table, median};
use crate::tickets;
use domain::ids::{AccountId, ItemId, JobId};
use domain::read::Read;
use domain::task::Task;
use runtime::queue::Queue;
use sqlx::{Connection, PgConnection};

/// The least number of jobs in a measurement.
const JOBS: usize = 60_000;
/// The accounts in the measurement with many of them.
const ACCOUNTS: usize = 50;
/// The most jobs that an account has queued at once.
const EACH: usize = 480;
/// The number of jobs before a measurement, so that pools and plans are warm.
const WARM: usize = 2_000;
/// The worker's settings: how many jobs it runs at once.
const SETTINGS: [&str; 1] = ["--worker-reads=64"];

/// The result of a round.
#[derive(Debug, Clone, Copy)]
struct Drained {
    per_second: f64,
    each: Cost,
}

/// Measures in alternating rounds.
pub async fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    eprintln!("jobs that do nothing:");
    let (mut many, mut one, mut bare) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..bench.rounds {
        if bench.is_empty() {
            bare.push(tickets::drain(bench, bench.share(JOBS)).await?);
        }
        many.push(drain(bench, ACCOUNTS, true).await?);
        one.push(drain(bench, 1, true).await?);
    }
    let of = |rounds: &[Drained]| median(&rounds.iter().map(|round| round.per_second).collect::<Vec<_>>());
    let costs = |rounds: &[Drained]| rounds.iter().map(|round| round.each).collect::<Vec<_>>();
    let ceiling = bench.is_empty().then(|| tickets::tell(table, &bare));
    table.add("jobs that do nothing, 50 accounts", of(&many), "/s", ceiling, Bar::ShareAtLeast(0.7));
    table.add("jobs that do nothing, one account", of(&one), "/s", ceiling, Bar::ShareAtLeast(0.4));
    cost::tell(table, "a job of 50 accounts", &costs(&many));
    cost::tell(table, "a job of one account", &costs(&one));
    Ok(())
}

/// Makes load without a figure, while a held transaction grows old.
pub async fn churn(bench: &Bench) -> anyhow::Result<()> {
    drain(bench, ACCOUNTS, false).await.map(drop)
}

/// Returns the jobs drained per second, and the cost of each. If `told`, a run that tells what statements take does so:
/// of all waves together, with what the harness does between them.
async fn drain(bench: &Bench, accounts: usize, told: bool) -> anyhow::Result<Drained> {
    let scene = Scene::new(bench).await?;
    let accounts = scene.accounts(accounts).await?;
    let service = scene.service(&SETTINGS).await?;
    let mut waves = Waves::new(&scene, &accounts).await?;
    let (mut left, most) = (bench.share(WARM), EACH * accounts.len());
    while left > 0 {
        let some = left.min(most);
        waves.one(some, &service).await?;
        left -= some;
    }
    let watch = if told { scene.watch(&[("the service", &service)]).await? } else { None };
    let began = scene.reading(&service).await?;
    let (mut seconds, mut cost, mut jobs) = (0.0, Cost::default(), 0.0);
    let mut left = bench.share(JOBS);
    while left > 0 {
        let wave = waves.one(left.min(most), &service).await?;
        (seconds, cost, jobs) = (seconds + wave.seconds, cost.and(wave.cost), jobs + wave.jobs);
        left = left.saturating_sub(most);
    }
    scene.told(watch, &format!("jobs, accounts: {}", accounts.len()), bench.share(JOBS)).await?;
    waves.conn.close().await?;
    service.stop().await?;
    cost.commits = began.commits_since(bench, &scene.database).await?;
    scene.close().await?;
    Ok(Drained { per_second: jobs / seconds, each: cost.each(jobs) })
}

/// Queues jobs in waves.
struct Waves<'a> {
    scene: &'a Scene<'a>,
    accounts: &'a [Account],
    /// A connection of its own for the harness.
    conn: PgConnection,
}

struct Wave {
    seconds: f64,
    cost: Cost,
    jobs: f64,
}

impl<'a> Waves<'a> {
    async fn new(scene: &'a Scene<'a>, accounts: &'a [Account]) -> anyhow::Result<Self> {
        let mut conn = scene.direct().await?;
        seed::open_month(&mut conn, &accounts.iter().collect::<Vec<_>>(), 0).await?;
        Ok(Self { scene, accounts, conn })
    }

    /// Queues at least `jobs` jobs, equally many of each account, and measures from the first claim to the last end.
    async fn one(&mut self, jobs: usize, service: &Running) -> anyhow::Result<Wave> {
        let items_each = jobs.div_ceil(self.accounts.len() * COMPUTED.len()).max(1);
        let own: Vec<Vec<ItemId>> =
            self.accounts.iter().map(|_| (0..items_each).map(|_| ItemId::mint()).collect()).collect();
        let accounts = self.accounts.iter().zip(&own);
        let owned: Vec<(ItemId, &Account)> =
            accounts.clone().flat_map(|(account, items)| items.iter().map(move |item| (*item, account))).collect();
        seed::items(&self.scene.database.pool, &owned).await?;
        let accounts: Vec<(&Account, &[ItemId])> =
            accounts.map(|(account, items)| (account, items.as_slice())).collect();
        let starts = seed::starts(&accounts, &COMPUTED);
        let mut tx = self.conn.begin().await?;
        seed::queue(&mut tx, &starts).await?;
        tx.commit().await?;
        self.scene.wake(COMPUTED.map(|read: Read| Queue::from(Task::Read(read))));
        let before = self.scene.reading(service).await?;
        self.ended(&starts).await?;
        let cost = before.until(&self.scene.reading(service).await?);
        let seconds = sqlx::query_scalar(
            "SELECT extract(epoch FROM max(finished_at) - min(started_at))::float8 FROM jobs WHERE id = ANY ($1)",
        )
        .bind(starts.iter().map(Start::job).collect::<Vec<_>>())
        .fetch_one(&mut self.conn)
        .await?;
        #[expect(clippy::cast_precision_loss, reason = "a count of jobs")]
        let jobs = starts.len() as f64;
        Ok(Wave { seconds, cost, jobs })
    }

    /// Waits until all have ended. It waits for the last one first, which an index finds however many jobs there are.
    async fn ended(&mut self, starts: &[Start]) -> anyhow::Result<()> {
        let pool = &self.scene.database.pool;
        let last: Option<JobId> = starts.last().map(Start::job);
        let query = "SELECT FROM jobs WHERE id = $1 AND finished_at IS NULL LIMIT 1";
        until("the last job", async || Ok(sqlx::query(query).bind(last).fetch_optional(pool).await?.is_none())).await?;
        let query = "SELECT FROM jobs WHERE payer_account_id = ANY ($1) AND admitted AND finished_at IS NULL
            UNION ALL
            SELECT FROM jobs
            WHERE payer_account_id = ANY ($1) AND status = 'queued' AND NOT admitted AND finished_at IS NULL
            LIMIT 1";
        let ids: Vec<AccountId> = self.accounts.iter().map(|account| account.id).collect();
        until("jobs", async || Ok(sqlx::query(query).bind(&ids).fetch_optional(pool).await?.is_none())).await
    }
}
