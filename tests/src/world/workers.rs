//! Workers and schedulers of a test. Each has a runtime of its own, so that it can be stopped as a process is told to
//! stop, or killed as a process is killed: everything it does ends in the same moment, its connections with it.

use super::bucket::BucketAddress;
use super::{FREE_DISK, World};
use anyhow::{Context, bail};
use runtime::config::Settings;
use runtime::process::Process;
use std::sync::PoisonError;
use std::time::Duration;
use store::PoolSize;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use worker::Engines;

/// Connections of a worker or a scheduler.
const CONNECTIONS: PoolSize = PoolSize(16);

/// A process of the service with a runtime of its own.
struct Running {
    runtime: Option<Runtime>,
    process: Process,
    ended: JoinHandle<anyhow::Result<()>>,
}

impl Running {
    async fn start<F, Work>(
        settings: Settings,
        bucket: Option<BucketAddress>,
        service: &'static str,
        work: F,
    ) -> anyhow::Result<Self>
    where
        F: FnOnce(Process) -> Work + Send + 'static,
        Work: Future<Output = anyhow::Result<()>> + Send + 'static,
    {
        // On a thread of its own, because a runtime can't be made and entered within another.
        let started = tokio::task::spawn_blocking(move || {
            let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
            let mut process = runtime.block_on(Process::start(settings, CONNECTIONS, service))?;
            if let Some(bucket) = bucket {
                process.media = bucket.store()?;
            }
            process.media = process.media.with_free_ratio(FREE_DISK);
            anyhow::Ok((runtime, process))
        });
        let (runtime, process) = started.await??;
        let ended = runtime.spawn(work(process.clone()));
        Ok(Self { runtime: Some(runtime), process, ended })
    }

    async fn stop(mut self) -> anyhow::Result<()> {
        self.process.shutdown.cancel();
        let ended = (&mut self.ended).await.context("it panicked")?;
        self.shut_down();
        ended
    }

    /// Ends it, and waits until its thread has seen that: on a busy machine it goes on for some milliseconds.
    async fn kill(mut self) {
        self.shut_down();
        // It was cut off, or had ended before.
        let _ = (&mut self.ended).await;
    }

    fn shut_down(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.shut_down();
    }
}

/// A worker.
pub struct Worker(Running);

impl Worker {
    /// The name that claims know it by.
    pub fn name(&self) -> &str {
        &self.0.process.name
    }

    /// Tells it to stop, and does not wait.
    pub fn tell_to_stop(&self) {
        self.0.process.shutdown.cancel();
    }

    /// Tells it to stop, and waits until it has.
    pub async fn stop(self) -> anyhow::Result<()> {
        self.0.stop().await
    }

    /// Ends it in the middle of whatever it does. Its transactions may hold rows for a moment longer
    /// ([`World::written`]).
    pub async fn kill(self) {
        self.0.kill().await;
    }
}

/// A scheduler.
pub struct Scheduler(Running);

impl Scheduler {
    /// How long ago it did this duty; none where it has not.
    pub fn since(&self, duty: &str) -> Option<Duration> {
        let duties = self.0.process.signs.every_duty(Instant::now());
        duties.into_iter().find(|(name, ..)| *name == duty).and_then(|(_, _, since)| since)
    }

    /// Tells it to stop, and waits until it has.
    pub async fn stop(self) -> anyhow::Result<()> {
        self.0.stop().await
    }

    /// Ends it in the middle of whatever it does, as [`Worker::kill`] does.
    pub async fn kill(self) {
        self.0.kill().await;
    }
}

impl World {
    /// A worker that the test stops or kills.
    pub async fn worker(&self, runner: Engines) -> anyhow::Result<Worker> {
        self.worker_with(runner, |_| ()).await
    }

    /// A worker that the test stops or kills, with other settings.
    pub async fn worker_with(&self, runner: Engines, change: impl FnOnce(&mut Settings)) -> anyhow::Result<Worker> {
        let mut settings = self.settings.clone();
        change(&mut settings);
        let running =
            Running::start(settings, self.bucket.clone(), "worker", |process| worker::run_with(process, runner));
        Ok(Worker(running.await?))
    }

    /// Who works on projects, until the world's end or until it is aborted: then all that it does ends in that moment.
    pub fn agent(&self) -> JoinHandle<()> {
        self.api.agent()
    }

    /// Takes bulk operations of failed reads forward, as each api does, until it is aborted.
    pub fn reruns(&self) -> JoinHandle<()> {
        self.api.reruns()
    }

    /// A worker that stops at the world's end.
    pub async fn work(&self, runner: Engines) -> anyhow::Result<()> {
        let worker = self.worker(runner).await?;
        self.workers.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        Ok(())
    }

    /// A scheduler with all of its duties.
    pub async fn scheduler(&self) -> anyhow::Result<Scheduler> {
        let running = Running::start(self.settings.clone(), self.bucket.clone(), "scheduler", scheduler::run);
        Ok(Scheduler(running.await?))
    }

    /// One run of the duties that move jobs on: what a scheduler does within two seconds.
    pub async fn duties(&self) -> anyhow::Result<()> {
        self.written().await?;
        scheduler::rescue_jobs::run_once(&self.process).await?;
        scheduler::admit_jobs::run_once(&self.process).await?;
        scheduler::reissue_jobs::run_once(&self.process).await?;
        if scheduler::check_ledger::run_once(&self.process).await? > 0 {
            bail!("the journal does not explain the balances");
        }
        Ok(())
    }
}
