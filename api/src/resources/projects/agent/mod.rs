//! The task of the api that works on projects: it takes up runs that are due and goes on with each, one step after the
//! other, until it waits for jobs or has ended. A run is durable: whoever dies over one is followed by another.

mod asking;
mod tools;
mod turn;

use crate::app::App;
use crate::usecases::projects::runs::{Round, wake};
use runtime::wake::Wake;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;
use turn::take_turn;

/// How often it is looked for runs that are due, where nobody tells of one.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// Runs that a process goes on with at once.
const AT_ONCE: usize = 4;
/// And where a model is asked, which is waited for most of the time.
const AT_ONCE_ASKING: usize = 64;
/// How many of those one account has, at most: a model that takes long over what it asks keeps nobody else waiting.
const ASKING_OF_ACCOUNT: usize = 4;

/// Works on projects until the process is told to end. All that it has under way ends with it.
pub async fn work_on_projects(app: App) {
    let shutdown = app.process.shutdown.clone();
    let mut turns = JoinSet::new();
    let (at_once, of_account) =
        if app.agent.is_some() { (AT_ONCE_ASKING, ASKING_OF_ACCOUNT) } else { (AT_ONCE, AT_ONCE) };
    let round = Round::of(of_account);
    let listening = AbortOnDropHandle::new(tokio::spawn(listen(app.clone())));
    while !shutdown.is_cancelled() {
        while turns.len() < at_once {
            match round.next(&app).await {
                // A task of its own: one that panics takes nothing with it.
                Ok(Some((run, place))) => drop(turns.spawn(take_turn(app.clone(), run, place))),
                Ok(None) => break,
                Err(error) => {
                    tracing::debug!(error = %error, "It was not seen which projects to work on.");
                    break;
                }
            }
        }
        let next = async {
            tokio::select! {
                () = app.runs.begun() => {}
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

/// Has runs taken up whose jobs have ended.
async fn listen(app: App) {
    let mut wakes = app.process.wakes.subscribe();
    loop {
        match wakes.recv().await {
            Ok(Wake::JobEnded(job)) => {
                for waiting in app.runs.ended(job) {
                    if let Err(error) = wake(&app, waiting).await {
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
