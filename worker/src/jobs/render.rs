//! A claimed render: made, put into the media store and handed to the claim's end.
//!
//! Neighbours: `jobs`, which decides when it stops and how it ends, `renders`, which make media, and `new_item`, which
//! puts it into the media store.

use crate::engines::{RenderItem, RenderRequest};
use crate::jobs::leases::Lease;
use crate::jobs::new_item::ItemToCome;
use crate::jobs::{Done, Worker};
use crate::outside::Waiting;
use crate::readers::{JobCtx, ReadError};
use domain::credits::Credits;
use domain::render::RenderPlan;
use domain::task::Task;
use runtime::ending::Product;
use runtime::queue::Slot;
use serde_json::json;
use std::sync::Arc;
use store::jobs::{Claimed, ClaimedItem, ClaimedRender, Music};

impl Worker {
    /// Renders what the job's plan says, and stores it. `item` is what it is mainly made from.
    pub(crate) async fn render(
        &self,
        claimed: &Claimed,
        item: Option<&ClaimedItem>,
        (lease, slot): (&Lease, &Slot),
        mut ctx: JobCtx,
    ) -> Result<Done, ReadError> {
        let Some(render) = &claimed.render else {
            return Err(ReadError::Internal("a render has no plan".to_owned()));
        };
        let plan = plan_of(render)?;
        ctx.outside = self.outside(claimed, &plan, lease, slot)?;
        let music = match &render.music {
            Some(Music::Here(music)) => Some(music.media()),
            Some(Music::Gone) => return Err(ReadError::Missing),
            None => None,
        };
        let most_bytes = self.room(claimed).await?;
        let others = match &plan {
            RenderPlan::RenderTimeline { .. } | RenderPlan::RenderCanvas { .. } => {
                render_items(item, render.others.as_deref().unwrap_or_default())
            }
            RenderPlan::RemoveSilence { .. } | RenderPlan::DuckMusic { .. } => Vec::new(),
        };
        let source = item.map(ClaimedItem::media);
        let (time, made_by) = (self.working_time(Task::Render), plan.made_by(claimed.job));
        let rendering = RenderRequest { plan, source, music, others, most_bytes, time };
        let rendered = (self.engines.render)(rendering, ctx).await?;

        self.reserve(claimed, rendered.media.file.metadata()?.len()).await?;
        let (name, hash) = (render.name.clone(), render.hash.clone());
        let to_come = ItemToCome { id: render.output, name, hash, made_by };
        let item = self.new_item(claimed, to_come, rendered.media, most_bytes).await?;
        // The decoded media is charged for, never above the hold.
        let charge = self.process.settings.rates.of(Task::Render).price(rendered.duration_ms);
        let result = json!({ "item_id": item.id });
        Ok(Done { charge, credits: Credits::ZERO, result, made: vec![Product::Item(Box::new(item))] })
    }

    /// Returns how a large picture waits to be drawn, outside its slot. Without a place to wait in it is put back,
    /// before it has fetched anything.
    fn outside(
        &self,
        claimed: &Claimed,
        plan: &RenderPlan,
        lease: &Lease,
        slot: &Slot,
    ) -> Result<Option<Arc<Waiting>>, ReadError> {
        if !plan.is_long_drawn() {
            return Ok(None);
        }
        let waiting = self.drawing.waiting(slot.clone(), claimed.payer, Arc::clone(&lease.is_away));
        waiting.map(|waiting| Some(Arc::new(waiting))).ok_or(ReadError::NoTurn)
    }
}

/// Returns all items that a film or a picture is made from: the job's item, and the others.
fn render_items(item: Option<&ClaimedItem>, others: &[ClaimedItem]) -> Vec<RenderItem> {
    let render_item =
        |item: &ClaimedItem| RenderItem { item: item.id, media: item.media(), duration_ms: item.duration_ms };
    item.into_iter().chain(others).map(render_item).collect()
}

/// Returns the milliseconds of media that a claimed job goes through; its time limit is a multiple of them. A render
/// counts all its sources, since they are fetched first, and the media that its plan makes of them.
pub(crate) fn media_ms(claimed: &Claimed, item: Option<&ClaimedItem>) -> i64 {
    let source_ms = item.map_or(0, |item| item.duration_ms);
    let Some(render) = &claimed.render else { return source_ms };
    let own_ms = plan_of(render).map_or(0, |plan| plan.media_ms());
    let others: i64 = render.others.iter().flatten().map(|other| other.duration_ms).sum();
    source_ms.saturating_add(others).saturating_add(own_ms)
}

/// Returns the parsed plan.
fn plan_of(render: &ClaimedRender) -> Result<RenderPlan, ReadError> {
    serde_json::from_value(render.plan.clone())
        .map_err(|error| ReadError::Internal(format!("a render's plan can't be read: {error}")))
}
