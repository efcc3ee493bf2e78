//! The timeline of a dub: the picture with the voices, and what becomes of it when the dub is spoken again.

use super::{Dub, Volumes};
use crate::ids::ItemId;
use crate::part_ids::PartIds;
use crate::timeline::{
    Audio, AudioTrack, CaptionSource, Duck, Fit, MOST_SCENES, MOST_TRACKS, Micros, Ratio, SHORTEST, Scene, SceneKind,
    Timeline,
};
use serde_json::Value;

/// How far the item's own sound is lowered under the voices, in hundredths of a decibel.
pub const DOWN: u32 = 1_500;
/// Milliseconds in which the sound is lowered.
pub const ATTACK_MS: u32 = 200;
/// Milliseconds in which it comes back.
pub const RELEASE_MS: u32 = 500;

/// The id of the track with the item's own sound.
const BACKGROUND: &str = "background";
/// The description of the scene that is shown while voices go on after the picture.
const REST: &str = "Black for the last words of the dub";

/// The voices of a dub that was spoken, and how loud its sounds are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Voices {
    /// The item with the voices alone.
    pub item: ItemId,
    /// Its length.
    pub duration: Micros,
    /// The volumes of the voices and of what is heard under them.
    pub volumes: Volumes,
}

/// Returns the timeline of a dubbed item: the item's picture with the voices, and its own sound under them if that is
/// kept.
pub fn variant(dub: &Dub, voices: &Voices, source: Micros, picture: Timeline) -> Timeline {
    let black = black("scene-1".to_owned(), source);
    let mut timeline = picture;
    timeline.scenes = vec![Scene { kind: SceneKind::Clip, item: Some(dub.source), color: None, ..black }];
    voiced_over(timeline, dub, voices, source)
}

/// Returns a black scene without sound.
fn black(id: String, duration: Micros) -> Scene {
    Scene {
        id,
        kind: SceneKind::Color,
        item: None,
        color: Some("#000000".to_owned()),
        start: Micros::ZERO,
        duration,
        fit: Fit::Contain,
        volume: Ratio(0),
        fade_in: Micros::ZERO,
        fade_out: Micros::ZERO,
        crossfade: Micros::ZERO,
        description: None,
        prompt: None,
        image_model: None,
        video_model: None,
    }
}

/// Returns the black scene that a timeline needs at its end so that nothing of its voiceover is cut off, if there is
/// room for one.
fn rest(timeline: &Timeline) -> Option<Scene> {
    let duration = cut_off(timeline).filter(|_| timeline.scenes.len() < MOST_SCENES)?;
    let mut ids = PartIds::of("scene", timeline.scenes.iter().map(|scene| scene.id.as_str()));
    let id = ids.choose("timeline", None).ok()?;
    Some(Scene { description: Some(REST.to_owned()), ..black(id, duration) })
}

/// Returns how much of a timeline's voiceover comes after its end; `None` if that is less than a frame. A timeline
/// without scenes is as long as its sound.
fn cut_off(timeline: &Timeline) -> Option<Micros> {
    let voiceover = timeline.audio.voiceover.as_ref()?;
    let (end, spoken) = (timeline.duration().0, voiceover.offset.0 + voiceover.duration.0);
    let is_seen = timeline.fps.nearest(spoken) > timeline.fps.nearest(end);
    Some(Micros(spoken - end)).filter(|over| is_seen && *over >= SHORTEST)
}

/// Returns the variant of a timeline that was dubbed: its scenes without their sound, with the voices, and the film's
/// sound under them if that is kept. Its overlays stay, and its own captions; those of transcripts, which say what was
/// spoken before, do not.
pub fn variant_of(original: &Timeline, dub: &Dub, voices: &Voices, film: Micros) -> Timeline {
    let mut timeline = original.clone();
    for scene in &mut timeline.scenes {
        scene.volume = Ratio(0);
    }
    timeline.captions = timeline.captions.filter(|captions| captions.source == CaptionSource::Cues);
    timeline.audio = Audio::default();
    voiced_over(timeline, dub, voices, film)
}

/// Returns a timeline without sound with the voices of a dub, and the sound of the dub's item if that is kept: as loud
/// as the dub is mixed.
fn voiced_over(mut timeline: Timeline, dub: &Dub, voices: &Voices, source: Micros) -> Timeline {
    let track = |id: &str, item, duration, volume, duck| AudioTrack {
        id: id.to_owned(),
        item,
        start: Micros::ZERO,
        offset: Micros::ZERO,
        duration,
        volume,
        fade_in: Micros::ZERO,
        fade_out: Micros::ZERO,
        duck,
    };
    let Volumes { voices: volume, background } = voices.volumes;
    timeline.variant_of = dub.timeline;
    timeline.language = Some(dub.target_language.code().to_owned());
    timeline.audio.voiceover = Some(track("voiceover", voices.item, voices.duration, volume, None));
    if let Some(volume) = background {
        let duck = Duck { down: DOWN, attack_ms: ATTACK_MS, release_ms: RELEASE_MS };
        timeline.audio.tracks = vec![track(BACKGROUND, dub.source, source, volume, Some(duck))];
    }
    let rest = rest(&timeline);
    timeline.scenes.extend(rest);
    timeline
}

/// What a timeline of a dub has of the last time that the dub was spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OldVoices {
    /// The item with the voices alone.
    pub voice: ItemId,
    /// The volumes; `None` of a dub that was spoken before its timeline had any: all were 1.
    pub volumes: Option<Volumes>,
}

/// Returns a timeline's body with the sound of `fresh`, the body that the dub's timeline would have if it were new, and
/// its summary; `None` if its voiceover is not that of `before` any more. A volume that somebody has changed stays, an
/// item's own sound that somebody has removed does not come back, and voices that were heard whole are so again.
pub fn revoiced(body: &Value, before: Option<OldVoices>, fresh: &Value) -> Option<(Value, Value)> {
    let mut timeline: Timeline = serde_json::from_value(body.clone()).ok()?;
    let Audio { voiceover, tracks: fresh, .. } = serde_json::from_value::<Timeline>(fresh.clone()).ok()?.audio;
    let (new, before) = (voiceover?, before?);
    let was_whole = cut_off(&timeline).is_none();
    let voiceover = timeline.audio.voiceover.as_mut().filter(|track| track.item == before.voice)?;
    let tracks = &mut timeline.audio.tracks;
    let place = tracks.iter().position(|track| track.id == BACKGROUND);
    let usual = Volumes { voices: Ratio::ONE, background: place.map(|_| Ratio::ONE) };
    let was = before.volumes.unwrap_or(usual);
    (voiceover.item, voiceover.duration) = (new.item, new.duration);
    if voiceover.volume == was.voices {
        voiceover.volume = new.volume;
    }
    let background = fresh.into_iter().find(|track| track.id == BACKGROUND);
    match place {
        None if was.background.is_none() && tracks.len() < MOST_TRACKS => tracks.extend(background),
        Some(place) if tracks.get(place).map(|track| track.volume) == was.background => match background {
            Some(new) => tracks.iter_mut().skip(place).take(1).for_each(|track| track.volume = new.volume),
            None => drop(tracks.remove(place)),
        },
        _ => {}
    }
    let is_rest = |scene: &mut Scene| scene.description.as_deref() == Some(REST);
    if timeline.scenes.pop_if(is_rest).is_some() || was_whole {
        let rest = rest(&timeline);
        timeline.scenes.extend(rest);
    }
    Some((serde_json::to_value(&timeline).ok()?, timeline.summary()))
}
