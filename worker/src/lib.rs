//! The worker: runs the jobs that clients asked for and delivers the events that they lead to.
//!
//! `readers` computes a read from a media file, `renders` makes new media of media, `generations` of words or media,
//! and `dubs` in other languages; none of them asks the database. `jobs` takes claimed jobs through their lives, with
//! the `engines` that this machine has; `ingest` turns uploaded bytes into items; `deliver` and `notify_project` send
//! webhooks; `batch` gathers many handlers' calls into one statement; `own_turns` has a turn for each account, `turns`
//! those that accounts take at what takes long; `scratch` has room on the disk for copies of media; `unpaid` counts
//! unpaid processor time to accounts and puts their work off. The process may be cut off at any moment: the truth is in
//! Postgres, and another process may claim what is not renewed.

mod asking;
pub mod batch;
pub mod deliver;
mod dubs;
mod engines;
mod generations;
mod ingest;
mod jobs;
mod new_media;
pub mod notify_project;
mod open_media;
mod outside;
mod own_turns;
mod places;
pub mod readers;
pub mod renders;
mod scratch;
mod turns;
mod unpaid;

pub use asking::Asking;
pub use dubs::{DubRequest, Dubbed};
pub use engines::{Engines, ReadRequest, Render, RenderItem, RenderRequest, Run, WorkingTime, reader_settings};
pub use generations::{GenerationRequest, TranslationRequest};
pub use new_media::NewMedia;

use crate::readers::MediaTools;
use anyhow::Context;
use deliver::Deliverer;
use domain::task::Task;
use futures_util::FutureExt;
use jobs::lend::Lent;
use notify_project::ProjectNotifier;
use runtime::descriptors::MOST_WAITING_JOBS;
use runtime::process::Process;
use runtime::queue::{self, Claims, Queue, Works};
use std::sync::Arc;
use std::time::Duration;
use store::fleet::{self, Capacity, EngineOffer, Service};
use store::generations::MakerOffer;
use store::{PoolSize, reads};
use tokio::time::{Instant, MissedTickBehavior, interval};
use unpaid::Unpaid;

/// Returns the language pairs that this machine translates for dubs, as `eng-spa`.
pub fn translated_pairs() -> Vec<String> {
    let offers = dubs::Translator::found().offers().into_iter();
    let prefix = domain::dub::offered_pair("");
    offers.filter_map(|offer| offer.name.strip_prefix(&prefix).map(str::to_owned)).collect()
}

/// The pause between a process's reports that it lives.
const BEAT: Duration = Duration::from_secs(10);
/// Connections that claim jobs and uploads: one for each set of queues, and one for jobs in lent slots.
const CLAIMING: PoolSize = PoolSize(4);
/// How much longer than the drain the queue waits for handlers that hand back.
const HAND_BACK: Duration = Duration::from_secs(5);

/// Works until the process is told to end, with the readers found on this machine.
pub async fn run(process: Process) -> anyhow::Result<()> {
    process.providers.check_keys().context("a provider of MWS_PROVIDERS can't be asked")?;
    let engines = Engines::found(&process);
    run_with(process, engines).await
}

/// Works until the process is told to end, doing jobs with these engines.
pub async fn run_with(process: Process, engines: Engines) -> anyhow::Result<()> {
    runtime::scratch::sweep(&std::env::temp_dir());
    let tasks = subscribed(&process, &engines);
    let slots = process.settings.read_slots();
    let offered = engines.offered.iter().filter(|offer| tasks.contains(&offer.task)).cloned().collect();
    let draws_text = engines.draws_text;
    let makers = engines.makers_for(&tasks);
    let drain = Duration::from_secs(process.settings.drain_seconds);
    let queues: Vec<Queue> = tasks.iter().copied().map(Queue::from).collect();
    let deliverer = Deliverer::new(&process).context("webhooks can't be sent")?;
    let connections = store::generic_plan_pool_for_transactions(&process.pool, CLAIMING);
    let unpaid = Unpaid::new(process.clone());
    let claiming = connections.clone();
    let worker =
        jobs::Worker::start(process.clone(), engines, deliverer.clone(), claiming, queues.clone(), unpaid.clone());
    let lent = Lent::start(Arc::clone(&worker), tasks.clone(), slots);
    let beat =
        Beat { process: process.clone(), engines: offered, draws_text, makers, slots, worker: Arc::clone(&worker) };
    beat.announce().await?;
    let beating = tokio::spawn(beat.go_on());

    let mut claims = Vec::new();
    if !queues.is_empty() {
        claims.push(claims_of_jobs(worker, queues, slots));
    }
    let mut subscriptions = deliverer.subscriptions();
    subscriptions.push(ProjectNotifier::new(&process).context("webhooks of projects can't be sent")?.subscription());
    let aside = ingest::aside(&process);
    let decoders = match MediaTools::found(&reader_settings(&process.settings)) {
        Ok(tools) => {
            let level = tools.confinement().name();
            claims.extend(ingest::claims(&process, &Arc::new(tools), &aside, &unpaid, &connections));
            level
        }
        Err(why) => {
            tracing::error!(reason = %why, "This worker takes no uploads in.");
            "refused"
        }
    };
    // Tests start more than one worker in a process; they all find the same.
    let decoders = process.decoders.get_or_init(|| decoders);
    tracing::info!(tasks = ?tasks, slots, decoders.confinement = decoders, "The worker is ready.");
    let asked_to_end = tokio::spawn({
        let shutdown = process.shutdown.clone();
        async move {
            shutdown.cancelled().await;
            Instant::now()
        }
    });
    let works = Works { pool: &process.pool, wakes: &process.wakes, process: &process.name, signs: &process.signs };
    let ended = queue::work(works, &subscriptions, &claims, drain + HAND_BACK, process.shutdown.clone()).await;
    if process.shutdown.is_cancelled() {
        let since = asked_to_end.await?;
        aside.end((drain + HAND_BACK).saturating_sub(since.elapsed())).await;
        lent.end((drain + HAND_BACK).saturating_sub(since.elapsed())).await;
        deliverer.end((drain + HAND_BACK).saturating_sub(since.elapsed())).await;
    }
    beating.abort();
    process.leave_fleet().await?;
    ended.context("the worker stopped")?;
    deliverer.was_sound().context("the worker stopped")
}

/// Returns this process's claims of jobs: of all its tasks together, as many as it has slots.
fn claims_of_jobs(worker: Arc<jobs::Worker>, queues: Vec<Queue>, slots: usize) -> Claims {
    let take = Arc::new(move |slots| Arc::clone(&worker).take(slots).boxed());
    Claims { queues, slots, away: MOST_WAITING_JOBS, take }
}

/// Returns the tasks to subscribe to: those that this machine offers, and that `MWS_READS` names if it is set.
fn subscribed(process: &Process, engines: &Engines) -> Vec<Task> {
    let wanted = &process.settings.reads;
    for name in wanted {
        if !engines.offered.iter().any(|offer| offer.task.name() == name) {
            tracing::warn!(task = %name, "MWS_READS names what this machine can't run.");
        }
    }
    let all = wanted.is_empty();
    let tasks = engines.offered.iter().map(|offer| offer.task);
    tasks.filter(|task| all || wanted.iter().any(|name| name == task.name())).collect()
}

/// The report of this process that it lives, with what it offers.
struct Beat {
    process: Process,
    engines: Vec<EngineOffer>,
    draws_text: bool,
    makers: Vec<MakerOffer>,
    slots: usize,
    worker: Arc<jobs::Worker>,
}

impl Beat {
    async fn announce(&self) -> sqlx::Result<()> {
        let mut conn = self.process.pool.acquire().await?;
        reads::announce(&mut conn, &self.engines).await?;
        if let Some(render) = self.engines.iter().find(|offer| offer.task == Task::Render) {
            store::renders::announce(&mut conn, &render.engine, &render.version).await?;
            if self.draws_text {
                store::renders::announce_text(&mut conn).await?;
            }
        }
        metrics::gauge!("mws_worker_slots").set(f64::from(u32::try_from(self.slots).unwrap_or(u32::MAX)));
        store::generations::announce(&mut conn, &self.makers).await?;
        let capacity = Capacity { all: self.slots, busy: self.worker.busy() };
        fleet::join(&mut conn, self.process.member(Service::Worker), &self.engines, capacity).await
    }

    async fn go_on(self) {
        let mut ticks = interval(BEAT);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            if let Err(error) = self.announce().await {
                tracing::warn!(error = %error, "The worker could not say that it lives.");
            }
            // Jobs that were cancelled while no worker had them.
            self.worker.call_off_cancelled().await;
        }
    }
}
