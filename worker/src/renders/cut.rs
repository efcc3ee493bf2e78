//! Cuts sound to the sample: picks the pieces that a plan keeps out of decoded blocks.
//!
//! Pure. A piece is as long in samples as in frames, counted from the start of the output and not from the piece
//! before, so that sound and picture never drift apart however many cuts there are.

use domain::media_time::{FrameRate, Span, sample_at};

/// How long the fade on each side of a cut is, in milliseconds: enough to avoid a click.
const FADE_MS: u32 = 5;

/// A piece of the source, in samples per channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    start: i64,
    len: i64,
}

/// Returns these spans as pieces at this sample rate. With a frame rate, each is as long as its frames.
pub(super) fn pieces(keep: &[Span], sample_rate: u32, frame_rate: Option<FrameRate>) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(keep.len());
    // The length of the output so far, in frames or, without a frame rate, in microseconds.
    let mut made = 0;
    for span in keep {
        let (start, len, until): (i64, i64, &dyn Fn(i64) -> i64) = match frame_rate {
            Some(rate) => {
                let first = rate.nearest(span.start_us);
                let frames = rate.nearest(span.end_us) - first;
                (rate.sample_of(first, sample_rate), frames, &move |frames| rate.sample_of(frames, sample_rate))
            }
            None => (sample_at(span.start_us, sample_rate), span.len_us(), &|us| sample_at(us, sample_rate)),
        };
        pieces.push(Piece { start, len: until(made + len) - until(made) });
        made += len;
    }
    pieces
}

/// Takes the source's samples in order and returns those that stay.
#[derive(Debug)]
pub(super) struct Cutter {
    pieces: Vec<Piece>,
    channels: usize,
    fade: i64,
    /// The end of the source in frames, as far as it is known: a piece that ends there is not faded.
    end: Option<i64>,
    /// The index of the current piece.
    piece: usize,
    /// Frames of it that were handed out.
    given: i64,
    /// Frames of the source that were taken.
    taken: i64,
}

impl Cutter {
    /// Returns a cutter for interleaved samples of a source that declares this length in milliseconds.
    pub(super) fn new(pieces: Vec<Piece>, channels: usize, sample_rate: u32, declared_ms: Option<i64>) -> Self {
        let fade = i64::from(sample_rate * FADE_MS / 1000).max(1);
        let end = declared_ms.map(|ms| sample_at(ms.saturating_mul(1000), sample_rate));
        Self { pieces, channels, fade, end, piece: 0, given: 0, taken: 0 }
    }

    /// Returns the samples of the next block that stay.
    pub(super) fn cut(&mut self, block: &[f32]) -> Vec<f32> {
        let end = self.taken + i64::try_from(block.len() / self.channels).unwrap_or(0);
        let mut kept = Vec::new();
        while let Some(piece) = self.pieces.get(self.piece).copied() {
            let from = piece.start + self.given;
            let until = (piece.start + piece.len).min(end);
            if until > from {
                let place = |frame: i64| usize::try_from(frame - self.taken).unwrap_or(0) * self.channels;
                self.give(block.get(place(from)..place(until)).unwrap_or_default(), piece, &mut kept);
            }
            if self.given < piece.len {
                break;
            }
            self.piece += 1;
            self.given = 0;
        }
        self.taken = end;
        kept
    }

    /// Hands out some frames of a piece, faded where it begins and ends.
    fn give(&mut self, frames: &[f32], piece: Piece, kept: &mut Vec<f32>) {
        // A piece that ends where the source does, or closer to that than a fade, is not faded at its end.
        let is_end = self.end.is_some_and(|end| piece.start + piece.len + self.fade > end);
        let fade = self.fade.min(piece.len / 2).max(1);
        for frame in frames.chunks_exact(self.channels) {
            let fade_in = if piece.start == 0 { fade } else { self.given + 1 };
            let fade_out = if is_end { fade } else { piece.len - self.given };
            let gain = ratio(fade_in.min(fade_out).min(fade), fade);
            kept.extend(frame.iter().map(|sample| sample * gain));
            self.given += 1;
        }
    }

    /// Returns the frames that are still missing when the source has ended: it was shorter than its plan.
    pub(super) fn missing(&self) -> i64 {
        let left = self.pieces.get(self.piece..).unwrap_or_default();
        left.iter().map(|piece| piece.len).sum::<i64>() - self.given
    }
}

#[expect(clippy::cast_precision_loss, reason = "a fade has a few hundred samples")]
fn ratio(part: i64, whole: i64) -> f32 {
    part as f32 / whole as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(us: &[(i64, i64)]) -> Vec<Span> {
        us.iter().copied().map(Span::from).collect()
    }

    /// What is given of a source that counts its frames, handed over in blocks of this many frames.
    fn given(pieces: Vec<Piece>, frames: i64, block: usize) -> (Vec<i64>, i64) {
        let source: Vec<f32> = (0..frames).flat_map(|n| [ratio(n, 1), -ratio(n, 1)]).collect();
        let mut cutter = Cutter::new(pieces, 2, 200, None);
        let kept: Vec<f32> = source.chunks(block * 2).flat_map(|block| cutter.cut(block)).collect();
        assert!(kept.chunks_exact(2).all(|frame| (frame[0] + frame[1]).abs() < 1e-6));
        #[expect(clippy::cast_possible_truncation, reason = "small whole numbers")]
        let numbers = kept.chunks_exact(2).map(|frame| frame[0] as i64).collect();
        (numbers, cutter.missing())
    }

    #[test]
    fn what_is_kept_does_not_depend_on_the_blocks_it_comes_in() {
        // At 200 samples a second a fade is one sample: nothing is faded.
        let plan = || pieces(&spans(&[(0, 50_000), (100_000, 150_000), (200_000, 205_000)]), 200, None);
        let wanted: Vec<i64> = (0..10).chain(20..30).chain([40]).collect();
        for block in [1, 3, 10, 1000] {
            assert_eq!(given(plan(), 100, block), (wanted.clone(), 0), "{block}");
        }
    }

    #[test]
    fn a_source_that_ends_early_says_what_is_missing() {
        let plan = pieces(&spans(&[(0, 50_000), (100_000, 150_000), (200_000, 205_000)]), 200, None);
        assert_eq!(given(plan, 25, 7), ((0..10).chain(20..25).collect(), 6));
    }

    #[test]
    fn thousands_of_cuts_are_as_long_in_samples_as_in_frames() {
        let rate = FrameRate::new(30_000, 1_001).unwrap();
        let keep: Vec<Span> = (0..20_000).map(|n| Span::new(rate.us_of(n * 7), rate.us_of(n * 7 + 3))).collect();
        let cut = pieces(&keep, 44_100, Some(rate));
        assert_eq!(cut.iter().map(|piece| piece.len).sum::<i64>(), rate.sample_of(60_000, 44_100));
        assert!(cut.iter().all(|piece| (4_414..=4_415).contains(&piece.len)));
        let in_time = pieces(&keep, 44_100, None);
        let total_us = domain::media_time::total_us(&keep);
        assert_eq!(in_time.iter().map(|piece| piece.len).sum::<i64>(), sample_at(total_us, 44_100));
    }

    #[test]
    fn a_cut_fades_on_both_sides_and_the_ends_of_the_media_do_not() {
        let faded = |declared_ms, end| {
            let plan = pieces(&spans(&[(0, 100_000), (200_000, end)]), 1000, None);
            Cutter::new(plan, 1, 1000, declared_ms).cut(&vec![1.0; 400])
        };
        let kept = faded(Some(400), 300_000);
        assert_eq!(kept.len(), 200);
        assert_eq!(&kept[..3], [1.0; 3]);
        assert_eq!(&kept[94..106], [1.0, 1.0, 0.8, 0.6, 0.4, 0.2, 0.2, 0.4, 0.6, 0.8, 1.0, 1.0]);
        // The source goes on after the last piece, as far as is known.
        for kept in [kept, faded(None, 300_000)] {
            assert_eq!(&kept[194..], [1.0, 1.0, 0.8, 0.6, 0.4, 0.2]);
        }
        assert_eq!(faded(Some(400), 400_000)[290..], [1.0; 10]);
        assert_eq!(faded(Some(400), 397_000)[290..], [1.0; 7]);
    }
}
