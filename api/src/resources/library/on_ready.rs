//! Reads that were requested with an upload or an import: their outcomes, and the api's task that starts them.

use crate::app::App;
use crate::http::json::json_of;
use crate::http::text::Text;
use crate::resources::tools::prepare_media::PreparedRead;
use crate::usecases::dispatch::Prepared;
use crate::usecases::reads_on_ready::{OutcomeFormat, Round, start_next};
use domain::read::Read;
use futures_util::future::join_all;
use poem_openapi::Object;
use poem_openapi::types::ParseFromJSON;
use runtime::wake::{Wake, woken};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

/// The interval at which reads to start are looked for when no wake-up says that an item is ready.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// The number of items whose reads a process starts at once.
const AT_ONCE: usize = 4;

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

/// Starts the reads of one item. Returns whether there was such an item.
async fn start_one(app: &App, round: &Arc<Round>) -> bool {
    let (app, round) = (app.clone(), Arc::clone(round));
    // Its own task: one that panics affects no other.
    match tokio::spawn(async move { start_next::<AsShown>(&app, &round).await }).await {
        Ok(Ok(was_one)) => was_one,
        // The cause was logged where it became a refusal.
        Ok(Err(refusal)) => {
            tracing::debug!(error = %refusal, "It was not seen which reads to start.");
            false
        }
        Err(panic) => {
            tracing::error!(error = %panic, "Reads of an item that is ready were not started.");
            false
        }
    }
}

/// Starts the reads of items that become ready, until the process is told to end.
pub async fn start_reads_on_ready(app: App) {
    let mut wakes = app.process.wakes.subscribe();
    let shutdown = app.process.shutdown.clone();
    let round = Arc::new(Round::default());
    while !shutdown.is_cancelled() {
        if start_one(&app, &round).await {
            // There may be many: start the reads of several items at once.
            join_all((1..AT_ONCE).map(|_| start_one(&app, &round))).await;
            continue;
        }
        let settled = woken(&mut wakes, |wake| matches!(wake, Wake::ItemSettled(_)));
        // Woken or not, the next look tells.
        let _ = shutdown.run_until_cancelled(timeout(LOOK_AGAIN, settled)).await;
    }
}
