//! Moves the starts and ends of moments to where nobody speaks: to where sentences end if such places are near and the
//! film stays as long as it is, if need be with fewer moments, and otherwise between words.
//!
//! A start or an end may lie anywhere in a pause, so a choice of pauses stands for all lengths from that of its closest
//! times to that of its widest ones. Of the choices that can be as long as the moments were, the nearest is looked for,
//! by one moment after the other. What is missing then, a second at most, is shown without its sound.

use super::{Footage, Moment, Pause, Stretch, move_ends, neighbours, total};

/// The largest distance, in milliseconds, by which a start or an end moves.
pub const REACH_MS: i64 = 15_000;
/// The shortest scene that a moment becomes, in milliseconds, unless it was shorter.
const LEAST_MS: i64 = 1_000;
/// The longest time, in milliseconds, for which a film is made longer by pictures without their sound.
const SILENT_MS: i64 = 1_000;
/// The most pauses that are tried for a start or an end: the nearest.
const MOST_TRIED: usize = 48;
/// The most moments that get other pauses, one after the other.
const ROUNDS: usize = 64;

/// Tells which stretch of a moment stays in it, whichever pauses it gets.
type Kept<'a> = &'a dyn Fn(&Moment) -> Stretch;

/// The pauses in which a moment begins and ends.
#[derive(Debug, Clone, Copy)]
struct Ends {
    start: Pause,
    end: Pause,
    /// The milliseconds by which its start and end move.
    away: i64,
    /// The fewest milliseconds that it should last.
    least: i64,
}

/// The pauses in which a moment may begin and end, the nearest first.
struct Room {
    wanted: (i64, i64),
    /// The latest end of its pictures.
    ceiling: i64,
    starts: Vec<Pause>,
    ends: Vec<Pause>,
}

/// Returns the moments with starts and ends where sentences end, wherever such places are near, and together as long as
/// before; `None` if that can't be.
pub(super) fn in_sentences(moments: Vec<Moment>, footage: &Footage<'_>) -> Option<Vec<Moment>> {
    if !knows_pauses(&moments, footage) {
        return Some(moments);
    }
    let (rooms, length) = (rooms(&moments, footage, &|one| footage.found_in(one)), total(&moments));
    let ends = fitting(&rooms, length, &[true])?;
    Some(settled(moments, &rooms, &ends, length))
}

/// Returns the moments with starts and ends in pauses, together as long as before. Where that can't be without losing a
/// word that was found in them, they stay as they are.
pub fn in_pauses(moments: Vec<Moment>, footage: &Footage<'_>) -> Vec<Moment> {
    if !knows_pauses(&moments, footage) {
        return moments;
    }
    let (length, words) = (total(&moments), footage.words_in(&moments));
    // What was found may be longer than the pauses allow: then the best of it is shown, or else some of each word.
    let tries: [Kept<'_>; 3] =
        [&|one| footage.found_in(one), &|one| footage.best_in(one), &|one| (one.start, one.start)];
    let moved = tries.into_iter().find_map(|kept| {
        let rooms = rooms(&moments, footage, kept);
        let ends = fitting(&rooms, length, &[true, false])?;
        Some(settled(moments.clone(), &rooms, &ends, length))
            .filter(|moved| footage.words_in(moved).is_superset(&words))
    });
    moved.unwrap_or(moments)
}

/// Returns the moments, each with its start and its end in the nearest pauses, at best where sentences end. Together
/// they may be longer or shorter than before.
pub fn each_in_pauses(mut moments: Vec<Moment>, footage: &Footage<'_>) -> Vec<Moment> {
    if !knows_pauses(&moments, footage) {
        return moments;
    }
    let rooms = rooms(&moments, footage, &|one| footage.found_in(one));
    for (one, room) in moments.iter_mut().zip(&rooms) {
        let nearest = room.options(true).into_iter().find(|ends| ends.longest() >= ends.least);
        if let Some(ends) = nearest {
            (one.start, one.end) = ends.nearest(one.start, one.end);
        }
    }
    moments
}

/// Whether the pauses of some of the moments' items are known.
pub(super) fn knows_pauses(moments: &[Moment], footage: &Footage<'_>) -> bool {
    moments.iter().any(|one| footage.pauses.contains_key(&one.item))
}

fn rooms(moments: &[Moment], footage: &Footage<'_>, kept: Kept<'_>) -> Vec<Room> {
    (0..moments.len()).map(|place| Room::of(moments, place, footage, kept)).collect()
}

impl Ends {
    /// Returns the length from its earliest start to its latest end.
    const fn longest(&self) -> i64 {
        self.end.end - self.start.start
    }

    /// Returns the length from its latest start to its earliest end, or the least.
    fn shortest(&self) -> i64 {
        (self.end.start - self.start.end).max(self.least.min(self.longest()))
    }

    /// Returns the start and end in its pauses that are nearest to these and not too close to each other.
    fn nearest(&self, start: i64, end: i64) -> (i64, i64) {
        let start = start.clamp(self.start.start, self.start.end);
        let end = end.clamp(self.end.start, self.end.end).max(start + self.least).min(self.end.end);
        (start.min(end - self.least).max(self.start.start), end)
    }
}

impl Room {
    fn of(moments: &[Moment], place: usize, footage: &Footage<'_>, kept: Kept<'_>) -> Self {
        let one = &moments[place];
        let pauses = footage.pauses_of(&one.item);
        let border = |first: &Moment, second: &Moment| {
            border(&pauses, kept(first).1, kept(second).0, i64::midpoint(first.end, second.start))
        };
        let (before, after) = neighbours(moments, place);
        let (floor, ceiling) = footage.room_of(one);
        let floor = before.map_or(floor, |before| border(before, one).max(floor));
        let ceiling = after.map_or(ceiling, |after| border(one, after).min(ceiling));
        let (first, last) = kept(one);
        Self {
            wanted: (one.start, one.end),
            ceiling,
            starts: near(&pauses, floor, first, one.start),
            ends: near(&pauses, last, ceiling, one.end),
        }
    }

    /// Returns the pairs of pauses that the moment may have, the nearest first; where sentences end, if it is to.
    fn options(&self, in_sentences: bool) -> Vec<Ends> {
        let tried = |all: &[Pause]| -> Vec<Pause> {
            let at_ends = all.iter().any(|pause| pause.is_end) && in_sentences;
            all.iter().filter(|pause| pause.is_end || !at_ends).take(MOST_TRIED).copied().collect()
        };
        let (starts, ends, wanted) = (tried(&self.starts), tried(&self.ends), self.wanted);
        let least = LEAST_MS.min(wanted.1 - wanted.0);
        let mut options: Vec<Ends> = Vec::new();
        for start in starts {
            let to = |end: &Pause| Ends { start, end: *end, away: start.away(wanted.0) + end.away(wanted.1), least };
            options.extend(ends.iter().map(to));
        }
        if options.iter().any(|one| one.longest() >= least) {
            options.retain(|one| one.longest() >= least);
        }
        options.sort_by_key(|one| one.away);
        options
    }
}

/// Returns where two moments of an item may meet: in a pause between `from` and `to`, at best where a sentence ends,
/// and as near as possible.
fn border(pauses: &[Pause], from: i64, to: i64, wanted: i64) -> i64 {
    let between = pauses.iter().filter_map(|pause| pause.within(from, to));
    let best = between.min_by_key(|pause| (!pause.is_end, pause.away(wanted)));
    best.map_or(wanted, |pause| wanted.clamp(pause.start, pause.end))
}

/// Returns the pauses from `from` to `to` that are near to the time `wanted`, the nearest first; that time if none is.
fn near(pauses: &[Pause], from: i64, to: i64, wanted: i64) -> Vec<Pause> {
    let within = pauses.iter().filter_map(|pause| pause.within(from, to));
    let mut near: Vec<Pause> = within.filter(|pause| pause.away(wanted) <= REACH_MS).collect();
    near.sort_by_key(|pause| pause.away(wanted));
    if near.is_empty() {
        let stays = wanted.min(to).max(from);
        near.push(Pause { start: stays, end: stays, is_end: false });
    }
    near
}

/// Returns pauses with which the moments last `length` milliseconds, or up to [`SILENT_MS`] less; `None` if there are
/// none. Each of `tries` says whether only pauses where sentences end are tried.
fn fitting(rooms: &[Room], length: i64, tries: &[bool]) -> Option<Vec<Ends>> {
    let mut ends: Vec<Ends> = Vec::new();
    for in_sentences in tries {
        let options: Vec<Vec<Ends>> = rooms.iter().map(|room| room.options(*in_sentences)).collect();
        if ends.is_empty() {
            ends = options.iter().filter_map(|options| options.first().copied()).collect();
        }
        improve(&mut ends, &options, length);
        let goes_on: i64 = rooms.iter().zip(&ends).map(|(room, ends)| room.ceiling - ends.end.end).sum();
        let (shortest, longest) = lengths(&ends);
        let (is_too_long, missing) = misses(shortest, longest, length);
        if !is_too_long && missing <= SILENT_MS.min(goes_on) {
            return Some(ends);
        }
    }
    None
}

/// Changes the pauses of one moment after the other, each time those that bring the film nearest to its length.
fn improve(ends: &mut [Ends], options: &[Vec<Ends>], length: i64) {
    for _ in 0..ROUNDS {
        let (shortest, longest) = lengths(ends);
        let now = misses(shortest, longest, length);
        if now == (false, 0) {
            return;
        }
        let changes = options.iter().enumerate().flat_map(|(place, some)| some.iter().map(move |one| (place, *one)));
        let tried = changes.map(|(place, one)| {
            let old = &ends[place];
            let (shortest, longest) =
                (shortest - old.shortest() + one.shortest(), longest - old.longest() + one.longest());
            (misses(shortest, longest, length), one.away, place, one)
        });
        match tried.min_by_key(|(missed, away, place, _)| (*missed, *away, *place)) {
            Some((missed, _, place, one)) if missed < now => ends[place] = one,
            _ => return,
        }
    }
}

/// Returns the shortest and the longest that moments with these pauses are together.
fn lengths(ends: &[Ends]) -> (i64, i64) {
    (ends.iter().map(Ends::shortest).sum(), ends.iter().map(Ends::longest).sum())
}

/// Returns whether films of these lengths are all longer than `length`, and by how much the nearest one misses it.
fn misses(shortest: i64, longest: i64, length: i64) -> (bool, i64) {
    if shortest > length { (true, shortest - length) } else { (false, (length - longest).max(0)) }
}

/// Returns the moments with starts and ends in their pauses, together `length` milliseconds long.
fn settled(mut moments: Vec<Moment>, rooms: &[Room], ends: &[Ends], length: i64) -> Vec<Moment> {
    for (one, ends) in moments.iter_mut().zip(ends) {
        (one.start, one.end) = ends.nearest(one.start, one.end);
    }
    let more = length - total(&moments);
    if more < 0 {
        let closest = moments.iter().zip(ends).map(|(one, ends)| {
            let (start, end) = ends.nearest(ends.start.end, ends.end.start);
            (start.max(one.start), end.min(one.end))
        });
        let closest: Vec<(i64, i64)> = closest.collect();
        move_ends(&mut moments, -more, |_, place| closest[place]);
        return moments;
    }
    let mut silent = move_ends(&mut moments, more, |_, place| (ends[place].start.start, ends[place].end.end));
    // The last scene fades out, so it is the first to go on without its sound.
    for (one, room) in moments.iter_mut().zip(rooms).rev() {
        one.silent = silent.min(room.ceiling - one.end);
        one.end += one.silent;
        silent -= one.silent;
    }
    moments
}
