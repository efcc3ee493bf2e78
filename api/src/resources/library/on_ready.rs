//! Reads that were requested with an upload or an import: their outcomes, and the api's task that starts them.

use crate::app::App;
use crate::http::json::json_of;
use crate::http::text::Text;
use crate::resources::tools::prepare_media::PreparedRead;
use crate::usecases::dispatch::Prepared;
use crate::usecases::reads_on_ready::{OutcomeFormat, start_due, take_next};
use crate::usecases::round_robin::RoundRobin;
use domain::read::Read;
use poem_openapi::Object;
use poem_openapi::types::ParseFromJSON;
use runtime::wake::{Wake, woken};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// The interval at which reads to start are looked for when no wake-up says that an item is ready.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// The number of items whose reads a process starts at once: a start may wait long for its account's own calls.
const AT_ONCE: usize = 32;
/// How many of those any account may have several of. The others are for accounts without any.
const SHARED: usize = 8;
/// The most of those that one account may have.
const OF_ACCOUNT: usize = 4;

/// Reads that start once their item is ready.
#[derive(Debug, Object)]
pub struct ReadsOnReady {
    /// The reads that were requested.
    pub reads: Vec<Text>,
    /// The outcome of each, as in `prepare_media`. Null until they are started: while the item is not ready, while the
    /// account must wait before it may start jobs, and always for a failed item.
    pub answers: Option<Vec<PreparedRead>>,
}

impl ReadsOnReady {
    pub(super) fn of(asked: Vec<String>, answer: Option<Value>) -> Self {
        let parsed = answer.map(|answer| Vec::<PreparedRead>::parse_from_json(Some(answer)));
        let answers = parsed.and_then(|parsed| {
            parsed.inspect_err(|_| tracing::error!("What became of an item's reads is kept in another form.")).ok()
        });
        Self { reads: asked.into_iter().map(Text).collect(), answers }
    }
}

/// Stores outcomes in the form that items show.
struct AsShown;

impl OutcomeFormat for AsShown {
    fn prepared(prepared: &Prepared, reads: &[Read]) -> Value {
        let answers = prepared.items.iter().flat_map(|item| &item.answers);
        as_json(reads.iter().zip(answers).map(|(read, answer)| PreparedRead::of(*read, answer)))
    }

    fn may_not(reads: &[Read]) -> Value {
        let why = "Who asked for it may not start it any more. Ask for it with prepare_media.";
        as_json(reads.iter().map(|read| PreparedRead::refused(*read, "caller_may_not", why)))
    }
}

/// Returns the list as JSON, as it is stored.
fn as_json(answers: impl Iterator<Item = PreparedRead>) -> Value {
    json_of(&answers.collect::<Vec<_>>())
}

/// Starts the reads of items that become ready, until the process is told to end.
pub async fn start_reads_on_ready(app: App) {
    let mut wakes = app.process.wakes.subscribe();
    let shutdown = app.process.shutdown.clone();
    let (round_robin, mut starts) = (RoundRobin::of(OF_ACCOUNT, SHARED), JoinSet::new());
    while !shutdown.is_cancelled() {
        take_up(&app, &round_robin, &mut starts).await;
        let next = async {
            tokio::select! {
                () = woken(&mut wakes, |wake| matches!(wake, Wake::ItemSettled(_))) => {}
                Some(ended) = starts.join_next() => if let Err(panic) = ended {
                    tracing::error!(error = %panic, "Reads of an item that is ready were not started.");
                },
            }
        };
        // Woken or not, the next look tells.
        let _ = shutdown.run_until_cancelled(timeout(LOOK_AGAIN, next)).await;
    }
    while starts.join_next().await.is_some() {}
}

/// Starts the reads of items that are ready, until so many are being started.
async fn take_up(app: &App, round_robin: &Arc<RoundRobin>, starts: &mut JoinSet<()>) {
    while starts.len() < AT_ONCE {
        match take_next(app, round_robin).await {
            // Its own task: one that panics affects no other, and one that waits keeps no other waiting.
            Ok(Some((due, permit))) => drop(starts.spawn(start_due::<AsShown>(app.clone(), due, permit))),
            Ok(None) => return,
            Err(error) => {
                tracing::debug!(error = %error, "It was not seen which reads to start.");
                return;
            }
        }
    }
}
