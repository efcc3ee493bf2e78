//! What is heard of a media: one pass over its sound, for all the reads that rest on it and run together.
//!
//! `speech`, `transcript` and `speakers` hear the same, one channel at 16 kHz. Who asks first starts the pass, in a
//! task of its own; who asks while it runs, or while somebody uses what it gave, has the same. It belongs to all who
//! wait and to none of them: one that is cancelled or late leaves the others waiting, and the last to leave ends it.
//! What a pass must never do is outlive its last user, on a processor or on the disk.

use super::audio_spool::{AudioSpool, Spooling};
use super::detector::RATE;
use super::segments::Segment;
use crate::readers::decode::{Channels, DecodedSound, MediaSource, SoundBlocks, SoundFormat, decode_sound};
use crate::readers::{JobCtx, Progress, ReadError};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, interval};
use tokio_util::sync::{CancellationToken, DropGuard};

/// What is heard.
const SOUND: SoundFormat = SoundFormat { rate: RATE, channels: Channels::Mono };
/// How often those who wait say how far the pass is.
const LOOKS: Duration = Duration::from_millis(250);

/// Finds the speech in the blocks of a sound, going through all of them.
pub(in crate::readers) type Listen = Box<dyn FnOnce(&mut dyn Iterator<Item = Vec<f32>>) -> Vec<Segment> + Send>;

/// What a pass gave.
#[derive(Debug, Clone)]
struct Outcome {
    speech: Arc<[Segment]>,
    sound: Result<Arc<AudioSpool>, ReadError>,
    decoded: DecodedSound,
}

/// What was heard. The pass stays for others to join as long as this does.
#[derive(Debug, Clone)]
pub(in crate::readers) struct SharedSound {
    outcome: Outcome,
    _pass: Arc<Pass>,
}

impl SharedSound {
    /// Where somebody speaks; nothing when the pass did not listen for it.
    pub(in crate::readers) fn speech(&self) -> &Arc<[Segment]> {
        &self.outcome.speech
    }

    /// The whole sound, or why it could not be kept.
    pub(in crate::readers) fn sound(&self) -> Result<Arc<AudioSpool>, ReadError> {
        self.outcome.sound.clone()
    }

    /// How much there was of it.
    pub(in crate::readers) fn decoded(&self) -> &DecodedSound {
        &self.outcome.decoded
    }
}

/// The passes over one media that are used now.
#[derive(Debug, Default)]
pub(in crate::readers) struct SharedDecode {
    passes: Mutex<Vec<Weak<Pass>>>,
}

impl SharedDecode {
    /// Hears a media: joins a pass over it, or starts one. Where the speech is known already there is nothing to
    /// `listen` for, and any pass will do.
    pub(in crate::readers) async fn of(
        media: &MediaSource,
        listen: Option<Listen>,
        ctx: &JobCtx,
    ) -> Result<SharedSound, ReadError> {
        let pass = media.shared_decode().joined(media, listen, ctx);
        match pass.outcome(ctx).await {
            Ok(outcome) => Ok(SharedSound { outcome, _pass: pass }),
            Err(error) => {
                Pass::left(pass).await;
                Err(error)
            }
        }
    }

    fn joined(&self, media: &MediaSource, listen: Option<Listen>, ctx: &JobCtx) -> Arc<Pass> {
        let mut passes = self.passes.lock().unwrap_or_else(PoisonError::into_inner);
        let serves = |pass: &Arc<Pass>| (pass.listens || listen.is_none()) && !pass.has_failed();
        if let Some(pass) = passes.iter().filter_map(Weak::upgrade).find(serves) {
            return pass;
        }
        let pass = Arc::new(Pass::start(media.clone(), listen, ctx));
        passes.retain(|pass| pass.strong_count() > 0);
        passes.push(Arc::downgrade(&pass));
        pass
    }
}

/// A pass, running or ended. Dropping the last of it ends it.
#[derive(Debug)]
struct Pass {
    listens: bool,
    progress: Progress,
    ended: watch::Receiver<Option<Result<Outcome, ReadError>>>,
    stop: DropGuard,
}

impl Pass {
    fn start(media: MediaSource, listen: Option<Listen>, asked: &JobCtx) -> Self {
        let stop = CancellationToken::new();
        // Everyone waits within a deadline of their own. This one is for who joins at the last moment of who began.
        let left = asked.deadline.saturating_duration_since(Instant::now());
        let (deadline, progress) = (asked.deadline + left, Progress::new());
        let ctx = JobCtx { deadline, cancel: stop.clone(), progress: progress.clone(), ..asked.clone() };
        let (listens, (tell, ended)) = (listen.is_some(), watch::channel(None));
        tokio::spawn(async move {
            let outcome = hear(&media, listen, &ctx).await;
            // Nobody waits any more when it was ended.
            let _ = tell.send(Some(outcome));
        });
        Self { listens, progress, ended, stop: stop.drop_guard() }
    }

    /// Waits for the pass as long as this read may.
    async fn outcome(&self, ctx: &JobCtx) -> Result<Outcome, ReadError> {
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

    /// Leaves a pass. If nobody else waits, it is over when this returns, so that no decoder outlives the answer.
    async fn left(pass: Arc<Self>) {
        if let Some(Self { mut ended, stop, .. }) = Arc::into_inner(pass) {
            drop(stop);
            // An error is a pass that crashed, and is over too.
            let _ = ended.wait_for(Option::is_some).await;
        }
    }

    /// Whether there is nothing to be had of it: who comes now may do better.
    fn has_failed(&self) -> bool {
        self.ended.borrow().as_ref().is_some_and(|ended| ended.as_ref().map_or(true, |heard| heard.sound.is_err()))
    }
}

/// The pass itself: decodes, listens and keeps, side by side.
async fn hear(media: &MediaSource, listen: Option<Listen>, ctx: &JobCtx) -> Result<Outcome, ReadError> {
    let mut keeping = Spooling::begin(media.tools().scratch_dir());
    let pass = move |blocks: SoundBlocks| {
        let mut blocks = blocks.inspect(|block| keeping.add(block));
        let speech = match listen {
            Some(listen) => listen(&mut blocks),
            None => Vec::new(),
        };
        blocks.for_each(drop);
        Ok((speech.into(), keeping.finish().map(Arc::new)))
    };
    let ((speech, sound), decoded) = decode_sound(media, SOUND, ctx, pass).await?;
    Ok(Outcome { speech, sound, decoded })
}
