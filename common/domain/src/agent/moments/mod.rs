//! Chooses the moments of a film: those that hold most of the wanted words, without overlaps, together as long as the
//! film is to be. The item with the best moments comes first, and each item's moments are in their order.
//!
//! Times are in milliseconds from the item's start.

use serde::{Deserialize, Serialize};
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
/// The largest distance, in milliseconds, by which a scene's end moves to the border of a shot.
const NEAR_MS: i64 = 500;
/// The most rounds in which `grow` lengthens each moment by its share.
const ROUNDS: usize = 64;

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
}

impl Candidate {
    fn points(&self) -> i64 {
        self.words.values().sum()
    }
}

/// Returns the moments of a film that lasts `length_ms` milliseconds, or less if there is no more footage. `lasts`
/// returns an item's length in milliseconds; items that it does not know are left out.
pub fn chosen(found: &[WordHit], lasts: impl Fn(&str) -> Option<i64>, length_ms: i64) -> Vec<Moment> {
    let mut candidates = candidates(found, &lasts);
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
    let mut by_item: BTreeMap<&str, i64> = BTreeMap::new();
    for one in &picked {
        *by_item.entry(&one.moment.item).or_default() += one.points();
    }
    let mut order: Vec<String> = by_item.keys().map(|item| (*item).to_owned()).collect();
    order.sort_by_key(|item| std::cmp::Reverse(by_item[item.as_str()]));
    let place = |item: &str| order.iter().position(|one| one == item).unwrap_or(order.len());
    let mut moments: Vec<Moment> = picked.into_iter().map(|one| one.moment).collect();
    moments.sort_by_key(|one| (place(&one.item), one.start));
    grow(&mut moments, &lasts, length_ms - total);
    end_with_shots(&mut moments, found, &lasts);
    moments
}

/// Returns the found places with some footage before and after. Those that overlap, or nearly so, are joined.
fn candidates(found: &[WordHit], lasts: &impl Fn(&str) -> Option<i64>) -> Vec<Candidate> {
    let mut sorted: Vec<&WordHit> = found.iter().collect();
    sorted.sort_by(|one, other| (&one.item, one.start).cmp(&(&other.item, other.start)));
    let mut candidates: Vec<Candidate> = Vec::new();
    for one in sorted {
        let Some(lasts) = lasts(&one.item).filter(|lasts| *lasts > 0) else { continue };
        let (start, end) = around(one, lasts);
        if end <= start {
            continue;
        }
        match candidates.last_mut() {
            Some(last) if last.moment.item == one.item && start <= last.moment.end + APART_MS => {
                last.moment.end = last.moment.end.max(end);
                let best = last.words.entry(one.word).or_default();
                *best = (*best).max(one.score);
            }
            _ => candidates.push(Candidate {
                moment: Moment { item: one.item.clone(), start, end, text: one.text.clone() },
                words: BTreeMap::from([(one.word, one.score)]),
            }),
        }
    }
    candidates
}

/// Returns a place with some footage before and after; up to the shot's start or end if that is near.
fn around(found: &WordHit, lasts: i64) -> (i64, i64) {
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

/// Lengthens the moments by `missing` milliseconds in all, as far as their items allow and without overlaps.
fn grow(moments: &mut [Moment], lasts: &impl Fn(&str) -> Option<i64>, mut missing: i64) {
    for _ in 0..ROUNDS {
        let many = i64::try_from(moments.len()).unwrap_or(i64::MAX);
        if many == 0 || missing <= 0 {
            return;
        }
        let share = (missing / many / 2).max(1);
        let before = missing;
        for place in 0..moments.len() {
            let (floor, ceiling) = bounds(moments, place, lasts);
            let one = &mut moments[place];
            let later = share.min(ceiling - one.end).min(missing).max(0);
            one.end += later;
            missing -= later;
            let earlier = share.min(one.start - floor).min(missing).max(0);
            one.start -= earlier;
            missing -= earlier;
        }
        if missing == before {
            return;
        }
    }
}

/// Returns the earliest start and the latest end of a moment: its neighbours of the same item, or the item's ends.
fn bounds(moments: &[Moment], place: usize, lasts: &impl Fn(&str) -> Option<i64>) -> (i64, i64) {
    let one = &moments[place];
    let same = |other: &&Moment| other.item == one.item;
    let before = place.checked_sub(1).and_then(|before| moments.get(before)).filter(same);
    let after = moments.get(place + 1).filter(same);
    let ends = lasts(&one.item).unwrap_or(one.end);
    (before.map_or(0, |other| other.end), after.map_or(ends, |other| other.start))
}

/// Moves the ends of scenes to borders of shots that are near. The film stays as long as it is: the start of the same
/// scene, or of another one, moves as far in the same direction, unless it lies on a border itself.
fn end_with_shots(moments: &mut [Moment], found: &[WordHit], lasts: &impl Fn(&str) -> Option<i64>) {
    for place in 0..moments.len() {
        let (_, ceiling) = bounds(moments, place, lasts);
        let Some(later) = to_border(&moments[place], found, ceiling) else { continue };
        moments[place].end += later;
        let mut starts = std::iter::once(place).chain((0..moments.len()).filter(|other| *other != place));
        let gives = starts.find(|start| may_begin(moments, *start, later, found, lasts));
        match gives {
            Some(start) => moments[start].start += later,
            None => moments[place].end -= later,
        }
    }
}

/// Returns by how much the end moves to the nearest border before `ceiling`; `None` if it lies on one, or none is near.
/// No found place is cut off, and the scene does not become too short.
fn to_border(one: &Moment, found: &[WordHit], ceiling: i64) -> Option<i64> {
    let own = || found.iter().filter(|place| place.item == one.item);
    let cuts = |end: i64| own().any(|place| place.start >= one.start && place.end <= one.end && place.end > end);
    let fits = |end: &i64| *end <= ceiling && *end - one.start >= SHORTEST_MS && !cuts(*end);
    let near = borders(&one.item, found).filter(|border| (border - one.end).abs() <= NEAR_MS).filter(fits);
    near.map(|border| border - one.end).min_by_key(|later| later.abs()).filter(|later| *later != 0)
}

/// Whether this scene may begin `later` milliseconds later: it does not begin with a shot, no found place is cut off,
/// and it does not become too short or overlap the one before.
fn may_begin(
    moments: &[Moment],
    place: usize,
    later: i64,
    found: &[WordHit],
    lasts: &impl Fn(&str) -> Option<i64>,
) -> bool {
    let (one, (floor, _)) = (&moments[place], bounds(moments, place, lasts));
    let start = one.start + later;
    let is_found = |place: &WordHit| place.item == one.item && (one.start..start).contains(&place.start);
    let begins_with_shot = one.start == 0 || borders(&one.item, found).any(|border| border == one.start);
    !begins_with_shot && start >= floor && one.end - start >= SHORTEST_MS && !found.iter().any(is_found)
}

/// Returns the borders of an item's shots, as far as something was found in them.
fn borders<'a>(item: &'a str, found: &'a [WordHit]) -> impl Iterator<Item = i64> {
    let shots = found.iter().filter(move |place| place.item == item).filter_map(|place| place.shot);
    shots.flat_map(|(first, last)| [first, last])
}

/// Returns the indices of the words that were found.
pub fn words_found(found: &[WordHit]) -> BTreeSet<usize> {
    found.iter().map(|one| one.word).collect()
}

#[cfg(test)]
mod tests;
