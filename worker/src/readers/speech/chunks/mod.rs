//! Cuts the speech of a media into chunks for a transcription engine, and maps their times back to media time.
//!
//! Long silence and music are left out; the rest keeps its short pauses, since engines need them. Speech without a
//! pause that is longer than a chunk is cut, and the next chunk begins with the last seconds of the one before: a word
//! is whole in one of them. Neighbour: `segments`, whose segments these chunks are made of. Holds one chunk at a time.

use super::audio_spool::sixteen_bits;
use super::detector::RATE;
use super::segments::Segment;

/// Sound before and after speech that is kept with it, in samples: 200 ms.
const PAD: u64 = RATE as u64 / 5;
/// A pause shorter than this is kept unchanged, in samples: a second.
const KEPT_PAUSE: u64 = RATE as u64;
/// Silence between two stretches of a chunk, in samples: half a second.
const JOINT: usize = RATE as usize / 2;
/// The end of a chunk that is cut within speech, and that the next chunk repeats, in samples: two seconds.
const OVERLAP: u64 = RATE as u64 * 2;

/// A stretch of the media, in samples at [`RATE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stretch {
    start: u64,
    end: u64,
    /// The number of samples before its start that its chunk repeats: the last ones of the stretch before.
    again: u64,
}

/// A stretch and its offset in its chunk, in samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    at: usize,
    stretch: Stretch,
}

/// Sound to transcribe at once: one channel of 16 bits at [`RATE`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::readers) struct Chunk {
    /// The samples.
    pub(in crate::readers) samples: Vec<i16>,
    pieces: Vec<Piece>,
    /// The number of its first samples that repeat the end of the chunk before.
    again: u64,
}

#[expect(clippy::cast_precision_loss, reason = "samples of a day stay far below 2^53")]
impl Chunk {
    /// Returns the stretch that it has in common with the chunk before, in seconds of the media.
    pub(in crate::readers) fn overlap(&self) -> Option<(f64, f64)> {
        let seconds = |samples: u64| self.media_seconds(samples as f64 / f64::from(RATE));
        (self.again > 0).then(|| (seconds(0), seconds(self.again)))
    }

    /// Begins the chunk after one that was cut within speech: with the end of that one, which it repeats.
    fn after(before: &Self, next: Stretch) -> Self {
        let again = usize::try_from(next.again).unwrap_or(usize::MAX);
        let from = before.samples.len().saturating_sub(again);
        let samples = before.samples.get(from..).unwrap_or_default().to_vec();
        let stretch = Stretch { start: next.start - next.again, ..next };
        Self { samples, pieces: vec![Piece { at: 0, stretch }], again: next.again }
    }

    /// Returns the media times of a word with this start and end in the chunk, all in seconds. Both are in one stretch:
    /// the one that has most of the word, or is nearest to it.
    pub(in crate::readers) fn media_span(&self, start: f64, end: f64) -> (f64, f64) {
        let rate = f64::from(RATE);
        let (from, to) = (start * rate, end.max(start) * rate);
        // Negative where the word is outside of the stretch.
        let shared = |piece: &Piece| {
            let (at, length) = (piece.at as f64, (piece.stretch.end - piece.stretch.start) as f64);
            to.min(at + length) - from.max(at)
        };
        let most = self.pieces.iter().max_by(|one, other| shared(one).total_cmp(&shared(other)));
        let Some(Piece { at, stretch }) = most else { return (start, end) };
        let of_media = |sample: f64| {
            (stretch.start as f64 + sample - *at as f64).clamp(stretch.start as f64, stretch.end as f64) / rate
        };
        (of_media(from), of_media(to))
    }

    /// Returns the media time of this time in the chunk, both in seconds.
    fn media_seconds(&self, seconds: f64) -> f64 {
        let rate = f64::from(RATE);
        let sample = seconds * rate;
        let begun = self.pieces.iter().rev().find(|piece| piece.at as f64 <= sample);
        let Some(piece) = begun.or(self.pieces.first()) else { return seconds };
        let (start, end) = (piece.stretch.start as f64, piece.stretch.end as f64);
        (start + sample - piece.at as f64).clamp(start, end) / rate
    }
}

/// Cuts a stream of samples into chunks.
#[derive(Debug)]
pub(in crate::readers) struct Chunker {
    stretches: std::vec::IntoIter<Stretch>,
    current: Option<Stretch>,
    most: usize,
    at: u64,
    chunk: Chunk,
}

impl Chunker {
    /// A chunker for this speech, with chunks of at most `seconds` each.
    pub(in crate::readers) fn new(speech: &[Segment], seconds: u32) -> Self {
        let most = u64::from(seconds * RATE);
        let mut stretches = stretches(speech, most).into_iter();
        let current = stretches.next();
        Self { stretches, current, most: usize::try_from(most).unwrap_or(usize::MAX), at: 0, chunk: Chunk::default() }
    }

    /// Takes the next samples, and hands over each chunk that they complete.
    pub(in crate::readers) fn add<E>(
        &mut self,
        block: &[f32],
        mut each: impl FnMut(Chunk) -> Result<(), E>,
    ) -> Result<(), E> {
        let block_end = self.at + block.len() as u64;
        while let Some(stretch) = self.current.filter(|stretch| stretch.start < block_end) {
            let within = |sample: u64| usize::try_from(sample.clamp(self.at, block_end) - self.at).unwrap_or(0);
            let wanted = block.get(within(stretch.start)..within(stretch.end)).unwrap_or_default();
            if stretch.start >= self.at && stretch.again == 0 {
                if !self.chunk.samples.is_empty() {
                    self.chunk.samples.resize(self.chunk.samples.len() + JOINT, 0);
                }
                self.chunk.pieces.push(Piece { at: self.chunk.samples.len(), stretch });
            }
            self.chunk.samples.extend(wanted.iter().copied().map(sixteen_bits));
            if stretch.end > block_end {
                break;
            }
            self.current = self.stretches.next();
            let length = |next: Stretch| usize::try_from(next.end - next.start).unwrap_or(usize::MAX);
            let cut = self.current.filter(|next| next.again > 0);
            let with_next = self.current.map_or(usize::MAX, length).saturating_add(self.chunk.samples.len() + JOINT);
            if cut.is_some() || with_next > self.most {
                let next = cut.map(|next| Chunk::after(&self.chunk, next)).unwrap_or_default();
                each(std::mem::replace(&mut self.chunk, next))?;
            }
        }
        self.at = block_end;
        Ok(())
    }

    /// Returns the last chunk, if there is one.
    pub(in crate::readers) fn finish(self) -> Option<Chunk> {
        (!self.chunk.samples.is_empty()).then_some(self.chunk)
    }
}

/// Returns the stretches to transcribe: padded speech with its short pauses, none longer than `most` samples.
fn stretches(speech: &[Segment], most: u64) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for segment in speech {
        let (start, end) = (samples(segment.start).saturating_sub(PAD), samples(segment.end) + PAD);
        match stretches.last_mut() {
            Some(last) if start < last.end + KEPT_PAUSE && end - last.start <= most => last.end = end,
            Some(last) => {
                last.end = last.end.min(start.max(last.start));
                stretches.push(Stretch { start, end, again: 0 });
            }
            None => stretches.push(Stretch { start, end, again: 0 }),
        }
    }
    stretches.into_iter().flat_map(|stretch| in_parts(stretch, most)).collect()
}

/// Cuts a stretch into parts of `most` samples, even in the middle of speech that has no pause. Each part but the first
/// repeats the end of the part before.
fn in_parts(stretch: Stretch, most: u64) -> impl Iterator<Item = Stretch> {
    let again = OVERLAP.min(most / 4);
    let step = (most - again).max(1);
    let length = stretch.end - stretch.start;
    let parts = length.saturating_sub(again).div_ceil(step).max(u64::from(length > 0));
    (0..parts).map(move |part| {
        let start = stretch.start + part * step;
        let (again, end) = (if part == 0 { 0 } else { again }, (start + most).min(stretch.end));
        Stretch { start: start + again, end, again }
    })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "media times are small and positive")]
fn samples(seconds: f64) -> u64 {
    (seconds.max(0.0) * f64::from(RATE)) as u64
}

#[cfg(test)]
mod tests;
