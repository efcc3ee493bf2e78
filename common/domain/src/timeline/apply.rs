//! Applies one operation to a timeline. An error is in words; the caller then keeps the timeline as it was.

use super::counted::SceneCounts;
use super::fields;
use super::ops::{AudioFields, AudioSlot, SceneFields, TimelineOp};
use super::parts::{kind_of, new_track};
use super::{
    LONGEST, MOST_ITEMS, MOST_SCENES, MOST_SKILLS, MOST_TRACKS, Micros, SHORTEST, Scene, SceneKind, Sources, Timeline,
};
use crate::document::unknown_id;
use crate::part_ids;
use crate::pixels::PictureSize;

/// The word for a timeline in refusals.
const NOUN: &str = "timeline";

impl Timeline {
    /// Applies one operation. `sources` has the items that it may name.
    ///
    /// # Errors
    /// Why it can't be applied, in words.
    pub fn apply(&mut self, op: TimelineOp, sources: &Sources) -> Result<(), String> {
        let mut counted = SceneCounts::of(self);
        self.apply_next(op, sources, &mut counted)
    }

    /// Applies one of several operations. `counted` is of this timeline, and is kept up to date; after an error neither
    /// is to be used.
    ///
    /// # Errors
    /// As [`Self::apply`].
    pub fn apply_next(&mut self, op: TimelineOp, sources: &Sources, counted: &mut SceneCounts) -> Result<(), String> {
        match op {
            TimelineOp::AddScene(fields) => self.add_scene(*fields, sources, counted)?,
            TimelineOp::UpdateScene(fields) => self.update_scene(*fields, sources, counted)?,
            TimelineOp::MoveScene { scene_id, position } => self.move_scene(&scene_id, position)?,
            TimelineOp::RemoveScene { scene_id } => {
                let at = self.scene(&scene_id)?;
                self.take_scene(at, counted);
            }
            TimelineOp::SplitScene { scene_id, at, new_scene_id } => {
                self.split_scene(&scene_id, at, new_scene_id, counted)?;
            }
            TimelineOp::SetAudio {
                slot,
                item_id,
                start,
                offset,
                duration,
                volume,
                fade_in,
                fade_out,
                duck_under_voice,
                duck_db,
                attack_ms,
                release_ms,
            } => {
                let fields = AudioFields {
                    track_id: None,
                    item_id,
                    start,
                    offset,
                    duration,
                    volume,
                    fade_in,
                    fade_out,
                    duck_under_voice,
                    duck_db,
                    attack_ms,
                    release_ms,
                };
                self.set_audio(slot, &fields, sources)?;
            }
            TimelineOp::AddTrack(fields) => self.add_track(*fields, sources)?,
            TimelineOp::UpdateTrack(fields) => self.update_track(*fields, sources)?,
            TimelineOp::RemoveTrack { track_id } => self.remove_track(&track_id)?,
            TimelineOp::AddOverlay(fields) => self.add_overlay(*fields, sources)?,
            TimelineOp::UpdateOverlay(fields) => self.update_overlay(*fields, sources)?,
            TimelineOp::RemoveOverlay { overlay_id } => self.remove_overlay(&overlay_id)?,
            TimelineOp::SetCaptions { captions } => {
                captions.as_ref().map_or(Ok(()), fields::captions)?;
                self.captions = captions;
            }
            TimelineOp::SetFormat { width, height, aspect_ratio, fps } => {
                self.set_format(width, height, aspect_ratio.as_deref(), fps)?;
            }
            TimelineOp::SetDetails { language, skills, variant_of } => {
                self.language = fields::line("language", language, self.language.take())?;
                self.variant_of = variant_of.or(self.variant_of);
                self.skills = skills.map_or_else(|| Ok(std::mem::take(&mut self.skills)), checked_skills)?;
            }
        }
        self.within_bounds(counted)
    }

    /// Checks the limits of the timeline as a whole.
    fn within_bounds(&self, counted: &SceneCounts) -> Result<(), String> {
        if self.duration() > LONGEST {
            return Err(format!("the timeline would be longer than {} seconds", LONGEST.seconds()));
        }
        if counted.has_too_many_items(self) {
            return Err(format!("a timeline names at most {MOST_ITEMS} items"));
        }
        Ok(())
    }

    fn add_scene(&mut self, given: SceneFields, sources: &Sources, counted: &mut SceneCounts) -> Result<(), String> {
        if self.scenes.len() >= MOST_SCENES {
            return Err(format!("a timeline has at most {MOST_SCENES} scenes"));
        }
        let id = counted.ids.choose(NOUN, given.scene_id.clone())?;
        let kind = given.kind.map_or_else(|| kind_of(&given, sources), Ok)?;
        let position = given.position.unwrap_or(usize::MAX);
        let scene = Scene::empty(id, kind).with(given, sources)?;
        self.put_scene(position, scene, counted);
        Ok(())
    }

    fn update_scene(
        &mut self,
        mut given: SceneFields,
        sources: &Sources,
        counted: &mut SceneCounts,
    ) -> Result<(), String> {
        let id = given.scene_id.take().ok_or("missing field `scene_id`")?;
        let at = self.scene(&id)?;
        let position = given.position.take();
        let kept = self.take_scene(at, counted);
        let kind = given.kind.unwrap_or(kept.kind);
        let scene = Scene { kind, ..kept }.with(given, sources)?;
        self.put_scene(position.unwrap_or(at), scene, counted);
        Ok(())
    }

    fn move_scene(&mut self, id: &str, position: usize) -> Result<(), String> {
        let at = self.scene(id)?;
        let scene = self.scenes.remove(at);
        self.scenes.insert(position.min(self.scenes.len()), scene);
        Ok(())
    }

    fn split_scene(
        &mut self,
        id: &str,
        at: Micros,
        new_id: Option<String>,
        counted: &mut SceneCounts,
    ) -> Result<(), String> {
        if self.scenes.len() >= MOST_SCENES {
            return Err(format!("a timeline has at most {MOST_SCENES} scenes"));
        }
        let place = self.scene(id)?;
        let new_id = counted.ids.choose(NOUN, new_id)?;
        let whole = &mut self.scenes[place];
        let left = Micros(whole.duration.0 - at.0);
        if at < SHORTEST || left < SHORTEST {
            return Err(format!("`at`: expected a moment within the scene's {} seconds", whole.duration.seconds()));
        }
        let start = if whole.kind == SceneKind::Clip { Micros(whole.start.0 + at.0) } else { whole.start };
        let second = Scene {
            id: new_id,
            start,
            duration: left,
            fade_in: Micros::ZERO,
            crossfade: Micros::ZERO,
            fade_out: whole.fade_out.min(left),
            ..whole.clone()
        };
        whole.duration = at;
        whole.fade_in = whole.fade_in.min(at);
        whole.fade_out = Micros::ZERO;
        self.put_scene(place + 1, second, counted);
        Ok(())
    }

    fn set_audio(&mut self, slot: AudioSlot, given: &AudioFields, sources: &Sources) -> Result<(), String> {
        let (place, id) = match slot {
            AudioSlot::Voiceover => (&mut self.audio.voiceover, "voiceover"),
            AudioSlot::Music => (&mut self.audio.music, "music"),
        };
        *place = None;
        if given.item_id.is_some() {
            *place = Some(new_track(id.to_owned(), given, sources)?);
        } else if *given != AudioFields::default() {
            return Err("missing field `ref`: alone, `slot` removes what is there".to_owned());
        }
        Ok(())
    }

    fn add_track(&mut self, mut given: AudioFields, sources: &Sources) -> Result<(), String> {
        if self.audio.tracks.len() >= MOST_TRACKS {
            return Err(format!("a timeline has at most {MOST_TRACKS} tracks beside voiceover and music"));
        }
        let taken = self.audio.tracks.iter().map(|track| track.id.as_str()).chain(["voiceover", "music"]);
        let id = free_id("track", given.track_id.take(), taken)?;
        self.audio.tracks.push(new_track(id, &given, sources)?);
        Ok(())
    }

    fn update_track(&mut self, mut given: AudioFields, sources: &Sources) -> Result<(), String> {
        let id = given.track_id.take().ok_or("missing field `track_id`")?;
        let tracks = self.audio.voiceover.iter_mut().chain(&mut self.audio.music).chain(&mut self.audio.tracks);
        let mut found = tracks.into_iter().filter(|track| track.id == id);
        let track = found.next().ok_or_else(|| unknown("track", &id))?;
        *track = track.clone().with(&given, sources)?;
        Ok(())
    }

    fn remove_track(&mut self, id: &str) -> Result<(), String> {
        let place = match id {
            "voiceover" => self.audio.voiceover.take(),
            "music" => self.audio.music.take(),
            _ => {
                let at = self.audio.tracks.iter().position(|track| track.id == id);
                at.map(|at| self.audio.tracks.remove(at))
            }
        };
        place.map(drop).ok_or_else(|| unknown("track", id))
    }

    fn set_format(
        &mut self,
        width: Option<f64>,
        height: Option<f64>,
        aspect_ratio: Option<&str>,
        fps: Option<f64>,
    ) -> Result<(), String> {
        let size = match aspect_ratio {
            Some(_) if width.is_some() || height.is_some() => {
                return Err("`aspect_ratio`: expected without `width` and `height`".to_owned());
            }
            Some(proportions) => fields::size_of(proportions, self)?,
            None => PictureSize {
                width: width.map_or(self.width, fields::side),
                height: height.map_or(self.height, fields::side),
            },
        };
        fields::size(size)?;
        self.fps = fps.map_or(Ok(self.fps), fields::rate)?;
        (self.width, self.height) = (size.width, size.height);
        Ok(())
    }

    fn scene(&self, id: &str) -> Result<usize, String> {
        self.scenes.iter().position(|scene| scene.id == id).ok_or_else(|| unknown("scene", id))
    }
}

fn checked_skills(skills: Vec<String>) -> Result<Vec<String>, String> {
    let fits = |skill: &String| !skill.is_empty() && fields::line("skills", Some(skill.clone()), None).is_ok();
    if skills.len() <= MOST_SKILLS && skills.iter().all(fits) {
        return Ok(skills);
    }
    Err(format!("`skills`: expected at most {MOST_SKILLS} names of 1 to 200 characters"))
}

pub(super) fn free_id<'a>(
    part: &'static str,
    asked: Option<String>,
    taken: impl Iterator<Item = &'a str>,
) -> Result<String, String> {
    part_ids::free_id(NOUN, part, asked, taken)
}

pub(super) fn unknown(part: &str, id: &str) -> String {
    unknown_id(NOUN, part, id)
}
