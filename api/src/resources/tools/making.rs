//! What tools share that make one thing by a job: they turn a call into a dispatch or an estimate, replay a key's
//! answer, and show what exists already.

use crate::app::App;
use crate::app::beside::{polled_beside, run_beside};
use crate::auth::Caller;
use crate::contract::envelope::{MediaLink, Stored, ToolAnswer};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::rate;
use crate::resources::library::Item;
use crate::resources::tools::stored_read::NeedStatus;
use crate::usecases::dispatch::{self, Dispatched, Make, Making, Order, Prepared, Standing, Unmade};
use crate::usecases::starting;
use domain::ids::ItemId;
use domain::plan::Reason;
use poem_openapi::types::{ParseFromJSON, ToJSON};
use store::idempotency::Key;
use store::items;

/// A call that has one thing made by a job.
pub(super) struct Ordering<'a> {
    pub(super) app: &'a App,
    /// Whether the call only asks for the price.
    pub(super) dry_run: bool,
}

/// What came of an order.
pub(super) enum Ordered<Made, T: ParseFromJSON + ToJSON> {
    /// The state of what was ordered.
    Standing(Box<Standing<Made>>),
    /// The bytes that were answered to the first call with the same key.
    Replayed(Stored<ToolAnswer<T>>),
}

/// Returns the order of a call by this caller of this tool.
pub(super) fn order(caller: &Caller, tool: &'static str, context: Option<String>, key: Option<Key>) -> Order {
    Order { owners: starting::owners(caller), call: starting::call(caller, tool, context), key }
}

impl Ordering<'_> {
    /// Starts the work, or reports the state of the same work. `item_of` names the item to show of what is made,
    /// `refused` turns a reason for not starting into a refusal, and `answer` makes the tool's answer.
    ///
    /// # Errors
    /// Those of `refused` and of a dispatch.
    pub(super) async fn make<M: Make, T: ParseFromJSON + ToJSON>(
        &self,
        request: &M,
        item_of: impl Fn(&M::Made) -> ItemId,
        refused: impl Fn(&Unmade, &Standing<M::Made>) -> ApiError,
        answer: impl Fn(&Standing<M::Made>) -> ToolAnswer<T> + Sync,
    ) -> Answer<Stored<ToolAnswer<T>>> {
        let standing = match self.start(request, &answer).await? {
            Ordered::Replayed(answer) => return Ok(answer),
            Ordered::Standing(standing) => *standing,
        };
        let media = match &standing.state {
            Making::Made(made) => self.media(item_of(made)).await?,
            Making::Queued { .. } | Making::Startable(_) => None,
            Making::Not(why) => return Err(refused(why, &standing)),
        };
        // The answer to a render without silence has each part that is kept, of up to a day.
        Ok(run_beside(|| Stored::fresh(&answer(&standing).showing(media))))
    }

    /// Starts the work, unless it is made or under way, or this is a dry run. `answer` makes the answer that is stored
    /// under the call's key when the work starts.
    ///
    /// # Errors
    /// Those of a dispatch. Why no job was started is no error here.
    pub(super) async fn start<M: Make, T: ParseFromJSON + ToJSON>(
        &self,
        request: &M,
        answer: impl Fn(&Standing<M::Made>) -> ToolAnswer<T> + Sync,
    ) -> Answer<Ordered<M::Made, T>> {
        let process = &self.app.process;
        // The plan of a film may have megabytes, with its captions: they are hashed, and written if it starts.
        if self.dry_run {
            let estimate = polled_beside(dispatch::estimate(process, request)).await?;
            return Ok(Ordered::Standing(Box::new(estimate)));
        }
        // The stored answer of a key names the job that was started, and has no link: that would expire before a
        // replay.
        let compose = |standing: &Standing<M::Made>| match standing.state {
            Making::Not(_) => String::new(),
            _ => Stored::<ToolAnswer<T>>::fresh(&answer(standing)).body().to_owned(),
        };
        let dispatched = polled_beside(dispatch::dispatch(process, request, &compose)).await;
        match dispatched.map_err(|error| starting::refused(request.order().key.as_ref(), error))? {
            Dispatched::KeyReused => Err(starting::key_reused()),
            Dispatched::TooSoon(wait) => Err(rate::too_soon(wait)),
            Dispatched::Replayed(body) => Ok(Ordered::Replayed(replay(body))),
            Dispatched::Answered(standing) => Ok(Ordered::Standing(Box::new(standing))),
        }
    }

    /// Returns the media of an item that was made, to show beside the answer.
    async fn media(&self, item: ItemId) -> Answer<Option<MediaLink>> {
        let row = items::find(&mut *self.app.conn().await?, item).await?;
        Ok(row.and_then(|row| Item::of(row, &self.app.links).media()))
    }

    /// Returns the refusal for reasons that no tool words for itself.
    pub(super) fn refusal<Made>(&self, why: &Unmade, standing: &Standing<Made>) -> ApiError {
        match why {
            Unmade::StorageFull => {
                let settings = &self.app.process.settings;
                let (bytes, items) = (settings.storage_quota_bytes, settings.max_items);
                let message =
                    format!("There is no room for it: the account may keep {bytes} bytes of media, and {items} items.");
                ApiError::new(Code::FileTooLarge, message).suggest("Delete items that are no longer needed.")
            }
            Unmade::DocumentsFull => documents_full(),
            Unmade::DubDeleted => ApiError::new(Code::DubNotFound, "The dub was deleted a moment ago."),
            Unmade::Lacking(_) => starting::not_started(Reason::EngineNotConfigured, &Prepared::from(standing)),
            Unmade::Reason(reason) => starting::not_started(*reason, &Prepared::from(standing)),
        }
    }
}

/// Returns the status of something that is made, or that a job makes or would make.
pub(super) fn status<Made>(state: &Making<Made>) -> NeedStatus {
    match state {
        Making::Made(_) => NeedStatus::Ready,
        Making::Queued { .. } => NeedStatus::Queued,
        Making::Startable(_) => NeedStatus::Startable,
        Making::Not(_) => unreachable!("what did not start is refused"),
    }
}

/// Returns the refusal of a dub that there is no room for.
pub(super) fn documents_full() -> ApiError {
    let message = "The workspace has as many dubs or timelines as it may.";
    ApiError::new(Code::QuotaReached, message).suggest("Delete those that are no longer needed.")
}

/// Returns the answer that a call's key already has, if any.
///
/// # Errors
/// `idempotency_key_reused` when the key was sent with another request.
pub(super) async fn replayed<T: ToJSON>(app: &App, key: Option<Key>) -> Answer<Option<Stored<T>>> {
    let Some(key) = key else { return Ok(None) };
    match dispatch::answered_before(&app.process, &key).await? {
        Some(Dispatched::Replayed(body)) => Ok(Some(replay(body))),
        Some(Dispatched::KeyReused) => Err(starting::key_reused()),
        Some(Dispatched::Answered(()) | Dispatched::TooSoon(..)) | None => Ok(None),
    }
}

/// Returns the answer that a key already has.
fn replay<T: ToJSON>(body: String) -> Stored<T> {
    metrics::counter!("mws_idempotent_replays_total").increment(1);
    Stored::replayed(body)
}
