//! What stands when in a timeline.
//!
//! Scenes follow each other; where one dissolves into the next, they overlap by as long as that takes, and no more than
//! half of the shorter: so no three scenes are ever seen at once, whatever is moved or cut.

use super::{Micros, Timeline};

/// A scene in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// When it begins.
    pub start: Micros,
    /// When it ends.
    pub end: Micros,
    /// How long it overlaps with the scene before it.
    pub overlap: Micros,
}

impl Timeline {
    /// Each scene in its place.
    pub fn placed(&self) -> Vec<Placed> {
        let mut placed: Vec<Placed> = Vec::with_capacity(self.scenes.len());
        for scene in &self.scenes {
            let before = placed.last().copied();
            let overlap = before.map_or(0, |before| {
                let half = (before.end.0 - before.start.0).min(scene.duration.0) / 2;
                scene.crossfade.0.min(half)
            });
            let start = before.map_or(0, |before| before.end.0) - overlap;
            let end = Micros(start + scene.duration.0);
            placed.push(Placed { start: Micros(start), end, overlap: Micros(overlap) });
        }
        placed
    }

    /// How long it lasts: as its scenes do, or without any as what is heard.
    pub fn duration(&self) -> Micros {
        match self.placed().last() {
            Some(last) => last.end,
            None => self.sounds().map(|track| Micros(track.offset.0 + track.duration.0)).max().unwrap_or_default(),
        }
    }
}
