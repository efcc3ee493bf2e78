//! Writes a timeline's scenes as an edit decision list (EDL) of CMX 3600, which every editor reads: cuts and dissolves
//! of one picture track, in whole frames.
//!
//! [`left_out`] names what the list can't hold. Timecodes are always non-drop-frame.

use super::otio::ITEM;
use super::{Micros, Names, Scene, Timeline};
use crate::media_time::FrameRate;
use std::fmt::Write;

/// The most events of a list: their numbers have three digits.
pub const MOST_EVENTS: usize = 999;
/// The most characters of a name in a comment.
const NAME: usize = 80;

/// Returns the list; `None` if there are more scenes than it can number. `names` are the names of items.
pub fn edl(title: &str, timeline: &Timeline, names: &Names) -> Option<String> {
    if timeline.scenes.len() > MOST_EVENTS {
        return None;
    }
    let rate = timeline.fps;
    let code = |frame: i64| timecode(frame, rate);
    let mut list = format!("TITLE: {}\nFCM: NON-DROP FRAME\n", plain(title));
    let placed = timeline.placed();
    let name = |scene: &Scene| {
        let called = scene.item.and_then(|item| names.get(&item));
        plain(called.map_or(scene.id.as_str(), String::as_str))
    };
    for (index, (scene, place)) in timeline.scenes.iter().zip(&placed).enumerate() {
        let (first, end) = (rate.nearest(place.start.0), rate.nearest(place.end.0));
        // In the list, a scene that dissolves ends where the next one begins.
        let next = placed.get(index + 1).map_or(end, |next| rate.nearest(next.start.0));
        let from = rate.nearest(scene.start.0);
        let number = index + 1;
        let overlap = rate.nearest(place.start.0 + place.overlap.0) - first;
        let reel = if scene.item.is_some() { "AX" } else { "BL" };
        let before = index.checked_sub(1).and_then(|before| timeline.scenes.get(before).zip(placed.get(before)));
        let into = Event { from, until: from + next - first, at: first, end: next };
        // Writing to a text can't fail.
        let _ = match before.filter(|_| overlap > 0) {
            None => write!(list, "\n{number:03}  {reel:<8} V     C        {}\n", into.codes(code)),
            Some((before, its)) => {
                let at = rate.nearest(before.start.0) + first - rate.nearest(its.start.0);
                let reel_before = if before.item.is_some() { "AX" } else { "BL" };
                let out = Event { from: at, until: at, at: first, end: first }.codes(code);
                let dissolve = into.codes(code);
                write!(
                    list,
                    "\n{number:03}  {reel_before:<8} V     C        {out}\n\
                     {number:03}  {reel:<8} V     D    {overlap:03} {dissolve}\n* FROM CLIP NAME: {}\n",
                    name(before)
                )
            }
        };
        let label = if overlap > 0 && before.is_some() { "TO" } else { "FROM" };
        let _ = writeln!(list, "* {label} CLIP NAME: {}", name(scene));
        if let Some(item) = scene.item {
            // An import finds the item by this line.
            let _ = writeln!(list, "* {label} CLIP: {ITEM}{item}");
        }
    }
    Some(list)
}

/// A range of source frames and its place in the list, in frames.
#[derive(Debug, Clone, Copy)]
struct Event {
    /// Its first frame in the source.
    from: i64,
    /// The frame after its last one.
    until: i64,
    /// Its first frame in the list.
    at: i64,
    /// The frame after its last one.
    end: i64,
}

impl Event {
    /// Returns its four timecodes.
    fn codes(self, code: impl Fn(i64) -> String) -> String {
        [self.from, self.until, self.at, self.end].map(code).join(" ")
    }
}

/// Returns the timecode of a frame: hours, minutes, seconds and frames.
fn timecode(frame: i64, rate: FrameRate) -> String {
    let nominal = i64::from(rate.frames().div_ceil(rate.seconds()));
    let seconds = frame / nominal;
    format!("{:02}:{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60, frame % nominal)
}

/// Returns the name on one line, in ASCII that every editor reads.
fn plain(name: &str) -> String {
    let letters = name.chars().map(|letter| if letter.is_ascii_graphic() || letter == ' ' { letter } else { '_' });
    letters.take(NAME).collect()
}

/// Returns the parts of a timeline that its list does not hold, in whole sentences.
pub fn left_out(timeline: &Timeline) -> Vec<String> {
    let mut left = Vec::new();
    let mut say = |is_so: bool, what: &str| {
        if is_so {
            left.push(format!("An EDL has no place for {what}: they are left out."));
        }
    };
    say(timeline.sounds().next().is_some(), "sound tracks");
    say(!timeline.overlays.is_empty(), "overlays");
    say(timeline.captions.is_some(), "captions");
    let fades = |scene: &Scene| scene.fade_in > Micros::ZERO || scene.fade_out > Micros::ZERO;
    say(timeline.scenes.iter().any(fades), "fades");
    left
}
