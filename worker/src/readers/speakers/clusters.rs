//! Clusters stretches of speech by voice: agglomerative clustering by the Bayesian information criterion. Pure.
//!
//! The two most similar clusters are merged until no two are similar enough. The work grows with the square of the
//! number of stretches, so long media are clustered in blocks first; the blocks' clusters are then clustered together.

use super::voice::{VoiceSums, apart};

/// Weight of the criterion's penalty for each parameter of a model: a larger one gives fewer voices. Tuned on flite's
/// voices.
const STRICTNESS: f64 = 2.0;
/// Stretches that are clustered at once.
const BLOCK: usize = 240;
/// Voices of one media, at most.
const MOST_VOICES: usize = 26;
/// A voice with less than this share of all speech is dropped. The threshold is clamped to these two numbers of
/// 10 ms frames (`LEAST_FRAMES`).
const LEAST_PART: f64 = 0.05;
const LEAST_FRAMES: (f64, f64) = (250.0, 1_000.0);

/// Returns the voices of these stretches.
pub(super) fn voices(stretches: Vec<VoiceSums>) -> Vec<VoiceSums> {
    let mut voices = stretches;
    while voices.len() > BLOCK {
        let before = voices.len();
        voices = voices.chunks(BLOCK).flat_map(|block| merged(block.to_vec())).collect();
        if voices.len() == before {
            // No block merged anything: keep the clusters with the most speech.
            voices.sort_by(|a, b| b.frames.total_cmp(&a.frames));
            voices.truncate(BLOCK);
        }
    }
    let mut voices = merged(voices);
    voices.sort_by(|a, b| b.frames.total_cmp(&a.frames));
    let all: f64 = voices.iter().map(|voice| voice.frames).sum();
    let least = (all * LEAST_PART).clamp(LEAST_FRAMES.0, LEAST_FRAMES.1);
    let heard = voices.iter().filter(|voice| voice.frames >= least).count();
    voices.truncate(heard.clamp(1, MOST_VOICES));
    voices
}

/// Merges similar clusters until there are none.
fn merged(stretches: Vec<VoiceSums>) -> Vec<VoiceSums> {
    let mut voices: Vec<(VoiceSums, f64)> = stretches.into_iter().map(with_spread).collect();
    let distance = |one: &(VoiceSums, f64), other: &(VoiceSums, f64)| {
        apart((&one.0, one.1), (&other.0, other.1), &one.0.merged(&other.0), STRICTNESS)
    };
    // `distances[i][j]`, for j < i.
    let mut distances: Vec<Vec<f64>> = Vec::with_capacity(voices.len());
    for (at, voice) in voices.iter().enumerate() {
        distances.push(voices.iter().take(at).map(|other| distance(voice, other)).collect());
    }
    while let Some((i, j)) = most_alike(&distances) {
        let gone = voices.remove(i);
        remove(i, &mut distances);
        let both = with_spread(voices[j].0.merged(&gone.0));
        voices[j] = both;
        for other in 0..voices.len() {
            if other != j {
                let (high, low) = (other.max(j), other.min(j));
                distances[high][low] = distance(&voices[high], &voices[low]);
            }
        }
    }
    voices.into_iter().map(|(sums, _)| sums).collect()
}

/// The two that are most alike, the later one first, if any are.
fn most_alike(distances: &[Vec<f64>]) -> Option<(usize, usize)> {
    let pairs = distances.iter().enumerate().flat_map(|(i, row)| row.iter().enumerate().map(move |(j, d)| (i, j, *d)));
    let (i, j, _) = pairs.min_by(|a, b| a.2.total_cmp(&b.2)).filter(|pair| pair.2 < 0.0)?;
    Some((i, j))
}

/// Forgets how far one is from all others.
fn remove(gone: usize, distances: &mut Vec<Vec<f64>>) {
    distances.remove(gone);
    for row in distances {
        if row.len() > gone {
            row.remove(gone);
        }
    }
}

fn with_spread(sums: VoiceSums) -> (VoiceSums, f64) {
    let spread = sums.spread();
    (sums, spread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::speakers::voice::tests::{frames, sums};

    #[test]
    fn stretches_of_two_voices_become_two() {
        let mut stretches = Vec::new();
        for seed in 0..300 {
            let centre = if seed % 3 == 0 { 5.0 } else { 0.0 };
            stretches.push(sums(&frames(centre, 120, seed)));
        }
        let voices = voices(stretches);
        let said: Vec<f64> = voices.iter().map(|voice| voice.frames).collect();
        assert_eq!(said, [24_000.0, 12_000.0]);
    }

    #[test]
    fn nobody_is_no_voice() {
        assert!(voices(Vec::new()).is_empty());
    }
}
