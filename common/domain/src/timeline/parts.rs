//! Applies an operation's fields to scenes, tracks and overlays. Each result is checked as a whole, against its item.

use super::fields;
use super::ops::{AudioFields, OverlayFields, SceneFields, Transition};
use super::{
    AudioTrack, Duck, Fit, LONGEST_TRANSITION, Micros, Overlay, OverlayKind, Ratio, SHORTEST, Scene, SceneKind,
    SourceFacts, Sources, USUAL_STILL,
};
use crate::ducking::DuckRule;
use crate::ids::ItemId;
use crate::item::ItemType;
use crate::media_use::MediaUse;

/// How far a clip may exceed its item: durations are known to the millisecond.
const SLACK: Micros = Micros(1_000);

impl Scene {
    /// Returns a scene of which nothing but its id and its type is known yet.
    pub(super) const fn empty(id: String, kind: SceneKind) -> Self {
        Self {
            id,
            kind,
            item: None,
            color: None,
            start: Micros::ZERO,
            duration: Micros::ZERO,
            fit: Fit::Contain,
            volume: Ratio::ONE,
            fade_in: Micros::ZERO,
            fade_out: Micros::ZERO,
            crossfade: Micros::ZERO,
            description: None,
            prompt: None,
            image_model: None,
            video_model: None,
        }
    }

    /// Returns this scene with the given fields.
    pub(super) fn with(mut self, given: SceneFields, sources: &Sources) -> Result<Self, String> {
        let other_item = given.item_id.is_some_and(|item| self.item != Some(item));
        self.item = given.item_id.or(self.item);
        if let Some(color) = given.color {
            fields::color("color", &color)?;
            self.color = Some(color);
        }
        self.start = given.start.unwrap_or(if other_item { Micros::ZERO } else { self.start });
        fields::moment("start", self.start)?;
        let source = self.source(sources)?;
        begins_within(source, self.start)?;
        self.duration = match given.duration {
            Some(duration) => duration,
            None if other_item || self.duration == Micros::ZERO => rest(source, self.start),
            None => self.duration,
        };
        fields::duration(self.duration)?;
        within("scene", source, self.start, self.duration)?;
        self.fit = given.fit.unwrap_or(self.fit);
        self.volume = given.volume.unwrap_or(self.volume);
        fields::volume(self.volume)?;
        (self.fade_in, self.fade_out) =
            (given.fade_in.unwrap_or(self.fade_in), given.fade_out.unwrap_or(self.fade_out));
        fields::fades(self.fade_in, self.fade_out, self.duration)?;
        if let Some(transition) = given.transition {
            self.crossfade = crossfade_of(transition)?;
        }
        self.description = fields::text("description", given.description, self.description)?;
        self.prompt = fields::text("prompt", given.prompt, self.prompt)?;
        self.image_model = fields::line("image_model", given.image_model, self.image_model)?;
        self.video_model = fields::line("video_model", given.video_model, self.video_model)?;
        Ok(self)
    }

    /// Returns the scene's item, if that suits its type; `None` for a colour.
    fn source<'a>(&self, sources: &'a Sources) -> Result<Option<&'a SourceFacts>, String> {
        let (kind, item) = (self.kind, self.item);
        if kind == SceneKind::Color {
            let plain = item.is_none() && self.color.is_some() && self.start == Micros::ZERO;
            return if plain {
                Ok(None)
            } else {
                Err("a `color` scene has a `color`, and no `ref` or `start`".to_owned())
            };
        }
        if self.color.is_some() {
            return Err("`color`: only a scene of type `color` has one".to_owned());
        }
        let facts = used(item.ok_or("missing field `ref`")?, MediaUse::Scene, sources)?;
        let is_image = facts.media.kind == ItemType::Image;
        if is_image != (kind == SceneKind::Image) {
            return Err("`type`: an image is shown by type `image`, video and sound by type `clip`".to_owned());
        }
        if is_image && self.start != Micros::ZERO {
            return Err("`start`: an image has none".to_owned());
        }
        Ok(Some(facts))
    }
}

impl AudioTrack {
    /// Returns this track with the given fields.
    pub(super) fn with(mut self, given: &AudioFields, sources: &Sources) -> Result<Self, String> {
        let other_item = given.item_id.is_some_and(|item| self.item != item);
        self.item = given.item_id.unwrap_or(self.item);
        let source = used(self.item, MediaUse::Sound, sources)?;
        self.start = given.start.unwrap_or(if other_item { Micros::ZERO } else { self.start });
        self.offset = given.offset.unwrap_or(self.offset);
        fields::moment("start", self.start)?;
        fields::moment("offset", self.offset)?;
        begins_within(Some(source), self.start)?;
        self.duration = match given.duration {
            Some(duration) => duration,
            None if other_item || self.duration == Micros::ZERO => rest(Some(source), self.start),
            None => self.duration,
        };
        fields::duration(self.duration)?;
        within("track", Some(source), self.start, self.duration)?;
        self.volume = given.volume.unwrap_or(self.volume);
        fields::volume(self.volume)?;
        (self.fade_in, self.fade_out) =
            (given.fade_in.unwrap_or(self.fade_in), given.fade_out.unwrap_or(self.fade_out));
        fields::fades(self.fade_in, self.fade_out, self.duration)?;
        self.duck = ducked(self.duck, given)?;
        Ok(self)
    }
}

impl Overlay {
    /// Returns this overlay with the given fields.
    pub(super) fn with(mut self, given: OverlayFields, sources: &Sources) -> Result<Self, String> {
        self.kind = given.kind.unwrap_or(self.kind);
        self.item = given.item_id.or(self.item);
        self.text = fields::text("text", given.text, self.text)?;
        self.start = given.start.unwrap_or(self.start);
        self.duration = given.duration.unwrap_or(self.duration);
        fields::moment("start", self.start)?;
        fields::duration(self.duration)?;
        (self.x, self.y) = (given.x.unwrap_or(self.x), given.y.unwrap_or(self.y));
        (self.width, self.height) = (given.width.unwrap_or(self.width), given.height.unwrap_or(self.height));
        self.opacity = given.opacity.unwrap_or(self.opacity);
        for (field, value) in
            [("x", self.x), ("y", self.y), ("width", self.width), ("height", self.height), ("opacity", self.opacity)]
        {
            fields::part(field, value)?;
        }
        self.style = given.style.unwrap_or(self.style);
        fields::style(&self.style)?;
        self.refuse_other_content(sources)?;
        Ok(self)
    }

    /// Refuses an overlay without the text or the item that its kind shows, or with what it does not show.
    fn refuse_other_content(&self, sources: &Sources) -> Result<(), String> {
        let (is_text, has_text) = (self.kind == OverlayKind::Text, self.text.is_some());
        if is_text != has_text || is_text == self.item.is_some() {
            return Err("an overlay of kind `text` has `text`, one of kind `image` or `logo` has `ref`".to_owned());
        }
        match self.item {
            Some(item) => used(item, MediaUse::Still, sources).map(drop),
            None => Ok(()),
        }
    }
}

/// Returns a new track with the given fields.
pub(super) fn new_track(id: String, given: &AudioFields, sources: &Sources) -> Result<AudioTrack, String> {
    let item = given.item_id.ok_or("missing field `ref`")?;
    let empty = AudioTrack {
        id,
        item,
        start: Micros::ZERO,
        offset: Micros::ZERO,
        duration: Micros::ZERO,
        volume: Ratio::ONE,
        fade_in: Micros::ZERO,
        fade_out: Micros::ZERO,
        duck: None,
    };
    empty.with(given, sources)
}

/// Returns the duration of a transition's crossfade; zero for a cut.
fn crossfade_of(transition: Transition) -> Result<Micros, String> {
    match transition {
        Transition::Cut {} => Ok(Micros::ZERO),
        Transition::Crossfade { seconds } if seconds > Micros::ZERO && seconds <= LONGEST_TRANSITION => Ok(seconds),
        Transition::Crossfade { .. } => {
            let most = LONGEST_TRANSITION.seconds();
            Err(format!("`transition.seconds`: expected more than 0 and at most {most}"))
        }
    }
}

/// Returns how a track is lowered under voices, with the given fields.
fn ducked(kept: Option<Duck>, given: &AudioFields) -> Result<Option<Duck>, String> {
    let asked = given.duck_db.is_some() || given.attack_ms.is_some() || given.release_ms.is_some();
    if given.duck_under_voice == Some(false) || (given.duck_under_voice.is_none() && kept.is_none()) {
        return if asked { Err("missing field `duck_under_voice`: the others say how".to_owned()) } else { Ok(None) };
    }
    let usual = Duck { down: 1_200, attack_ms: DuckRule::ATTACK_MS, release_ms: DuckRule::RELEASE_MS };
    let mut duck = kept.unwrap_or(usual);
    if let Some(db) = given.duck_db {
        if !(0.0..=DuckRule::MOST_DUCK_DB).contains(&db) {
            return Err(format!("`duck_db`: expected 0 to {}", DuckRule::MOST_DUCK_DB));
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked first")]
        let down = (db * 100.0).round() as u32;
        duck.down = down;
    }
    duck.attack_ms = given.attack_ms.unwrap_or(duck.attack_ms);
    duck.release_ms = given.release_ms.unwrap_or(duck.release_ms);
    let ramps = DuckRule::LEAST_RAMP_MS..=DuckRule::MOST_RAMP_MS;
    if !ramps.contains(&duck.attack_ms) || !ramps.contains(&duck.release_ms) {
        let (least, most) = (ramps.start(), ramps.end());
        return Err(format!("`attack_ms`, `release_ms`: expected {least} to {most}"));
    }
    Ok(Some(duck))
}

/// Returns the type of a new scene that does not state one.
pub(super) fn kind_of(given: &SceneFields, sources: &Sources) -> Result<SceneKind, String> {
    match given.item_id {
        Some(item) if known(item, sources)?.media.kind == ItemType::Image => Ok(SceneKind::Image),
        Some(_) => Ok(SceneKind::Clip),
        None if given.color.is_some() => Ok(SceneKind::Color),
        None => Err("missing field `ref` or `color`".to_owned()),
    }
}

fn known(item: ItemId, sources: &Sources) -> Result<&SourceFacts, String> {
    sources.get(&item).ok_or_else(|| format!("the item {item} is not ready, can't be read, or is deleted"))
}

/// Returns what is known of an item, if it may be used so.
fn used(item: ItemId, usage: MediaUse, sources: &Sources) -> Result<&SourceFacts, String> {
    let facts = known(item, sources)?;
    facts.media.suits(usage).map_err(|unfit| format!("`ref`: {unfit}"))?;
    Ok(facts)
}

/// Returns the time from `start` to the source's end; `USUAL_STILL` for an image or a colour.
fn rest(source: Option<&SourceFacts>, start: Micros) -> Micros {
    source.and_then(|source| source.duration).map_or(USUAL_STILL, |whole| Micros(whole.0 - start.0).max(SHORTEST))
}

/// Checks that a part which begins later than its source does begins at least `SHORTEST` before the source ends.
fn begins_within(source: Option<&SourceFacts>, start: Micros) -> Result<(), String> {
    match source.and_then(|source| source.duration) {
        Some(whole) if start > Micros::ZERO && start.0 + SHORTEST.0 > whole.0 + SLACK.0 => {
            Err(format!("`start`: expected a moment before the end of the item, which is {} s long", whole.seconds()))
        }
        _ => Ok(()),
    }
}

/// Checks that a part ends within its source. `what` names the part in the refusal.
fn within(what: &str, source: Option<&SourceFacts>, start: Micros, duration: Micros) -> Result<(), String> {
    match source.and_then(|source| source.duration) {
        Some(whole) if start.0 + duration.0 > whole.0 + SLACK.0 => {
            let (end, whole) = (Micros(start.0 + duration.0).seconds(), whole.seconds());
            Err(format!("`start`, `duration`: the {what} would end at {end} s of an item that has {whole} s"))
        }
        _ => Ok(()),
    }
}
