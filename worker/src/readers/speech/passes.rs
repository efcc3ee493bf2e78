//! The passes over the sound of one media: who asks for one, who waits for it, and when it ends.
//!
//! A pass runs in a task of its own. It belongs to all who wait for it and to none of them: one that is cancelled or
//! late leaves the others waiting, and the last to leave ends it. A pass must never outlive its last user, on a
//! processor or on the disk. `shared_decode` does the work of a pass.

use super::audio_spool::AudioSpool;
use super::segments::Segment;
use crate::readers::decode::DecodeSummary;
use crate::readers::{JobCtx, Progress, ReadError};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, interval};
use tokio_util::sync::{CancellationToken, DropGuard};

/// The interval at which waiting reads copy the pass's progress.
const LOOKS: Duration = Duration::from_millis(250);

/// The result of a pass.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    /// The segments of speech; empty when the pass did not detect speech.
    pub(super) speech: Arc<[Segment]>,
    /// The whole sound, or why it could not be kept.
    pub(super) sound: Result<Arc<AudioSpool>, ReadError>,
    /// How much was decoded, and warnings.
    pub(super) decoded: DecodeSummary,
}

/// The passes over one media that are in use.
#[derive(Debug, Default)]
pub(in crate::readers) struct Passes {
    used: Mutex<Vec<Weak<Pass>>>,
}

impl Passes {
    /// Returns a pass that runs or has ended well, or else a new one. With `listens`, it is one that detects speech.
    pub(super) fn join_or_start(&self, listens: bool, start: impl FnOnce() -> Pass) -> Arc<Pass> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let serves = |pass: &Arc<Pass>| (pass.listens || !listens) && !pass.has_failed();
        if let Some(pass) = used.iter().filter_map(Weak::upgrade).find(serves) {
            return pass;
        }
        let pass = Arc::new(start());
        used.retain(|pass| pass.strong_count() > 0);
        used.push(Arc::downgrade(&pass));
        pass
    }
}

/// A pass, running or ended. Dropping the last reference ends it.
#[derive(Debug)]
pub(super) struct Pass {
    listens: bool,
    progress: Progress,
    ended: watch::Receiver<Option<Result<Outcome, ReadError>>>,
    stop: DropGuard,
}

impl Pass {
    /// Starts one, for the read that asked. `decode` gets the context that the pass runs in.
    pub(super) fn start<F>(listens: bool, asked: &JobCtx, decode: impl FnOnce(JobCtx) -> F) -> Self
    where
        F: Future<Output = Result<Outcome, ReadError>> + Send + 'static,
    {
        let stop = CancellationToken::new();
        // Every read waits within its own deadline. The pass's is later, for a read that joins just before the first's.
        let left = asked.deadline.saturating_duration_since(Instant::now());
        let (deadline, progress) = (asked.deadline + left, Progress::new());
        let ctx = JobCtx { deadline, cancel: stop.clone(), progress: progress.clone(), ..asked.clone() };
        let (tell, ended) = watch::channel(None);
        let hearing = decode(ctx);
        tokio::spawn(async move {
            // When the pass was stopped nobody waits any more.
            let _ = tell.send(Some(hearing.await));
        });
        Self { listens, progress, ended, stop: stop.drop_guard() }
    }

    /// Waits for the pass, as long as this read may.
    pub(super) async fn outcome(&self, ctx: &JobCtx) -> Result<Outcome, ReadError> {
        let mut ended = self.ended.clone();
        let mut looks = interval(LOOKS);
        let waiting = async {
            let mut outcome = std::pin::pin!(async { ended.wait_for(Option::is_some).await.ok()?.clone() });
            loop {
                tokio::select! {
                    outcome = &mut outcome => return outcome.unwrap_or(Err(ReadError::Crashed)),
                    _ = looks.tick() => ctx.progress.reach(self.progress.percent()),
                }
            }
        };
        ctx.bounded(waiting).await?
    }

    /// Leaves a pass. If nobody else waits, it has ended when this returns, so that no decoder outlives the answer.
    pub(super) async fn left(pass: Arc<Self>) {
        if let Some(Self { mut ended, stop, .. }) = Arc::into_inner(pass) {
            drop(stop);
            // An error is a pass that crashed, and has ended too.
            let _ = ended.wait_for(Option::is_some).await;
        }
    }

    /// Whether it ended without a sound: then a new pass may do better.
    fn has_failed(&self) -> bool {
        self.ended.borrow().as_ref().is_some_and(|ended| ended.as_ref().map_or(true, |heard| heard.sound.is_err()))
    }
}
