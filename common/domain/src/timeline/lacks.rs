//! What a film does not show or play of its timeline: in whole sentences, each with the parts' ids and what helps. It
//! is rendered all the same.

use super::{CaptionSource, Micros, Overlay, Timeline};
use crate::film::{CAPTIONS, Film, FilmCue, FilmOverlay, FilmText, OverlayPicture};
use crate::letters::{is_blank, undrawn};
use crate::lines::MOST_LINES;
use crate::warnings::{Warnings, in_short};

/// A layer whose sides both have fewer pixels is a dot that nobody sees.
const LEAST_SIDE: i64 = 4;
/// A text is not seen where a side of its box has fewer pixels than the smallest letters.
const LEAST_TEXT_SIDE: i64 = 8;
/// What hides all that is below, in millionths.
const OPAQUE: i64 = 1_000_000;
/// The steps of opacity that are drawn.
const OPACITIES: i64 = 256;

impl Timeline {
    /// Returns what this film of the timeline lacks.
    pub fn lacks(&self, film: &Film) -> Vec<String> {
        let mut lacks = Warnings::default();
        let beside = self.overlays_that_lack(film).chain(self.captions_that_lack(film));
        for lack in self.scenes_and_sounds(film).chain(beside) {
            lacks.add(lack);
        }
        lacks.into_sentences()
    }

    fn scenes_and_sounds(&self, film: &Film) -> impl Iterator<Item = String> {
        let fading = self.scenes.first().filter(|scene| !scene.crossfade.is_zero()).map(|scene| {
            let helps = "give it a `fade_in` instead, or the `transition` `cut`";
            format!("The scene `{}` is the first, so its crossfade has nothing to fade from: {helps}.", scene.id)
        });
        let short = self.scenes.iter().zip(&film.scenes).filter(|(_, drawn)| drawn.frames <= 0).map(|(scene, _)| {
            let why = "it lasts for less than a frame: give it a longer `duration`, or remove it";
            format!("The scene `{}` can't be seen: {why}.", scene.id)
        });
        let whole = Micros(film.duration_us);
        let late = self.sounds().filter(move |track| track.offset >= whole).map(move |track| {
            let (begins, ends) = (track.offset.seconds(), whole.seconds());
            let why = format!("it begins at {begins} s, and the film ends at {ends} s: give it an earlier `offset`");
            format!("The track `{}` can't be heard: {why}, or remove it.", track.id)
        });
        fading.into_iter().chain(short).chain(late)
    }

    fn overlays_that_lack(&self, film: &Film) -> impl Iterator<Item = String> {
        let overlays = self.overlays.iter().zip(&film.overlays);
        let texts = overlays.clone().filter_map(|(overlay, drawn)| {
            let text = text_of(drawn)?;
            Some((format!("`{}`", overlay.id), text.text.as_str()))
        });
        let undrawn = undrawn("the overlays", texts);
        let each = overlays.flat_map(move |(overlay, drawn)| {
            let hidden = hidden(overlay, drawn, film)
                .map(|why| format!("The overlay `{}` can't be seen: {why}, or remove it.", overlay.id));
            let cut = text_of(drawn).filter(|text| film.is_cut(text, drawn.place[2])).map(|_| {
                let helps = "make it shorter, smaller or wider";
                format!("The overlay `{}` is cut after {MOST_LINES} lines: {helps}.", overlay.id)
            });
            [hidden, cut].into_iter().flatten()
        });
        each.chain(undrawn)
    }

    fn captions_that_lack(&self, film: &Film) -> impl Iterator<Item = String> {
        let at = |cue: &FilmCue| format!("{} s", Micros(film.rate.us_of(cue.first)).seconds());
        // What transcripts say is made for each film, and nobody can change it here.
        let is_written = self.captions.as_ref().is_some_and(|captions| captions.source == CaptionSource::Cues);
        let frames = film.frames();
        let is_unseen = |cue: &FilmCue| cue.first >= frames || cue.end <= cue.first || is_blank(&cue.text.text);
        let unseen = film.cues.iter().filter(|cue| is_written && is_unseen(cue));
        let unseen = in_short(unseen.map(at)).map(|names| {
            let why = "they begin after the film's end, last for less than a frame, or have only blanks";
            format!("The captions at {names} can't be seen: {why}. Change the `cues` with `set_captions`.")
        });
        let cut = film.cues.iter().filter(|cue| film.is_cut(&cue.text, CAPTIONS[2]));
        let cut = in_short(cut.map(at)).map(|names| {
            let helps = "make them shorter, or their `style.size` smaller";
            format!("The captions at {names} are cut after {MOST_LINES} lines: {helps}.")
        });
        let undrawn = undrawn("the captions at", film.cues.iter().map(|cue| (at(cue), cue.text.text.as_str())));
        [unseen, cut, undrawn].into_iter().flatten()
    }
}

fn text_of(drawn: &FilmOverlay) -> Option<&FilmText> {
    match &drawn.picture {
        OverlayPicture::Text(text) => Some(text),
        OverlayPicture::Image { .. } => None,
    }
}

/// Returns why an overlay can't be seen, and what helps.
fn hidden(overlay: &Overlay, drawn: &FilmOverlay, film: &Film) -> Option<String> {
    let pixels = |millionths: i32, side: u32| i64::from(millionths) * i64::from(side) / 1_000_000;
    let ([wide, high], [x, y, width, height]) = (film.drawn_size(), drawn.place);
    let (width, height) = (pixels(width, wide), pixels(height, high));
    // The box of a text with a background is coloured, whatever is in it.
    let bare = text_of(drawn).filter(|text| text.background.is_none());
    let is_small = match bare {
        Some(_) => width < LEAST_TEXT_SIDE || height < LEAST_TEXT_SIDE,
        None => width < LEAST_SIDE && height < LEAST_SIDE,
    };
    if drawn.first >= film.frames() {
        let (begins, ends) = (overlay.start.seconds(), Micros(film.duration_us).seconds());
        Some(format!("it begins at {begins} s, and the film ends at {ends} s: give it an earlier `start`"))
    } else if drawn.end <= drawn.first {
        Some("it lasts for less than a frame: give it a longer `duration`".to_owned())
    } else if i64::from(drawn.opacity) * OPACITIES < OPAQUE {
        Some(format!("its opacity is {}: give it a higher `opacity`", overlay.opacity.number()))
    } else if pixels(x, wide) >= i64::from(wide) || pixels(y, high) >= i64::from(high) {
        Some("it lies outside the picture: give it a smaller `x` or `y`".to_owned())
    } else if bare.is_some_and(|text| is_blank(&text.text)) {
        Some("its text has only blanks: give it another `text`".to_owned())
    } else if is_small {
        Some(format!("it has {width} × {height} pixels: give it a larger `width` and `height`"))
    } else {
        None
    }
}
