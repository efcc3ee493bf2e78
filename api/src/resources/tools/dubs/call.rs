//! A call of `dub` or `render_dub`: its item, the item's reads, its Idempotency-Key, and its job. `film` renders a
//! timeline that is dubbed first.
//!
//! One key is one call: the first job that the call dispatched, a film's, a read's or the dub's, answers the key from
//! then on.

use super::languages::{refusal_of, refuse_undubbable};
use super::segments::{asked_languages, language_of, scripted, settled, spoken};
use super::shapes::{DubStanding, MakeDub};
use crate::app::App;
use crate::app::beside::{LONG_READ, apart_in_turn_if, in_turn_if, run_beside};
use crate::auth::Caller;
use crate::contract::envelope::{Cost, Stored, ToolAnswer};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::answers::AnswerPermit;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::Text;
use crate::resources::tools::making::{self, Ordering, documents_full, order, status};
use crate::resources::tools::stored_read::{Need, Needed, QueuedRead, need_told};
use crate::usecases::dispatch::{self, DubRequest, Making, Prepared, Standing, Unmade};
use crate::usecases::documents::Kept;
use crate::usecases::library::resolve;
use crate::usecases::starting::{self, cloud_processing};
use domain::dub::{Dub, DubPlan, DubTool, LONGEST, Language, Recording, reckoned_bytes, turns_of, words_of};
use domain::ids::TimelineId;
use domain::item::ItemStatus;
use domain::media_use::MediaUse;
use domain::read::Read;
use domain::timeline::{Micros, Timeline};
use serde_json::{Value, json};
use store::dubs::MadeDub;
use store::idempotency::Key;
use store::items::{self, ItemForReads};

/// The answer of both tools.
pub(super) type Answered = Answer<Stored<ToolAnswer<DubStanding>>>;

/// A call of such a tool.
pub(super) struct DubCall<'a> {
    pub(super) app: &'a App,
    pub(super) caller: &'a Caller,
    pub(super) tool: &'static str,
    /// The whole request in canonical form.
    pub(super) request: Value,
    pub(super) key: IdempotencyKey,
    pub(super) dry_run: bool,
}

/// Words, or segments, beyond which it takes long to make segments of them, or to settle these.
const FEW: usize = 1_000;

/// A read that a dub needs.
enum DubRead<T> {
    /// What it says, and the room for it, which is to be held as long as that.
    Read(T, AnswerPermit),
    /// A job computes it: answer with this.
    Answered(Box<Stored<ToolAnswer<DubStanding>>>),
}

/// What a request names to dub.
pub(super) enum Named<'a> {
    /// An item.
    Item(&'a str),
    /// A timeline.
    Timeline(TimelineId),
}

/// The item to dub.
pub(super) struct Source {
    pub(super) item: Box<ItemForReads>,
    /// Its duration, in microseconds.
    pub(super) duration: Micros,
    /// The timeline that the item is the film of, if a timeline is dubbed.
    pub(super) timeline: Option<Box<Kept<Timeline>>>,
}

/// The timeline whose film is dubbed.
#[derive(Debug, Clone, Copy)]
pub(super) struct DubbedTimeline {
    pub(super) id: TimelineId,
    /// The revision that the call is for; `None` if the film was dubbed by an earlier call.
    pub(super) revision: Option<i32>,
}

impl Source {
    /// Returns the timeline that is dubbed, if one is.
    pub(super) fn dubbed(&self) -> Option<DubbedTimeline> {
        let kept = self.timeline.as_ref()?;
        Some(DubbedTimeline { id: TimelineId::from(kept.id), revision: Some(kept.revision) })
    }
}

/// A new dub, or the job that must end first.
pub(super) enum Written {
    /// The dub, and whether it still has to be translated.
    Dub(Box<Dub>, bool),
    /// A job computes a read that is missing: answer with this.
    Answered(Box<Stored<ToolAnswer<DubStanding>>>),
}

impl DubCall<'_> {
    /// Returns the answer that this call's key already has, if any.
    pub(super) async fn replayed(&self) -> Answer<Option<Stored<ToolAnswer<DubStanding>>>> {
        making::replayed(self.app, self.key()).await
    }

    /// Returns the item to dub, which may be the film of a timeline.
    ///
    /// # Errors
    /// `item_not_found`, `workspace_forbidden`, `item_not_ready`; `read_not_applicable` when it has no sound, or is too
    /// long.
    pub(super) async fn source(&self, item_ref: &str, timeline: Option<Box<Kept<Timeline>>>) -> Answer<Source> {
        let item = resolve(&mut *self.app.conn().await?, self.caller.workspace, item_ref).await?;
        let refused = |message: &str| Err(ApiError::new(Code::ReadNotApplicable, message));
        match item.status {
            ItemStatus::Processing => {
                return Err(ApiError::new(Code::ItemNotReady, "The item is still being processed."));
            }
            ItemStatus::Failed => return refused("The item's media can't be read."),
            ItemStatus::Ready => {}
        }
        let is_heard = item.media().is_some_and(|media| media.suits(MediaUse::Sound).is_ok());
        match item.duration_ms.map(Micros::ms).filter(|_| is_heard) {
            None => refused("The item has no sound."),
            Some(long) if long > LONGEST => Err(too_long()),
            Some(duration) => Ok(Source { item, duration, timeline }),
        }
    }

    /// Returns the segments to speak: of the script, or of the stored reads. Missing reads are started, one after the
    /// other.
    ///
    /// # Errors
    /// `invalid_request` for what can't be a dub; `engine_not_configured` before a read is started in vain; the errors
    /// of `stored_read::need`; `read_not_applicable` when nobody speaks.
    pub(super) async fn write(&self, asked: &MakeDub, from: &Source) -> Answer<Written> {
        let (item, duration) = (&from.item, from.duration);
        let (target, source) = asked_languages(asked)?;
        let (mut dub, translates) = if let Some(script) = &asked.script {
            (scripted(script, item.id, source, target)?, false)
        } else {
            match self.write_from_reads(asked, from, source, &target).await? {
                Written::Answered(answer) => return Ok(Written::Answered(answer)),
                Written::Dub(dub, translates) => (*dub, translates),
            }
        };
        if let Some(kept) = &from.timeline {
            dub.timeline = Some(TimelineId::from(kept.id));
            dub.end_with_film(duration, kept.body.duration());
        }
        let is_long = dub.segments.len() > FEW;
        let dub = in_turn_if(self.app, self.caller.account_id, is_long, || settled(dub, asked, duration)).await?;
        Ok(Written::Dub(Box::new(dub), translates))
    }

    /// Returns the segments of what is said in the item. A read that is missing is started only where a worker could
    /// dub what it tells.
    async fn write_from_reads(
        &self,
        asked: &MakeDub,
        from: &Source,
        source: Option<Language>,
        target: &Language,
    ) -> Answer<Written> {
        let (item, duration) = (&from.item, from.duration);
        if !item.reads.contains(&Read::Transcript) {
            self.refuse_full().await?;
            refuse_undubbable(self.app, asked, source.as_ref(), target).await?;
        }
        let (transcript, _words_room) = match self.need_read(from, Read::Transcript, words_of).await? {
            DubRead::Answered(answer) => return Ok(Written::Answered(answer)),
            DubRead::Read(transcript, room) => (transcript, room),
        };
        let language = language_of(&transcript, source, target)?;
        if !item.reads.contains(&Read::Speakers) {
            self.refuse_full().await?;
            refuse_undubbable(self.app, asked, Some(&language), target).await?;
        }
        let (turns, _turns_room) = match self.need_read(from, Read::Speakers, turns_of).await? {
            DubRead::Answered(answer) => return Ok(Written::Answered(answer)),
            DubRead::Read(turns, room) => (turns, room),
        };
        let (words, turns) = (&transcript.words[..], &turns[..]);
        let recording = Recording { item: item.id, duration, language: &language, words, turns };
        let is_long = words.len() > FEW;
        let dub = in_turn_if(self.app, self.caller.account_id, is_long, || spoken(recording, target)).await?;
        Ok(Written::Dub(Box::new(dub), true))
    }

    /// Refuses a dub that the workspace has no room for, before anything is started for it.
    ///
    /// # Errors
    /// `quota_reached`.
    pub(super) async fn refuse_full(&self) -> Answer<()> {
        let owners = starting::owners(self.caller);
        let is_full = dispatch::is_full_of_dubs(&mut *self.app.conn().await?, owners).await?;
        if is_full { Err(documents_full()) } else { Ok(()) }
    }

    /// Returns what `of` finds in a stored read of the item, and starts the read if it is missing.
    async fn need_read<T: Send + 'static>(
        &self,
        from: &Source,
        read: Read,
        of: fn(&Value) -> Option<T>,
    ) -> Answer<DubRead<T>> {
        let (request, item_ref) = (self.request.clone(), from.item.id.to_string());
        let wanted = Need { tool: self.tool, item_ref: &item_ref, read, request, dry_run: self.dry_run };
        let dubbed = from.dubbed();
        let told = move |queued| reading(queued, dubbed);
        let ready = match need_told(self.app, self.caller, self.key.clone(), &wanted, &told).await? {
            Needed::Answered(answer) => return Ok(DubRead::Answered(Box::new(answer))),
            Needed::Ready(ready) => ready,
        };
        let account = self.caller.account_id;
        let (document, room, large) = ready.document.whole(&self.app.answers, account).await?;
        let is_long = document.len() > LONG_READ;
        let parse = move || {
            // Held until the document is parsed and dropped.
            let _large = large;
            let parsed = serde_json::from_slice::<Value>(&document);
            drop(document);
            parsed.map(|read| of(&read).map(|found| DubRead::Read(found, room)))
        };
        let parsed = apart_in_turn_if(self.app, account, is_long, parse).await?;
        let none = || ApiError::internal(format!("a stored read `{}` that is none", read.name()));
        parsed.map_err(ApiError::internal)?.ok_or_else(none)
    }

    /// Starts the dub, or reports the state of the same one. `dubbed` is the timeline whose film is dubbed, if one is
    /// and it is there.
    ///
    /// # Errors
    /// The errors of `super::STARTING`.
    pub(super) async fn start(&self, plan: DubPlan, duration: Micros, dubbed: Option<DubbedTimeline>) -> Answered {
        let order = order(self.caller, self.tool, None, self.key());
        // Each letter of it counts.
        let duration_ms = run_beside(|| priced_ms(&plan, duration))?;
        let model = plan.translator.as_deref().and_then(|id| self.app.process.providers.get(id));
        let price = model.map(|model| (model.price, model.price.of(plan.translated())));
        // Whoever translates is paid whatever becomes of the dub.
        let room = if price.is_some() { self.reckoned(&plan, duration_ms).await? } else { 1 };
        let request = DubRequest { order, plan, duration_ms, price, room };
        let ordering = Ordering { app: self.app, dry_run: self.dry_run };
        let refused = |why: &Unmade, standing: &Standing<MadeDub>| match why {
            Unmade::Lacking(lack) => refusal_of(lack),
            why => ordering.refusal(why, standing),
        };
        let told = |standing: &Standing<MadeDub>| {
            let cloud = cloud_processing(&Prepared::from(standing));
            let told = standing_of(&request.plan, &standing.state, dubbed);
            let answer = ToolAnswer::new(&self.caller.request_id, told).cloud(cloud);
            if price.is_none() { answer } else { answer.costing(Cost::needed(standing.credits(), &standing.balance)) }
        };
        ordering.make(&request, |made| made.item, refused, told).await
    }

    /// Returns the bytes that the items of a dub are reckoned to take.
    async fn reckoned(&self, plan: &DubPlan, duration_ms: i64) -> Answer<u64> {
        let source = items::find(&mut *self.app.conn().await?, plan.body.source).await?;
        Ok(reckoned_bytes(source.map_or(0, |item| item.bytes), duration_ms))
    }

    /// Returns the plan of a new dub of an item.
    pub(super) fn new_plan(&self, name: String, body: Dub, translates: bool) -> DubPlan {
        DubPlan {
            tool: DubTool::Dub,
            workspace: self.caller.workspace.id,
            dub: None,
            revision: 1,
            name,
            body,
            translates,
            translator: self.app.process.providers.translator().filter(|_| translates).map(|model| model.id.clone()),
            before: None,
            original: None,
        }
    }

    /// Returns the key of this call, if one was sent: the same as `need` makes.
    pub(super) fn key(&self) -> Option<Key> {
        let canonical = json!([self.tool, self.caller.workspace.id, self.request]);
        starting::keyed(self.app, self.caller, self.tool, self.key.clone(), &canonical)
    }
}

/// Returns the item or the timeline that a request names.
///
/// # Errors
/// `invalid_request` unless exactly one is named; `timeline_not_found` for what is no timeline's id.
pub(super) fn named(asked: &MakeDub) -> Answer<Named<'_>> {
    let refused = |message: &str| Err(ApiError::new(Code::InvalidRequest, message));
    match (&asked.item_ref, &asked.timeline_id) {
        (Some(_), None) if asked.timeline_revision.is_some() => {
            refused("`timeline_revision` goes with `timeline_id` alone.")
        }
        (Some(item_ref), None) => Ok(Named::Item(item_ref)),
        (None, Some(timeline)) => Ok(Named::Timeline(timeline.id(Code::TimelineNotFound)?)),
        _ => refused("Say `ref` or `timeline_id`: exactly one."),
    }
}

/// Returns the milliseconds that a dub is priced by.
///
/// # Errors
/// `invalid_request` when it would speak for too long, or not at all.
pub(super) fn priced_ms(plan: &DubPlan, duration: Micros) -> Answer<i64> {
    if plan.is_silent() {
        let message = "No segment of the dub has a text that its voice has sounds for.";
        let silent = ApiError::new(Code::InvalidRequest, message);
        return Err(silent.suggest("Say words, or name a voice of their language."));
    }
    let priced_ms = plan.worth_ms(duration.0 / 1_000);
    if Micros::ms(priced_ms) > LONGEST {
        let message = "What is to be spoken would take more than three hours.";
        return Err(ApiError::new(Code::InvalidRequest, message).suggest("Shorten its segments, or dub a part."));
    }
    Ok(priced_ms)
}

/// Returns the refusal of media that is too long to be dubbed.
pub(super) fn too_long() -> ApiError {
    let message = format!("At most {} hours are dubbed.", LONGEST.0 / 3_600_000_000);
    ApiError::new(Code::ReadNotApplicable, message)
}

/// Returns the state of a dub whose item has a read missing.
fn reading(queued: QueuedRead, dubbed: Option<DubbedTimeline>) -> DubStanding {
    DubStanding {
        item_ref: Some(queued.item_ref),
        item_id: Some(queued.item_id),
        source_timeline_id: dubbed.map(|dubbed| Text::of(dubbed.id)),
        timeline_revision: dubbed.and_then(|dubbed| dubbed.revision),
        status: queued.status,
        job_id: queued.job_id,
        estimated_minutes: queued.estimated_minutes,
        estimated_credits: None,
        translator: None,
        dub_id: None,
        timeline_id: None,
        output_item_id: None,
        segments: None,
        quality: None,
    }
}

fn standing_of(plan: &DubPlan, state: &Making<MadeDub>, dubbed: Option<DubbedTimeline>) -> DubStanding {
    let (held, made) = (state.held(), state.made());
    DubStanding {
        item_ref: None,
        item_id: Some(Text::of(plan.body.source)),
        source_timeline_id: dubbed.map(|dubbed| Text::of(dubbed.id)),
        timeline_revision: dubbed.and_then(|dubbed| dubbed.revision),
        status: status(state),
        job_id: state.job().map(Text::of),
        estimated_minutes: held.map(|held| held.minutes.into()),
        estimated_credits: held.filter(|_| plan.translator.is_some()).map(|held| held.credits.into()),
        translator: plan.translator.as_deref().map(Text::of),
        dub_id: made.map(|made| made.dub).or(plan.dub).map(Text::of),
        timeline_id: made.and_then(|made| made.timeline).map(Text::of),
        output_item_id: made.map(|made| Text::of(made.item)),
        segments: u32::try_from(plan.body.segments.len()).ok(),
        quality: Some("draft".into()),
    }
}
