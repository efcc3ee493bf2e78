//! The database can be reached and takes no writes, as after a failover to a server that is none, or a full disk: calls
//! are refused in words to act on, nobody spins, and all goes on as soon as it writes again.

use anyhow::Context;
use mws_tests::world::runners;
use mws_tests::world::{Media, World, until};
use runtime::process::Process;
use runtime::telemetry;
use serde_json::Value;
use sqlx::{AssertSqlSafe, PgConnection};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;
use store::PoolSize;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long the database only reads.
const ONLY_READS: Duration = Duration::from_secs(8);
/// What a worker may say of each second of that, of all that it does.
const MOST_LINES_A_SECOND: u64 = 5;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn lines(&self) -> Vec<String> {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A worker on a thread of its own, whose log lines are its own.
struct LoggedWorker {
    log: Log,
    process: Process,
    shutdown: CancellationToken,
    thread: JoinHandle<anyhow::Result<()>>,
}

impl LoggedWorker {
    fn start(world: &World) -> anyhow::Result<Self> {
        let (settings, log) = (world.settings.clone(), Log::default());
        let (tell, told) = mpsc::channel();
        let lines = log.clone();
        let thread = std::thread::spawn(move || {
            let _logs = tracing::subscriber::set_default(telemetry::subscriber("info", move || lines.clone()));
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async move {
                let process = Process::start(settings, PoolSize(16), "worker").await?;
                tell.send(process.clone()).context("the test waits")?;
                worker::run_with(process, runners::instant()).await
            })
        });
        let process = told.recv().context("the worker did not start")?;
        Ok(Self { log, shutdown: process.shutdown.clone(), process, thread })
    }

    async fn stop(self) -> anyhow::Result<()> {
        self.shutdown.cancel();
        let joined = tokio::task::spawn_blocking(move || self.thread.join()).await?;
        joined.map_err(|_| anyhow::anyhow!("the worker panicked"))?
    }
}

/// Says whether sessions that are opened from now on may write, and ends those that the service has.
async fn only_reads(conn: &mut PgConnection, reads: bool) -> anyhow::Result<()> {
    let name: String = sqlx::query_scalar("SELECT current_database()").fetch_one(&mut *conn).await?;
    let word = if reads { "on" } else { "off" };
    let change = format!("ALTER DATABASE {name} SET default_transaction_read_only = {word}");
    sqlx::query(AssertSqlSafe(change)).execute(&mut *conn).await?;
    if reads {
        sqlx::query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND application_name LIKE 'mws-%'",
        )
        .execute(conn)
        .await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_only_reads_is_503_told_once_and_used_again_within_seconds() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 3, Media::video(60)).await?;
    let worker = LoggedWorker::start(&world)?;
    let first = tenant.client.prepare(&items[..1], &["levels"]).await?.job_ids()?.remove(0);
    tenant.client.reaches(&first, "succeeded").await?;
    // Opened before, so that it goes on writing.
    let mut operator = world.pool().acquire().await?;
    until("it is ready", async || Ok((readyz(&world).await?.0 == 200).then_some(()))).await?;
    only_reads(&mut operator, true).await?;
    let (since, before) = (Instant::now(), worker.log.lines().len());
    until("the process says that it is not ready", async || Ok((readyz(&world).await?.0 == 503).then_some(()))).await?;
    assert_eq!(readyz(&world).await?.1["database"], "read_only");
    let mut calls = 0;
    until("it has only read for a while", async || {
        let answer = tenant.client.send("GET", "/keys", &[], None).await?;
        assert_eq!((answer.status, answer.code()), (503, "database_unavailable"), "{}", answer.text);
        assert!(!answer.header("retry-after").is_empty());
        calls += 1;
        Ok((since.elapsed() > ONLY_READS).then_some(()))
    })
    .await?;
    let (lines, seconds) = (worker.log.lines(), since.elapsed().as_secs());
    println!("{calls} calls, {} lines of the worker in {seconds} s", lines.len() - before);
    let most = usize::try_from(MOST_LINES_A_SECOND * seconds)?;
    assert!(lines.len() - before < most, "{} lines: {:#?}", lines.len() - before, &lines[before..]);
    only_reads(&mut operator, false).await?;
    let back = Instant::now();
    let second = until("a call is answered", async || {
        let started = tenant.client.prepare(&items[1..2], &["levels"]).await?;
        Ok(if started.status == 200 { Some(started.job_ids()?.remove(0)) } else { None })
    })
    .await?;
    tenant.client.reaches(&second, "succeeded").await?;
    println!("a job has ended {:.1?} after it writes again", back.elapsed());
    // Connections are kept for much longer than a busy machine takes.
    assert!(back.elapsed() < Duration::from_mins(1), "{:?}", back.elapsed());
    until("it is ready", async || Ok((readyz(&world).await?.0 == 200).then_some(()))).await?;
    until("its loops go round", async || Ok((worker.process.signs.loops(Instant::now()).word() == "ok").then_some(())))
        .await?;
    worker.stop().await?;
    drop(operator);
    world.end().await
}

async fn readyz(world: &World) -> anyhow::Result<(u16, Value)> {
    let answer = reqwest::get(format!("{}/readyz", world.base_url())).await?;
    Ok((answer.status().as_u16(), answer.json().await?))
}

#[tokio::test]
async fn readyz_tells_of_the_queue_and_of_the_duties() -> anyhow::Result<()> {
    let world = World::new().await?;
    assert_eq!(readyz(&world).await?.1["queue"], "none");
    let worker = LoggedWorker::start(&world)?;
    until("its queue goes round", async || {
        Ok((worker.process.signs.loops(Instant::now()).word() == "ok").then_some(()))
    })
    .await?;
    worker.stop().await?;
    world.process.signs.duty_ran("check_ledger", Duration::from_mins(1), false, Instant::now());
    assert_eq!(readyz(&world).await?.1["duties"]["late"][0], "check_ledger");
    world.end().await
}
