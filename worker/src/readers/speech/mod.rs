//! The `speech` read: the times in a media at which somebody speaks.
//!
//! `shared_decode` decodes the sound, once for all reads that need it. The engine is in `detector`, the rules that make
//! segments of its probabilities in `segments`. A media in which nobody speaks is a success with no segments.

pub(super) mod audio_spool;
pub(super) mod chunks;
mod dense;
pub(super) mod detector;
pub(super) mod passes;
pub(super) mod segments;
pub(super) mod shared_decode;
mod silero;

use crate::readers::decode::DecodeSummary;
use crate::readers::stored::{seconds, thousandths};
use crate::readers::{Engine, JobCtx, MediaSource, ReadError, ReadOutcome, Reader};
use detector::{FRAME_SAMPLES, RATE, VoiceDetector};
use domain::read::Read;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use segments::{Rules, Segment, Segmenter};
use serde::Serialize;
use shared_decode::{Listen, SharedSound};
use std::sync::Arc;

/// The model's own thresholds. The pad and the lag were measured on voices with known pauses, clean and under noise.
const RULES: Rules = Rules { enter: 0.5, leave: 0.35, min_speech_ms: 250, min_silence_ms: 100, pad_ms: 20, lag_ms: 48 };

/// The `data` of a `speech` read (docs/reads.md, "The stored result").
#[derive(Debug, Serialize)]
struct SpeechData {
    segments: Vec<Segment>,
    /// The share of the media that is speech, 0 to 1.
    speech_ratio: f64,
}

/// The speech of a media, and its sound for reads that go on with it.
#[derive(Debug)]
pub(super) struct Spoken {
    /// The stretches, in order.
    pub(super) segments: Arc<[Segment]>,
    /// How much was decoded, and warnings.
    pub(super) decoded: DecodeSummary,
    heard: Option<SharedSound>,
}

impl Spoken {
    /// Returns the sound of this speech: as it was kept, or decoded now where the speech was known.
    pub(super) async fn sound(&self, media: &MediaSource, ctx: &JobCtx) -> Result<SharedSound, ReadError> {
        match &self.heard {
            Some(heard) => Ok(heard.clone()),
            None => SharedSound::of(media, None, ctx).await,
        }
    }
}

/// Finds speech with Silero VAD.
#[derive(Debug)]
pub(super) struct Speech;

impl Speech {
    /// Returns the speech for a read that works on it: as it is stored, or else detected now.
    pub(super) async fn known_or_heard(&self, media: &MediaSource, ctx: &JobCtx) -> Result<Spoken, ReadError> {
        if let Some(known) = &ctx.speech {
            let (segments, decoded) = (known.segments.clone().into(), known.decoded.clone());
            return Ok(Spoken { segments, decoded, heard: None });
        }
        let heard = self.listen(media, ctx).await?;
        let (segments, decoded) = (Arc::clone(heard.speech()), heard.decoded().clone());
        Ok(Spoken { segments, decoded, heard: Some(heard) })
    }

    async fn listen(&self, media: &MediaSource, ctx: &JobCtx) -> Result<SharedSound, ReadError> {
        let listen: Listen =
            Box::new(|blocks| segments(blocks, VoiceDetector::new(), Segmenter::new(RULES, RATE, FRAME_SAMPLES)));
        SharedSound::of(media, Some(listen), ctx).await
    }

    async fn find(&self, media: &MediaSource, ctx: &JobCtx) -> Result<ReadOutcome, ReadError> {
        let heard = self.listen(media, ctx).await?;
        ctx.progress.reach(100);
        self.outcome(heard.speech(), heard.decoded().clone())
    }

    /// Returns these segments as a `speech` read.
    pub(super) fn outcome(&self, segments: &[Segment], decoded: DecodeSummary) -> Result<ReadOutcome, ReadError> {
        // A sum of nothing would be −0, which JSON shows.
        let spoken = segments.iter().fold(0.0, |sum, segment| sum + segment.end - segment.start);
        let speech_ratio = thousandths((spoken / seconds(decoded.duration_ms.max(1))).min(1.0));
        let data = SpeechData { segments: segments.to_vec(), speech_ratio };
        ReadOutcome::new(self.read(), self.engine(), decoded.duration_ms, decoded.warnings, &data)
    }
}

impl Reader for Speech {
    fn read(&self) -> Read {
        Read::Speech
    }

    fn engine(&self) -> Engine {
        VoiceDetector::engine()
    }

    fn run<'a>(&'a self, media: &'a MediaSource, ctx: &'a JobCtx) -> BoxFuture<'a, Result<ReadOutcome, ReadError>> {
        self.find(media, ctx).boxed()
    }
}

/// Goes through the sound frame by frame; the last frame is filled up with silence.
fn segments(
    blocks: &mut dyn Iterator<Item = Vec<f32>>,
    mut detector: VoiceDetector,
    mut segmenter: Segmenter,
) -> Vec<Segment> {
    let mut pending: Vec<f32> = Vec::new();
    let mut sound_samples = 0;
    for block in blocks {
        sound_samples += block.len() as u64;
        pending.extend(block);
        let (frames, rest) = pending.as_chunks();
        for frame in frames {
            segmenter.add(detector.probability(frame));
        }
        pending.drain(..pending.len() - rest.len());
    }
    if !pending.is_empty() {
        pending.resize(FRAME_SAMPLES, 0.0);
        for frame in pending.as_chunks().0 {
            segmenter.add(detector.probability(frame));
        }
    }
    segmenter.finish(sound_samples)
}
