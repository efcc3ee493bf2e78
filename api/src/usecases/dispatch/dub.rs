//! One dub as work of a dispatch (`making`). `resources/tools/dubs` decides before what is said by whom; whether a
//! worker can make it is looked up here.

use super::making::{Make, Order, Unmade};
use domain::credits::Credits;
use domain::document::{DocumentKind, MOST_ACCOUNT_BYTES};
use domain::dub::{DubPlan, DubTool};
use domain::ids::{ItemId, JobId};
use domain::model::Price;
use domain::plan::Candidate;
use domain::task::Task;
use sqlx::PgConnection;
use store::dubs::{self, DubOutput, MadeDub, NewDubJob};
use store::jobs::Owners;
use store::{documents, generations};

/// A dub that a call asks for.
#[derive(Debug, Clone)]
pub struct DubRequest {
    /// The call that asks for it.
    pub order: Order,
    /// The plan of the dub.
    pub plan: DubPlan,
    /// Milliseconds that it is priced by (`DubPlan::worth_ms`).
    pub duration_ms: i64,
    /// The price of the model that translates it, and the credits to hold; `None` where no model does.
    pub price: Option<(Price, Credits)>,
    /// The bytes that must be free for its items.
    pub room: u64,
}

impl Make for DubRequest {
    type Made = MadeDub;

    fn order(&self) -> &Order {
        &self.order
    }

    fn hash(&self) -> [u8; 32] {
        self.plan.hash()
    }

    fn candidate(&self) -> Candidate {
        Candidate {
            job: JobId::mint(),
            item: Some(self.plan.body.source),
            task: Task::Dub,
            with_speech: false,
            duration_ms: Some(self.duration_ms),
            credits: self.price.map_or(Credits::ZERO, |(_, held)| held),
        }
    }

    fn room(&self) -> u64 {
        self.room
    }

    /// Returns the dub that needs no job: one made by the same plan, or one that is spoken as it stands.
    async fn made(&self, conn: &mut PgConnection, hash: &[u8]) -> sqlx::Result<Option<MadeDub>> {
        let Some(dub) = self.plan.dub else { return dubs::made(conn, hash).await };
        let output = dubs::output(conn, dub).await?;
        let fresh = output.filter(|output| output.is_there && output.revision == self.plan.revision);
        let timeline = |output: &DubOutput| output.has_timeline.then_some(output.timeline);
        Ok(fresh.map(|output| MadeDub { dub, item: output.item, timeline: timeline(&output) }))
    }

    async fn lack(&self, conn: &mut PgConnection) -> sqlx::Result<Option<Unmade>> {
        if let Some(dub) = self.plan.dub
            && documents::summary(conn, DocumentKind::Dub, dub.uuid()).await?.is_none()
        {
            return Ok(Some(Unmade::DubDeleted));
        }
        let offered = generations::makers(conn).await?;
        if let Some(lack) = self.plan.lack(&offered) {
            return Ok(Some(Unmade::Lacking(lack)));
        }
        let is_full = self.plan.tool == DubTool::Dub && is_full_of_dubs(conn, self.order.owners).await?;
        Ok(is_full.then_some(Unmade::DocumentsFull))
    }

    async fn take_row(&self, conn: &mut PgConnection, job: JobId, hash: &[u8]) -> sqlx::Result<bool> {
        // Whoever deletes the dub waits until this job is committed, and then stops it.
        if let Some(dub) = self.plan.dub
            && !documents::hold(conn, DocumentKind::Dub, dub.uuid()).await?
        {
            return Ok(false);
        }
        let plan = serde_json::to_value(&self.plan).map_err(|error| sqlx::Error::Encode(Box::new(error)))?;
        // The job's id is derived from its first item's.
        let (one, other) = (ItemId::mint(), ItemId::mint());
        let (output, voice) = (one.min(other), one.max(other));
        let (name, price) = (self.plan.item_name(), self.price.map(|(price, _)| price));
        dubs::claim_ownership(conn, &NewDubJob { job, hash, plan: &plan, output, name: &name, voice, price }).await
    }
}

/// Whether the workspace or its account has no room for one more dub and its timeline. Jobs that run at the same time
/// may exceed it.
pub async fn is_full_of_dubs(conn: &mut PgConnection, owners: Owners) -> sqlx::Result<bool> {
    for kind in [DocumentKind::Dub, DocumentKind::Timeline] {
        if documents::count(conn, owners.workspace, kind, kind.most()).await? >= kind.most() {
            return Ok(true);
        }
    }
    Ok(documents::kept_bytes(conn, owners.owner).await? >= MOST_ACCOUNT_BYTES)
}
