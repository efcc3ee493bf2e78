//! Notes of providers that are asked.
//!
//! Before a provider is asked, when everything to send is at hand, a note of that is committed. So when a worker dies,
//! the job's next claim knows that the provider may have been asked: an idempotent one is asked again by the same id,
//! any other never is. Where it can be asked what came of the request, it is; otherwise the job fails
//! (`outcome_unknown`). The note is removed only where it is known that nothing came of the request.
//!
//! The note has the model, so that a provider is told when the job is cancelled, whoever has the job then: a worker
//! that waits for its answer, or nobody, while the job waits for its next attempt.
//!
//! Whether the provider answered at all is recorded with its model, which `list_models` shows.

use crate::asking::{Asking, MayAsk};
use crate::generations::PROVIDER;
use crate::jobs::Worker;
use crate::jobs::leases::Lease;
use crate::readers::{ProviderFault, ReadError};
use domain::model::Dialect;
use futures_util::FutureExt;
use runtime::providers::Model;
use runtime::queue::Slot;
use std::io;
use std::sync::Arc;
use store::generations::{self, Asked};
use store::jobs::Claimed;

/// Cancelled jobs whose providers are told at once, at most.
const CALLED_OFF: i64 = 50;

impl Worker {
    /// Returns how a job asks the provider of a model. Without a place to wait in it is put back, before it has fetched
    /// anything.
    pub(super) fn asking(
        &self,
        claimed: &Claimed,
        model: &Model,
        lease: &Lease,
        slot: &Slot,
    ) -> Result<Asking, ReadError> {
        let waiting = self.asking.waiting(slot.clone(), claimed.payer, Arc::clone(&lease.is_away));
        let waiting = waiting.ok_or(ReadError::NoPlace)?;
        let (job, claim_no, pool) = (claimed.job, claimed.claim_no, self.process.pool.clone());
        let (id, is_idempotent) = (model.id.clone(), model.idempotent);
        let may_be_looked_for = model.dialect == Dialect::Cog;
        let note = move || {
            let (pool, id) = (pool.clone(), id.clone());
            async move {
                let asking = async { generations::note_asked(&mut *pool.acquire().await?, job, claim_no, &id).await };
                match asking.await.map_err(io::Error::other)? {
                    Asked::Now => Ok(MayAsk::ToMake),
                    Asked::Before if is_idempotent => Ok(MayAsk::ToMake),
                    Asked::Before if may_be_looked_for => Ok(MayAsk::WhatCame),
                    Asked::Before => Err(ReadError::Provider(ProviderFault::Unknown)),
                    Asked::Lost => Err(ReadError::Cancelled),
                }
            }
            .boxed()
        };
        Ok(Asking::new(Box::new(note), waiting))
    }

    /// Whether an earlier claim of the job has noted that its provider is asked.
    pub(super) async fn was_asked(&self, claimed: &Claimed) -> Result<bool, ReadError> {
        let looking = async { generations::was_asked(&mut *self.process.pool.acquire().await?, claimed.job).await };
        let was_asked = looking.await.map_err(io::Error::other)?;
        Ok(was_asked)
    }

    /// Removes the note of a provider that took no request, or was sent none.
    pub(super) async fn forget_if_unavailable<T>(
        &self,
        claimed: &Claimed,
        answered: &Result<T, ReadError>,
    ) -> Result<(), ReadError> {
        let is_nothing =
            |error: &ReadError| matches!(error, ReadError::Provider(ProviderFault::Unavailable)) || error.is_unsent();
        if answered.as_ref().err().is_some_and(is_nothing) {
            let (job, claim_no) = (claimed.job, claimed.claim_no);
            let forgetting =
                async { generations::forget_asked(&mut *self.process.pool.acquire().await?, job, claim_no).await };
            forgetting.await.map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// Records whether the model's provider answered. What came of a request is not lost where that can't be recorded.
    pub(super) async fn note_answer<T>(&self, model: &str, asking: &Asking, asked: &Result<T, ReadError>) {
        let answered = match asked {
            _ if !asking.has_begun() => return,
            Ok(_) => true,
            Err(ReadError::Provider(fault)) => fault.is_answer(),
            Err(_) => return,
        };
        let noting =
            async { generations::note_answer(&mut *self.process.pool.acquire().await?, model, answered).await };
        if let Err(error) = noting.await {
            tracing::warn!(%model, %error, "It could not be recorded whether a model's provider answered.");
        }
    }

    /// Tells providers that nobody wants what they were asked to make for jobs that were cancelled since. Each is told
    /// once, and not waited for.
    pub(crate) async fn call_off_cancelled(&self) {
        let providers = self.engines.makers.iter().filter(|offer| offer.version == PROVIDER);
        let models: Vec<String> = providers.map(|offer| offer.name.clone()).collect();
        if models.is_empty() {
            return;
        }
        let taking = async {
            let mut conn = self.process.pool.acquire().await?;
            generations::take_asked_in_vain(&mut conn, &models, CALLED_OFF).await
        };
        match taking.await {
            Ok(asked) => asked.iter().for_each(|one| (self.engines.call_off)(one.job, &one.model)),
            Err(error) => tracing::warn!(%error, "Providers were not told which jobs were cancelled; trying again."),
        }
    }
}
