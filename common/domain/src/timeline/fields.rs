//! The values that a timeline's fields may have. A field is checked when it is set, and a refusal names it.

use super::{CaptionSource, Captions, LONGEST};
use super::{LOUDEST, MOST_CUES, MOST_PIXELS, Micros, Ratio, SHORTEST, SIDES, TextStyle, Timeline};
use crate::brand_kit::{families, is_family};
use crate::color::hex_bytes;
use crate::media_time::FrameRate;
use crate::pixels::{PictureSize, whole_side};

/// The most characters of a description, a prompt or an overlay's text.
pub(super) const MOST_TEXT_CHARACTERS: usize = 2_000;
/// The most characters of a language, a model's or a skill's name.
const MOST_LINE_CHARACTERS: usize = 200;
/// The most characters of a caption.
pub(super) const MOST_CUE_CHARACTERS: usize = 500;
/// The most frames per second.
const MOST_FPS: f64 = 60.0;

/// Returns the default rate: 25 frames per second.
pub(super) fn usual_rate() -> FrameRate {
    FrameRate::new(25, 1).unwrap_or(FrameRate::ONE_A_SECOND)
}

/// Returns the rate of `fps` frames per second: a whole number, or one of television's.
pub(super) fn rate(fps: f64) -> Result<FrameRate, String> {
    let television = [(23.976, 24_000), (29.97, 30_000), (59.94, 60_000)];
    if let Some((_, frames)) = television.into_iter().find(|(near, _)| (near - fps).abs() < 0.005) {
        return FrameRate::new(frames, 1_001).ok_or_else(|| "no such rate".to_owned());
    }
    let whole = (1.0..=MOST_FPS).contains(&fps) && (fps - fps.round()).abs() < 1e-6;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked first")]
    let rate = whole.then(|| FrameRate::new(fps.round() as u32, 1)).flatten();
    rate.ok_or_else(|| "`fps`: expected a whole number from 1 to 60, or 23.976, 29.97 or 59.94".to_owned())
}

/// Returns the size of this aspect ratio whose shorter side is the timeline's.
pub(super) fn size_of(proportions: &str, timeline: &Timeline) -> Result<PictureSize, String> {
    let wrong = || "`aspect_ratio`: expected two whole numbers from 1 to 100, as `9:16`".to_owned();
    let (across, down) = proportions.split_once(':').ok_or_else(wrong)?;
    let side = |text: &str| text.parse::<u32>().ok().filter(|side| (1..=100).contains(side));
    let (across, down) = (side(across).ok_or_else(wrong)?, side(down).ok_or_else(wrong)?);
    let short = timeline.width.min(timeline.height);
    let long = |more: u32, less: u32| (short * more / less).next_multiple_of(2);
    let (width, height) = if across >= down { (long(across, down), short) } else { (short, long(down, across)) };
    Ok(PictureSize { width, height })
}

/// Returns a side in pixels, of any number that operations send; 0, which `size` refuses, if that is not whole or too
/// large.
pub(super) fn side(given: f64) -> u32 {
    whole_side(given, *SIDES.end())
}

/// Checks a picture's size.
pub(super) fn size(size: PictureSize) -> Result<(), String> {
    let PictureSize { width, height } = size;
    let fits = |side: u32| SIDES.contains(&side) && side.is_multiple_of(2);
    if fits(width) && fits(height) && width * height <= MOST_PIXELS {
        return Ok(());
    }
    let (least, most) = (SIDES.start(), SIDES.end());
    Err(format!("`width`, `height`: expected even numbers from {least} to {most}, and {MOST_PIXELS} pixels at most"))
}

/// Checks the duration of a scene, a track or an overlay.
pub(super) fn duration(duration: Micros) -> Result<(), String> {
    if (SHORTEST..=LONGEST).contains(&duration) {
        return Ok(());
    }
    Err(format!("`duration`: expected {} to {} seconds", SHORTEST.seconds(), LONGEST.seconds()))
}

/// Checks a time, which may not be before the start.
pub(super) fn moment(field: &str, at: Micros) -> Result<(), String> {
    let fits = (Micros::ZERO..=LONGEST).contains(&at);
    if fits { Ok(()) } else { Err(format!("`{field}`: expected 0 to {} seconds", LONGEST.seconds())) }
}

/// Checks two fades, which together may not exceed the duration.
pub(super) fn fades(fade_in: Micros, fade_out: Micros, duration: Micros) -> Result<(), String> {
    let fits = fade_in >= Micros::ZERO && fade_out >= Micros::ZERO && fade_in.0 + fade_out.0 <= duration.0;
    if fits {
        Ok(())
    } else {
        let most = duration.seconds();
        Err(format!("`fade_in`, `fade_out`: expected 0 or more, and together no more than the {most} s that it lasts"))
    }
}

/// Checks a volume.
pub(super) fn volume(volume: Ratio) -> Result<(), String> {
    let fits = (Ratio(0)..=LOUDEST).contains(&volume);
    if fits { Ok(()) } else { Err(format!("`volume`: expected 0 to {}", LOUDEST.number())) }
}

/// Checks a fraction: a place or a size in the picture, or an opacity.
pub(super) fn part(field: &str, part: Ratio) -> Result<(), String> {
    let fits = (Ratio(0)..=Ratio::ONE).contains(&part);
    if fits { Ok(()) } else { Err(format!("`{field}`: expected 0 to 1")) }
}

/// Checks a colour.
pub(super) fn color(field: &str, color: &str) -> Result<(), String> {
    hex_bytes::<3>(color).map(drop).ok_or_else(|| format!("`{field}`: expected a colour as `#1a2b3c`"))
}

/// Returns the given text, or the kept one without it; an empty text removes it. A NUL, which no request may have,
/// comes in the text of an imported document.
pub(super) fn text(field: &str, given: Option<String>, kept: Option<String>) -> Result<Option<String>, String> {
    match given {
        None => Ok(kept),
        Some(given) if given.contains('\0') => Err(format!("`{field}`: expected a text without NUL characters")),
        Some(given) if given.chars().count() > MOST_TEXT_CHARACTERS => {
            Err(format!("`{field}`: expected at most {MOST_TEXT_CHARACTERS} characters"))
        }
        Some(given) => Ok(Some(given).filter(|given| !given.is_empty())),
    }
}

/// Returns the same for a text on one line.
pub(super) fn line(field: &str, given: Option<String>, kept: Option<String>) -> Result<Option<String>, String> {
    let fits = |given: &str| given.chars().count() <= MOST_LINE_CHARACTERS && !given.chars().any(char::is_control);
    match given {
        None => Ok(kept),
        Some(given) if !fits(&given) => {
            Err(format!("`{field}`: expected at most {MOST_LINE_CHARACTERS} characters on one line"))
        }
        Some(given) => Ok(Some(given).filter(|given| !given.is_empty())),
    }
}

/// Checks the style of a text.
pub(super) fn style(style: &TextStyle) -> Result<(), String> {
    color("style.color", &style.color)?;
    if let Some(background) = &style.background {
        color("style.background", background)?;
    }
    if style.family.as_ref().is_some_and(|family| !is_family(family)) {
        return Err(format!("`style.family`: expected one of {}", families()));
    }
    let fits = (Ratio(10_000)..=Ratio(500_000)).contains(&style.size);
    if fits { Ok(()) } else { Err("`style.size`: expected 0.01 to 0.5".to_owned()) }
}

/// Whether a cue's text may not have this letter: line feeds alone end its lines, and players and terminals obey other
/// control characters.
pub(super) fn is_refused_in_cue(letter: char) -> bool {
    letter.is_control() && letter != '\n'
}

/// Checks captions.
pub(super) fn captions(captions: &Captions) -> Result<(), String> {
    style(&captions.style)?;
    line("language", captions.language.clone(), None)?;
    let is_written = captions.source == CaptionSource::Cues;
    if is_written == captions.cues.is_empty() {
        return Err("`captions.cues`: expected with `source` `cues`, and only there".to_owned());
    }
    if captions.cues.len() > MOST_CUES {
        return Err(format!("`captions.cues`: expected at most {MOST_CUES}"));
    }
    let mut after = Micros::ZERO;
    for (index, cue) in captions.cues.iter().enumerate() {
        let is_text =
            (1..=MOST_CUE_CHARACTERS).contains(&cue.text.chars().count()) && !cue.text.contains(is_refused_in_cue);
        if cue.start < after || cue.end <= cue.start || cue.end > LONGEST || !is_text {
            return Err(format!(
                "`captions.cues[{index}]`: expected 1 to {MOST_CUE_CHARACTERS} characters, no control characters but \
                 line feeds, and times that grow without overlaps, `end` up to {} seconds",
                LONGEST.seconds()
            ));
        }
        after = cue.end;
    }
    Ok(())
}
