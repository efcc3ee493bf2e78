//! Plans what a film decodes of its sources, with which decoders and from where, and the price of that in milliseconds.
//!
//! The worker decodes by this plan and the price is computed from it, so that customers pay for what is decoded. A
//! decoder continues with a later part of its item if that is near. Otherwise a new one is begun: in the middle of
//! files that are known to allow that, else at the start.

use crate::film::{CAPTIONS, Film, FilmPicture, FilmScene, FilmSound, OverlayPicture};
use crate::ids::ItemId;
use crate::media_time::sample_at;
use crate::pixels::{Pictures, worth_ms};

/// Samples per second of every film's sound.
pub const SOUND_RATE: u32 = 48_000;
/// Milliseconds of a film that are usually decoded before a part in its middle: half the distance between two key
/// frames.
const BEFORE_A_PART_MS: i64 = 5_000;
/// Milliseconds of a film that are decoded at most, as a rule, to reach one picture in its middle: the distance between
/// two key frames.
const BEFORE_A_PICTURE_MS: i64 = 10_000;
/// Milliseconds of film that each child process counts as, beside its work.
const START_MS: i64 = 250;
/// How many times faster sound is decoded than a film is drawn; 60 times or more was measured.
const SOUND_FASTER: i64 = 60;

/// What is known about an item that a film or a picture is made from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Material {
    /// Whether decoding may begin in its middle.
    pub seeks: bool,
    /// Its pictures' sizes and rate.
    pub pictures: Pictures,
}

impl Material {
    /// Returns the milliseconds of film that decoding one picture is worth: the one at `at_us` microseconds, or an
    /// image.
    pub(crate) fn picture_ms(self, at_us: Option<i64>) -> i64 {
        let moment_ms = at_us.unwrap_or(0) / 1_000;
        let gone_through_ms = if self.seeks { moment_ms.min(BEFORE_A_PICTURE_MS) } else { moment_ms };
        let pixels_ms = worth_ms(0, self.pictures.pixels_in(gone_through_ms)).saturating_add(self.pictures.beyond_ms());
        START_MS.saturating_add(pixels_ms)
    }
}

/// The rules by which the parts of pictures, or of sounds, share decoders.
#[derive(Debug, Clone, Copy)]
struct Pace {
    /// Frames or samples per second.
    second: i64,
    /// Seconds into a file from which a decoder begins in the middle.
    worth: i64,
    /// Seconds before the wanted place at which it then begins.
    before: i64,
    /// Seconds that a decoder may skip before a new one is begun in the middle instead.
    rather: i64,
    /// Decoders that may wait for a later part at once.
    idle: usize,
}

const SOUNDS: Pace = Pace { second: SOUND_RATE as i64, worth: 30, before: 2, rather: 15, idle: 4 };

const fn pictures(second: i64) -> Pace {
    Pace { second, worth: 10, before: 1, rather: 5, idle: 2 }
}

/// The decoder that a part of an item comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A new decoder that begins here, in frames of the film's rate or samples of [`SOUND_RATE`]; 0 is the file's
    /// start.
    Opened(i64),
    /// The decoder of an earlier scene or sound, by its index in the film.
    After(usize),
}

/// How a part of an item is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The decoder that it comes from.
    pub source: Source,
    /// Whether a later part continues with its decoder.
    pub is_kept: bool,
}

/// The plan of everything that a film decodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoding {
    /// A step for each scene; `None` if it is not a clip or has no frames.
    pub scenes: Vec<Option<Step>>,
    /// A step for each sound; `None` if it has no samples.
    pub sounds: Vec<Option<Step>>,
    /// Milliseconds of picture that are decoded and not shown.
    passed_ms: i64,
    /// Milliseconds of sound that are decoded and not heard.
    passed_sound_ms: i64,
    /// Child processes that decode or draw letters.
    children: i64,
    /// Pixels of all pictures that are decoded, whether shown or not.
    decoded_pixels: i64,
    /// Milliseconds of film that its large images are worth, beyond their start.
    large_images_ms: i64,
}

/// A part of an item to decode, and its place in the film, in frames or samples.
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
    /// Returns the plan for this film; `known` describes its items.
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

    /// Returns the milliseconds of film that a render is worth, by the largest of three: its duration, what is decoded
    /// to reach what is shown and heard, and the pixels that are drawn and decoded.
    pub fn worth_ms(&self, film: &Film) -> i64 {
        let starts = self.children.saturating_mul(START_MS).saturating_add(self.large_images_ms);
        let beside = starts.saturating_add(self.passed_ms).saturating_add(self.passed_sound_ms / SOUND_FASTER);
        // The duration is rounded up to a millisecond.
        beside.max((film.duration_us + 999) / 1000).max(worth_ms(drawn_pixels(film), self.decoded_pixels))
    }
}

/// Returns the pixels of all frames that are drawn for a film. Layers over a frame cost half as much as the frame
/// itself, which is also decoded and encoded; 0.4 to 0.9 was measured.
fn drawn_pixels(film: &Film) -> i64 {
    if !film.format.has_picture() {
        return 0;
    }
    let part = |place: [i32; 4]| (i64::from(place[2]) * i64::from(place[3]) / 1_000_000).clamp(0, 1_000_000);
    let frames = |first: i64, end: i64| end.min(film.frames()).saturating_sub(first.max(0)).max(0);
    let overlays = film.overlays.iter().map(|over| frames(over.first, over.end).saturating_mul(part(over.place)));
    let cues = film.cues.iter().map(|cue| frames(cue.first, cue.end).saturating_mul(part(CAPTIONS)));
    // In millionths of a frame.
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

/// A decoder that has finished a part.
struct IdleDecoder {
    number: usize,
    place: usize,
    next: i64,
}

/// Plans how parts, in the order of their starts, are decoded. Returns a step for each of `count` scenes or sounds, and
/// for each part the frames or samples that are decoded before it in vain.
fn course<Key: PartialEq>(parts: &[Part<Key>], count: usize, pace: Pace) -> (Vec<Option<Step>>, Vec<i64>) {
    let mut steps = vec![None; count];
    let mut passed = Vec::with_capacity(parts.len());
    let mut idle: Vec<IdleDecoder> = Vec::new();
    // Indices of parts that have not ended.
    let mut on: Vec<usize> = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        on.retain(|earlier| {
            let over = parts.get(*earlier).filter(|earlier| earlier.end <= part.at);
            idle.extend(over.map(|over| IdleDecoder {
                number: over.number,
                place: *earlier,
                next: over.from + over.len,
            }));
            over.is_none()
        });
        while idle.len() > pace.idle {
            idle.remove(0);
        }
        let begins = pace.begins(part);
        let most = if part.seeks { pace.rather * pace.second } else { i64::MAX };
        let near = idle.iter().enumerate().filter(|(_, waiting)| {
            let of_same = parts.get(waiting.place).is_some_and(|earlier| earlier.key == part.key);
            // A decoder goes on unless a new one would begin nearer and this one is too far away.
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
    /// Returns the frame or sample at which a new decoder for this part begins, on a whole second.
    fn begins<Key>(self, part: &Part<Key>) -> i64 {
        let second = part.from / self.second;
        if part.seeks && second >= self.worth { (second - self.before) * self.second } else { 0 }
    }
}

#[cfg(test)]
mod tests;
