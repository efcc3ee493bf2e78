//! The segments of a new dub: those of a script, or of what is said in the item, whose missing reads are started.

use super::call::DubCall;
use super::languages::refuse_undubbable;
use super::segments::{asked_languages, language_of, scripted, settled, spoken};
use super::shapes::{DubStanding, MakeDub};
use super::source::{DubbedTimeline, Source};
use crate::app::beside::{LONG_READ, apart_in_turn_if, in_turn_if};
use crate::contract::envelope::{Stored, ToolAnswer};
use crate::http::answers::AnswerPermit;
use crate::http::error::{Answer, ApiError};
use crate::http::text::Text;
use crate::resources::tools::stored_read::{Need, Needed, QueuedRead, need_told};
use domain::dub::{Dub, Language, Recording, turns_of, words_of};
use domain::ids::TimelineId;
use domain::read::Read;
use serde_json::Value;

/// Words, or segments, beyond which it takes long to make segments of them, or to settle these.
const FEW: usize = 1_000;

/// A read that a dub needs.
enum DubRead<T> {
    /// What it says, and the room for it, which is to be held as long as that.
    Read(T, AnswerPermit),
    /// A job computes it: answer with this.
    Answered(Box<Stored<ToolAnswer<DubStanding>>>),
}

/// A new dub, or the job that must end first.
pub(super) enum Written {
    /// The dub, and whether it still has to be translated.
    Dub(Box<Dub>, bool),
    /// A job computes a read that is missing: answer with this.
    Answered(Box<Stored<ToolAnswer<DubStanding>>>),
}

impl DubCall<'_> {
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
        warnings: None,
    }
}
