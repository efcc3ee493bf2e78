//! Captions of a timeline, made of the transcripts of its scenes and its voiceover, at times of the timeline.

use super::fields::{MOST_CUE_CHARACTERS, is_refused_in_cue};
use super::{CaptionCue, CaptionSource, Captions, LONGEST, MOST_CUES, Micros, SceneKind, TextStyle, Timeline};
use crate::captions::{Cue, Said, Timed, cues, read, spoken};
use crate::ids::ItemId;
use crate::warnings::Warnings;
use std::borrow::Cow;
use std::collections::HashMap;

/// The words of stored transcripts, by item.
pub type Transcripts = HashMap<ItemId, Vec<Timed>>;

impl Timeline {
    /// Returns the items whose transcripts the captions are made of.
    pub fn voices(&self) -> Vec<ItemId> {
        let scenes = self.scenes.iter().filter(|scene| scene.kind == SceneKind::Clip && scene.volume.0 > 0);
        let mut items = Vec::new();
        for item in scenes.filter_map(|scene| scene.item).chain(self.audio.voiceover.iter().map(|voice| voice.item)) {
            if !items.contains(&item) {
                items.push(item);
            }
        }
        items
    }

    /// Returns the cues of its captions: its own, or those made of transcripts.
    pub fn cues(&self, transcripts: &Transcripts) -> Vec<Cue> {
        match &self.captions {
            Some(captions) if captions.source == CaptionSource::Cues => captions.cues.iter().map(written).collect(),
            _ => self.heard_cues(transcripts),
        }
    }

    fn heard_cues(&self, transcripts: &Transcripts) -> Vec<Cue> {
        let (placed, whole) = (self.placed(), self.duration().seconds());
        let scenes =
            self.scenes.iter().zip(&placed).filter(|(scene, _)| scene.kind == SceneKind::Clip && scene.volume.0 > 0);
        let scenes = scenes.filter_map(|(scene, place)| Some((scene.item?, scene.start, scene.duration, place.start)));
        let voice = self.audio.voiceover.iter().map(|voice| (voice.item, voice.start, voice.duration, voice.offset));
        let mut middles: HashMap<ItemId, Vec<Middle>> = HashMap::new();
        let mut said: Vec<Said<'_>> = Vec::new();
        for (item, start, duration, at) in scenes.chain(voice) {
            let (from, shift) = (start.seconds(), at.seconds() - start.seconds());
            // A voiceover may be longer than the scenes; nobody hears the rest.
            let until = (from + duration.seconds()).min(whole - shift);
            let words = transcripts.get(&item).map(Vec::as_slice).unwrap_or_default();
            // A word belongs to the part that contains its middle.
            let middles = middles.entry(item).or_insert_with(|| by_middle(words));
            said.extend(within(middles, from, until).into_iter().filter_map(|place| words.get(place)).map(|word| {
                Said { text: &word.text, start: word.start.max(from) + shift, end: word.end.min(until) + shift }
            }));
        }
        cues(spoken(said.into_iter(), &[]))
    }
}

/// The middle of a word in seconds, and its place in the transcript.
type Middle = (f64, usize);

/// Returns the middles of these words in their order, so that those of a part are found without a look at all others.
fn by_middle(words: &[Timed]) -> Vec<Middle> {
    let mut middles: Vec<Middle> =
        words.iter().enumerate().map(|(place, word)| (f64::midpoint(word.start, word.end), place)).collect();
    middles.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    middles
}

/// Returns the places of the words whose middles are from `from` until before `until`, in the transcript's order.
fn within(middles: &[Middle], from: f64, until: f64) -> Vec<usize> {
    let before = |time: f64| middles.partition_point(|(middle, _)| *middle < time);
    let inside = middles.get(before(from)..before(until)).unwrap_or_default();
    let mut places: Vec<usize> = inside.iter().map(|(_, place)| *place).collect();
    places.sort_unstable();
    places
}

/// Returns the cue as a timeline stores it.
pub fn caption(cue: &Cue) -> CaptionCue {
    let lines: Vec<&str> = cue.lines.iter().map(String::as_str).filter(|line| !line.is_empty()).collect();
    CaptionCue { start: Micros::ms(cue.start_ms), end: Micros::ms(cue.end_ms), text: lines.join("\n") }
}

/// Returns the captions of a `SubRip` or `WebVTT` document, and what was left out of them.
///
/// # Errors
/// Why it is no such document, or that it has more cues than a timeline may.
pub fn captions_of(content: &str, is_vtt: bool) -> Result<(Captions, Warnings), String> {
    let (found, mut warnings) = read(content, is_vtt)?;
    if found.len() > MOST_CUES {
        let many = found.len();
        return Err(format!("it has {many} cues, and a timeline at most {MOST_CUES}: import a part of it"));
    }
    let mut cues = Vec::with_capacity(found.len());
    for cue in found {
        let (start, end) = (Micros::ms(cue.start_ms), Micros::ms(cue.end_ms));
        if end > LONGEST {
            warnings.add(format!("The cue at {} s is left out: a timeline ends after a day.", start.seconds()));
            continue;
        }
        let mut text = cue.text;
        if let Some((at, _)) = text.char_indices().nth(MOST_CUE_CHARACTERS) {
            text.truncate(at);
            warnings.add(format!("The cue at {} s is cut after {MOST_CUE_CHARACTERS} characters.", start.seconds()));
        }
        cues.push(CaptionCue { start, end, text });
    }
    if cues.is_empty() {
        return Err("none of its cues is within a day".to_owned());
    }
    let (source, style) = (CaptionSource::Cues, TextStyle::default());
    Ok((Captions { source, cues, burn: false, style, position: None, language: None }, warnings))
}

impl Captions {
    /// Returns the same with texts that cues may have.
    #[must_use]
    pub fn cleaned(mut self) -> Self {
        for cue in &mut self.cues {
            cue.text = cleaned(&cue.text).into_owned();
        }
        self
    }
}

/// Returns the text of a cue without the control characters that are refused. One that was stored before they were has
/// line feeds in place of those that end a line for some player, and a space in place of a tab.
fn cleaned(text: &str) -> Cow<'_, str> {
    if !text.contains(is_refused_in_cue) {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n");
    let plain = text.chars().map(|letter| match letter {
        '\r' | '\u{b}' | '\u{c}' | '\u{85}' => '\n',
        '\t' => ' ',
        other => other,
    });
    Cow::Owned(plain.filter(|letter| !is_refused_in_cue(*letter)).collect())
}

/// Returns a stored cue in the form in which captions are written.
fn written(cue: &CaptionCue) -> Cue {
    let lines = cleaned(&cue.text);
    let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    Cue { start_ms: cue.start.0 / 1000, end_ms: cue.end.0 / 1000, lines, speaker: None, is_labelled: false }
}
