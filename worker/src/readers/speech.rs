//! The `speech` read: where in a media somebody speaks.
//!
//! How the sound is heard, once for all who want to, is `hearing`'s. The engine is in `voice_detector`, the rules that make
//! segments of its probabilities in `speech_segments`. A media in which nobody speaks is a success with no segments.

use super::decode::DecodedSound;
use super::hearing::{Heard, Hearing, Listen};
use super::speech_segments::{Rules, Segment, Segmenter, thousandths};
use super::stored::seconds;
use super::voice_detector::{RATE, VoiceDetector, VoiceEngine};
use super::{Engine, JobCtx, MediaSource, ReadError, ReadOutcome, Reader};
use common::domain::footage::milliseconds;
use common::domain::read::Read;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// Silero's own thresholds. The pad and the lag were measured on voices with known pauses, clean and under noise.
const SILERO_RULES: Rules =
    Rules { enter: 0.5, leave: 0.35, min_speech_ms: 250, min_silence_ms: 100, pad_ms: 20, lag_ms: 48 };
/// earshot's probabilities rise and fall faster, so that more silence has to pass before speech has ended.
const EARSHOT_RULES: Rules =
    Rules { enter: 0.5, leave: 0.35, min_speech_ms: 250, min_silence_ms: 200, pad_ms: 30, lag_ms: 80 };

/// The `data` of a `speech` read (reads.md, "Stored results").
#[derive(Debug, Serialize)]
struct SpeechData {
    segments: Vec<Segment>,
    /// The part of the media that is speech, 0 to 1.
    speech_ratio: f64,
}

/// Speech that is stored already: whoever works on it need not listen for it again.
#[derive(Debug, Clone)]
pub struct KnownSpeech {
    segments: Vec<Segment>,
    decoded: DecodedSound,
}

impl KnownSpeech {
    /// Out of a stored `speech` read; nothing when it is none.
    pub fn of(document: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Stored {
            duration_seconds: f64,
            warnings: Vec<String>,
            data: Data,
        }
        #[derive(Deserialize)]
        struct Data {
            segments: Vec<Segment>,
        }
        let Stored { duration_seconds, warnings, data } = serde_json::from_slice(document).ok()?;
        let duration_ms = i64::from(milliseconds(duration_seconds));
        Some(Self { segments: data.segments, decoded: DecodedSound { duration_ms, warnings } })
    }
}

/// Where somebody speaks, and the sound for who goes on with that.
#[derive(Debug)]
pub(super) struct Spoken {
    /// The stretches, in order.
    pub(super) segments: Arc<[Segment]>,
    /// How much was listened to.
    pub(super) decoded: DecodedSound,
    heard: Option<Heard>,
}

impl Spoken {
    /// The sound that this is the speech of: as it was kept, or decoded now where the speech was known.
    pub(super) async fn sound(&self, media: &MediaSource, ctx: &JobCtx) -> Result<Heard, ReadError> {
        match &self.heard {
            Some(heard) => Ok(heard.clone()),
            None => Hearing::of(media, None, ctx).await,
        }
    }
}

/// Finds speech with Silero VAD, or with earshot where there is no model.
#[derive(Debug)]
pub(super) struct Speech {
    voices: VoiceEngine,
}

impl Speech {
    /// With the best engine that these folders allow.
    pub(super) fn found(model_dirs: &[PathBuf]) -> Self {
        Self { voices: VoiceEngine::found(model_dirs) }
    }

    fn rules(&self) -> Rules {
        match self.voices {
            VoiceEngine::Silero(_) => SILERO_RULES,
            VoiceEngine::Earshot => EARSHOT_RULES,
        }
    }

    /// Where somebody speaks, for a read that works on it: as it is stored, or else heard now.
    pub(super) async fn known_or_heard(&self, media: &MediaSource, ctx: &JobCtx) -> Result<Spoken, ReadError> {
        if let Some(known) = &ctx.speech {
            let (segments, decoded) = (known.segments.clone().into(), known.decoded.clone());
            return Ok(Spoken { segments, decoded, heard: None });
        }
        let heard = self.listen(media, ctx).await?;
        let (segments, decoded) = (Arc::clone(heard.speech()), heard.decoded().clone());
        Ok(Spoken { segments, decoded, heard: Some(heard) })
    }

    async fn listen(&self, media: &MediaSource, ctx: &JobCtx) -> Result<Heard, ReadError> {
        let detector = self.voices.detector();
        let segmenter = Segmenter::new(self.rules(), RATE, detector.frame_samples());
        let listen: Listen = Box::new(move |blocks| segments(blocks, detector, segmenter));
        Hearing::of(media, Some(listen), ctx).await
    }

    async fn find(&self, media: &MediaSource, ctx: &JobCtx) -> Result<ReadOutcome, ReadError> {
        let heard = self.listen(media, ctx).await?;
        ctx.progress.reach(100);
        self.outcome(heard.speech(), heard.decoded().clone())
    }

    /// These segments as a `speech` read.
    pub(super) fn outcome(&self, segments: &[Segment], decoded: DecodedSound) -> Result<ReadOutcome, ReadError> {
        // A sum of nothing would be −0, which JSON shows.
        let spoken = segments.iter().fold(0.0, |sum, segment| sum + segment.end - segment.start);
        let speech_ratio = thousandths((spoken / seconds(decoded.duration_ms.max(1))).min(1.0));
        let data = SpeechData { segments: segments.to_vec(), speech_ratio };
        let mut warnings = decoded.warnings;
        let outcome = |warnings| ReadOutcome::new(self.read(), self.engine(), decoded.duration_ms, warnings, &data);
        if matches!(self.voices, VoiceEngine::Silero(_)) {
            return outcome(warnings);
        }
        warnings.push("The Silero model is not installed: music and noise may be taken for speech.".to_owned());
        outcome(warnings).map(ReadOutcome::into_draft)
    }
}

impl Reader for Speech {
    fn read(&self) -> Read {
        Read::Speech
    }

    fn engine(&self) -> Engine {
        self.voices.engine()
    }

    fn run<'a>(&'a self, media: &'a MediaSource, ctx: &'a JobCtx) -> BoxFuture<'a, Result<ReadOutcome, ReadError>> {
        self.find(media, ctx).boxed()
    }
}

/// Goes through the sound frame by frame; the last one is filled up with silence.
fn segments(
    blocks: &mut dyn Iterator<Item = Vec<f32>>,
    mut detector: VoiceDetector,
    mut segmenter: Segmenter,
) -> Vec<Segment> {
    let frame_samples = detector.frame_samples();
    let mut pending: Vec<f32> = Vec::new();
    let mut sound_samples = 0;
    for block in blocks {
        sound_samples += block.len() as u64;
        pending.extend(block);
        let whole = pending.len() - pending.len() % frame_samples;
        for frame in pending.get(..whole).unwrap_or_default().chunks_exact(frame_samples) {
            segmenter.add(detector.probability(frame));
        }
        pending.drain(..whole);
    }
    if !pending.is_empty() {
        pending.resize(frame_samples, 0.0);
        segmenter.add(detector.probability(&pending));
    }
    segmenter.finish(sound_samples)
}
