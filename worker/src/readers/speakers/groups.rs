//! Clusters the embeddings of a media: how many voices there are, and each one's embedding. Pure.
//!
//! Stretches of speech are first merged where that loses least (Ward), to more clusters than there are voices. Similar
//! clusters are then one voice: the threshold depends on how long the lesser one speaks, since a cluster of few seconds
//! differs from its own voice by chance. A cluster of less than three seconds is no voice of its own. The work grows
//! with the square of the number of stretches, so long media are clustered in blocks first.

use super::encoder::network::{SIZE, Voice, alike, direction};

/// Stretches that are clustered at once.
const BLOCK: usize = 300;
/// Clusters that a block is reduced to.
const OF_A_BLOCK: usize = 40;
/// Clusters before similar ones are merged; there can't be more voices than this.
const MOST_VOICES: usize = 24;
/// Seconds of speech below which a cluster is no voice of its own.
const LEAST_SECONDS: f32 = 3.0;
/// The lesser cluster's seconds and the cosine similarity above which two clusters are one voice, at the shortest and
/// the longest; between these it grows with the seconds' logarithm (decision 646).
const ONE_VOICE: [(f32, f32); 2] = [(LEAST_SECONDS, 0.45), (16.0, 0.80)];
/// Rounds in which every stretch is assigned to the most similar voice.
const ROUNDS: usize = 3;

/// A stretch of speech that is assumed to be one voice's, or a cluster of them.
#[derive(Debug, Clone)]
pub(super) struct Stretch {
    /// The mean of its embeddings.
    pub(super) mean: Voice,
    /// Its length in seconds.
    pub(super) seconds: f32,
}

impl Stretch {
    /// Returns both, merged.
    fn with(&self, other: &Self) -> Self {
        let seconds = self.seconds + other.seconds;
        let (mine, others) = (self.seconds / seconds, other.seconds / seconds);
        let mean = std::array::from_fn(|n| self.mean[n] * mine + other.mean[n] * others);
        Self { mean, seconds }
    }

    /// Returns the loss of merging both (Ward).
    fn loss(&self, other: &Self) -> f32 {
        let apart =
            alike(&self.mean, &self.mean) + alike(&other.mean, &other.mean) - 2.0 * alike(&self.mean, &other.mean);
        self.seconds * other.seconds / (self.seconds + other.seconds) * apart
    }
}

/// Returns the embedding of each voice in these stretches; none where there are no stretches.
pub(super) fn voices(stretches: &[Stretch]) -> Vec<Voice> {
    let mut groups = stretches.to_vec();
    while groups.len() > BLOCK {
        groups = groups.chunks(BLOCK).flat_map(|block| put_together(block.to_vec(), OF_A_BLOCK)).collect();
    }
    let mut voices: Vec<Voice> = put_together(groups, MOST_VOICES).iter().map(|group| direction(&group.mean)).collect();
    loop {
        for _ in 0..ROUNDS {
            voices = gathered(stretches, &voices).iter().map(|group| direction(&group.mean)).collect();
        }
        let groups = gathered(stretches, &voices);
        voices = groups.iter().map(|group| direction(&group.mean)).collect();
        let Some((one, other)) = most_alike(&groups) else { return voices };
        let both = groups[one].with(&groups[other]);
        voices[one] = direction(&both.mean);
        voices.remove(other);
    }
}

/// Merges the two clusters that lose least by it, until there are no more than `most`.
fn put_together(mut groups: Vec<Stretch>, most: usize) -> Vec<Stretch> {
    // `losses[i][j]`, for j < i.
    let mut losses: Vec<Vec<f32>> = Vec::with_capacity(groups.len());
    for (at, group) in groups.iter().enumerate() {
        losses.push(groups.iter().take(at).map(|other| group.loss(other)).collect());
    }
    while groups.len() > most {
        let pairs = losses.iter().enumerate().flat_map(|(i, row)| row.iter().enumerate().map(move |(j, d)| (i, j, *d)));
        let Some((i, j, _)) = pairs.min_by(|a, b| a.2.total_cmp(&b.2)) else { break };
        let gone = groups.remove(i);
        losses.remove(i);
        for row in &mut losses {
            if row.len() > i {
                row.remove(i);
            }
        }
        groups[j] = groups[j].with(&gone);
        for other in (0..groups.len()).filter(|other| *other != j) {
            losses[other.max(j)][other.min(j)] = groups[other].loss(&groups[j]);
        }
    }
    groups
}

/// Assigns the stretches to the most similar voices, and returns the clusters; a voice that gets none is gone.
fn gathered(stretches: &[Stretch], voices: &[Voice]) -> Vec<Stretch> {
    let mut groups: Vec<Option<Stretch>> = vec![None; voices.len()];
    for stretch in stretches {
        let fits = voices.iter().map(|voice| alike(&stretch.mean, voice)).enumerate();
        let Some((best, _)) = fits.max_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
        groups[best] = Some(groups[best].as_ref().map_or_else(|| stretch.clone(), |group| group.with(stretch)));
    }
    groups.into_iter().flatten().collect()
}

/// Returns the two clusters that are most clearly one voice, the greater number second; none where each is a voice.
fn most_alike(groups: &[Stretch]) -> Option<(usize, usize)> {
    let directions: Vec<Voice> = groups.iter().map(|group| direction(&group.mean)).collect();
    let over = |one: usize, other: usize| {
        alike(&directions[one], &directions[other]) - one_voice(groups[one].seconds.min(groups[other].seconds))
    };
    let pairs = (0..groups.len()).flat_map(|other| (0..other).map(move |one| (one, other)));
    let most = pairs.map(|(one, other)| (one, other, over(one, other))).max_by(|a, b| a.2.total_cmp(&b.2))?;
    (most.2 > 0.0).then_some((most.0, most.1))
}

/// Returns the cosine similarity above which two clusters are one voice, the lesser of them being `seconds` long.
fn one_voice(seconds: f32) -> f32 {
    if seconds < LEAST_SECONDS {
        return -1.0;
    }
    let [(shortest, low), (longest, high)] = ONE_VOICE;
    let part = (seconds / shortest).ln() / (longest / shortest).ln();
    low + (high - low) * part.min(1.0)
}

/// Returns the mean of these embeddings, of which there is at least one.
pub(super) fn mean(voices: &[Voice]) -> Voice {
    let mut sum = [0.0; SIZE];
    let count = f32::from(u16::try_from(voices.len()).unwrap_or(u16::MAX).max(1));
    for voice in voices {
        sum.iter_mut().zip(voice).for_each(|(sum, value)| *sum += value / count);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stretches around an axis, by a fixed seed.
    fn around(axis: usize, count: usize, seconds: f32) -> Vec<Stretch> {
        let mut state = u32::try_from(axis).unwrap() + 1;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from(u16::try_from(state >> 16).unwrap()) / 65_536.0
        };
        let stretch = |_| {
            let mut mean: Voice = std::array::from_fn(|_| 0.06 * noise());
            mean[axis] += 1.0;
            Stretch { mean: direction(&mean), seconds }
        };
        (0..count).map(stretch).collect()
    }

    #[test]
    fn there_are_as_many_voices_as_speak_long_enough() {
        for (voices_there, count, others) in [(1, 20, 0), (2, 10, 0), (3, 200, 0), (4, 400, 0), (2, 10, 1)] {
            let mut stretches: Vec<_> = (0..voices_there).flat_map(|axis| around(axis, count, 2.0)).collect();
            stretches.extend((10..10 + others).flat_map(|axis| around(axis, 1, 2.0)));
            let found = voices(&stretches);
            assert_eq!(found.len(), voices_there, "{count}, {others}");
            for axis in 0..voices_there {
                assert!(found.iter().any(|voice| voice[axis] > 0.8), "{axis}");
            }
        }
        assert!(voices(&[]).is_empty());
    }

    #[test]
    fn who_speaks_longer_has_to_be_less_unlike() {
        let limits: Vec<f32> = [2.9, 3.0, 48_f32.sqrt(), 10.0, 16.0, 99.0].map(one_voice).to_vec();
        let known = [(0, -1.0), (1, 0.45), (2, 0.625), (4, 0.80), (5, 0.80)];
        assert!(known.iter().all(|(at, known)| (limits[*at] - known).abs() < 1e-3), "{limits:?}");
        assert!(limits.is_sorted());
    }
}
