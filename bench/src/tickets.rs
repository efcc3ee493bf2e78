//! Bare tickets: what apalis-postgres alone does with tickets that stand for nothing, pushed and drained.
//!
//! It uses the same table, the same fetching function and the same kind of connections as the service, but reads and
//! writes none of the service's rows. Outside of `runtime::queue` this is the only use of apalis.

use crate::Bench;
use crate::children::{Running, ready, until_told_to_end};
use crate::cost::{self, Cost};
use crate::load::Scene;
use crate::table::{Bar, Table, median};
use anyhow::ensure;
use apalis::prelude::{BoxDynError, Monitor, WorkerBuilder, WorkerBuilderExt};
use apalis_core::backend::TaskSink;
use apalis_core::backend::ext::BackendExt;
use apalis_core::backend::ext::poll_strategy::{PollSnapshot, PollStrategy};
use apalis_postgres::{Config, PostgresStorage};
use domain::ids::JobId;
use serde_json::{Value, json};
use sqlx::PgPool;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use store::PoolSize;
use tokio::time::{Interval, interval};
use tokio_util::sync::CancellationToken;

/// The queue's name.
const QUEUE: &str = "bare";
/// Workers, and tickets that each fetches at once: the fastest setting that was tried.
const WORKERS: u32 = 4;
const BATCH: usize = 250;
/// Tickets of one push.
const PUSH: usize = 1_000;
/// Tickets before the measurement, so that pools and plans are warm.
const WARM: usize = 2_000;
/// The pause between an idle worker's polls.
const POLL: Duration = Duration::from_millis(100);

/// The arguments of the part.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The database.
    #[arg(long)]
    database_url: String,
    /// The number of tickets.
    #[arg(long)]
    many: usize,
}

/// The result of a round.
#[derive(Debug, Clone, Copy)]
pub struct Bare {
    pushed: f64,
    drained: f64,
    /// Pushing and draining, one after the other.
    lived: f64,
    each: Cost,
}

/// Adds the results of the rounds. Returns how many tickets are pushed and drained per second.
pub fn tell(table: &mut Table, rounds: &[Bare]) -> f64 {
    let of = |part: fn(&Bare) -> f64| median(&rounds.iter().map(part).collect::<Vec<_>>());
    let lived = of(|round| round.lived);
    table.add("bare tickets, pushed", of(|round| round.pushed), "/s", None, Bar::None);
    table.add("bare tickets, drained", of(|round| round.drained), "/s", None, Bar::None);
    table.add("bare tickets, pushed and drained", lived, "/s", None, Bar::None);
    cost::tell(table, "a bare ticket, drained", &rounds.iter().map(|round| round.each).collect::<Vec<_>>());
    lived
}

/// Pushes `many` tickets, and drains them.
pub async fn drain(bench: &Bench, many: usize) -> anyhow::Result<Bare> {
    const WAITING: &str = "SELECT FROM apalis.jobs WHERE job_type = 'bare' AND run_at < now()
        AND (status = 'Pending' OR (status = 'Failed' AND attempts < max_attempts)) LIMIT 1";
    const WORKED: &str =
        "SELECT FROM apalis.jobs WHERE status IN ('Queued', 'Running') AND lock_by IS NOT NULL LIMIT 1";
    let scene = Scene::new(bench).await?;
    let arguments = ["tickets".to_owned(), format!("--database-url={}", scene.database.url), format!("--many={many}")];
    let mut part = Running::start(&arguments).await?;
    let push_seconds: f64 = part.said.parse()?;
    let before = scene.reading(&part).await?;
    part.tell().await?;
    scene.until_none(WAITING).await?;
    scene.until_none(WORKED).await?;
    let cost = before.until(&scene.reading(&part).await?);
    let times = "SELECT extract(epoch FROM max(done_at) - min(lock_at))::float8, count(*)::float8 FROM apalis.jobs
                 WHERE job_type = 'bare' AND status = 'Done'";
    let (drain_seconds, done): (f64, f64) = sqlx::query_as(times).fetch_one(&scene.database.pool).await?;
    part.stop().await?;
    let commits = before.commits_since(bench, &scene.database).await?;
    scene.close().await?;
    #[expect(clippy::cast_precision_loss, reason = "a count of tickets")]
    let pushed = many as f64;
    ensure!((done - pushed).abs() < 0.5, "of {many} bare tickets {done} are done");
    Ok(Bare {
        pushed: pushed / push_seconds,
        drained: pushed / drain_seconds,
        lived: pushed / (push_seconds + drain_seconds),
        each: Cost { commits, ..cost }.each(pushed),
    })
}

/// Runs the part: pushes, prints how many seconds that took, and drains when it is told to.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let pool = store::connect(&args.database_url, PoolSize(1), "bare").await?;
        let tickets = store::async_commit_pool(&pool, PoolSize(WORKERS));
        push(&tickets, WARM).await?;
        let (done, warm) = (Arc::new(AtomicUsize::new(0)), CancellationToken::new());
        tokio::try_join!(work(&tickets, &done, warm.clone()), async {
            while done.load(Ordering::Relaxed) < WARM {
                tokio::time::sleep(POLL).await;
            }
            warm.cancel();
            Ok(())
        })?;
        sqlx::query("DELETE FROM apalis.jobs WHERE job_type = 'bare'").execute(&pool).await?;
        let began = Instant::now();
        push(&tickets, args.many).await?;
        ready(&began.elapsed().as_secs_f64().to_string());
        until_told_to_end().await;
        let ends = CancellationToken::new();
        let work = tokio::spawn({
            let (tickets, done, ends) = (tickets.clone(), Arc::clone(&done), ends.clone());
            async move { work(&tickets, &done, ends).await }
        });
        until_told_to_end().await;
        ends.cancel();
        work.await?
    })
}

/// Pushes `many` tickets, as apalis does.
async fn push(pool: &PgPool, many: usize) -> anyhow::Result<()> {
    let mut storage = PostgresStorage::<Value>::new(pool).with_config(Config::default().queue(QUEUE));
    for first in (0..many).step_by(PUSH) {
        let some = (first..many.min(first + PUSH)).map(|n| json!({ "job_id": format!("job_01JD0000000000{n:012}") }));
        storage.push_bulk(some.collect()).await?;
    }
    Ok(())
}

/// Drains until it is told to end.
async fn work(pool: &PgPool, done: &Arc<AtomicUsize>, ends: CancellationToken) -> anyhow::Result<()> {
    let mut monitor = Monitor::new().shutdown_timeout(Duration::from_secs(5));
    for _ in 0..WORKERS {
        let (pool, done) = (pool.clone(), Arc::clone(done));
        monitor = monitor.register(move |_| {
            let config = Config::default().queue(QUEUE).batch_size(BATCH).lock_tasks(false).persist_results(true);
            let backend = PostgresStorage::<Value>::new(&pool).with_config(config);
            let done = Arc::clone(&done);
            WorkerBuilder::new(format!("bare-{}", JobId::mint()))
                .backend(backend.poll_with_strategy(Often(None)))
                .concurrency(BATCH)
                .build(move |_: Value| {
                    done.fetch_add(1, Ordering::Relaxed);
                    async { Ok::<(), BoxDynError>(()) }
                })
        });
    }
    let signal = async move {
        ends.cancelled().await;
        Ok(())
    };
    Ok(monitor.run_with_signal(signal).await?)
}

/// Polls at its interval; while there is work, apalis does not ask it.
struct Often(Option<Interval>);

impl PollStrategy for Often {
    fn poll_drive(&mut self, cx: &mut Context<'_>, _: &PollSnapshot) -> Poll<Option<()>> {
        let timer = self.0.get_or_insert_with(|| interval(POLL));
        timer.poll_tick(cx).map(|_| Some(()))
    }
}
