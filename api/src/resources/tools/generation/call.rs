//! What the generation tools share: choosing the model, completing the request, its price, and the job.

use super::shapes::GenerationAnswer;
use crate::app::App;
use crate::auth::Caller;
use crate::contract::envelope::{Cost, Stored, ToolAnswer};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::Text;
use crate::resources::tools::making::{Ordering, order, status};
use crate::usecases::dispatch::{GenerationRequest, Making, Prepared, Standing, Unmade};
use crate::usecases::library::{reach, resolve};
use crate::usecases::starting::{self, cloud_processing};
use domain::comment::is_blank;
use domain::dub::Lack;
use domain::generation::{Asked, GenerationPlan, GenerationTool, Maker, SourceFacts};
use domain::ids::{ItemId, JobId};
use domain::item::ItemStatus;
use domain::media_time::FrameRate;
use domain::media_use::{MediaUse, Unfit};
use domain::model::{Amount, BuiltIn, ModelKind, Per};
use domain::pixels::{MOST_FILM_PIXELS, MOST_READ_PIXELS};
use domain::plan::Reason;
use runtime::providers::Model;
use serde_json::{Value, json};
use store::items::ItemRow;

/// Width and height in pixels of a picture that is priced by its pixels, when the request gives none.
const USUAL_SIDE: u32 = 1_024;
/// Milliseconds of a film or of sound, when the request gives no duration.
const USUAL_MS: i64 = 5_000;

/// A call of such a tool.
pub(super) struct GenerationCall<'a> {
    pub(super) app: &'a App,
    pub(super) caller: &'a Caller,
    pub(super) tool: GenerationTool,
    /// The whole request in canonical form.
    pub(super) request: Value,
    pub(super) key: IdempotencyKey,
    pub(super) context: Option<Text>,
    pub(super) dry_run: bool,
}

/// The maker: a built-in engine, or a provider's model.
#[derive(Clone, Copy)]
pub(super) enum Chosen<'a> {
    Engine(BuiltIn),
    Model(&'a Model),
}

impl Chosen<'_> {
    fn maker(self) -> Maker {
        match self {
            Self::Engine(engine) => Maker::Engine(engine),
            Self::Model(model) => Maker::Model(model.id.clone()),
        }
    }
}

/// Returns the model of this kind that the call names, or the default when it names none.
///
/// # Errors
/// `invalid_request` for a name that no model of the kind has; `engine_not_configured` when there is no default.
pub(super) fn chosen<'a>(
    app: &'a App,
    kind: ModelKind,
    named: Option<&Text>,
    usual: Option<BuiltIn>,
) -> Answer<Chosen<'a>> {
    let providers = &app.process.providers;
    let Some(named) = named else {
        let first = || providers.all().iter().find(|model| model.kind == kind).map(Chosen::Model);
        return usual.map(Chosen::Engine).or_else(first).ok_or_else(|| {
            let message = format!("No model of the kind `{}` is configured here.", kind.name());
            ApiError::new(Code::EngineNotConfigured, message)
        });
    };
    let engine = BuiltIn::from_name(named).filter(|engine| engine.kind() == kind).map(Chosen::Engine);
    let model = || providers.get(named).filter(|model| model.kind == kind).map(Chosen::Model);
    engine.or_else(model).ok_or_else(|| {
        let message = format!("There is no model `{}` of the kind `{}`.", named.0, kind.name());
        ApiError::new(Code::InvalidRequest, message).suggest("`list_models` lists the models and their kinds.")
    })
}

/// The item that something is made from.
pub(super) struct Source {
    item: ItemRow,
    rate: Option<FrameRate>,
}

impl GenerationCall<'_> {
    /// Returns the item of this name, if the tool can use it so.
    ///
    /// # Errors
    /// `item_not_found`, `workspace_forbidden`, `item_not_ready`; `invalid_request` for an SVG, `read_not_applicable`
    /// for anything else that can't be used so.
    pub(super) async fn source(&self, name: &Text, usage: MediaUse) -> Answer<Source> {
        let mut conn = self.app.conn().await?;
        let item = reach(&mut conn, self.caller.workspace, name).await?;
        let found = resolve(&mut conn, self.caller.workspace, name).await?;
        let refused = |code, why: &str| Err(ApiError::new(code, format!("`ref`: {why}.")));
        match (item.status, found.media().map(|media| media.suits(usage))) {
            (ItemStatus::Processing, _) => refused(Code::ItemNotReady, "the item is still being processed"),
            (ItemStatus::Ready, Some(Ok(()))) => Ok(Source { item, rate: found.frame_rate }),
            // An SVG is of the type that is asked for, and another export of its canvas will do.
            (ItemStatus::Ready, Some(Err(Unfit::Svg))) => refused(Code::InvalidRequest, &Unfit::Svg.to_string()),
            (ItemStatus::Ready, Some(Err(unfit))) => refused(Code::ReadNotApplicable, &unfit.to_string()),
            (ItemStatus::Ready | ItemStatus::Failed, _) => {
                refused(Code::ReadNotApplicable, "the item's media can't be read")
            }
        }
    }

    /// Starts the generation, or reports the state of the same one.
    ///
    /// # Errors
    /// The errors of `super::REFUSALS`.
    pub(super) async fn generate(
        &self,
        chosen: Chosen<'_>,
        kind: ModelKind,
        mut asked: Asked,
        source: Option<&Source>,
    ) -> Answer<Stored<ToolAnswer<GenerationAnswer>>> {
        let facts = source.map(facts).unwrap_or_default();
        if let Chosen::Model(model) = chosen {
            completed(&mut asked, model);
        }
        let plan = GenerationPlan {
            tool: self.tool,
            workspace: self.caller.workspace.id,
            maker: chosen.maker(),
            kind,
            source: source.map(|source| source.item.id),
            asked,
        };
        within_limits(chosen, &plan, facts)?;
        let price = match chosen {
            Chosen::Engine(_) => None,
            Chosen::Model(model) => Some((model.price, model.price.of(plan.amount(facts)))),
        };
        let room = match chosen {
            Chosen::Engine(_) => 1,
            Chosen::Model(model) => model.needed_room(self.app.process.settings.storage_quota_bytes),
        };
        let canonical = json!([self.tool.name(), self.caller.workspace.id, self.request]);
        let key = if self.dry_run { IdempotencyKey(None) } else { self.key.clone() };
        let request = GenerationRequest {
            order: order(
                self.caller,
                self.tool.name(),
                self.context.clone().map(|context| context.0),
                starting::keyed(self.app, self.caller, self.tool.name(), key, &canonical),
            ),
            name: plan.name(source.map_or("", |source| source.item.name.as_str())),
            duration_ms: plan.minutes_for_ms(facts),
            price,
            room,
            plan,
        };
        self.dispatch(&request).await
    }

    async fn dispatch(&self, request: &GenerationRequest) -> Answer<Stored<ToolAnswer<GenerationAnswer>>> {
        let ordering = Ordering { app: self.app, dry_run: self.dry_run };
        let refused = |why: &Unmade, standing: &Standing<ItemId>| match why {
            Unmade::Reason(Reason::EngineNotConfigured) => {
                let message = "No worker of this deployment can make this now.";
                ApiError::new(Code::EngineNotConfigured, message)
                    .suggest("`list_models` says which models are available.")
            }
            Unmade::Lacking(Lack::Voice { language, offered }) => {
                let there = offered.join(", ");
                let message = format!("No worker has a voice for `{language}`. There are voices for {there}.");
                ApiError::new(Code::EngineNotConfigured, message)
                    .suggest("Name one of these in `language`, or a voice of one in `voice`.")
            }
            Unmade::Lacking(Lack::Name(voice)) => {
                let message = format!("No worker has a voice `{voice}`.");
                ApiError::new(Code::EngineNotConfigured, message)
                    .suggest("Name a language in `language`, or a voice as `espeak-ng --voices` names them.")
            }
            why => ordering.refusal(why, standing),
        };
        let told = |standing: &Standing<ItemId>| {
            let cloud = cloud_processing(&Prepared::from(standing));
            let cost = Cost::needed(standing.credits(), &standing.balance);
            let answer = ToolAnswer::new(&self.caller.request_id, answer(&request.plan, &standing.state));
            answer.cloud(cloud).costing(cost)
        };
        ordering.make(request, |item| *item, refused, told).await
    }
}

fn facts(source: &Source) -> SourceFacts {
    let item = &source.item;
    let side = |pixels: Option<i32>| pixels.and_then(|pixels| u32::try_from(pixels).ok());
    SourceFacts { size: side(item.width).zip(side(item.height)), duration_ms: item.duration_ms, rate: source.rate }
}

/// Fills in the values that are paid for and that the request does not give.
fn completed(asked: &mut Asked, model: &Model) {
    if model.kind == ModelKind::Image && model.price.per == Per::Megapixel && asked.width.is_none() {
        (asked.width, asked.height) = (Some(USUAL_SIDE), Some(USUAL_SIDE));
    }
    if matches!(model.kind, ModelKind::Video | ModelKind::Audio) && asked.duration_ms.is_none() {
        asked.duration_ms = Some(USUAL_MS);
    }
}

/// Refuses a request beyond the limits of its model, a prompt or a text that says nothing, and a text of which a
/// built-in voice would say nothing.
fn within_limits(chosen: Chosen<'_>, plan: &GenerationPlan, source: SourceFacts) -> Answer<()> {
    if plan.asked.width.is_some() != plan.asked.height.is_some() {
        return Err(refusal("`width` and `height` are said together, or neither.".to_owned()));
    }
    if plan.asked.prompt.as_deref().is_some_and(is_blank) {
        return Err(refusal("`prompt`: it says nothing.".to_owned()));
    }
    if !plan.is_speakable() {
        let refusal = refusal("`text`: the voice has no sounds for any of it.".to_owned());
        return Err(refusal.suggest("Name the text's `language`, or a `model` that speaks it."));
    }
    if plan.asked.text.as_deref().is_some_and(is_blank) {
        return Err(refusal("`text`: it says nothing.".to_owned()));
    }
    let amount = plan.amount(source);
    match chosen {
        Chosen::Engine(_) => {
            // A source with a duration is a film; a generated picture must be small enough to be read again.
            let most = if source.duration_ms.is_some() { MOST_FILM_PIXELS } else { MOST_READ_PIXELS };
            if plan.kind == ModelKind::Upscale && amount.pixels > i64::from(most) {
                return Err(refusal(format!("It would have {} pixels, and at most {most} are made.", amount.pixels)));
            }
            Ok(())
        }
        Chosen::Model(model) => within_model(model, plan, &amount),
    }
}

/// Refuses more than a provider's model takes or makes.
fn within_model(model: &Model, plan: &GenerationPlan, amount: &Amount) -> Answer<()> {
    let (limits, id) = (model.limits, &model.id);
    let most_pixels = i64::from(limits.megapixels) * 1_000_000;
    if amount.chars > i64::try_from(limits.chars).unwrap_or(i64::MAX) {
        return Err(refusal(format!("`{id}` takes at most {} characters.", limits.chars)));
    }
    if amount.ms > i64::from(limits.seconds) * 1_000 {
        return Err(refusal(format!("`{id}` takes at most {} seconds.", limits.seconds)));
    }
    let (size, kind) = (plan.asked.width.zip(plan.asked.height), plan.kind);
    // The picture that a film begins with may be larger than the film.
    if (kind != ModelKind::Video || size.is_some()) && amount.pixels > most_pixels {
        return Err(refusal(format!("`{id}` makes at most {most_pixels} pixels.")));
    }
    Ok(())
}

fn refusal(message: String) -> ApiError {
    ApiError::new(Code::InvalidRequest, message)
}

fn answer(plan: &GenerationPlan, state: &Making<ItemId>) -> GenerationAnswer {
    let made_by = plan.made_by(JobId::mint());
    let held = state.held();
    GenerationAnswer {
        status: status(state),
        job_id: state.job().map(Text::of),
        estimated_minutes: held.map(|held| held.minutes.into()),
        estimated_credits: held.map(|held| held.credits.into()),
        output_item_id: state.made().map(Text::of),
        model: plan.maker.name().into(),
        synthetic: made_by.synthetic,
        quality: made_by.quality.map(Text),
        warnings: unspoken(&plan.unspoken()).map(|warning| vec![Text(warning)]),
    }
}

/// Returns the warning about letters that a voice leaves out; none where it leaves out none.
fn unspoken(letters: &[char]) -> Option<String> {
    let told: Vec<String> = letters.iter().map(|letter| format!("`{letter}`")).collect();
    (!told.is_empty())
        .then(|| format!("The voice does not speak all of the text: it has no sounds for {}.", told.join(", ")))
}
