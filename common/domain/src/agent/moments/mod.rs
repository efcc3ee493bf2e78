//! Chooses the moments of a film: those that hold most of the wanted words, without overlaps, together as long as the
//! film is to be. The item with the best moments comes first, and each item's moments are in their order. `candidates`
//! has the moments that may be chosen of some `footage`, and `fit` moves their starts and ends to where nobody speaks,
//! as far as that is known (`pauses`).
//!
//! Times are in milliseconds from the item's start.

mod candidates;
mod fit;
mod footage;
mod pauses;
mod shots;

pub use candidates::{around, items_found, words_found};
pub use fit::{REACH_MS, each_in_pauses, in_pauses};
pub use footage::{Footage, Stretch, WordHit, joined};
pub use pauses::{Pause, SaidWord, pauses};

use candidates::{Candidate, best_first};
use fit::{in_sentences, knows_pauses};
use serde::{Deserialize, Serialize};
use shots::end_with_shots;
use std::collections::{BTreeMap, BTreeSet};

/// The shortest scene, in milliseconds.
pub const SHORTEST_MS: i64 = 2_000;
/// The most scenes of a film.
pub const MOST_SCENES: usize = 40;
/// The shortest part without sound, in milliseconds, that is a scene of its own: two pictures of any usual film, to be
/// seen. What is shorter belongs to the scene before it, whose sound goes on for that long.
const SHORTEST_SILENT_MS: i64 = 100;

/// A part of an item that is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// The item's id.
    pub item: String,
    /// Its start in milliseconds.
    pub start: i64,
    /// Its end in milliseconds.
    pub end: i64,
    /// The words that are said or written there.
    pub text: String,
    /// For how long it is shown without its sound at its end, in milliseconds.
    #[serde(default)]
    pub silent: i64,
}

/// A part of a moment that becomes a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScenePart<'a> {
    /// The moment.
    pub moment: &'a Moment,
    /// Its start in the item, in milliseconds.
    pub start: i64,
    /// Its length in milliseconds.
    pub ms: i64,
    /// Whether its sound is heard.
    pub is_heard: bool,
}

impl Moment {
    /// Returns its length in milliseconds.
    pub const fn ms(&self) -> i64 {
        self.end - self.start
    }

    /// Returns its scenes: what is heard, and what is shown after that without its sound.
    pub fn parts(&self) -> impl Iterator<Item = ScenePart<'_>> {
        let silent = if self.silent < SHORTEST_SILENT_MS { 0 } else { self.silent };
        let heard = self.ms() - silent;
        let part = |start, ms, is_heard| ScenePart { moment: self, start, ms, is_heard };
        let parts = [part(self.start, heard, true), part(self.start + heard, silent, false)];
        parts.into_iter().filter(|part| part.ms > 0)
    }
}

/// Returns the moments of a film that lasts `length_ms` milliseconds, or less if there is no more footage.
pub fn chosen(footage: &Footage<'_>, length_ms: i64) -> Vec<Moment> {
    let picked = picked(footage, length_ms);
    let all = lengthened(&picked, footage, length_ms);
    // Whole sentences come before more of the moments, but not before a word that was found.
    let words = |many: usize| picked[..many].iter().flat_map(|one| one.words.keys()).collect::<BTreeSet<_>>();
    let has_all_words = |many: &usize| words(*many) == words(picked.len());
    let fewer = (1..=picked.len()).rev().filter(has_all_words);
    let fewer = fewer.map(|many| lengthened(&picked[..many], footage, length_ms));
    // Moments of which no pause is known would fit at once, without a sentence.
    let is_known = knows_pauses(&all, footage);
    let mut as_long =
        fewer.filter(|moments| total(moments) == total(&all) && knows_pauses(moments, footage) == is_known);
    let whole = as_long.find_map(|moments| in_sentences(moments, footage));
    let mut moments = whole.unwrap_or_else(|| in_pauses(all, footage));
    end_with_shots(&mut moments, footage);
    moments
}

/// Returns the best moments, together at most `length_ms` milliseconds long, the best first.
fn picked(footage: &Footage<'_>, length_ms: i64) -> Vec<Candidate> {
    let (mut picked, mut total): (Vec<Candidate>, i64) = (Vec::new(), 0);
    for mut one in best_first(footage) {
        let room = length_ms - total;
        if room < SHORTEST_MS.min(length_ms) || picked.len() == MOST_SCENES {
            break;
        }
        one.shorten(room, footage);
        total += one.moment.ms();
        picked.push(one);
    }
    picked
}

/// Returns these moments in the order in which they are shown, and longer, so that they last `length_ms` milliseconds
/// in all, as far as their items allow and without overlaps.
fn lengthened(picked: &[Candidate], footage: &Footage<'_>, length_ms: i64) -> Vec<Moment> {
    let mut by_item: BTreeMap<&str, i64> = BTreeMap::new();
    for one in picked {
        *by_item.entry(&one.moment.item).or_default() += one.points();
    }
    let mut order: Vec<&str> = by_item.keys().copied().collect();
    order.sort_by_key(|item| std::cmp::Reverse(by_item[item]));
    let place = |item: &str| order.iter().position(|one| *one == item).unwrap_or(order.len());
    let mut moments: Vec<Moment> = picked.iter().map(|one| one.moment.clone()).collect();
    moments.sort_by_key(|one| (place(&one.item), one.start));
    let missing = length_ms - total(&moments);
    move_ends(&mut moments, missing, |moments, place| bounds(moments, place, footage));
    moments
}

/// Returns the length of these moments together, in milliseconds.
fn total(moments: &[Moment]) -> i64 {
    moments.iter().map(Moment::ms).sum()
}

/// Moves the starts and ends of moments towards those that `to` returns, by `ms` milliseconds in all and each by the
/// same share, as far as they are apart. Returns the milliseconds that are left.
fn move_ends(moments: &mut [Moment], ms: i64, to: impl Fn(&[Moment], usize) -> (i64, i64)) -> i64 {
    let mut left = ms.max(0);
    loop {
        let apart = (0..moments.len()).map(|place| {
            let ((start, end), one) = (to(moments, place), &moments[place]);
            i64::from(start != one.start) + i64::from(end != one.end)
        });
        let many: i64 = apart.sum();
        if many == 0 || left == 0 {
            return left;
        }
        let share = (left / many).max(1);
        for place in 0..moments.len() {
            let (start, end) = to(moments, place);
            let one = &mut moments[place];
            let later = (end - one.end).clamp(-share.min(left), share.min(left));
            one.end += later;
            left -= later.abs();
            let later = (start - one.start).clamp(-share.min(left), share.min(left));
            one.start += later;
            left -= later.abs();
        }
    }
}

/// Returns the moments of the same item before and after this one.
fn neighbours(moments: &[Moment], place: usize) -> (Option<&Moment>, Option<&Moment>) {
    let same = |other: &&Moment| other.item == moments[place].item;
    let before = place.checked_sub(1).and_then(|before| moments.get(before)).filter(same);
    (before, moments.get(place + 1).filter(same))
}

/// Returns the earliest start and the latest end of a moment: its neighbours of the same item, what is left out, or the
/// item's ends.
fn bounds(moments: &[Moment], place: usize, footage: &Footage<'_>) -> (i64, i64) {
    let (one, (before, after)) = (&moments[place], neighbours(moments, place));
    let (floor, ceiling) = footage.room_of(one);
    (before.map_or(floor, |other| other.end.max(floor)), after.map_or(ceiling, |other| other.start.min(ceiling)))
}

#[cfg(test)]
mod tests;
