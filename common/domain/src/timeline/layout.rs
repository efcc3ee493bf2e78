//! Places the scenes of a timeline in time.
//!
//! Scenes follow each other. A scene that dissolves into the next overlaps with it for the dissolve's duration, but for
//! no more than half of the shorter: so never three scenes are visible at once, whatever is moved or cut.

use super::{Micros, Timeline};

/// The place of a scene in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// Its start in the timeline.
    pub start: Micros,
    /// Its end in the timeline.
    pub end: Micros,
    /// The time in which it overlaps with the scene before it.
    pub overlap: Micros,
}

impl Timeline {
    /// Returns the place of each scene, in order.
    pub fn placed(&self) -> Vec<Placed> {
        self.places().collect()
    }

    fn places(&self) -> impl Iterator<Item = Placed> {
        self.scenes.iter().scan(None, |last: &mut Option<Placed>, scene| {
            let before = *last;
            let overlap = before.map_or(0, |before| {
                let half = (before.end.0 - before.start.0).min(scene.duration.0) / 2;
                scene.crossfade.0.min(half)
            });
            let start = before.map_or(0, |before| before.end.0) - overlap;
            let end = Micros(start + scene.duration.0);
            *last = Some(Placed { start: Micros(start), end, overlap: Micros(overlap) });
            *last
        })
    }

    /// Returns its duration: to the end of the last scene; without scenes, to the end of the last sound.
    pub fn duration(&self) -> Micros {
        match self.places().last() {
            Some(last) => last.end,
            None => self.sounds().map(|track| Micros(track.offset.0 + track.duration.0)).max().unwrap_or_default(),
        }
    }
}
