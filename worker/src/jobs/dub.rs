//! A claimed dub: translated by a provider's model where the plan names one (`translation`), otherwise by the engines
//! that speak and mix it too; put into the media store as two items under keys that name the claim, and handed to the
//! claim's end, which makes the dub's document and timeline, or updates what was spoken.

use crate::dubs::{DubRequest, Dubbed};
use crate::jobs::leases::Lease;
use crate::jobs::new_item::ItemToCome;
use crate::jobs::{Done, Worker};
use crate::readers::{JobCtx, ProcessorTime, ReadError};
use domain::credits::Credits;
use domain::document::MOST_NAME_CHARACTERS;
use domain::dub::{DubPlan, Voices, engine_of, reckoned_bytes, variant, variant_of};
use domain::generation::MadeBy;
use domain::ids::{DubId, ItemId, JobId, TimelineId};
use domain::task::Task;
use domain::timeline::{Micros, pictured};
use futures_util::FutureExt;
use runtime::ending::Product;
use runtime::queue::Slot;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::io;
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use store::documents::Body;
use store::dubs::{self, DubMaterial, SpokenDub};
use store::generations::{self, ClaimedGeneration};
use store::jobs::{Claimed, ClaimedItem};
use tokio::time::Instant;

/// The time to speak and fit a segment, beside what its item's length allows.
const A_SEGMENT: Duration = Duration::from_secs(3);

/// A dub with its parsed plan.
struct PlannedDub {
    row: ClaimedGeneration,
    plan: DubPlan,
    material: DubMaterial,
    timeline: TimelineId,
}

impl Worker {
    /// Works a claimed dub. It ends by its deadline, and soon after it is told to stop.
    pub(crate) async fn dub(
        &self,
        claimed: &Claimed,
        item: &ClaimedItem,
        lease: &Lease,
        slot: &Slot,
        processor: &ProcessorTime,
    ) -> Result<Done, ReadError> {
        let known = self.known_dub(claimed).await?;
        let segments = u32::try_from(known.plan.body.segments.len()).unwrap_or(u32::MAX);
        let worth_ms = known.plan.worth_ms(item.duration_ms);
        let time = self.time_for_media(claimed, Task::Dub, worth_ms) + A_SEGMENT * segments;
        let time = time.saturating_add(self.time_to_translate(&known.plan));
        let mut ctx = JobCtx::new(Instant::now() + time, lease.stopped.clone());
        ctx.progress = lease.progress.clone();
        ctx.payer = Some(claimed.payer);
        ctx.paid_ms = Some(item.duration_ms).filter(|ms| *ms > 0);
        ctx.processor = processor.clone();
        let bounds = ctx.clone();
        let working = AssertUnwindSafe(self.make_dub(claimed, item, known, lease, slot, &ctx)).catch_unwind();
        match bounds.bounded(working).await? {
            Ok(worked) => worked,
            Err(_) => Err(ReadError::Crashed),
        }
    }

    async fn known_dub(&self, claimed: &Claimed) -> Result<PlannedDub, ReadError> {
        let lacks = || ReadError::Internal("a dub has no plan".to_owned());
        let reading = async {
            let mut conn = self.process.pool.acquire().await?;
            let Some(row) = generations::of_job(&mut conn, claimed.job).await? else { return Ok(None) };
            let plan: Option<DubPlan> = serde_json::from_value(row.plan.clone()).ok();
            let Some(plan) = plan else { return Ok(None) };
            let before = plan.before.as_ref().map(|before| before.voice);
            let material = dubs::material(&mut conn, claimed.job, claimed.workspace, before).await?;
            let kept = match plan.dub {
                Some(dub) => dubs::output(&mut conn, dub).await?.map(|output| output.timeline),
                None => None,
            };
            let timeline = kept.unwrap_or_else(TimelineId::mint);
            Ok::<_, sqlx::Error>(material.map(|material| PlannedDub { row, plan, material, timeline }))
        };
        reading.await.map_err(io::Error::other)?.ok_or_else(lacks)
    }

    async fn make_dub(
        &self,
        claimed: &Claimed,
        item: &ClaimedItem,
        mut known: PlannedDub,
        lease: &Lease,
        slot: &Slot,
        ctx: &JobCtx,
    ) -> Result<Done, ReadError> {
        self.has_all(&known.plan.needs()).await?;
        let most_bytes = self.room(claimed).await?.saturating_add(self.beyond(&known.plan, item));
        let most_bytes = most_bytes.min(self.process.settings.max_upload_bytes);
        if known.plan.translator.is_some() && !known.plan.body.untranslated().is_empty() {
            // The provider is paid whatever becomes of the dub. The end of the job gives back what is not used.
            self.reserve(claimed, reckoned_bytes(item.bytes, known.plan.worth_ms(item.duration_ms))).await?;
        }
        let _asking = self.translate(claimed, &mut known.plan, lease, slot, ctx).await?;
        let request = DubRequest {
            plan: known.plan.clone(),
            source: item.media(),
            duration_ms: item.duration_ms,
            before: known.material.before.clone(),
            most_bytes,
        };
        let dubbed = (self.engines.dub)(request, ctx.clone()).await?;
        self.kept_dub(claimed, item, &known, dubbed, most_bytes).await
    }

    /// Returns the bytes that a dub's items may take beyond the account's storage. A translation that is paid was let
    /// in while what is reckoned fitted: that its voices last longer keeps it out no more.
    fn beyond(&self, plan: &DubPlan, item: &ClaimedItem) -> u64 {
        let most = self.process.settings.storage_quota_bytes / 10;
        if plan.translator.is_some() { plan.bytes_beyond(item.duration_ms).min(most) } else { 0 }
    }

    /// Refuses a dub whose makers this worker does not all have: `Elsewhere` if another one has reported them lately.
    async fn has_all(&self, needs: &BTreeSet<String>) -> Result<(), ReadError> {
        let has = |need: &&String| self.engines.makers.iter().any(|offer| offer.name == **need);
        let Some(lacking) = needs.iter().find(|need| !has(need)) else { return Ok(()) };
        let looking = async { generations::is_offered(&mut *self.process.pool.acquire().await?, lacking).await };
        if looking.await.map_err(io::Error::other)? {
            return Err(ReadError::Elsewhere);
        }
        Err(ReadError::EngineNotConfigured(Task::Dub))
    }

    /// Puts the dub's items into the media store. No row names them until the job's end is committed.
    async fn kept_dub(
        &self,
        claimed: &Claimed,
        item: &ClaimedItem,
        known: &PlannedDub,
        dubbed: Dubbed,
        most_bytes: u64,
    ) -> Result<Done, ReadError> {
        let Dubbed { mix, voice: voices, body, volumes, pieces, spoken, reused, unspoken, picture } = dubbed;
        let bytes = mix.media.file.metadata()?.len().saturating_add(voices.file.metadata()?.len());
        self.reserve_beyond(claimed, bytes, self.beyond(&known.plan, item)).await?;
        let (plan, voice) = (&known.plan, known.material.voice);
        let made_by = made_by(claimed, plan, item.id);
        let to_come = |id, name, hash| ItemToCome { id, name, hash, made_by: made_by.clone() };
        let output = to_come(known.row.output, known.row.name.clone(), hash_of("mix", claimed.job));
        let new_item = self.new_item(claimed, output, mix.media, most_bytes).await?;
        let output = to_come(voice, plan.voice_name(), hash_of("voices", claimed.job));
        let new_voice = self.new_item(claimed, output, voices, most_bytes).await?;
        let dub = plan.dub.unwrap_or_else(DubId::mint);
        let source = Micros::ms(item.duration_ms);
        let voices = Voices { item: voice, duration: Micros::ms(new_voice.facts.duration_ms.unwrap_or(0)), volumes };
        let timeline = match &plan.original {
            Some(original) => variant_of(original, &body, &voices, source),
            None => variant(&body, &voices, source, pictured(picture)),
        };
        let overflowing = pieces.iter().filter(|piece| piece.overflow_ms > 0).count();
        let result = json!({
            "item_id": known.row.output, "timeline_id": known.timeline, "dub_id": dub, "voice_item_id": voice,
            "spoken": spoken, "reused": reused, "unspoken": unspoken, "overflowing": overflowing,
            "synthetic": true, "quality": "draft",
        });
        let spoken_dub = SpokenDub {
            item: new_item,
            voice: new_voice,
            dub,
            new: plan.dub.is_none().then(|| (document_name(&plan.item_name()), body_of(&body, body.summary()))),
            revision: plan.revision,
            plan_hash: known.row.hash.clone(),
            volumes,
            pieces,
            timeline: known.timeline,
            new_timeline: (document_name(&plan.item_name()), body_of(&timeline, timeline.summary())),
        };
        let charge = self.process.settings.rates.of(Task::Dub).price(plan.worth_ms(item.duration_ms));
        let credits = known.row.price.map_or(Credits::ZERO, |price| price.of(plan.translated()));
        Ok(Done { charge, credits, result, made: vec![Product::Dub(Box::new(spoken_dub))] })
    }
}

/// Returns the hash of a dub's item. It is its job's alone: equal dubs are found by their plans (`store::dubs`).
fn hash_of(what: &str, job: JobId) -> Vec<u8> {
    Sha256::digest(format!("{what} {job}")).to_vec()
}

/// Returns how the items of a dub say that they were made.
fn made_by(claimed: &Claimed, plan: &DubPlan, source: ItemId) -> MadeBy {
    let target = &plan.body.target_language;
    let engines: BTreeSet<&str> =
        plan.body.segments.iter().map(|segment| engine_of(&segment.voice, target).name()).collect();
    MadeBy {
        job_id: claimed.job,
        tool: plan.tool.name().to_owned(),
        engine: Some(engines.into_iter().collect::<Vec<_>>().join(", ")),
        model: plan.translator.clone(),
        source_item_ids: vec![source],
        synthetic: true,
        quality: Some("draft".to_owned()),
        film: true,
    }
}

fn body_of(document: &impl serde::Serialize, summary: Value) -> Body {
    let whole = serde_json::to_value(document)
        .unwrap_or_else(|error| unreachable!("a document can be written as JSON: {error}"));
    Body { whole: whole.to_string(), summary }
}

/// Returns a document's name for an item's name.
fn document_name(name: &str) -> String {
    let line: String = name.chars().filter(|letter| !letter.is_control()).take(MOST_NAME_CHARACTERS).collect();
    let line = line.trim().to_owned();
    if line.is_empty() { "Dub".to_owned() } else { line }
}
