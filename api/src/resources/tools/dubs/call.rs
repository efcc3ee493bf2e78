//! A call of `dub` or `render_dub`: its Idempotency-Key, and its job. `source` finds what is dubbed, `film` renders a
//! timeline first, and `writing` makes the segments.
//!
//! One key is one call: the first job that the call dispatched, a film's, a read's or the dub's, answers the key from
//! then on.

use super::languages::refusal_of;
use super::shapes::DubStanding;
use super::source::DubbedTimeline;
use crate::app::App;
use crate::app::beside::run_beside;
use crate::auth::Caller;
use crate::contract::envelope::{Cost, Stored, ToolAnswer};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::Text;
use crate::resources::tools::making::{self, Ordering, documents_full, order, status};
use crate::usecases::dispatch::{self, DubRequest, Making, Prepared, Standing, Unmade};
use crate::usecases::starting::{self, cloud_processing};
use domain::dub::{Dub, DubPlan, DubTool, LONGEST, reckoned_bytes};
use domain::timeline::Micros;
use serde_json::{Value, json};
use store::dubs::MadeDub;
use store::idempotency::Key;
use store::items;

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

impl DubCall<'_> {
    /// Returns the answer that this call's key already has, if any.
    pub(super) async fn replayed(&self) -> Answer<Option<Stored<ToolAnswer<DubStanding>>>> {
        making::replayed(self.app, self.key()).await
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

    /// Starts the dub, or reports the state of the same one. `dubbed` is the timeline whose film is dubbed, if one is
    /// and it is there.
    ///
    /// # Errors
    /// The errors of `super::STARTING`.
    pub(super) async fn start(&self, plan: DubPlan, duration: Micros, dubbed: Option<DubbedTimeline>) -> Answered {
        let order = order(self.caller, self.tool, None, self.key());
        // Each letter of it counts.
        let (duration_ms, warnings) = run_beside(|| (priced_ms(&plan, duration), plan.body.warnings()));
        let duration_ms = duration_ms?;
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
            let told = standing_of(&request.plan, &standing.state, dubbed, &warnings);
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

fn standing_of(
    plan: &DubPlan,
    state: &Making<MadeDub>,
    dubbed: Option<DubbedTimeline>,
    warnings: &[String],
) -> DubStanding {
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
        warnings: (!warnings.is_empty()).then(|| warnings.iter().map(Text::of).collect()),
    }
}
