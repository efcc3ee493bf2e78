//! One render as work of a dispatch (`making`). The tool makes the plan before: from `domain::silence`,
//! `domain::ducking`, a timeline or a canvas.

use super::making::{Make, Order, Unmade};
use domain::credits::Credits;
use domain::ids::{ItemId, JobId};
use domain::plan::{Candidate, Reason};
use domain::render::RenderPlan;
use domain::task::Task;
use sqlx::PgConnection;
use store::renders::{self, NewRender};

/// A render that a call asks for.
#[derive(Debug, Clone)]
pub struct RenderRequest {
    /// The call that asks for it.
    pub order: Order,
    /// The plan of the render.
    pub plan: RenderPlan,
    /// The name of the item, timeline or canvas that it is made from.
    pub source_name: String,
    /// Milliseconds that it is priced by: the item's duration, or that of the media that a timeline must go through.
    pub duration_ms: i64,
}

impl Make for RenderRequest {
    type Made = ItemId;

    fn order(&self) -> &Order {
        &self.order
    }

    fn hash(&self) -> [u8; 32] {
        self.plan.hash()
    }

    fn candidate(&self) -> Candidate {
        Candidate {
            job: JobId::mint(),
            item: self.plan.source(),
            task: Task::Render,
            with_speech: false,
            duration_ms: Some(self.duration_ms),
            credits: Credits::ZERO,
        }
    }

    async fn made(&self, conn: &mut PgConnection, hash: &[u8]) -> sqlx::Result<Option<ItemId>> {
        Ok(renders::made(conn, hash).await?.map(|made| made.item))
    }

    async fn lack(&self, conn: &mut PgConnection) -> sqlx::Result<Option<Unmade>> {
        let is_configured = renders::configured(conn).await?;
        Ok((!is_configured).then_some(Unmade::Reason(Reason::EngineNotConfigured)))
    }

    async fn take_row(&self, conn: &mut PgConnection, job: JobId, hash: &[u8]) -> sqlx::Result<bool> {
        let plan = serde_json::to_value(&self.plan).map_err(|error| sqlx::Error::Encode(Box::new(error)))?;
        let name = self.plan.name(&self.source_name);
        let (music, others) = (self.plan.music(), self.plan.others());
        let new = NewRender { job, hash, plan: &plan, output: ItemId::mint(), name: &name, music, others: &others };
        renders::claim_ownership(conn, &new).await
    }
}
