//! The moments that may be shown: each found place with some footage around it, as far as nothing there is left out.

use super::footage::{Footage, Stretch, WordHit};
use super::{Moment, SHORTEST_MS};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Milliseconds that are shown before a found place.
const LEAD_MS: i64 = 1_500;
/// Milliseconds that are shown after a found place.
const TAIL_MS: i64 = 2_500;
/// The largest gap between moments that are joined, in milliseconds.
const APART_MS: i64 = 1_000;

/// A moment that may be shown.
pub(super) struct Candidate {
    pub moment: Moment,
    /// The best score of each word that was found in it, in hundredths, by the word's index.
    pub words: BTreeMap<usize, i64>,
}

impl Candidate {
    /// Returns how much it holds of the wanted words.
    pub fn points(&self) -> i64 {
        self.words.values().sum()
    }

    /// Makes it last `ms` milliseconds at most. The best of what was found in it stays in it, and words that do not are
    /// none of its words any more.
    pub fn shorten(&mut self, ms: i64, footage: &Footage<'_>) {
        let one = &mut self.moment;
        if one.ms() <= ms {
            return;
        }
        let whole = one.start..one.end;
        let own = || footage.found.iter().filter(|place| place.item == one.item && whole.contains(&place.start));
        let best = own().max_by_key(|place| (place.score, Reverse(place.start)));
        let start = best.map_or(one.start, |best| (best.end - ms).clamp(one.start, best.start));
        let end = (start + ms).min(one.end);
        let stays = |word: usize| own().any(|place| place.word == word && start <= place.start && place.end <= end);
        self.words.retain(|word, _| best.is_none_or(|best| *word == best.word) || stays(*word));
        (one.start, one.end) = (start, end);
    }
}

/// Returns the found places with some footage before and after, but for those that are left out. Those that overlap, or
/// nearly so, are joined.
fn candidates(footage: &Footage<'_>) -> Vec<Candidate> {
    let mut sorted: Vec<&WordHit> = footage.found.iter().collect();
    sorted.sort_by(|one, other| (&one.item, one.start).cmp(&(&other.item, other.start)));
    let mut candidates: Vec<Candidate> = Vec::new();
    for one in sorted {
        let Some(lasts) = footage.lasts(&one.item).filter(|lasts| *lasts > 0) else { continue };
        let Some(room) = footage.room(&one.item, one.start, one.end) else { continue };
        let (start, end) = around_within(one, lasts, room);
        if end <= start || room.1 - room.0 < SHORTEST_MS.min(lasts) {
            continue;
        }
        match candidates.last_mut() {
            Some(last)
                if last.moment.item == one.item
                    && room.0 <= last.moment.start
                    && start <= last.moment.end + APART_MS =>
            {
                last.moment.end = last.moment.end.max(end);
                let best = last.words.entry(one.word).or_default();
                *best = (*best).max(one.score);
            }
            _ => candidates.push(Candidate {
                moment: Moment { item: one.item.clone(), start, end, text: one.text.clone(), silent: 0 },
                words: BTreeMap::from([(one.word, one.score)]),
            }),
        }
    }
    candidates
}

/// Returns a place with some footage before and after, as far as `room` allows.
fn around_within(found: &WordHit, lasts: i64, room: Stretch) -> Stretch {
    let (start, end) = around(found, lasts);
    if room.0 <= start && end <= room.1 {
        return (start, end);
    }
    let start = start.max(room.0);
    let end = end.max(start + SHORTEST_MS).min(room.1);
    (start.min(end - SHORTEST_MS).max(room.0), end)
}

/// Returns the candidates, those that hold most of the wanted words first.
pub(super) fn best_first(footage: &Footage<'_>) -> Vec<Candidate> {
    let mut candidates = candidates(footage);
    // The sort is stable: of moments with equal points, the earlier stays first.
    candidates.sort_by_key(|one| Reverse(one.points()));
    candidates
}

/// Returns a place with some footage before and after; up to the shot's start or end if that is near.
pub fn around(found: &WordHit, lasts: i64) -> Stretch {
    let (mut start, mut end) = (found.start - LEAD_MS, found.end + TAIL_MS);
    if let Some((first, last)) = found.shot {
        if first <= found.start && found.start - first <= 2 * LEAD_MS {
            start = first;
        }
        if last >= found.end && last - found.end <= 2 * TAIL_MS {
            end = last;
        }
    }
    (start.clamp(0, lasts), end.clamp(0, lasts))
}

/// Returns the words that were found where nothing is left out, by their indices, each with its best score there.
pub fn words_found(footage: &Footage<'_>) -> BTreeMap<usize, i64> {
    let mut best = BTreeMap::new();
    for (word, score) in candidates(footage).into_iter().flat_map(|one| one.words) {
        let known: &mut i64 = best.entry(word).or_default();
        *known = (*known).max(score);
    }
    best
}

/// Returns the ids of the items in which something was found, each once and those of the best moments first.
pub fn items_found(footage: &Footage<'_>) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for one in best_first(footage) {
        if !items.contains(&one.moment.item) {
            items.push(one.moment.item);
        }
    }
    items
}
