//! What tools have in common that have one thing made by a job: a call becomes a dispatch or its estimate, its key is
//! answered again, and what is there is shown.

use crate::app::App;
use crate::auth::Caller;
use crate::contract::envelope::{MediaLink, Stored, ToolAnswer};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::rate;
use crate::resources::library::Item;
use crate::usecases::dispatch::{self, Dispatched, Make, Making, Order, Prepared, Standing, Unmade};
use crate::usecases::starting;
use domain::ids::ItemId;
use domain::plan::Reason;
use poem_openapi::types::{ParseFromJSON, ToJSON};
use store::idempotency::Key;
use store::items;

/// A call that has something made.
pub(super) struct Ordering<'a> {
    pub(super) app: &'a App,
    /// Whether it is only to be told what it would cost.
    pub(super) dry_run: bool,
}

/// Who asks, by this tool.
pub(super) fn order(caller: &Caller, tool: &'static str, context: Option<String>, key: Option<Key>) -> Order {
    Order { owners: starting::owners(caller), call: starting::call(caller, tool, context), key }
}

impl Ordering<'_> {
    /// Starts what is asked for, or tells where the same stands. `item_of` names the item to show of what is there,
    /// `refused` says why it did not start, and `answer` what is told of what did.
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
        let process = &self.app.process;
        let standing = if self.dry_run {
            dispatch::estimate(process, request).await?
        } else {
            // What a key keeps is the job that was started, and no link: that would be answered again after its end.
            let compose = |standing: &Standing<M::Made>| match standing.state {
                Making::Not(_) => String::new(),
                _ => Stored::<ToolAnswer<T>>::fresh(&answer(standing)).body().to_owned(),
            };
            let dispatched = dispatch::dispatch(process, request, &compose).await;
            match dispatched.map_err(|error| starting::refused(request.order().key.as_ref(), error))? {
                Dispatched::KeyReused => return Err(starting::key_reused()),
                Dispatched::TooSoon(wait) => return Err(rate::too_soon(wait)),
                Dispatched::Replayed(body) => return Ok(replay(body)),
                Dispatched::Answered(standing) => standing,
            }
        };
        let media = match &standing.state {
            Making::Made(made) => self.media(item_of(made)).await?,
            Making::Queued { .. } | Making::Startable(_) => None,
            Making::Not(why) => return Err(refused(why, &standing)),
        };
        Ok(Stored::fresh(&answer(&standing).showing(media)))
    }

    /// The media of an item that was made, to show beside the answer.
    async fn media(&self, item: ItemId) -> Answer<Option<MediaLink>> {
        let row = items::find(&mut *self.app.conn().await?, item).await?;
        Ok(row.and_then(|row| Item::of(row, &self.app.links).media()))
    }

    /// The refusal of what lacks nothing that its tool knows of.
    pub(super) fn refusal<Made>(&self, why: &Unmade, standing: &Standing<Made>) -> ApiError {
        match why {
            Unmade::StorageFull => {
                let most = self.app.process.settings.storage_quota_bytes;
                let message = format!("The account keeps as many bytes as it may, {most}, or as many items.");
                ApiError::new(Code::FileTooLarge, message).suggest("Delete items that are no longer needed.")
            }
            Unmade::DocumentsFull => {
                let message = "The workspace has as many dubs or timelines as it may.";
                ApiError::new(Code::QuotaReached, message).suggest("Delete those that are no longer needed.")
            }
            Unmade::Lacking(_) => starting::not_started(Reason::EngineNotConfigured, &Prepared::from(standing)),
            Unmade::Reason(reason) => starting::not_started(*reason, &Prepared::from(standing)),
        }
    }
}

/// The answer that a key has already.
pub(super) fn replay<T: ToJSON>(body: String) -> Stored<T> {
    metrics::counter!("mws_idempotent_replays_total").increment(1);
    Stored::replayed(body)
}
