//! What of its sources a film has decoded, by which decoder and from where on; and what that is worth.
//!
//! The worker decodes by this order and the price is of the same one, so that what is paid is what is decoded. A
//! decoder goes on with a later part of its item where that is near, and begins anew where it is not: in the middle of
//! a file of which that is known to work, else at its start.

use crate::film::{CAPTIONS, Film, FilmPicture, FilmScene, FilmSound, OverlayPicture};
use crate::ids::ItemId;
use crate::media_time::sample_at;
use crate::pixels::{Pictures, worth_ms};

/// Samples a second of every film's sound.
pub const SOUND_RATE: u32 = 48_000;
/// Milliseconds of a film that are decoded before a part in its middle, as a rule: half of what is between two key
/// pictures.
const BEFORE_A_PART_MS: i64 = 5_000;
/// Milliseconds of a film that are gone through to one picture in its middle, from key picture to key picture; at the
/// most as a rule.
const BEFORE_A_PICTURE_MS: i64 = 10_000;
/// Milliseconds that each child counts as which is started for a film, beside what it is started for.
const START_MS: i64 = 250;
/// How many times faster sound is gone through than a film is drawn: measured, 60 times and more.
const SOUND_FASTER: i64 = 60;

/// What is known of an item that a film or a picture is made from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Material {
    /// Whether it may be begun in its middle.
    pub seeks: bool,
    /// Its pictures.
    pub pictures: Pictures,
}

impl Material {
    /// What decoding one picture of it is worth in milliseconds of film, that of this microsecond of a film.
    pub(crate) fn picture_ms(self, at_us: Option<i64>) -> i64 {
        let moment_ms = at_us.unwrap_or(0) / 1_000;
        let gone_through_ms = if self.seeks { moment_ms.min(BEFORE_A_PICTURE_MS) } else { moment_ms };
        let pixels_ms = worth_ms(0, self.pictures.pixels_in(gone_through_ms)).saturating_add(self.pictures.beyond_ms());
        START_MS.saturating_add(pixels_ms)
    }
}

/// Of what kind of stretches a course is.
#[derive(Debug, Clone, Copy)]
struct Pace {
    /// Units a second.
    second: i64,
    /// Seconds into a file from which on it is worth while to begin in the middle.
    worth: i64,
    /// Seconds before what is wanted at which a decoder begins then.
    before: i64,
    /// Seconds that one goes on for rather than that another begins in the middle.
    rather: i64,
    /// Decoders that wait at once.
    idle: usize,
}

const SOUNDS: Pace = Pace { second: SOUND_RATE as i64, worth: 30, before: 2, rather: 15, idle: 4 };

const fn pictures(second: i64) -> Pace {
    Pace { second, worth: 10, before: 1, rather: 5, idle: 2 }
}

/// Where a part of an item comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A decoder that begins here, in frames of the film's rate or samples of [`SOUND_RATE`]: nothing is its start.
    Opened(i64),
    /// The decoder of an earlier part, by its number in the film.
    After(usize),
}

/// How a part of an item is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Where it comes from.
    pub source: Source,
    /// Whether a later part goes on with its decoder.
    pub is_kept: bool,
}

/// How all of a film is decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoding {
    /// Of each scene; nothing of what is no clip, and of what is seen in no frame.
    pub scenes: Vec<Option<Step>>,
    /// Of each sound; nothing of what is heard in no sample.
    pub sounds: Vec<Option<Step>>,
    /// Milliseconds of picture that are decoded and not shown.
    passed_ms: i64,
    /// The same of sound.
    passed_sound_ms: i64,
    /// Children that decode, and that draw letters.
    children: i64,
    /// Pixels of all pictures that are decoded, shown or not.
    decoded_pixels: i64,
    /// What its large images cost more than their start.
    large_images_ms: i64,
}

/// A part of an item that is decoded: what of it, and when in the film.
struct Part<Key> {
    number: usize,
    key: Key,
    seeks: bool,
    from: i64,
    len: i64,
    at: i64,
    end: i64,
}

impl Decoding {
    /// Of this film, made from these items.
    pub fn of(film: &Film, known: impl Fn(ItemId) -> Material) -> Self {
        let seeks = |item| known(item).seeks;
        let shown = film.scenes.iter().enumerate().filter(|(_, scene)| scene.frames > 0);
        let clips = shown.filter_map(|(number, scene)| part_of_scene(number, scene, &seeks)).collect::<Vec<_>>();
        let heard = film.sounds.iter().enumerate().filter_map(|(number, sound)| part_of_sound(number, sound, &seeks));
        let heard = heard.collect::<Vec<_>>();
        let second = film.rate.nearest(1_000_000).max(1);
        let (scenes, passed_frames) = course(&clips, film.scenes.len(), pictures(second));
        let (sounds, passed_samples) = course(&heard, film.sounds.len(), SOUNDS);
        let sum = |passed: &[i64]| passed.iter().copied().fold(0, i64::saturating_add);
        let (passed, passed_samples) = (sum(&passed_frames), sum(&passed_samples));
        let of_clips = clips.iter().zip(&passed_frames).map(|(clip, passed)| {
            let ms = |frames: i64| film.rate.us_of(frames) / 1_000;
            let begun = scenes.get(clip.number).copied().flatten().map(|step| step.source);
            let is_begun_later = matches!(begun, Some(Source::Opened(frame)) if frame > 0);
            let passed_ms = if is_begun_later { ms(*passed).max(BEFORE_A_PART_MS) } else { ms(*passed) };
            known(clip.key.0).pictures.pixels_in(ms(clip.len).saturating_add(passed_ms))
        });
        let shown_images = film.scenes.iter().filter(|scene| is_image(scene)).filter_map(|scene| match scene.picture {
            FilmPicture::Image { item } => Some(item),
            _ => None,
        });
        let over_images = film.overlays.iter().filter_map(|overlay| match overlay.picture {
            OverlayPicture::Image { item } if overlay.end > overlay.first => Some(item),
            _ => None,
        });
        let pictures: Vec<Pictures> = shown_images.chain(over_images).map(|item| known(item).pictures).collect();
        let large_images_ms = pictures.iter().map(|pictures| pictures.beyond_ms()).fold(0, i64::saturating_add);
        let of_images = pictures.iter().map(|pictures| pictures.pixels);
        let decoded_pixels = of_clips.chain(of_images).fold(0, i64::saturating_add);
        let opened = |steps: &[Option<Step>]| {
            steps.iter().flatten().filter(|step| matches!(step.source, Source::Opened(_))).count()
        };
        let images = film.scenes.iter().filter(|scene| is_image(scene)).count();
        let over = film.overlays.iter().filter(|overlay| overlay.end > overlay.first);
        let cues = film.cues.iter().filter(|cue| cue.end > cue.first);
        let children = opened(&scenes) + opened(&sounds) + images + over.count() + cues.count();
        Self {
            passed_ms: film.rate.us_of(passed) / 1000,
            passed_sound_ms: passed_samples.saturating_mul(1000) / i64::from(SOUND_RATE),
            children: i64::try_from(children).unwrap_or(i64::MAX),
            scenes,
            sounds,
            decoded_pixels: if film.format.has_picture() { decoded_pixels } else { 0 },
            large_images_ms: if film.format.has_picture() { large_images_ms } else { 0 },
        }
    }

    /// The milliseconds of film that a render of it is worth: its own, or what has to be gone through to come to what
    /// is shown and heard, or the pixels that are drawn and decoded, whichever is most.
    pub fn worth_ms(&self, film: &Film) -> i64 {
        let starts = self.children.saturating_mul(START_MS).saturating_add(self.large_images_ms);
        let beside = starts.saturating_add(self.passed_ms).saturating_add(self.passed_sound_ms / SOUND_FASTER);
        // A millisecond that has begun counts.
        beside.max((film.duration_us + 999) / 1000).max(worth_ms(drawn_pixels(film), self.decoded_pixels))
    }
}

/// The pixels of all frames that are drawn for a film. What stands over a frame costs half of what the frame itself
/// does, which is decoded and encoded too: measured, 0.4 to 0.9.
fn drawn_pixels(film: &Film) -> i64 {
    if !film.format.has_picture() {
        return 0;
    }
    let part = |place: [i32; 4]| (i64::from(place[2]) * i64::from(place[3]) / 1_000_000).clamp(0, 1_000_000);
    let frames = |first: i64, end: i64| end.min(film.frames()).saturating_sub(first.max(0)).max(0);
    let overlays = film.overlays.iter().map(|over| frames(over.first, over.end).saturating_mul(part(over.place)));
    let cues = film.cues.iter().map(|cue| frames(cue.first, cue.end).saturating_mul(part(CAPTIONS)));
    // Millionths of frames.
    let over: i64 = overlays.chain(cues).fold(0, i64::saturating_add);
    let [width, height] = film.drawn_size().map(i64::from);
    let pixels = width * height;
    let dissolves: i64 = film.scenes.iter().map(|scene| scene.overlap).sum();
    let whole = film.frames().saturating_add(dissolves).saturating_mul(pixels);
    whole.saturating_add((over / 2_000).saturating_mul(pixels) / 1_000)
}

fn is_image(scene: &FilmScene) -> bool {
    scene.frames > 0 && matches!(scene.picture, FilmPicture::Image { .. })
}

fn part_of_scene(number: usize, scene: &FilmScene, seeks: &impl Fn(ItemId) -> bool) -> Option<Part<(ItemId, bool)>> {
    let FilmPicture::Clip { item, from } = scene.picture else { return None };
    let (key, end) = ((item, scene.cover), scene.first + scene.frames);
    Some(Part { number, key, seeks: seeks(item), from, len: scene.frames, at: scene.first, end })
}

fn part_of_sound(number: usize, sound: &FilmSound, seeks: &impl Fn(ItemId) -> bool) -> Option<Part<ItemId>> {
    let sample = |us| sample_at(us, SOUND_RATE);
    let (at, end, from) = (sample(sound.at_us), sample(sound.at_us + sound.len_us), sample(sound.from_us));
    (end > at).then(|| Part { number, key: sound.item, seeks: seeks(sound.item), from, len: end - at, at, end })
}

/// A decoder that is done with a part.
struct Waiting {
    number: usize,
    place: usize,
    next: i64,
}

/// How parts, in the order in which they begin, are decoded; and how much is gone through for each that nobody asked
/// for.
fn course<Key: PartialEq>(parts: &[Part<Key>], count: usize, pace: Pace) -> (Vec<Option<Step>>, Vec<i64>) {
    let mut steps = vec![None; count];
    let mut passed = Vec::with_capacity(parts.len());
    let mut idle: Vec<Waiting> = Vec::new();
    // Places of parts that are not over.
    let mut on: Vec<usize> = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        on.retain(|earlier| {
            let over = parts.get(*earlier).filter(|earlier| earlier.end <= part.at);
            idle.extend(over.map(|over| Waiting { number: over.number, place: *earlier, next: over.from + over.len }));
            over.is_none()
        });
        while idle.len() > pace.idle {
            idle.remove(0);
        }
        let begins = pace.begins(part);
        let most = if part.seeks { pace.rather * pace.second } else { i64::MAX };
        let near = idle.iter().enumerate().filter(|(_, waiting)| {
            let of_same = parts.get(waiting.place).is_some_and(|earlier| earlier.key == part.key);
            // What would be begun anew nearer is.
            of_same && waiting.next <= part.from && (waiting.next >= begins || part.from - waiting.next <= most)
        });
        let nearest = near.max_by_key(|(_, waiting)| waiting.next).map(|(at, _)| at);
        let (source, from) = match nearest.map(|at| idle.remove(at)) {
            Some(waiting) => {
                if let Some(Some(Step { is_kept, .. })) = steps.get_mut(waiting.number) {
                    *is_kept = true;
                }
                (Source::After(waiting.number), waiting.next)
            }
            None => (Source::Opened(begins), begins),
        };
        passed.push(part.from - from);
        if let Some(step) = steps.get_mut(part.number) {
            *step = Some(Step { source, is_kept: false });
        }
        on.push(place);
    }
    (steps, passed)
}

impl Pace {
    /// Where a decoder begins for this part, if none goes on: at a whole second.
    fn begins<Key>(self, part: &Part<Key>) -> i64 {
        let second = part.from / self.second;
        if part.seeks && second >= self.worth { (second - self.before) * self.second } else { 0 }
    }
}

#[cfg(test)]
#[path = "decoding_tests.rs"]
mod tests;
