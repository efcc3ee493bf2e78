//! What is heard of a media: one pass over its sound, for all the reads that rest on it and run together.
//!
//! `speech`, `transcript` and `speakers` hear the same, one channel at 16 kHz. Who asks first starts the pass; who asks
//! while it runs, or while somebody uses what it gave, has the same (`passes`).

use super::audio_spool::{AudioSpool, Spooling};
use super::detector::RATE;
use super::passes::{Outcome, Pass};
use super::segments::Segment;
use crate::readers::decode::{Channels, DecodedSound, MediaSource, SoundBlocks, SoundFormat, decode_sound};
use crate::readers::{JobCtx, ReadError};
use std::sync::Arc;

/// What is heard.
const SOUND: SoundFormat = SoundFormat { rate: RATE, channels: Channels::Mono };

/// Finds the speech in the blocks of a sound, going through all of them.
pub(in crate::readers) type Listen = Box<dyn FnOnce(&mut dyn Iterator<Item = Vec<f32>>) -> Vec<Segment> + Send>;

/// What was heard. The pass stays for others to join as long as this does.
#[derive(Debug, Clone)]
pub(in crate::readers) struct SharedSound {
    outcome: Outcome,
    _pass: Arc<Pass>,
}

impl SharedSound {
    /// Hears a media: joins a pass over it, or starts one. Where the speech is known already there is nothing to
    /// `listen` for, and any pass will do.
    pub(in crate::readers) async fn of(
        media: &MediaSource,
        listen: Option<Listen>,
        ctx: &JobCtx,
    ) -> Result<Self, ReadError> {
        let listens = listen.is_some();
        let hear = |ctx| {
            let media = media.clone();
            async move { hear(&media, listen, &ctx).await }
        };
        let pass = media.passes().join_or_start(listens, || Pass::start(listens, ctx, hear));
        match pass.outcome(ctx).await {
            Ok(outcome) => Ok(Self { outcome, _pass: pass }),
            Err(error) => {
                Pass::left(pass).await;
                Err(error)
            }
        }
    }

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
