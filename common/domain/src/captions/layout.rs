//! Turns words into cues: which words are shown together, where their line is broken, and when they are shown.

use super::columns::{COLUMNS, columns_of, width};
use super::words::Spoken;
use unicode_segmentation::UnicodeSegmentation;

/// The most milliseconds of a cue.
pub const LONGEST_MS: i64 = 7_000;
/// The fewest milliseconds that a cue is shown if the next one begins late enough.
const READABLE_MS: i64 = 700;
/// The fewest milliseconds of a cue in any case, where words have no times of their own: one picture.
const LEAST_MS: i64 = 40;
/// The shortest pause that ends a cue, in milliseconds.
const PAUSE_MS: i64 = 1_000;
/// The fewest columns of a cue that also ends with its sentence.
const SENTENCE_COLUMNS: usize = 24;
/// The most columns of a speaker's name.
const NAME_COLUMNS: usize = 16;

/// A caption: lines that are shown together for a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cue {
    /// Its start in milliseconds.
    pub start_ms: i64,
    /// Its end in milliseconds: after its start, and not after the next cue's.
    pub end_ms: i64,
    /// One or two lines. The first is empty if a speaker's label leaves no room beside it.
    pub lines: Vec<String>,
    /// The speaker's name, if it is known.
    pub speaker: Option<String>,
    /// Whether the lines leave room for the speaker's label, which is shown when the speaker changes.
    pub is_labelled: bool,
}

/// Returns a speaker's label before their words, cut to `NAME_COLUMNS`.
pub(super) fn label(name: &str) -> String {
    let mut label = String::new();
    let mut columns = 0;
    for letter in name.graphemes(true) {
        columns += columns_of(letter);
        if columns > NAME_COLUMNS {
            label.push('…');
            break;
        }
        label.push_str(letter);
    }
    label + ": "
}

/// Words that are shown together.
struct Draft {
    words: Vec<Spoken>,
    /// The columns that the label takes of the first line.
    label: usize,
}

/// Returns the cues of these words, which are in the order of their starts.
pub fn cues(words: Vec<Spoken>) -> Vec<Cue> {
    let mut drafts: Vec<Draft> = Vec::new();
    for word in words {
        let last = drafts.last_mut();
        match last {
            Some(draft) if draft.takes(&word) => draft.words.push(word),
            last => {
                let before = last.and_then(|draft| draft.words.first()).map(|word| word.speaker.clone());
                let is_new = word.speaker.is_some() && before != Some(word.speaker.clone());
                let label = word.speaker.as_deref().filter(|_| is_new).map_or(0, |name| width(&label(name)));
                drafts.push(Draft { words: vec![word], label });
            }
        }
    }
    timed(&drafts)
}

impl Draft {
    /// Whether one more word may be shown with these.
    fn takes(&self, word: &Spoken) -> bool {
        let (Some(first), Some(last)) = (self.words.first(), self.words.last()) else { return true };
        let ended = last.text.trim_end_matches(['"', '\'', '”', '’', '»', ')']);
        let is_sentence = ended.ends_with(['.', '!', '?', '…', '。', '！', '？']);
        first.speaker == word.speaker
            && word.start_ms - last.end_ms < PAUSE_MS
            && word.end_ms - first.start_ms <= LONGEST_MS
            && !(is_sentence && line_columns(&self.words) >= SENTENCE_COLUMNS)
            && self.broken(Some(word)).is_some()
    }

    /// Returns how many words stand on the first line, so that both are about as long; `None` if they don't fit on two.
    fn broken(&self, more: Option<&Spoken>) -> Option<usize> {
        let words: Vec<&Spoken> = self.words.iter().chain(more).collect();
        // The columns of the line, and of the part before each word.
        let all = line_columns(words.iter().copied());
        if self.label + all <= COLUMNS {
            return Some(words.len());
        }
        let mut best: Option<(usize, usize)> = None;
        let mut first = 0;
        for place in 0..words.len() {
            let gap = place.checked_sub(1).map_or(0, |before| gap(words[before], words[place]));
            let (top, below) = (self.label + first, all - first - gap);
            let is_line = place > 0 || self.label > 0;
            if is_line && top <= COLUMNS && below <= COLUMNS {
                let unlike = top.abs_diff(below);
                best = Some(best.map_or((unlike, place), |known| known.min((unlike, place))));
            }
            first += gap + words[place].columns;
        }
        best.map(|(_, place)| place)
    }

    fn lines(&self) -> Vec<String> {
        let place = self.broken(None).unwrap_or(self.words.len());
        let (first, second) = self.words.split_at(place);
        let mut lines = vec![line(first)];
        if !second.is_empty() {
            lines.push(line(second));
        }
        lines
    }
}

/// Returns the columns between two words.
fn gap(word: &Spoken, next: &Spoken) -> usize {
    usize::from(!word.is_glued_to(next))
}

fn line_columns<'a>(words: impl IntoIterator<Item = &'a Spoken>) -> usize {
    let mut before: Option<&Spoken> = None;
    let mut columns = 0;
    for word in words {
        columns += before.map_or(0, |before| gap(before, word)) + word.columns;
        before = Some(word);
    }
    columns
}

fn line(words: &[Spoken]) -> String {
    let mut text = String::new();
    for (place, word) in words.iter().enumerate() {
        if place > 0 && gap(&words[place - 1], word) > 0 {
            text.push(' ');
        }
        text.push_str(&word.text);
    }
    text
}

/// Returns the cues of the drafts, each beginning no earlier than the one before ends.
fn timed(drafts: &[Draft]) -> Vec<Cue> {
    let mut cues: Vec<Cue> = Vec::with_capacity(drafts.len());
    let mut free_ms = 0;
    for (place, draft) in drafts.iter().enumerate() {
        let begins = |draft: &Draft| draft.words.first().map_or(0, |word| word.start_ms);
        let ends = draft.words.iter().map(|word| word.end_ms).max().unwrap_or(0);
        let start_ms = begins(draft).max(free_ms);
        let next_ms = drafts.get(place + 1).map_or(i64::MAX, begins);
        let wished = ends.max(start_ms + READABLE_MS).min(start_ms + LONGEST_MS);
        let end_ms = if next_ms > start_ms + LEAST_MS { wished.min(next_ms) } else { start_ms + LEAST_MS };
        free_ms = end_ms;
        let speaker = draft.words.first().and_then(|word| word.speaker.clone());
        cues.push(Cue { start_ms, end_ms, lines: draft.lines(), speaker, is_labelled: draft.label > 0 });
    }
    cues
}
