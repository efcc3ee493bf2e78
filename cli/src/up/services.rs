//! The three services as tasks of one process: started together, watched, and ended together.
//!
//! The api has threads of its own. Strangers decide how much work it has; if the others shared its threads, their tasks
//! would run late, hold connections for longer, or give up waiting for one while all are free.

use crate::database;
use anyhow::{Context, anyhow, bail};
use runtime::config::ApiSettings;
use runtime::descriptors::{self, Beside};
use runtime::process::Process;
use std::time::Duration;
use store::PoolSize;
use tokio::sync::oneshot;
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

/// How much longer than the drain the services may take to end before they are abandoned.
const TIMEOUT: Duration = Duration::from_secs(15);

/// How long leftover tasks of a service on threads of its own may take to end.
const LEFT_OVER: Duration = Duration::from_secs(2);

/// A Ctrl-C this soon after the first is the same keystroke: the terminal and our parent process may both send it.
const SAME_KEYSTROKE: Duration = Duration::from_secs(1);

/// The services that still run.
pub(super) struct Services {
    tasks: JoinSet<(&'static str, anyhow::Result<()>)>,
    patience: Duration,
}

/// Connections of each service, as many as it has as a process of its own, so that one that waits for the database does
/// not slow the others.
const API_CONNECTIONS: PoolSize = PoolSize(16);
const WORKER_CONNECTIONS: PoolSize = PoolSize(16);
const SCHEDULER_CONNECTIONS: PoolSize = PoolSize(8);

/// Starts the three, each with its own connections, and one shared connection that listens. Each has a name of its own
/// too, since the table of workers has one row for each name.
pub(super) fn start(process: &Process, api: ApiSettings) -> Services {
    let mut tasks = JoinSet::new();
    let mut for_api = process.part("api", API_CONNECTIONS);
    let mut for_worker = process.part("worker", WORKER_CONNECTIONS);
    let for_scheduler = process.part("scheduler", SCHEDULER_CONNECTIONS);
    // They share one table of file descriptors, and only the api accepts connections from anybody.
    let of_worker = descriptors::of_a_worker(&process.settings);
    let parts = [&for_api, &for_worker, &for_scheduler].map(|part| part.descriptors_needed);
    let beside = Beside::of(descriptors::limit(), parts.iter().sum::<usize>() + of_worker);
    for_api.descriptors_needed = beside.connections;
    // The worker itself adds its own.
    for_worker.descriptors_needed = beside.waiting_jobs - of_worker;
    let answers = async move { api::run(for_api.kept_open().await, api).await };
    tasks.spawn(async move { ("api", on_threads_of_its_own(answers).await) });
    tasks.spawn(async move { ("worker", worker::run(for_worker).await) });
    tasks.spawn(async move { ("scheduler", scheduler::run(for_scheduler).await) });
    Services { tasks, patience: Duration::from_secs(process.settings.drain_seconds) + TIMEOUT }
}

/// Runs a service in its own runtime until it ends.
async fn on_threads_of_its_own(
    service: impl Future<Output = anyhow::Result<()>> + Send + 'static,
) -> anyhow::Result<()> {
    let (ended, end) = oneshot::channel();
    let run = move || {
        let result = database::runtime().and_then(|runtime| {
            let result = runtime.block_on(service);
            runtime.shutdown_timeout(LEFT_OVER);
            result
        });
        // If nobody waits any more, the process is ending.
        let _ = ended.send(result);
    };
    std::thread::Builder::new().name("api".to_owned()).spawn(run).context("a thread can't be started")?;
    end.await.context("it ended with a programmer's error")?
}

impl Services {
    /// Waits until one of them ends, which is a failure unless it was asked to.
    pub(super) async fn first_end(&mut self) -> anyhow::Result<()> {
        match self.tasks.join_next().await {
            Some(ended) => {
                let name = said(ended)?;
                Err(anyhow!("the {name} ended unasked"))
            }
            None => Ok(()),
        }
    }

    /// Asks those that still run to end, and waits for them; a second Ctrl-C ends the wait. Returns `why` if that is an
    /// error, else the first error on the way.
    pub(super) async fn stop(&mut self, shutdown: &CancellationToken, why: anyhow::Result<()>) -> anyhow::Result<()> {
        shutdown.cancel();
        let all = async {
            let mut first = Ok(());
            while let Some(ended) = self.tasks.join_next().await {
                first = first.and(said(ended).map(|_| ()));
            }
            first
        };
        let again = async {
            tokio::time::sleep(SAME_KEYSTROKE).await;
            tokio::signal::ctrl_c().await
        };
        let stopped = tokio::select! {
            stopped = tokio::time::timeout(self.patience, all) => stopped.context("the services did not end in time")?,
            _ = again => bail!("stopped at once: running work is taken up again at the next start"),
        };
        why.and(stopped)
    }
}

/// The name of a service that ended well; else its error with its name.
fn said(ended: Result<(&'static str, anyhow::Result<()>), JoinError>) -> anyhow::Result<&'static str> {
    let (name, result) = ended.context("a service ended with a programmer's error")?;
    result.with_context(|| format!("the {name} stopped"))?;
    Ok(name)
}
