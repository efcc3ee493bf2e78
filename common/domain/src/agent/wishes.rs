//! Reads what a brief and later messages ask for.

use super::words::{
    LONGEST_SECONDS, SHORTEST_SECONDS, Word, is_same_word, length, says_something, taken_apart, unmarked,
};
use serde::{Deserialize, Serialize};

/// Seconds of a film whose brief gives no length.
const USUAL_SECONDS: f64 = 60.0;
/// The most seconds that are told; a brief may have a number of any length.
const MOST_TOLD_SECONDS: f64 = 1e9;
/// The most words that are searched for, and the most that are left out.
const MOST_WORDS: usize = 8;
/// The most letters of a word that are kept.
const MOST_LETTERS: usize = 40;

/// The wishes of a brief and of later messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Wishes {
    /// The words to search for, each once.
    pub words: Vec<String>,
    /// The words of what is to be left out. Some may be among those to search for as well.
    pub without: Vec<String>,
    /// The film's length in seconds, from `SHORTEST_SECONDS` to `LONGEST_SECONDS`.
    pub seconds: f64,
    /// The length that the latest text asks for, in seconds, where no film can be so short or so long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_seconds: Option<f64>,
    /// Whether it has music.
    pub music: bool,
    /// Whether it has captions.
    pub captions: bool,
    /// The picture's aspect ratio, if it is named.
    pub aspect: Option<String>,
}

/// The wishes of a single text; `None` where it says nothing.
#[derive(Debug, Default)]
struct Said {
    words: Vec<String>,
    without: Vec<String>,
    seconds: Option<f64>,
    music: Option<bool>,
    captions: Option<bool>,
    aspect: Option<String>,
    /// Whether it names all that is wanted: earlier words are dropped.
    only: bool,
    /// The factor by which the film's length changes.
    times: Option<f64>,
}

impl Wishes {
    /// Returns the wishes of a brief.
    pub fn of(brief: &str) -> Self {
        let said = Said::of(brief);
        let (seconds, refused_seconds) = possible(said.seconds.unwrap_or(USUAL_SECONDS));
        Self {
            words: said.words,
            without: said.without,
            seconds,
            refused_seconds,
            music: said.music.unwrap_or(false),
            captions: said.captions.unwrap_or(false),
            aspect: said.aspect,
        }
    }

    /// Changes the wishes by what a later message asks for.
    pub fn hear(&mut self, text: &str) {
        let said = Said::of(text);
        if said.only && !said.words.is_empty() {
            self.words.clear();
        }
        let added = |all: &mut Vec<String>, new: &[String]| {
            all.retain(|word| !new.contains(word));
            all.splice(0..0, new.iter().cloned());
            all.truncate(MOST_WORDS);
        };
        self.words.retain(|word| !has_word(&said.without, word));
        self.without.retain(|word| !has_word(&said.words, word));
        added(&mut self.words, &said.words);
        added(&mut self.without, &said.without);
        let seconds = said.seconds.or(said.times.map(|times| self.seconds * times)).unwrap_or(self.seconds);
        (self.seconds, self.refused_seconds) = possible(seconds);
        self.music = said.music.unwrap_or(self.music);
        self.captions = said.captions.unwrap_or(self.captions);
        self.aspect = said.aspect.or(self.aspect.take());
    }

    /// Returns the words of what is left out: those that are not to be searched for as well.
    pub fn left_out(&self) -> Vec<String> {
        self.without.iter().filter(|word| !has_word(&self.words, word)).cloned().collect()
    }

    /// Returns the words that are both to be searched for and to be left out.
    pub fn contrary(&self) -> Vec<String> {
        self.without.iter().filter(|word| has_word(&self.words, word)).cloned().collect()
    }
}

/// Whether a word is among these, perhaps in another number.
fn has_word(words: &[String], word: &str) -> bool {
    let word = unmarked(word);
    words.iter().any(|own| is_same_word(&unmarked(own), &word))
}

/// Returns the length of a film that comes nearest to this many seconds, and those seconds if it is another one.
fn possible(seconds: f64) -> (f64, Option<f64>) {
    let nearest = seconds.clamp(SHORTEST_SECONDS, LONGEST_SECONDS);
    // A number without an end can't be stored.
    let is_same = (nearest - seconds).abs() < f64::EPSILON;
    (nearest, (!is_same).then_some(seconds.min(MOST_TOLD_SECONDS)))
}

impl Said {
    fn of(text: &str) -> Self {
        let mut said = Self::default();
        let mut words = taken_apart(text);
        said.aspect = aspect(&mut words);
        if let Some((seconds, range)) = length(&words) {
            said.seconds = Some(seconds);
            words.drain(range);
        }
        let mut is_without = false;
        for (place, word) in words.iter().enumerate() {
            let after = words.get(place + 1).map(|word| word.text.as_str());
            is_without = says_without(word, after, is_without);
            said.take(&word.text, !is_without);
        }
        said
    }

    /// Takes a word as something that is wanted, or that is not.
    fn take(&mut self, word: &str, wanted: bool) {
        match word {
            "music" | "musical" | "soundtrack" | "song" | "score" => self.music = Some(wanted),
            "captions" | "caption" | "subtitles" | "subtitle" | "subtitled" => self.captions = Some(wanted),
            "shorter" => self.times = Some(0.5),
            "longer" => self.times = Some(2.0),
            "only" => self.only = true,
            "without" | "no" | "not" | "don't" | "except" | "exclude" | "excluding" | "drop" | "remove" | "leave"
            | "omit" | "skip" => {}
            word if says_something(word) => {
                let kept: String = word.chars().take(MOST_LETTERS).collect();
                let list = if wanted { &mut self.words } else { &mut self.without };
                if list.len() < MOST_WORDS && !list.contains(&kept) {
                    list.push(kept);
                }
            }
            _ => {}
        }
    }
}

/// Whether this word belongs to what is to be left out; `before` says whether the word before it does.
fn says_without(word: &Word, after: Option<&str>, before: bool) -> bool {
    match word.text.as_str() {
        "without" | "no" | "not" | "don't" | "except" | "exclude" | "excluding" | "drop" | "remove" | "omit"
        | "skip" => true,
        "leave" => after == Some("out"),
        "but" | "with" | "only" | "instead" | "about" | "use" | "more" => false,
        _ => before && !word.begins,
    }
}

/// Returns the aspect ratio that is named, and removes the word that names it: `9:16` is no time.
fn aspect(words: &mut Vec<Word>) -> Option<String> {
    let named = |word: &str| match word {
        "9:16" | "vertical" | "portrait" => Some("9:16"),
        "1:1" | "square" => Some("1:1"),
        "16:9" | "landscape" | "widescreen" => Some("16:9"),
        _ => None,
    };
    let place = words.iter().position(|word| named(&word.text).is_some())?;
    named(&words.remove(place).text).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brief_says_what_how_long_and_with_what() {
        let wishes = Wishes::of("A 30 second film about the river from the interview footage, with music");
        assert_eq!(wishes.words, ["river", "interview"]);
        assert_eq!((wishes.seconds, wishes.music, wishes.captions), (30.0, true, false));
        let wishes = Wishes::of("Vertical, the harbour and its boats, no music, without the crane. Subtitles please");
        assert_eq!((wishes.words.join(" "), wishes.without.join(" ")), ("harbour boats".into(), "crane".into()));
        assert_eq!((wishes.music, wishes.captions, wishes.aspect.as_deref()), (false, true, Some("9:16")));
        assert!((Wishes::of("9:16 boats").seconds - 60.0).abs() < 1e-9, "proportions are no length");
        assert!((Wishes::of("9 hours of boats, 90000 seconds").seconds - LONGEST_SECONDS).abs() < 1e-9);
        for (brief, refused) in
            [("0 seconds", Some(0.0)), ("1 second", Some(1.0)), ("2 s", None), ("11 min", Some(660.0))]
        {
            assert_eq!(Wishes::of(brief).refused_seconds, refused, "{brief}");
        }
        let endless = Wishes::of(&format!("{} seconds", "9".repeat(400)));
        assert_eq!((endless.seconds, endless.refused_seconds), (LONGEST_SECONDS, Some(MOST_TOLD_SECONDS)));
        assert!(Wishes::of("Make a film, please").words.is_empty());
        assert!(Wishes::of("Yes, go on. Ok, continue!").words.is_empty());
    }

    #[test]
    fn what_is_said_afterwards_adds_leaves_out_and_changes_the_length() {
        let mut wishes = Wishes::of("A 30 second film about the river, with music");
        wishes.hear("make it 20 seconds, more about the bridge, leave out the boats");
        assert_eq!(
            (wishes.words.clone(), wishes.without.clone()),
            (vec!["bridge".into(), "river".into()], vec!["boats".into()])
        );
        assert_eq!((wishes.seconds, wishes.music), (20.0, true));
        wishes.hear("shorter, without music, and with the boats");
        assert_eq!((wishes.seconds, wishes.music, wishes.without.is_empty()), (10.0, false, true));
        wishes.hear("only the bridge");
        assert_eq!(wishes.words, ["bridge"]);
        wishes.hear("no bridges");
        assert!(wishes.words.is_empty(), "in another number it is the same");
    }

    #[test]
    fn what_is_asked_for_is_not_left_out_as_well() {
        let wishes = Wishes::of("A film about the river without the river boats");
        assert_eq!((wishes.left_out(), wishes.contrary()), (vec!["boats".to_owned()], vec!["river".to_owned()]));
    }
}
