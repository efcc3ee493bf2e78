//! Speaker diarization without model weights: the engine for machines that have no voice encoder.
//!
//! Two passes over the speech: which voices are in it (`mfcc`, `voice`, `clusters`), and who speaks when (`turns`). It
//! keeps sums, and a number per voice and step: at most 36 MB for a day of media. Very similar voices are taken for
//! one.

use super::clusters::voices;
use super::mfcc::{Cepstra, Cepstrum, FRAME, HOP};
use super::turns::{ChangeCost, Steps, VoiceTurn, turns};
use super::voice::{VoiceModel, VoiceSums};
use crate::readers::speech::audio_spool::{AudioSpool, SpooledBlocks};
use crate::readers::speech::detector::RATE;
use crate::readers::speech::segments::Segment;
use crate::readers::{JobCtx, ReadError};
use std::sync::Arc;

/// The longest stretch that is assumed to be one voice at first, in seconds.
const STRETCH_SECONDS: f64 = 3.0;
/// A stretch of fewer frames says nothing about its voice.
const LEAST_FRAMES: f64 = 50.0;
/// Frames of a step: a quarter of a second.
const STEP_FRAMES: usize = 25;
/// The log-likelihood that a change of voice costs, in nepers.
const CHANGE_COST: ChangeCost = ChangeCost { inside: 60.0, in_a_pause: 10.0 };
/// The progress in percent at which the first pass ends.
const FOUND: u8 = 50;

/// Returns the turns of the speakers in this sound.
pub(super) async fn diarize(
    sound: &Arc<AudioSpool>,
    speech: &Arc<[Segment]>,
    ctx: &JobCtx,
) -> Result<Vec<VoiceTurn>, ReadError> {
    let spoken = Arc::clone(speech);
    let find = move |blocks| stretches(blocks, &spoken).map(voices);
    let voices = sound.gone_through(&ctx.step(0, FOUND), find).await?;
    let (models, spoken): (Vec<VoiceModel>, _) = (voices.iter().map(VoiceSums::model).collect(), Arc::clone(speech));
    let tell = move |blocks| steps(blocks, &spoken, &models).map(|steps| turns(&steps, &spoken).0);
    sound.gone_through(&ctx.step(FOUND, 100), tell).await
}

/// Calls `each` with every frame in speech, with its segment and its second.
fn each_frame(
    blocks: SpooledBlocks,
    speech: &[Segment],
    mut each: impl FnMut(usize, f64, &Cepstrum),
) -> Result<(), ReadError> {
    let (mut cepstra, mut number, mut at) = (Cepstra::new(), 0_u32, 0);
    let rate = f64::from(RATE);
    #[expect(clippy::cast_precision_loss, reason = "a frame has few samples")]
    let (hop, middle) = (HOP as f64 / rate, FRAME as f64 / 2.0 / rate);
    for block in blocks {
        cepstra.add(&block?, |frame| {
            let second = f64::from(number) * hop + middle;
            number += 1;
            while speech.get(at).is_some_and(|segment| segment.end <= second) {
                at += 1;
            }
            if speech.get(at).is_some_and(|segment| segment.start <= second) {
                each(at, second, frame);
            }
        })?;
    }
    Ok(())
}

/// Returns the sums of each stretch of speech that is short enough to be one voice's.
fn stretches(blocks: SpooledBlocks, speech: &[Segment]) -> Result<Vec<VoiceSums>, ReadError> {
    let mut stretches: Vec<VoiceSums> = Vec::new();
    // The parts of a segment have equal lengths: a short rest of it would match no voice.
    let part = |segment: usize, second: f64| {
        let Some(segment) = speech.get(segment) else { return 0.0 };
        let seconds = segment.end - segment.start;
        let parts = (seconds / STRETCH_SECONDS).ceil().max(1.0);
        ((second - segment.start) / seconds * parts).floor().min(parts - 1.0)
    };
    let mut open: Option<((usize, f64), VoiceSums)> = None;
    let mut close = |sums: VoiceSums| {
        if sums.frames >= LEAST_FRAMES || stretches.is_empty() {
            stretches.push(sums);
        }
    };
    each_frame(blocks, speech, |segment, second, frame| {
        let now = (segment, part(segment, second));
        if let Some((_, sums)) = open.take_if(|(before, _)| *before != now) {
            close(sums);
        }
        open.get_or_insert_with(|| (now, VoiceSums::default())).1.add(frame);
    })?;
    if let Some((_, sums)) = open {
        close(sums);
    }
    Ok(stretches)
}

/// Returns the likelihood of each voice in each step of speech.
fn steps(blocks: SpooledBlocks, speech: &[Segment], models: &[VoiceModel]) -> Result<Steps, ReadError> {
    let mut steps = Steps::new(models.len(), CHANGE_COST);
    let mut frames = 0;
    each_frame(blocks, speech, |segment, second, frame| {
        if frames == STEP_FRAMES || steps.last_segment() != Some(segment) {
            frames = 0;
            steps.begin(segment, second);
        }
        frames += 1;
        for (score, model) in steps.last_scores().iter_mut().zip(models) {
            #[expect(clippy::cast_possible_truncation, reason = "a likelihood needs few digits")]
            let likelihood = model.likelihood(frame) as f32;
            *score += likelihood;
        }
    })?;
    Ok(steps)
}
