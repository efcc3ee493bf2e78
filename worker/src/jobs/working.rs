//! Does the work of a claim within the time that it has for its media, and says how the attempt ended.

use crate::engines::WorkingTime;
use crate::jobs::attempted::{Attempted, failed};
use crate::jobs::leases::{Lease, Stop};
use crate::jobs::{Done, LEAST_TIME, Worker, render};
use crate::readers::{JobCtx, ProcessorTime, ReadError};
use domain::minutes::Minutes;
use domain::task::Task;
use futures_util::FutureExt;
use runtime::queue::Slot;
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use store::jobs::{Claimed, ClaimedItem, Outcome};
use tokio::time::Instant;

impl Worker {
    /// Does the work. Returns none when the claim is lost.
    pub(super) async fn attempt(
        &self,
        claimed: &Claimed,
        lease: &Lease,
        slot: &Slot,
        processor: &ProcessorTime,
    ) -> Option<Attempted> {
        let worked = match (&claimed.item, claimed.task) {
            // A generation may be made from no item.
            (_, Some(Task::Generation)) => self.generation(claimed, lease, slot, processor).await,
            (Some(item), Some(Task::Dub)) => Box::pin(self.dub(claimed, item, lease, slot, processor)).await,
            (item, Some(task)) if !claimed.is_orphaned() => {
                self.work(claimed, item.as_ref(), task, (lease, slot), processor).await
            }
            _ => return Some(Outcome::Cancelled.into()),
        };
        Some(match (worked, lease.stop()) {
            (_, Some(Stop::Lost)) => return None,
            (Ok(Done { charge, credits, result, made }), _) => {
                Attempted { outcome: Outcome::Succeeded { charge, credits, result }, made, error: None }
            }
            (Err(_), Some(Stop::Cancelled)) => Outcome::Cancelled.into(),
            (Err(_), Some(Stop::HandBack)) => Outcome::HandedBack.into(),
            // It waited to begin when the process was told to end. One whose claim is lost writes nothing so.
            (Err(ReadError::Cancelled), None) if self.process.shutdown.is_cancelled() => Outcome::HandedBack.into(),
            (Err(error), None) => failed(claimed, &error),
        })
    }

    /// Returns how long a task may take for the media that it goes through.
    pub(super) fn working_time(&self, task: Task) -> WorkingTime {
        let settings = &self.process.settings;
        let factor = match task {
            Task::Read(_) => settings.read_timeout_factor,
            Task::Render | Task::Generation | Task::Dub => settings.render_timeout_factor,
        };
        WorkingTime { factor, least: LEAST_TIME }
    }

    /// Returns how long a job may take that goes through media of this length: by that length or by the minutes held
    /// for it, which count pixels too, whichever is longer.
    pub(super) fn time_for_media(&self, claimed: &Claimed, task: Task, media_ms: i64) -> Duration {
        let rate = self.process.settings.rates.of(task);
        let paid_ms = match task {
            Task::Read(_) => 0,
            _ => rate.pays_for_ms(Minutes::from_hundredths(claimed.held)),
        };
        self.working_time(task).of(media_ms.max(paid_ms))
    }

    /// Does the work and stores the result. Both end by the job's deadline and soon after it is told to stop, whatever
    /// they do.
    async fn work(
        &self,
        claimed: &Claimed,
        item: Option<&ClaimedItem>,
        task: Task,
        (lease, slot): (&Lease, &Slot),
        processor: &ProcessorTime,
    ) -> Result<Done, ReadError> {
        let time = self.time_for_media(claimed, task, render::media_ms(claimed, item));
        let mut ctx = JobCtx::new(Instant::now() + time, lease.stopped.clone());
        ctx.progress = lease.progress.clone();
        ctx.payer = Some(claimed.payer);
        ctx.paid_ms = item.map(|item| item.duration_ms);
        ctx.processor = processor.clone();
        let bounds = ctx.clone();
        let working = async {
            match task {
                Task::Read(read) => {
                    let item = item.ok_or(ReadError::Missing)?;
                    let outcome = self.read(claimed, item, read, ctx).await?;
                    self.read_done(claimed, item, &outcome).await
                }
                Task::Render => self.render(claimed, item, (lease, slot), ctx).await,
                Task::Generation | Task::Dub => Err(ReadError::Internal("it has a way of its own".to_owned())),
            }
        };
        match bounds.bounded(AssertUnwindSafe(working).catch_unwind()).await? {
            Ok(worked) => worked,
            Err(_) => Err(ReadError::Crashed),
        }
    }
}
