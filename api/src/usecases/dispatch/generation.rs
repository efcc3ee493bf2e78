//! One generation as work of a dispatch (`making`). `resources/tools/generation` makes the plan and the price before;
//! whether a worker offers the plan's maker, and speaks its language, is looked up here.

use super::making::{Make, Order, Unmade};
use domain::credits::Credits;
use domain::dub::{Lack, lack_of_voice};
use domain::generation::{GenerationPlan, Maker};
use domain::ids::{ItemId, JobId};
use domain::model::{BuiltIn, Price};
use domain::plan::{Candidate, Reason};
use domain::task::Task;
use sqlx::PgConnection;
use store::generations::{self, NewGeneration};
use store::renders;

/// A generation that a call asks for.
#[derive(Debug, Clone)]
pub struct GenerationRequest {
    /// The call that asks for it.
    pub order: Order,
    /// The plan of the generation.
    pub plan: GenerationPlan,
    /// The name of the new item.
    pub name: String,
    /// Milliseconds of media that minutes are held for; none where no minutes are.
    pub duration_ms: Option<i64>,
    /// The model's price, and the credits to hold; none for a maker that costs none.
    pub price: Option<(Price, Credits)>,
    /// The bytes that must be free for its result.
    pub room: u64,
}

impl Make for GenerationRequest {
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
            item: self.plan.source,
            task: Task::Generation,
            with_speech: false,
            duration_ms: self.duration_ms,
            credits: self.price.map_or(Credits::ZERO, |(_, held)| held),
        }
    }

    fn room(&self) -> u64 {
        self.room
    }

    async fn made(&self, conn: &mut PgConnection, hash: &[u8]) -> sqlx::Result<Option<ItemId>> {
        Ok(renders::made(conn, hash).await?.map(|made| made.item))
    }

    async fn lack(&self, conn: &mut PgConnection) -> sqlx::Result<Option<Unmade>> {
        let offered = generations::makers(conn).await?;
        if !offered.iter().any(|maker| maker == self.plan.maker.name()) {
            return Ok(Some(Unmade::Reason(Reason::EngineNotConfigured)));
        }
        Ok(self.lack_of_voice(&offered).map(Unmade::Lacking))
    }

    async fn take_row(&self, conn: &mut PgConnection, job: JobId, hash: &[u8]) -> sqlx::Result<bool> {
        let plan = serde_json::to_value(&self.plan).map_err(|error| sqlx::Error::Encode(Box::new(error)))?;
        let price = self.price.map(|(price, _)| price);
        let new = NewGeneration { job, hash, plan: &plan, output: ItemId::mint(), name: &self.name, price };
        generations::claim_ownership(conn, &new).await
    }
}

impl GenerationRequest {
    /// Returns the language or the voice that no worker has. Only `espeak-ng` speaks several.
    fn lack_of_voice(&self, offered: &[String]) -> Option<Lack> {
        let asked = &self.plan.asked;
        let voice = asked.voice.as_deref().or(asked.language.as_deref())?;
        if matches!(self.plan.maker, Maker::Engine(BuiltIn::Espeak)) { lack_of_voice(voice, offered) } else { None }
    }
}
