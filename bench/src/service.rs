//! The service as `mws up` runs it: api, worker and scheduler in one process. Reads are not computed: they take the
//! time that the run asks for, and no work.

use crate::children::{ready, until_told_to_end};
use domain::read::Read;
use domain::task::Task;
use futures_util::FutureExt;
use runtime::config::{ApiSettings, Settings};
use runtime::process::Process;
use std::sync::Arc;
use std::time::Duration;
use store::PoolSize;
use store::fleet::EngineOffer;
use worker::Engines;
use worker::readers::{Engine, Quality, ReadError, ReadOutcome, StoredRead};

/// Connections of each part, as many as with `mws up`, and those before the parts start.
const CONNECTIONS: PoolSize = PoolSize(16);
const BEFORE: PoolSize = PoolSize(2);

/// The arguments of the service.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    api: ApiSettings,
    /// Milliseconds that each read takes.
    #[arg(long, default_value_t = 0)]
    read_ms: u64,
    /// Bytes of a beats read.
    #[arg(long, default_value_t = 0)]
    beats_bytes: usize,
    /// The parts of the service that this process runs.
    #[arg(long, value_delimiter = ',', default_value = "api,worker,scheduler")]
    parts: Vec<Part>,
}

/// A part of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    Api,
    Worker,
    Scheduler,
}

/// Serves until it is told to end.
pub fn run(args: Args) -> anyhow::Result<()> {
    runtime::telemetry::start_logs(&args.settings);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(args))
}

async fn serve(args: Args) -> anyhow::Result<()> {
    let process = Process::start(args.settings, BEFORE, "bench").await?;
    let part = |name: &str| process.part(name, CONNECTIONS);
    let listen = args.api.listen;
    let mut services = tokio::task::JoinSet::new();
    if args.parts.contains(&Part::Worker) {
        services.spawn(worker::run_with(part("worker"), runner(Duration::from_millis(args.read_ms), args.beats_bytes)));
    } else {
        let mut conn = process.pool.acquire().await?;
        store::reads::announce(&mut conn, &engines()).await?;
    }
    if args.parts.contains(&Part::Scheduler) {
        services.spawn(scheduler::run(part("scheduler")));
    }
    if args.parts.contains(&Part::Api) {
        services.spawn(api::run(part("api"), args.api));
        while tokio::net::TcpStream::connect(listen).await.is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    ready(&listen.to_string());
    until_told_to_end().await;
    process.shutdown.cancel();
    while let Some(ended) = services.join_next().await {
        ended??;
    }
    Ok(())
}

/// Returns the engines of the reads.
fn engines() -> Vec<EngineOffer> {
    let offer = |read| EngineOffer { task: Task::Read(read), engine: "bench".to_owned(), version: "1".to_owned() };
    Read::ALL.into_iter().map(offer).collect()
}

fn runner(takes: Duration, beats_bytes: usize) -> Engines {
    let run: Arc<_> = Arc::new(move |reading: worker::ReadRequest, _| {
        async move {
            if !takes.is_zero() {
                tokio::time::sleep(takes).await;
            }
            let stored = StoredRead {
                schema: 1,
                kind: reading.read,
                engine: Engine { name: "bench".to_owned(), version: "1".to_owned(), model: None },
                duration_seconds: 60.0,
                quality: Quality::Standard,
                warnings: Vec::new(),
                data: match reading.read {
                    Read::Beats => serde_json::json!({ "beats": "x".repeat(beats_bytes) }),
                    _ => serde_json::json!({}),
                },
            };
            Ok(ReadOutcome { stored, duration_ms: 60_000, also: Vec::new(), files: Vec::new() })
        }
        .boxed()
    });
    // Nothing asks for a render here, and the engines don't offer any.
    let render: Arc<_> = Arc::new(|_, _| async { Err(ReadError::EngineNotConfigured(Task::Render)) }.boxed());
    let generate: Arc<_> = Arc::new(|_, _| async { Err(ReadError::EngineNotConfigured(Task::Generation)) }.boxed());
    let translate: Arc<_> = Arc::new(|_, _| async { Err(ReadError::EngineNotConfigured(Task::Dub)) }.boxed());
    let dub: Arc<_> = Arc::new(|_, _| async { Err(ReadError::EngineNotConfigured(Task::Dub)) }.boxed());
    Engines {
        offered: engines(),
        run,
        render,
        draws_text: false,
        makers: Vec::new(),
        generate,
        call_off: Arc::new(|_, _| {}),
        translate,
        dub,
    }
}
