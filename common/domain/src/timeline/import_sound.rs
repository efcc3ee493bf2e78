//! Imports the sounds of a timeline: clips of audio tracks become the voiceover, the music or other tracks.

use super::import::Imported;
use super::otio::{OURS, TimeRange};
use super::otio_parts::{children, is_enabled, item_of, schema, text, warning_name};
use super::{MOST_TRACKS, Micros, SHORTEST, Sources};
use crate::ids::ItemId;
use serde_json::{Value, json};

impl Imported {
    /// The clips of a track as sounds.
    pub(super) fn sound(&mut self, track: &Value, sources: &Sources) -> Result<(), String> {
        let kept = &track["metadata"][OURS];
        let mut at = Micros::ZERO;
        for child in children(track) {
            if schema(child) == "Transition" {
                continue;
            }
            let Some(range) = self.source_range(child)? else { continue };
            let begins = at;
            at = Micros(at.0.saturating_add(range.duration.0));
            let is_heard =
                |item: &ItemId| is_enabled(child) && sources.get(item).is_some_and(|source| source.media.has_audio);
            let Some(item) = item_of(child).filter(is_heard) else {
                if schema(child) != "Gap" {
                    let name = warning_name(&child["name"]);
                    let why = if is_enabled(child) { "no sound of this workspace" } else { "switched off" };
                    self.warn(format!("`{name}` is left out: it is {why}."));
                }
                continue;
            };
            if self.tracks >= MOST_TRACKS {
                self.warn(format!("`{}` is left out: there are too many tracks.", warning_name(&child["name"])));
                continue;
            }
            let TimeRange { start, duration } = self.within(child, range, sources.get(&item));
            if duration < SHORTEST {
                continue;
            }
            let mut op = json!({
                "item_id": item, "start": start.seconds(), "offset": begins.seconds(), "duration": duration.seconds(),
            });
            for field in ["volume", "fade_in", "fade_out"].into_iter().filter(|field| !kept[field].is_null()) {
                op[field] = kept[field].clone();
            }
            if let Some(down) = kept["duck"]["down"].as_f64() {
                op["duck_under_voice"] = true.into();
                op["duck_db"] = (down / 100.0).into();
                op["attack_ms"] = kept["duck"]["attack_ms"].clone();
                op["release_ms"] = kept["duck"]["release_ms"].clone();
            }
            let slot = text(&kept["id"]).filter(|id| id == "voiceover" || id == "music");
            if let Some(slot) = slot.filter(|slot| !self.ops.iter().any(|op| op["slot"] == slot.as_str())) {
                (op["op"], op["slot"]) = ("set_audio".into(), slot.into());
            } else {
                self.tracks += 1;
                op["op"] = "add_track".into();
                let id = text(&kept["id"]).filter(|id| id != "voiceover" && id != "music");
                if let Some(id) = id.filter(|id| !self.ops.iter().any(|op| op["track_id"] == id.as_str())) {
                    op["track_id"] = id.into();
                }
            }
            self.ops.push(op);
        }
        Ok(())
    }
}
