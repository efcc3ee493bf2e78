//! The `beats` read: the times of beats and of bars in music, and its tempo.
//!
//! The engine is this program's: `onsets` computes spectral flux, `activation` normalizes it, `tracker` finds the most
//! likely beats and `facts` the results that follow. A media without a beat is a success with empty lists.

mod activation;
mod facts;
pub(super) mod onsets;
mod tracker;

use crate::readers::decode::{Channels, SoundBlocks, SoundFormat, decode_sound};
use crate::readers::{Engine, JobCtx, MediaSource, ReadError, ReadOutcome, Reader};
use activation::Activations;
use domain::read::Read;
use facts::{TempoPoint, hundredths};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use onsets::{Onsets, RATE};
use serde::Serialize;
use tracker::{BeatTracker, FoundBeat};

/// A tempo below this, in beats per minute, is also offered doubled, a higher one also halved.
const MIDDLE_BPM: f64 = 110.0;

/// The `data` of a `beats` read (docs/reads.md, "The stored result").
#[derive(Debug, Serialize)]
struct BeatsData {
    /// Beats per minute of the longest stretch with a beat.
    tempo: Option<f64>,
    /// That tempo, then others at which a listener may count.
    tempo_candidates: Vec<f64>,
    beat_times: Vec<f64>,
    downbeat_times: Vec<f64>,
    tempo_curve: Vec<TempoPoint>,
}

/// Finds beats by spectral flux and a hidden Markov model.
#[derive(Debug)]
pub(super) struct Beats;

impl Reader for Beats {
    fn read(&self) -> Read {
        Read::Beats
    }

    fn engine(&self) -> Engine {
        Engine { name: "mws-beats".to_owned(), version: "2".to_owned(), model: None }
    }

    fn run<'a>(&'a self, media: &'a MediaSource, ctx: &'a JobCtx) -> BoxFuture<'a, Result<ReadOutcome, ReadError>> {
        self.find(media, ctx).boxed()
    }
}

impl Beats {
    async fn find(&self, media: &MediaSource, ctx: &JobCtx) -> Result<ReadOutcome, ReadError> {
        let wanted = SoundFormat { rate: RATE, channels: Channels::Mono };
        let (beats, decoded) = decode_sound(media, wanted, ctx, found).await?;
        let data = tokio::task::spawn_blocking(move || described(&beats)).await.map_err(|_| ReadError::Crashed)?;
        ctx.progress.reach(100);
        ReadOutcome::new(self.read(), self.engine(), decoded.duration_ms, decoded.warnings, &data)
    }
}

fn found(blocks: SoundBlocks) -> Result<Vec<FoundBeat>, ReadError> {
    let (mut onsets, mut activations, mut tracker) = (Onsets::new(), Activations::default(), BeatTracker::new());
    for block in blocks {
        onsets.add(&block, |onset| activations.add(onset, &mut |activation| tracker.add(activation)))?;
    }
    onsets.finish(|onset| activations.add(onset, &mut |activation| tracker.add(activation)))?;
    activations.finish(&mut |activation| tracker.add(activation));
    Ok(tracker.finish())
}

fn described(beats: &[FoundBeat]) -> BeatsData {
    let runs = facts::real(beats);
    let longest = runs.iter().max_by_key(|run| run.len());
    let tempo = longest.and_then(|run| facts::tempo_of(run)).map(hundredths);
    let other = |bpm: f64| hundredths(if bpm < MIDDLE_BPM { bpm * 2.0 } else { bpm / 2.0 });
    BeatsData {
        tempo,
        tempo_candidates: tempo.into_iter().flat_map(|bpm| [bpm, other(bpm)]).collect(),
        beat_times: runs.iter().flatten().map(facts::time).collect(),
        downbeat_times: runs.iter().flat_map(|run| facts::downbeats(run)).map(|beat| facts::time(&beat)).collect(),
        tempo_curve: runs.iter().flat_map(|run| facts::curve(run)).collect(),
    }
}
