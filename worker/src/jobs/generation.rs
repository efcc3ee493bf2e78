//! A claimed generation: made by a program of this machine or a provider's model, put into the media store under a key
//! that names the claim, and handed to the claim's end.
//!
//! `notes` says what is known of a provider that was asked before. While the job waits for a provider, another job has
//! its slot (`asking`).

use crate::asking::Asking;
use crate::generations::GenerationRequest;
use crate::jobs::leases::Lease;
use crate::jobs::new_item::ItemToCome;
use crate::jobs::{Done, LEAST_TIME, PAID, Worker};
use crate::new_media::NewMedia;
use crate::readers::{JobCtx, ProcessorTime, ReadError};
use domain::credits::Credits;
use domain::generation::{GenerationPlan, Maker, SourceFacts};
use domain::minutes::Minutes;
use domain::model::{Amount, Price};
use domain::pixels::Pictures;
use domain::task::Task;
use futures_util::FutureExt;
use runtime::ending::Product;
use runtime::providers::Model;
use runtime::queue::Slot;
use serde_json::json;
use std::io;
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use store::generations::{self, ClaimedGeneration};
use store::jobs::Claimed;
use tokio::time::Instant;

/// A generation with its parsed plan.
struct PlannedGeneration {
    row: ClaimedGeneration,
    plan: GenerationPlan,
}

impl Worker {
    /// Works a claimed generation. It ends by its deadline, and soon after it is told to stop.
    pub(crate) async fn generation(
        &self,
        claimed: &Claimed,
        lease: &Lease,
        slot: &Slot,
        processor: &ProcessorTime,
    ) -> Result<Done, ReadError> {
        let known = self.load(claimed).await?;
        let mut ctx = JobCtx::new(Instant::now() + self.time_for(claimed, &known.plan), lease.stopped.clone());
        ctx.progress = lease.progress.clone();
        ctx.payer = Some(claimed.payer);
        ctx.paid_ms = claimed.item.as_ref().map(|item| item.duration_ms).filter(|ms| *ms > 0);
        ctx.processor = processor.clone();
        let bounds = ctx.clone();
        let working = AssertUnwindSafe(self.make(claimed, &known, lease, slot, &ctx)).catch_unwind();
        match bounds.bounded(working).await? {
            Ok(worked) => worked,
            Err(_) => Err(ReadError::Crashed),
        }
    }

    async fn load(&self, claimed: &Claimed) -> Result<PlannedGeneration, ReadError> {
        let read = async { generations::of_job(&mut *self.process.pool.acquire().await?, claimed.job).await };
        let row = read.await.map_err(io::Error::other)?;
        let row = row.ok_or_else(|| ReadError::Internal("a generation has no plan".to_owned()))?;
        let plan = serde_json::from_value(row.plan.clone())
            .map_err(|error| ReadError::Internal(format!("a generation's plan can't be read: {error}")))?;
        Ok(PlannedGeneration { row, plan })
    }

    /// Returns how long it may take: by its model's timeout, or by the length of its source or of its spoken text.
    fn time_for(&self, claimed: &Claimed, plan: &GenerationPlan) -> Duration {
        match &plan.maker {
            Maker::Model(id) => {
                self.process.providers.get(id).map_or(Duration::ZERO, |model| model.timeout) + LEAST_TIME + PAID
            }
            Maker::Engine(_) => {
                let duration_ms = claimed.item.as_ref().map(|item| item.duration_ms);
                let ms = plan.minutes_for_ms(SourceFacts { duration_ms, ..SourceFacts::default() }).unwrap_or(0);
                self.time_for_media(claimed, Task::Generation, ms)
            }
        }
    }

    async fn make(
        &self,
        claimed: &Claimed,
        known: &PlannedGeneration,
        lease: &Lease,
        slot: &Slot,
        ctx: &JobCtx,
    ) -> Result<Done, ReadError> {
        let source = match (known.plan.source, &claimed.item) {
            (Some(_), None) => return Err(ReadError::Missing),
            (Some(_), Some(item)) => Some(item.media()),
            (None, _) => None,
        };
        let most_bytes = self.room(claimed).await?;
        let request = GenerationRequest {
            job: claimed.job,
            account: claimed.payer,
            plan: known.plan.clone(),
            source,
            most_bytes,
            asking: Asking::default(),
        };
        self.require_maker(&known.plan.maker).await?;
        // A job that goes on beside the slots keeps its place there until its result is stored.
        let (generated, _asking) = match &known.plan.maker {
            Maker::Engine(_) => ((self.engines.generate)(request, ctx.clone()).await?, Asking::default()),
            Maker::Model(model) => self.ask_provider(claimed, model, request, lease, slot, ctx).await?,
        };
        self.store(claimed, known, generated, most_bytes).await
    }

    /// Refuses a maker that this worker lacks: another worker takes it, if one has reported lately that it has it.
    async fn require_maker(&self, maker: &Maker) -> Result<(), ReadError> {
        if self.engines.makers.iter().any(|offer| offer.name == maker.name()) {
            return Ok(());
        }
        let looking = async { generations::is_offered(&mut *self.process.pool.acquire().await?, maker.name()).await };
        if looking.await.map_err(io::Error::other)? {
            return Err(ReadError::Elsewhere);
        }
        Err(ReadError::EngineNotConfigured(Task::Generation))
    }

    /// Asks a provider, unless it may have been asked before and would take this for a second request.
    async fn ask_provider(
        &self,
        claimed: &Claimed,
        model: &str,
        mut request: GenerationRequest,
        lease: &Lease,
        slot: &Slot,
        ctx: &JobCtx,
    ) -> Result<(NewMedia, Asking), ReadError> {
        let configured = self.process.providers.get(model).ok_or(ReadError::EngineNotConfigured(Task::Generation))?;
        // The provider is paid whatever becomes of what it makes: what is paid already is worth a try.
        if request.most_bytes < self.needed_room(configured) && !self.was_asked(claimed).await? {
            return Err(ReadError::NoRoom);
        }
        let asking = self.asking(claimed, configured, lease, slot)?;
        request.asking = asking.clone();
        let generated = (self.engines.generate)(request, ctx.clone()).await;
        self.note_answer(model, &asking, &generated).await;
        self.forget_if_unavailable(claimed, &generated).await?;
        Ok((generated?, asking))
    }

    /// Returns the bytes that must be free before this model is asked, and that what it made may take beyond the
    /// account's storage.
    fn needed_room(&self, model: &Model) -> u64 {
        let settings = &self.process.settings;
        model.needed_room(settings.storage_quota_bytes).min(settings.max_upload_bytes)
    }

    /// Puts the result into the media store. No row names it until the job's end is committed.
    async fn store(
        &self,
        claimed: &Claimed,
        known: &PlannedGeneration,
        generated: NewMedia,
        most_bytes: u64,
    ) -> Result<Done, ReadError> {
        // What is paid was let in while it would fit: what the account was filled with since then keeps it out no more.
        let beyond = match &known.plan.maker {
            Maker::Engine(_) => 0,
            Maker::Model(model) => self.process.providers.get(model).map_or(0, |model| self.needed_room(model)),
        };
        self.reserve_beyond(claimed, generated.file.metadata()?.len(), beyond).await?;
        let made_by = known.plan.made_by(claimed.job);
        let output = known.row.output;
        let (name, hash) = (known.row.name.clone(), known.row.hash.clone());
        let to_come = ItemToCome { id: output, name, hash, made_by };
        let item = self.new_item(claimed, to_come, generated, most_bytes).await?;
        let mut result = json!({ "item_id": output, "synthetic": item.made_by.synthetic });
        if let Some(quality) = &item.made_by.quality {
            result["quality"] = quality.as_str().into();
        }
        let source_ms = claimed.item.as_ref().map(|item| item.duration_ms);
        let pictures = Pictures::of(item.facts.width, item.facts.height, item.facts.frame_rate);
        let worth_ms = source_ms.or(item.facts.duration_ms).map(|ms| pictures.worth_ms(ms));
        let charge = self.minutes_of(&known.plan, worth_ms);
        let credits = known.row.price.map_or(Credits::ZERO, |price| credits_of(price, &known.plan, &item.facts));
        Ok(Done { charge, credits, result, made: vec![Product::Item(Box::new(item))] })
    }

    /// Returns the price of a program's work in minutes; zero for a provider's. The end charges no more than is held.
    fn minutes_of(&self, plan: &GenerationPlan, media_ms: Option<i64>) -> Minutes {
        match plan.maker {
            Maker::Engine(_) => self.process.settings.rates.of(Task::Generation).price(media_ms.unwrap_or(0)),
            Maker::Model(_) => Minutes::ZERO,
        }
    }
}

/// Returns the price of a model's work in credits, by its result. The end charges no more than is held.
fn credits_of(price: Price, plan: &GenerationPlan, facts: &store::uploads::Facts) -> Credits {
    let side = |pixels: Option<i32>| i64::from(pixels.unwrap_or(0));
    price.of(Amount {
        ms: facts.duration_ms.unwrap_or(0),
        pixels: side(facts.width) * side(facts.height),
        chars: plan.amount(SourceFacts::default()).chars,
    })
}
