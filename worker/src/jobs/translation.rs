//! The translation of a claimed dub by a provider's model. It is stored with the job as soon as it is there: a later
//! claim speaks it, and asks nobody again.

use crate::asking::Asking;
use crate::dubs::{TRANSLATED, refuse_oversized};
use crate::generations::TranslationRequest;
use crate::jobs::leases::Lease;
use crate::jobs::new_item::patiently;
use crate::jobs::{PAID, Worker};
use crate::readers::{JobCtx, ReadError};
use domain::dub::{DubPlan, text_runs};
use domain::task::Task;
use futures_util::FutureExt;
use runtime::queue::Slot;
use serde_json::Value;
use std::io;
use std::time::Duration;
use store::dubs;
use store::jobs::Claimed;

impl Worker {
    /// Translates what the plan's model still has to translate. A job that goes on beside the slots keeps its place
    /// there as long as the asking that is returned.
    pub(super) async fn translate(
        &self,
        claimed: &Claimed,
        plan: &mut DubPlan,
        lease: &Lease,
        slot: &Slot,
        ctx: &JobCtx,
    ) -> Result<Asking, ReadError> {
        let texts = plan.body.untranslated();
        let Some(id) = plan.translator.clone().filter(|_| !texts.is_empty()) else { return Ok(Asking::default()) };
        let configured = self.process.providers.get(&id).ok_or(ReadError::EngineNotConfigured(Task::Dub))?;
        let source = plan.body.source_language.clone();
        let source = source.ok_or_else(|| ReadError::Internal("a dub is translated from no language".to_owned()))?;
        let asking = self.asking(claimed, configured, lease, slot)?;
        let request = TranslationRequest {
            job: claimed.job,
            model: id.clone(),
            source,
            target: plan.body.target_language.clone(),
            texts,
            asking: asking.clone(),
        };
        let answered = (self.engines.translate)(request, ctx.step(0, TRANSLATED)).await;
        self.note_answer(&id, &asking, &answered).await;
        self.forget_if_unavailable(claimed, &answered).await?;
        plan.body.take_translations(answered?);
        refuse_oversized(&plan.body)?;
        self.keep_translated(claimed, plan).await?;
        Ok(asking)
    }

    async fn keep_translated(&self, claimed: &Claimed, plan: &DubPlan) -> Result<(), ReadError> {
        let whole = serde_json::to_value(plan).map_err(io::Error::other)?;
        let is_kept = patiently(|| self.keep_plan(claimed, &whole).boxed()).await?;
        if is_kept { Ok(()) } else { Err(ReadError::Cancelled) }
    }

    async fn keep_plan(&self, claimed: &Claimed, plan: &Value) -> sqlx::Result<bool> {
        dubs::keep_plan(&mut *self.process.pool.acquire().await?, claimed.job, claimed.claim_no, plan).await
    }

    /// Returns how long the plan's model may take in all, and its translation to be stored.
    pub(super) fn time_to_translate(&self, plan: &DubPlan) -> Duration {
        let configured = plan.translator.as_deref().and_then(|id| self.process.providers.get(id));
        let Some(model) = configured else { return Duration::ZERO };
        let texts = plan.body.untranslated();
        let requests = text_runs(&texts, model.most_translated()).map_or(0, |runs| runs.len());
        model.timeout.saturating_mul(u32::try_from(requests).unwrap_or(u32::MAX)).saturating_add(PAID)
    }
}
