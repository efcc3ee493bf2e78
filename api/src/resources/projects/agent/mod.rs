//! The api's task that works on projects: it takes runs that are due and continues each, step by step, until it waits
//! for jobs or has ended. A run is durable: if a process dies, another one continues it.

mod asking;
mod listening;
mod tools;
mod turn;

use crate::app::App;
use crate::usecases::projects::runs::{take_next, wake};
use crate::usecases::round_robin::RoundRobin;
use runtime::wake::Wake;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;
use turn::take_turn;

/// The interval at which due runs are looked for when no wake-up names one.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// The number of runs that a process continues at once: a step may wait long for its account's own calls.
const AT_ONCE: usize = 32;
/// How many of those any account may have several of. The others are for accounts without any.
const SHARED: usize = 8;
/// The number of runs with a model that a process continues at once: they mostly wait for the model.
const AT_ONCE_ASKING: usize = 512;
/// As [`SHARED`], of those.
const SHARED_ASKING: usize = 64;
/// The most that one account may have: one with a slow model, or with slow calls, keeps nobody else waiting.
const OF_ACCOUNT: usize = 4;

/// Works on projects until the process is told to end. Turns that are under way end with it.
pub async fn work_on_projects(app: App) {
    let shutdown = app.process.shutdown.clone();
    let mut turns = JoinSet::new();
    let (at_once, shared) = if app.agent.is_some() { (AT_ONCE_ASKING, SHARED_ASKING) } else { (AT_ONCE, SHARED) };
    let round_robin = RoundRobin::of(OF_ACCOUNT, shared);
    let listening = AbortOnDropHandle::new(tokio::spawn(listen(app.clone())));
    while !shutdown.is_cancelled() {
        take_up(&app, &round_robin, &mut turns, at_once).await;
        let next = async {
            tokio::select! {
                () = app.runs.wait_for_begun() => {}
                Some(ended) = turns.join_next() => if let Err(panic) = ended {
                    tracing::error!(error = %panic, "A turn of a project's run was not taken to its end.");
                },
            }
        };
        let _ = shutdown.run_until_cancelled(timeout(LOOK_AGAIN, next)).await;
    }
    drop(listening);
    // Each ends at its next step.
    while turns.join_next().await.is_some() {}
}

/// Takes up runs that are due, until so many turns are under way.
async fn take_up(app: &App, round_robin: &Arc<RoundRobin>, turns: &mut JoinSet<()>, at_once: usize) {
    while turns.len() < at_once {
        match take_next(app, round_robin).await {
            // A task of its own: one that panics takes nothing with it.
            Ok(Some((run, permit))) => drop(turns.spawn(take_turn(app.clone(), run, permit))),
            Ok(None) => return,
            Err(error) => {
                tracing::debug!(error = %error, "It was not seen which projects to work on.");
                return;
            }
        }
    }
}

/// Wakes runs whose jobs have ended.
async fn listen(app: App) {
    let mut wakes = app.process.wakes.subscribe();
    loop {
        match wakes.recv().await {
            Ok(Wake::JobEnded(job)) => {
                for (run, claim_no) in app.runs.ended(job) {
                    if let Err(error) = wake(&app, run, claim_no).await {
                        tracing::debug!(error = %error, "A project's run goes on some seconds later.");
                    }
                    app.runs.tell_begun();
                }
            }
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}
