//! Applies operations to the overlays of a timeline: adding, updating and removing one.

use super::apply::{free_id, unknown};
use super::ops::OverlayFields;
use super::{MOST_OVERLAYS, Micros, Overlay, OverlayKind, Ratio, SHORTEST, Sources, TextStyle, Timeline};

impl Timeline {
    pub(super) fn add_overlay(&mut self, mut given: OverlayFields, sources: &Sources) -> Result<(), String> {
        if self.overlays.len() >= MOST_OVERLAYS {
            return Err(format!("a timeline has at most {MOST_OVERLAYS} overlays"));
        }
        let taken = self.overlays.iter().map(|overlay| overlay.id.as_str());
        let id = free_id("overlay", given.overlay_id.take(), taken)?;
        let usual = if given.text.is_some() { OverlayKind::Text } else { OverlayKind::Image };
        let start = given.start.unwrap_or_default();
        let rest = Micros((self.duration().0 - start.0).max(SHORTEST.0));
        let empty = Overlay {
            id,
            kind: given.kind.unwrap_or(usual),
            item: None,
            text: None,
            start,
            duration: rest,
            x: Ratio(0),
            y: Ratio(0),
            width: Ratio::ONE,
            height: Ratio::ONE,
            opacity: Ratio::ONE,
            style: TextStyle::default(),
        };
        self.overlays.push(empty.with(given, sources)?);
        Ok(())
    }

    pub(super) fn update_overlay(&mut self, mut given: OverlayFields, sources: &Sources) -> Result<(), String> {
        let id = given.overlay_id.take().ok_or("missing field `overlay_id`")?;
        let at = self.overlay(&id)?;
        self.overlays[at] = self.overlays[at].clone().with(given, sources)?;
        Ok(())
    }

    pub(super) fn remove_overlay(&mut self, id: &str) -> Result<(), String> {
        let at = self.overlay(id)?;
        self.overlays.remove(at);
        Ok(())
    }

    fn overlay(&self, id: &str) -> Result<usize, String> {
        self.overlays.iter().position(|overlay| overlay.id == id).ok_or_else(|| unknown("overlay", id))
    }
}
