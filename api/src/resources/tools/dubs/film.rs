//! The first step of a timeline's dub: the timeline's film, which is the item that is dubbed (`call`).
//!
//! The film is the one that `render_timeline` makes as `mp4`, or as `wav` of a timeline without scenes: a film that is
//! there costs nothing here, and a render that runs is joined. It is made of the revision that is asked for.

use super::call::{DubCall, priced_ms};
use super::languages::{refusal_of, refuse_undubbable};
use super::segments::{asked_languages, scripted, settled};
use super::shapes::{DubStanding, MakeDub};
use super::source::too_long;
use crate::app::beside::run_beside;
use crate::contract::envelope::{Stored, ToolAnswer};
use crate::http::error::Answer;
use crate::http::text::Text;
use crate::resources::tools::edits::call::refused;
use crate::resources::tools::making::{Ordered, Ordering, order, status};
use crate::resources::tools::timelines::film::{PlannedFilm, planned_film};
use crate::usecases::dispatch::{Making, Prepared, RenderRequest, Standing};
use crate::usecases::document_reads;
use crate::usecases::documents::Kept;
use crate::usecases::starting::cloud_processing;
use domain::dub::LONGEST;
use domain::film::{FilmFormat, FilmOutput, FilmQuality};
use domain::ids::{ItemId, TimelineId};
use domain::render::RenderPlan;
use domain::timeline::Timeline;
use store::{generations, renders};

/// A timeline's film, or the job that must end first.
pub(super) enum Filmed {
    /// The item that is the film, and the timeline.
    Item(ItemId, Box<Kept<Timeline>>),
    /// A job renders the film: answer with this.
    Answered(Box<Stored<ToolAnswer<DubStanding>>>),
}

impl DubCall<'_> {
    /// Returns the film of this timeline. Starts its render if it is missing.
    ///
    /// # Errors
    /// `timeline_not_found`, `workspace_forbidden`; `revision_conflict` for a revision that is not kept;
    /// `read_not_applicable` when it is too long; the errors of `planned_film` and of a render; and what the dub itself
    /// would be refused for, as far as that is known before.
    pub(super) async fn film(&self, asked: &MakeDub, id: TimelineId) -> Answer<Filmed> {
        let kept = match asked.timeline_revision {
            Some(revision) => {
                document_reads::reach_revision::<Timeline>(self.app, self.caller, id.uuid(), revision).await?
            }
            None => document_reads::reach::<Timeline>(self.app, self.caller, id.uuid()).await?,
        };
        if kept.body.duration() > LONGEST {
            return Err(too_long());
        }
        let format = if kept.body.scenes.is_empty() { FilmFormat::Wav } else { FilmFormat::Mp4 };
        let output = FilmOutput { format, quality: FilmQuality::Standard };
        let PlannedFilm { kept, film, worth_ms, .. } = planned_film(self.app, self.caller, kept, output).await?;
        let plan = RenderPlan::RenderTimeline { film: Box::new(film) };
        let hash = run_beside(|| plan.hash());
        if let Some(made) = renders::made(&mut *self.app.conn().await?, &hash).await? {
            return Ok(Filmed::Item(made.item, Box::new(kept)));
        }
        self.refuse_in_vain(asked, &kept).await?;
        let order = order(self.caller, self.tool, None, self.key());
        let request = RenderRequest { order, plan, source_name: kept.name.clone(), duration_ms: worth_ms };
        let ordering = Ordering { app: self.app, dry_run: self.dry_run };
        let revision = kept.revision;
        let told = |standing: &Standing<ItemId>| {
            let cloud = cloud_processing(&Prepared::from(standing));
            ToolAnswer::new(&self.caller.request_id, rendering(id, revision, &standing.state)).cloud(cloud)
        };
        let standing = match ordering.start(&request, told).await? {
            Ordered::Replayed(answer) => return Ok(Filmed::Answered(Box::new(answer))),
            Ordered::Standing(standing) => *standing,
        };
        match &standing.state {
            Making::Made(item) => Ok(Filmed::Item(*item, Box::new(kept))),
            Making::Not(why) => Err(refused(&ordering, why, &standing)),
            Making::Queued { .. } | Making::Startable(_) => {
                Ok(Filmed::Answered(Box::new(Stored::fresh(&told(&standing)))))
            }
        }
    }

    /// Refuses before the film is rendered what would be refused after it.
    async fn refuse_in_vain(&self, asked: &MakeDub, kept: &Kept<Timeline>) -> Answer<()> {
        self.refuse_full().await?;
        let (target, source) = asked_languages(asked)?;
        let Some(script) = &asked.script else {
            return refuse_undubbable(self.app, asked, source.as_ref(), &target).await;
        };
        let duration = kept.body.duration();
        // The film has no id yet, and nothing here depends on it.
        let dub = settled(scripted(script, ItemId::mint(), source, target)?, asked, duration)?;
        let plan = self.new_plan(kept.name.clone(), dub, false);
        priced_ms(&plan, duration)?;
        let offered = generations::makers(&mut *self.app.conn().await?).await?;
        plan.lack(&offered).map_or(Ok(()), |lack| Err(refusal_of(&lack)))
    }
}

/// Returns the state of a dub whose film is rendered first.
fn rendering(timeline: TimelineId, revision: i32, state: &Making<ItemId>) -> DubStanding {
    DubStanding {
        item_ref: None,
        item_id: None,
        source_timeline_id: Some(Text::of(timeline)),
        timeline_revision: Some(revision),
        status: status(state),
        job_id: state.job().map(Text::of),
        estimated_minutes: state.held().map(|held| held.minutes.into()),
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
