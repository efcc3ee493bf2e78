//! Chooses the moments of a film: those that hold most of the wanted words, without overlaps, together as long as the
//! film is to be. The item with the best moments comes first, and each item's moments are in their order. `fit` moves
//! their starts and ends to where nobody speaks, as far as that is known (`pauses`).
//!
//! Times are in milliseconds from the item's start.

mod fit;
mod pauses;
mod shots;

pub use fit::{REACH_MS, each_in_pauses, in_pauses};
pub use pauses::{Pause, SaidWord, pauses};

use fit::{in_sentences, knows_pauses};
use serde::{Deserialize, Serialize};
use shots::end_with_shots;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Milliseconds that are shown before a found place.
const LEAD_MS: i64 = 1_500;
/// Milliseconds that are shown after a found place.
const TAIL_MS: i64 = 2_500;
/// The largest gap between moments that are joined, in milliseconds.
const APART_MS: i64 = 1_000;
/// The shortest scene, in milliseconds.
pub const SHORTEST_MS: i64 = 2_000;
/// The most scenes of a film.
pub const MOST_SCENES: usize = 40;
/// The shortest part without sound, in milliseconds, that is a scene of its own: as long as the shortest of a timeline.
const SHORTEST_SILENT_MS: i64 = 10;

/// A stretch of an item: its start and its end in milliseconds.
pub type Stretch = (i64, i64);

/// A place in an item where a word was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WordHit {
    /// The item's id.
    pub item: String,
    /// Its start in milliseconds.
    pub start: i64,
    /// Its end in milliseconds.
    pub end: i64,
    /// Start and end of the shot that it begins in, in milliseconds.
    pub shot: Option<(i64, i64)>,
    /// How well it fits, in hundredths.
    pub score: i64,
    /// The index of the word that was searched for.
    pub word: usize,
    /// The words that are said or written there.
    pub text: String,
}

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

/// What moments are chosen from.
#[derive(Clone, Copy)]
pub struct Footage<'a> {
    /// The places where words were found.
    pub found: &'a [WordHit],
    /// Returns an item's length in milliseconds; items that it does not know are left out.
    pub lasts: &'a dyn Fn(&str) -> Option<i64>,
    /// The pauses of each item whose words are known. In any other, every time is as good.
    pub pauses: &'a BTreeMap<String, Vec<Pause>>,
    /// The stretches of each item that are left out.
    pub apart: &'a BTreeMap<String, Vec<Stretch>>,
}

/// A moment that may be shown.
struct Candidate {
    moment: Moment,
    /// The best score of each word that was found in it, in hundredths, by the word's index.
    words: BTreeMap<usize, i64>,
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

impl<'a> Footage<'a> {
    fn lasts(&self, item: &str) -> Option<i64> {
        (self.lasts)(item)
    }

    /// Returns an item's pauses; one from its start to its end where its words are not known.
    fn pauses_of(&self, item: &str) -> Cow<'a, [Pause]> {
        let whole = || vec![Pause { start: 0, end: self.lasts(item).unwrap_or(0), is_end: true }];
        self.pauses.get(item).map_or_else(|| whole().into(), |known| known.as_slice().into())
    }

    /// Returns from when to when something was found in a moment; its start if nothing was found.
    fn found_in(&self, one: &Moment) -> (i64, i64) {
        let is_in = |place: &&WordHit| place.item == one.item && place.start >= one.start && place.end <= one.end;
        let start = self.found.iter().filter(is_in).map(|place| place.start).min().unwrap_or(one.start);
        let end = self.found.iter().filter(is_in).map(|place| place.end).max().unwrap_or(start);
        (start, end.max(start))
    }

    /// Returns the stretch of an item from what is left out before these times to what is left out after them; `None`
    /// if some of it is between them.
    fn room(&self, item: &str, start: i64, end: i64) -> Option<Stretch> {
        let apart = self.apart.get(item).map(Vec::as_slice).unwrap_or_default();
        if apart.iter().any(|one| one.0 < end && start < one.1) {
            return None;
        }
        let floor = apart.iter().map(|one| one.1).filter(|floor| *floor <= start).max();
        let ceiling = apart.iter().map(|one| one.0).filter(|ceiling| *ceiling >= end).min();
        Some((floor.unwrap_or(0), ceiling.or_else(|| self.lasts(item)).unwrap_or(end)))
    }

    /// Returns how far a moment's start and end may move without showing what is left out.
    fn room_of(&self, one: &Moment) -> Stretch {
        self.room(&one.item, one.start, one.end).unwrap_or((one.start, one.end))
    }

    /// Whether these times of an item are in the same pause.
    fn is_one_pause(&self, item: &str, one: i64, other: i64) -> bool {
        self.pauses_of(item).iter().any(|pause| pause.away(one) == 0 && pause.away(other) == 0)
    }
}

impl Candidate {
    fn points(&self) -> i64 {
        self.words.values().sum()
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
    let mut candidates = candidates(footage);
    // The sort is stable: of moments with equal points, the earlier stays first.
    candidates.sort_by_key(|one| std::cmp::Reverse(one.points()));
    let (mut picked, mut total): (Vec<Candidate>, i64) = (Vec::new(), 0);
    for mut one in candidates {
        let room = length_ms - total;
        if room < SHORTEST_MS.min(length_ms) || picked.len() == MOST_SCENES {
            break;
        }
        one.moment.end = one.moment.end.min(one.moment.start + room);
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

/// Returns the indices of the words that were found where nothing is left out.
pub fn words_found(footage: &Footage<'_>) -> BTreeSet<usize> {
    candidates(footage).iter().flat_map(|one| one.words.keys().copied()).collect()
}

/// Returns these stretches in their order, with those that meet as one.
pub fn joined(mut stretches: Vec<Stretch>) -> Vec<Stretch> {
    stretches.sort_unstable();
    let mut joined: Vec<Stretch> = Vec::new();
    for (start, end) in stretches {
        match joined.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    joined
}

#[cfg(test)]
mod tests;
