//! What an edit counts of a timeline's scenes: their ids and their items. Both are counted once, and kept up to date by
//! each operation, so that a long edit of a long timeline does not look through all scenes again and again.

use super::{MOST_ITEMS, Scene, Timeline};
use crate::ids::ItemId;
use crate::part_ids::PartIds;
use std::collections::{HashMap, HashSet};

/// The ids and the items of a timeline's scenes.
#[derive(Debug, Clone)]
pub struct SceneCounts {
    pub(super) ids: PartIds,
    /// How many scenes name each item.
    items: HashMap<ItemId, usize>,
}

impl SceneCounts {
    /// Counts the scenes of this timeline.
    pub fn of(timeline: &Timeline) -> Self {
        let ids = PartIds::of("scene", timeline.scenes.iter().map(|scene| scene.id.as_str()));
        let mut items: HashMap<ItemId, usize> = HashMap::new();
        for item in timeline.scenes.iter().filter_map(|scene| scene.item) {
            *items.entry(item).or_default() += 1;
        }
        Self { ids, items }
    }

    /// Whether the timeline names more items than one may.
    pub(super) fn has_too_many_items(&self, timeline: &Timeline) -> bool {
        let overlays = timeline.overlays.iter().filter_map(|overlay| overlay.item);
        let others = timeline.sounds().map(|track| track.item).chain(overlays);
        let others: HashSet<ItemId> = others.filter(|item| !self.items.contains_key(item)).collect();
        self.items.len() + others.len() > MOST_ITEMS
    }
}

impl Timeline {
    pub(super) fn put_scene(&mut self, at: usize, scene: Scene, counted: &mut SceneCounts) {
        counted.ids.take(&scene.id);
        if let Some(item) = scene.item {
            *counted.items.entry(item).or_default() += 1;
        }
        self.scenes.insert(at.min(self.scenes.len()), scene);
    }

    pub(super) fn take_scene(&mut self, at: usize, counted: &mut SceneCounts) -> Scene {
        let scene = self.scenes.remove(at);
        counted.ids.release(&scene.id);
        if let Some(item) = scene.item
            && let Some(scenes) = counted.items.get_mut(&item)
        {
            *scenes -= 1;
            if *scenes == 0 {
                counted.items.remove(&item);
            }
        }
        scene
    }
}
