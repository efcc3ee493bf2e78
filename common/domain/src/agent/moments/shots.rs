//! Ends scenes with the shots that they show, so that no picture of the next shot flashes up.

use super::{Footage, Moment, SHORTEST_MS, WordHit, bounds};

/// The largest distance, in milliseconds, by which a scene's end moves to the border of a shot.
const NEAR_MS: i64 = 500;

/// Moves the ends of scenes to borders of shots that are near. The film stays as long as it is: the start of the same
/// scene, or of another one, moves as far in the same direction, unless it lies on a border itself. Both stay in their
/// pauses.
pub(super) fn end_with_shots(moments: &mut [Moment], footage: &Footage<'_>) {
    for place in 0..moments.len() {
        let (_, ceiling) = bounds(moments, place, footage);
        let Some(later) = to_border(&moments[place], footage, ceiling) else { continue };
        moments[place].end += later;
        let mut starts = std::iter::once(place).chain((0..moments.len()).filter(|other| *other != place));
        let gives = starts.find(|start| may_begin(moments, *start, later, footage));
        match gives {
            Some(start) => moments[start].start += later,
            None => moments[place].end -= later,
        }
    }
}

/// Returns by how much the end moves to the nearest border before `ceiling`; `None` if it lies on one, or none is near.
/// No found place is cut off, and the scene does not become too short. One that goes on without its sound ends where it
/// does.
fn to_border(one: &Moment, footage: &Footage<'_>, ceiling: i64) -> Option<i64> {
    if one.silent > 0 {
        return None;
    }
    let found = footage.found;
    let own = || found.iter().filter(|place| place.item == one.item);
    let cuts = |end: i64| own().any(|place| place.start >= one.start && place.end <= one.end && place.end > end);
    let fits = |end: &i64| *end <= ceiling && *end - one.start >= SHORTEST_MS && !cuts(*end);
    let near = borders(&one.item, found).filter(|border| (border - one.end).abs() <= NEAR_MS).filter(fits);
    let near = near.filter(|border| footage.is_one_pause(&one.item, one.end, *border));
    near.map(|border| border - one.end).min_by_key(|later| later.abs()).filter(|later| *later != 0)
}

/// Whether this scene may begin `later` milliseconds later: it does not begin with a shot, no found place is cut off,
/// and it does not become too short, overlap the one before or leave its pause.
fn may_begin(moments: &[Moment], place: usize, later: i64, footage: &Footage<'_>) -> bool {
    let (one, (floor, _)) = (&moments[place], bounds(moments, place, footage));
    let found = footage.found;
    let start = one.start + later;
    let is_found = |place: &WordHit| place.item == one.item && (one.start..start).contains(&place.start);
    let begins_with_shot = one.start == 0 || borders(&one.item, found).any(|border| border == one.start);
    let is_free = start >= floor && one.end - start >= SHORTEST_MS && !found.iter().any(is_found);
    !begins_with_shot && is_free && footage.is_one_pause(&one.item, one.start, start)
}

/// Returns the borders of an item's shots, as far as something was found in them.
fn borders<'a>(item: &'a str, found: &'a [WordHit]) -> impl Iterator<Item = i64> {
    let shots = found.iter().filter(move |place| place.item == item).filter_map(|place| place.shot);
    shots.flat_map(|(first, last)| [first, last])
}
