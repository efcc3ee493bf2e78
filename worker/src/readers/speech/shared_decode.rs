//! The shared decode of a media's sound: one pass over it, for all reads that need it and run together.
//!
//! `speech`, `transcript` and `speakers` use the same sound, one channel at 16 kHz. The first to ask starts the pass;
//! one that asks while it runs, or while somebody uses its result, shares it (`passes`).

use super::audio_spool::{AudioSpool, Spooling};
use super::detector::RATE;
use super::passes::{Outcome, Pass};
use super::segments::Segment;
use crate::readers::decode::{Channels, DecodeSummary, MediaSource, SoundBlocks, SoundFormat, decode_sound};
use crate::readers::{JobCtx, ReadError};
use std::sync::Arc;

/// The format of the shared sound.
const SOUND: SoundFormat = SoundFormat { rate: RATE, channels: Channels::Mono };

/// Detects the speech in the blocks of a sound, going through all of them.
pub(in crate::readers) type Listen = Box<dyn FnOnce(&mut dyn Iterator<Item = Vec<f32>>) -> Vec<Segment> + Send>;

/// The result of a pass. Others can join the pass as long as this exists.
#[derive(Debug, Clone)]
pub(in crate::readers) struct SharedSound {
    outcome: Outcome,
    _pass: Arc<Pass>,
}

impl SharedSound {
    /// Decodes the sound of a media: joins a pass over it, or starts one. Where the speech is known already, `listen`
    /// is none and any pass will do.
    pub(in crate::readers) async fn of(
        media: &MediaSource,
        listen: Option<Listen>,
        ctx: &JobCtx,
    ) -> Result<Self, ReadError> {
        let listens = listen.is_some();
        let decode = |ctx| {
            let media = media.clone();
            async move { decode_once(&media, listen, &ctx).await }
        };
        let pass = media.passes().join_or_start(listens, || Pass::start(listens, ctx, decode));
        match pass.outcome(ctx).await {
            Ok(outcome) => Ok(Self { outcome, _pass: pass }),
            Err(error) => {
                Pass::left(pass).await;
                Err(error)
            }
        }
    }

    /// Returns the segments of speech; empty when the pass did not detect speech.
    pub(in crate::readers) fn speech(&self) -> &Arc<[Segment]> {
        &self.outcome.speech
    }

    /// Returns the whole sound, or why it could not be kept.
    pub(in crate::readers) fn sound(&self) -> Result<Arc<AudioSpool>, ReadError> {
        self.outcome.sound.clone()
    }

    /// Returns how much was decoded, and warnings.
    pub(in crate::readers) fn decoded(&self) -> &DecodeSummary {
        &self.outcome.decoded
    }
}

/// Runs the pass: decodes the sound, detects speech and keeps the sound, side by side.
async fn decode_once(media: &MediaSource, listen: Option<Listen>, ctx: &JobCtx) -> Result<Outcome, ReadError> {
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
