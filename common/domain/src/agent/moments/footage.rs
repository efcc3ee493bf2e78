//! What moments are chosen from: the places where words were found, the pauses between words, and the stretches that
//! are left out.

use super::{Moment, Pause};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

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

impl<'a> Footage<'a> {
    pub(super) fn lasts(&self, item: &str) -> Option<i64> {
        (self.lasts)(item)
    }

    /// Returns an item's pauses; one from its start to its end where its words are not known.
    pub(super) fn pauses_of(&self, item: &str) -> Cow<'a, [Pause]> {
        let whole = || vec![Pause { start: 0, end: self.lasts(item).unwrap_or(0), is_end: true }];
        self.pauses.get(item).map_or_else(|| whole().into(), |known| known.as_slice().into())
    }

    /// Returns from when to when something was found in a moment; its start if nothing was found.
    pub(super) fn found_in(&self, one: &Moment) -> (i64, i64) {
        let is_in = |place: &&WordHit| place.item == one.item && place.start >= one.start && place.end <= one.end;
        let start = self.found.iter().filter(is_in).map(|place| place.start).min().unwrap_or(one.start);
        let end = self.found.iter().filter(is_in).map(|place| place.end).max().unwrap_or(start);
        (start, end.max(start))
    }

    /// Returns from when to when the best of what was found in a moment is; its start if nothing was found.
    pub(super) fn best_in(&self, one: &Moment) -> Stretch {
        let is_in = |place: &&WordHit| place.item == one.item && place.start >= one.start && place.end <= one.end;
        let best = self.found.iter().filter(is_in).max_by_key(|place| (place.score, Reverse(place.start)));
        best.map_or((one.start, one.start), |place| (place.start, place.end.max(place.start)))
    }

    /// Returns the indices of the words that were found in what is heard of these moments.
    pub(super) fn words_in(&self, moments: &[Moment]) -> BTreeSet<usize> {
        let is_in = |place: &WordHit, one: &Moment| {
            place.item == one.item && one.start <= place.start && place.end <= one.end - one.silent
        };
        let shown = self.found.iter().filter(|place| moments.iter().any(|one| is_in(place, one)));
        shown.map(|place| place.word).collect()
    }

    /// Returns the stretch of an item from what is left out before these times to what is left out after them; `None`
    /// if some of it is between them.
    pub(super) fn room(&self, item: &str, start: i64, end: i64) -> Option<Stretch> {
        let apart = self.apart.get(item).map(Vec::as_slice).unwrap_or_default();
        if apart.iter().any(|one| one.0 < end && start < one.1) {
            return None;
        }
        let floor = apart.iter().map(|one| one.1).filter(|floor| *floor <= start).max();
        let ceiling = apart.iter().map(|one| one.0).filter(|ceiling| *ceiling >= end).min();
        Some((floor.unwrap_or(0), ceiling.or_else(|| self.lasts(item)).unwrap_or(end)))
    }

    /// Returns how far a moment's start and end may move without showing what is left out.
    pub(super) fn room_of(&self, one: &Moment) -> Stretch {
        self.room(&one.item, one.start, one.end).unwrap_or((one.start, one.end))
    }

    /// Whether these times of an item are in the same pause.
    pub(super) fn is_one_pause(&self, item: &str, one: i64, other: i64) -> bool {
        self.pauses_of(item).iter().any(|pause| pause.away(one) == 0 && pause.away(other) == 0)
    }
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
