//! A call of `dub` or `render_dub`: its item, the item's reads, its Idempotency-Key, and its job.
//!
//! One key is one call: the first job that the call dispatched, a read's or the dub's, answers the key from then on.

use super::languages::{refusal_of, refuse_undubbable};
use super::segments::{language_of, scripted, spoken, voiced};
use super::shapes::{DubStanding, MakeDub};
use crate::app::App;
use crate::auth::Caller;
use crate::contract::envelope::{Stored, ToolAnswer};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::Text;
use crate::resources::tools::making::{Ordering, order, replay};
use crate::resources::tools::stored_read::{Need, NeedStatus, Needed, need};
use crate::usecases::dispatch::{self, Dispatched, DubRequest, Making, Prepared, Standing, Unmade};
use crate::usecases::library::resolve;
use crate::usecases::starting::{self, cloud_processing};
use domain::document::MOST_BYTES;
use domain::dub::{Dub, DubPlan, LONGEST, Language, Recording, turns_of, words_of};
use domain::item::ItemStatus;
use domain::read::Read;
use domain::timeline::Micros;
use serde_json::{Value, json};
use store::dubs::MadeDub;
use store::idempotency::Key;
use store::items::ItemForReads;

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

/// A read that a dub needs.
enum Heard {
    /// The read's `data`.
    Read(Value),
    /// A job computes it: answer with this.
    Answered(Box<Stored<ToolAnswer<DubStanding>>>),
}

/// The item to dub.
pub(super) struct Source {
    pub(super) item: Box<ItemForReads>,
    /// Its duration, in microseconds.
    pub(super) duration: Micros,
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
        let Some(key) = self.key() else { return Ok(None) };
        match dispatch::answered_before(&self.app.process, &key).await? {
            Some(Dispatched::Replayed(body)) => Ok(Some(replay(body))),
            Some(Dispatched::KeyReused) => Err(starting::key_reused()),
            Some(Dispatched::Answered(()) | Dispatched::TooSoon(..)) | None => Ok(None),
        }
    }

    /// Returns the item to dub.
    ///
    /// # Errors
    /// `invalid_request` unless exactly one item is named; `item_not_found`, `workspace_forbidden`, `item_not_ready`;
    /// `read_not_applicable` when it has no sound, or is too long.
    pub(super) async fn source(&self, asked: &MakeDub) -> Answer<Source> {
        let item_ref = match (&asked.item_ref, &asked.timeline_id) {
            (Some(item_ref), None) => item_ref,
            (None, Some(_)) => {
                let message = "A timeline is dubbed as the item that `render_timeline` makes of it.";
                return Err(ApiError::new(Code::InvalidRequest, message)
                    .suggest("Render the timeline, then name its item in `ref`."));
            }
            _ => return Err(ApiError::new(Code::InvalidRequest, "Say `ref` or `timeline_id`: exactly one.")),
        };
        let item = resolve(&mut *self.app.conn().await?, self.caller.workspace, item_ref).await?;
        let refused = |message: String| Err(ApiError::new(Code::ReadNotApplicable, message));
        match item.status {
            ItemStatus::Processing => {
                return Err(ApiError::new(Code::ItemNotReady, "The item is still being processed."));
            }
            ItemStatus::Failed => return refused("The item's media can't be read.".to_owned()),
            ItemStatus::Ready => {}
        }
        match item.duration_ms.map(Micros::ms).filter(|_| item.has_audio) {
            None => refused("The item has no sound.".to_owned()),
            Some(long) if long > LONGEST => refused(format!("At most {} hours are dubbed.", LONGEST.0 / 3_600_000_000)),
            Some(duration) => Ok(Source { item, duration }),
        }
    }

    /// Returns the segments to speak: of the script, or of the stored reads. Missing reads are started, one after the
    /// other.
    ///
    /// # Errors
    /// `invalid_request` for what can't be a dub; `engine_not_configured` before a read is started in vain; the errors
    /// of `stored_read::need`; `read_not_applicable` when nobody speaks.
    pub(super) async fn written(&self, asked: &MakeDub, from: &Source) -> Answer<Written> {
        let (item, duration) = (&from.item, from.duration);
        let target: Language = asked.target_language.id_in("target_language")?;
        let source = asked.source_language.as_ref().map(|tag| tag.id_in::<Language>("source_language")).transpose()?;
        if source.as_ref() == Some(&target) {
            return Err(ApiError::new(Code::InvalidRequest, "`target_language` is the language that is spoken."));
        }
        let (mut dub, translates) = if let Some(script) = &asked.script {
            (scripted(script, item.id, source, target)?, false)
        } else {
            match self.transcribed(asked, from, source, &target).await? {
                Written::Answered(answer) => return Ok(Written::Answered(answer)),
                Written::Dub(dub, translates) => (*dub, translates),
            }
        };
        dub.keep_background = asked.keep_background.unwrap_or(false);
        voiced(&mut dub, asked.voices.as_deref().unwrap_or_default())?;
        dub.settle(duration)
            .map_err(|why| ApiError::new(Code::InvalidRequest, format!("It can't be dubbed: {why}.")))?;
        if serde_json::to_vec(&dub).map_or(usize::MAX, |body| body.len()) > MOST_BYTES {
            let message = format!("A dub has at most {MOST_BYTES} bytes as JSON: dub parts of the item.");
            return Err(ApiError::new(Code::InvalidRequest, message));
        }
        Ok(Written::Dub(Box::new(dub), translates))
    }

    /// Returns the segments of what is said in the item. A read that is missing is started only where a worker could
    /// dub what it tells.
    async fn transcribed(
        &self,
        asked: &MakeDub,
        from: &Source,
        source: Option<Language>,
        target: &Language,
    ) -> Answer<Written> {
        let (item, duration) = (&from.item, from.duration);
        if !item.reads.contains(&Read::Transcript) {
            refuse_undubbable(self.app, asked, source.as_ref(), target).await?;
        }
        let words = match self.heard(item, Read::Transcript).await? {
            Heard::Answered(answer) => return Ok(Written::Answered(answer)),
            Heard::Read(read) => words_of(&read),
        };
        let transcript = words.ok_or_else(|| ApiError::internal("a stored transcript without words"))?;
        let language = language_of(&transcript, source, target)?;
        if !item.reads.contains(&Read::Speakers) {
            refuse_undubbable(self.app, asked, Some(&language), target).await?;
        }
        let turns = match self.heard(item, Read::Speakers).await? {
            Heard::Answered(answer) => return Ok(Written::Answered(answer)),
            Heard::Read(read) => turns_of(&read),
        };
        let turns = turns.ok_or_else(|| ApiError::internal("a stored speakers read without turns"))?;
        let (words, turns) = (&transcript.words[..], &turns[..]);
        let recording = Recording { item: item.id, duration, language: &language, words, turns };
        Ok(Written::Dub(Box::new(spoken(recording, target)?), true))
    }

    /// Returns a stored read of the item, and starts it if it is missing.
    async fn heard(&self, item: &ItemForReads, read: Read) -> Answer<Heard> {
        let (request, item_ref) = (self.request.clone(), item.id.to_string());
        let wanted = Need { tool: self.tool, item_ref: &item_ref, read, request, dry_run: self.dry_run };
        let ready = match need(self.app, self.caller, self.key.clone(), &wanted).await? {
            Needed::Answered(answer) => return Ok(Heard::Answered(Box::new(answer.documented_as()))),
            Needed::Ready(ready) => ready,
        };
        let (document, held) = ready.document.whole(&self.app.answers, self.caller.account_id).await?;
        let parsed = move || {
            // Held until the document is parsed and dropped.
            let _held = held;
            serde_json::from_slice(&document)
        };
        let parsed: serde_json::Result<Value> =
            tokio::task::spawn_blocking(parsed).await.map_err(ApiError::internal)?;
        Ok(Heard::Read(parsed.map_err(ApiError::internal)?))
    }

    /// Starts the dub, or reports the state of the same one.
    ///
    /// # Errors
    /// The errors of `super::STARTING`.
    pub(super) async fn start(&self, plan: DubPlan, duration: Micros) -> Answered {
        let order = order(self.caller, self.tool, None, self.key());
        let duration_ms = plan.worth_ms(duration.0 / 1_000);
        if Micros::ms(duration_ms) > LONGEST {
            let message = "What is to be spoken would take more than three hours.";
            return Err(ApiError::new(Code::InvalidRequest, message).suggest("Shorten its segments, or dub a part."));
        }
        let request = DubRequest { order, plan, duration_ms };
        let ordering = Ordering { app: self.app, dry_run: self.dry_run };
        let refused = |why: &Unmade, standing: &Standing<MadeDub>| match why {
            Unmade::Lacking(lack) => refusal_of(lack),
            why => ordering.refusal(why, standing),
        };
        let told = |standing: &Standing<MadeDub>| {
            let cloud = cloud_processing(&Prepared::from(standing));
            ToolAnswer::new(&self.caller.request_id, standing_of(&request.plan, &standing.state)).cloud(cloud)
        };
        ordering.make(&request, |made| made.item, refused, told).await
    }

    /// Returns the key of this call, if one was sent: the same as `need` makes.
    fn key(&self) -> Option<Key> {
        let canonical = json!([self.tool, self.caller.workspace.id, self.request]);
        starting::keyed(self.app, self.caller, self.tool, self.key.clone(), &canonical)
    }
}

fn standing_of(plan: &DubPlan, state: &Making<MadeDub>) -> DubStanding {
    let (status, job, estimate, made) = match state {
        Making::Queued { job, held, .. } => (NeedStatus::Queued, Some(*job), Some(held.minutes), None),
        Making::Startable(held) => (NeedStatus::Startable, None, Some(held.minutes), None),
        Making::Made(made) => (NeedStatus::Ready, None, None, Some(*made)),
        Making::Not(_) => unreachable!("what did not start is refused"),
    };
    DubStanding {
        item_ref: None,
        item_id: Text::of(plan.body.source),
        status,
        job_id: job.map(Text::of),
        estimated_minutes: estimate.map(Into::into),
        dub_id: made.map(|made| made.dub).or(plan.dub).map(Text::of),
        timeline_id: made.map(|made| Text::of(made.timeline)),
        output_item_id: made.map(|made| Text::of(made.item)),
        segments: u32::try_from(plan.body.segments.len()).ok(),
        quality: Some("draft".into()),
    }
}
