//! What a brief and later messages ask for together. `said` reads each of them.

mod said;

use super::lengths::{LONGEST_SECONDS, SHORTEST_SECONDS};
use super::words::{is_same_word, unmarked};
use said::{Length, Said};
use serde::{Deserialize, Serialize};

/// Seconds of a film whose brief gives no length.
const USUAL_SECONDS: f64 = 60.0;
/// The most seconds that are told; a brief may have a number of any length.
const MOST_TOLD_SECONDS: f64 = 1e9;
/// The most words that are searched for.
const MOST_WORDS: usize = 8;
/// The most words that are left out.
pub const MOST_LEFT_OUT: usize = 40;
/// The most words that are told of those beyond.
const MOST_TOLD_WORDS: usize = 5;

/// The most words that are told of what is left out.
const MOST_READ_WORDS: usize = 12;

/// The wishes of a brief and of later messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Wishes {
    /// The words to search for, each once.
    pub words: Vec<String>,
    /// The words of what is to be left out. Some may be among those to search for as well.
    pub without: Vec<String>,
    /// The first words that are to be left out beyond `MOST_LEFT_OUT`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_left_out: Vec<String>,
    /// The film's length in seconds, from `SHORTEST_SECONDS` to `LONGEST_SECONDS`.
    pub seconds: f64,
    /// The length that the latest text asks for, in seconds, where no film can be so short or so long. Below zero where
    /// more was to be cut than there was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_seconds: Option<f64>,
    /// Whether it has music.
    pub music: bool,
    /// Whether it has captions.
    pub captions: bool,
    /// The picture's aspect ratio, if it is named.
    pub aspect: Option<String>,
}

impl Wishes {
    /// Returns the wishes of a brief.
    pub fn of(brief: &str) -> Self {
        let said = Said::of(brief);
        let asked = match said.length {
            // There is no film yet that it could be shorter or longer than: "cut 30 seconds of the river" is one.
            Some(Length::Times(_)) => USUAL_SECONDS,
            Some(Length::By(seconds)) => seconds.abs(),
            _ => said.seconds(USUAL_SECONDS),
        };
        let (seconds, refused_seconds) = possible(asked);
        Self {
            words: said.words,
            without: said.without,
            not_left_out: said.not_left_out,
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
        self.words.retain(|word| !has_word(&said.without, word));
        self.without.retain(|word| !has_word(&said.words, word));
        put_first(&mut self.words, &said.words, MOST_WORDS);
        let beyond = put_first(&mut self.without, &said.without, MOST_LEFT_OUT);
        self.not_left_out.retain(|word| !has_word(&said.words, word) && !has_word(&self.without, word));
        self.not_left_out.splice(0..0, said.not_left_out.iter().cloned().chain(beyond));
        self.not_left_out.truncate(MOST_TOLD_WORDS);
        (self.seconds, self.refused_seconds) = possible(said.seconds(self.seconds));
        self.music = said.music.unwrap_or(self.music);
        self.captions = said.captions.unwrap_or(self.captions);
        self.aspect = said.aspect.or(self.aspect.take());
    }

    /// Returns the words of what is left out: those that are not to be searched for as well.
    pub fn left_out(&self) -> Vec<String> {
        self.without.iter().filter(|word| !has_word(&self.words, word)).cloned().collect()
    }

    /// Returns the sentence that tells people how all that was said is understood.
    pub fn read_as(&self) -> String {
        let words = if self.words.is_empty() { "anything".to_owned() } else { self.words.join(", ") };
        let left_out = self.left_out();
        let without = left_out.iter().take(MOST_READ_WORDS).map(String::as_str).collect::<Vec<_>>().join(", ");
        let without = match left_out.len().saturating_sub(MOST_READ_WORDS) {
            _ if left_out.is_empty() => String::new(),
            0 => format!("; without {without}"),
            more => format!("; without {without} and {more} more"),
        };
        let music = if self.music { ", with music" } else { "" };
        let captions = if self.captions { ", with captions" } else { "" };
        let aspect = self.aspect.as_ref().map(|aspect| format!(", {aspect}")).unwrap_or_default();
        let seconds = (self.seconds * 100.0).round() / 100.0;
        format!("Read as: about {words}{without}; {seconds} s{music}{captions}{aspect}.")
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

/// Puts new words before the others, each once. Returns those for which there is no room any more.
fn put_first(all: &mut Vec<String>, new: &[String], most: usize) -> Vec<String> {
    all.retain(|word| !new.contains(word));
    all.splice(0..0, new.iter().cloned());
    all.split_off(most.min(all.len()))
}

/// Returns the length of a film that comes nearest to this many seconds, and those seconds if it is another one.
fn possible(seconds: f64) -> (f64, Option<f64>) {
    let nearest = seconds.clamp(SHORTEST_SECONDS, LONGEST_SECONDS);
    // A number without an end can't be stored.
    let is_same = (nearest - seconds).abs() < f64::EPSILON;
    (nearest, (!is_same).then_some(seconds.clamp(-MOST_TOLD_SECONDS, MOST_TOLD_SECONDS)))
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
        let mut shorter = Wishes::of("20 seconds");
        shorter.hear(&format!("cut {} seconds", "9".repeat(400)));
        assert_eq!((shorter.seconds, shorter.refused_seconds), (SHORTEST_SECONDS, Some(-MOST_TOLD_SECONDS)));
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
        wishes.hear("not only the boats");
        assert_eq!(wishes.words, ["boats", "bridge", "river"], "what there was is wanted as well");
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

    #[test]
    fn people_are_told_how_it_is_read() {
        let mut wishes =
            Wishes::of("A vertical film about the river, the town; no boats. At most 30 seconds, with music");
        assert_eq!(wishes.read_as(), "Read as: about river, town; without boats; 30 s, with music, 9:16.");
        wishes.hear("5 seconds shorter, no music, with captions and the boats");
        assert_eq!(wishes.read_as(), "Read as: about boats, river, town; 25 s, with captions, 9:16.");
        let words: Vec<String> = (0..15).map(|number| format!("boat{number}")).collect();
        let told = Wishes::of(&format!("without {}", words.join(", "))).read_as();
        assert!(told.starts_with("Read as: about anything; without boat0, "), "{told}");
        assert!(told.ends_with("boat11 and 3 more; 60 s."), "{told}");
    }

    #[test]
    fn many_words_are_left_out_and_those_beyond_are_told() {
        let words: Vec<String> = (0..43).map(|number| format!("boat{number}")).collect();
        let mut wishes = Wishes::of(&format!("the river without {}", words.join(", ")));
        assert_eq!(wishes.without, words[..MOST_LEFT_OUT]);
        assert_eq!(wishes.not_left_out, words[MOST_LEFT_OUT..]);
        wishes.hear("without gardens, and with boat41");
        assert_eq!(wishes.without[..2], ["gardens".to_owned(), "boat0".to_owned()]);
        assert_eq!(wishes.not_left_out, ["boat39", "boat40", "boat42"]);
    }

    #[test]
    fn a_length_may_be_the_most_or_the_least() {
        for (text, of_ten, of_sixty) in [
            ("not over 30 seconds of the river", 10.0, 30.0),
            ("no more than 30 seconds", 10.0, 30.0),
            ("not more than half a minute", 10.0, 30.0),
            ("it mustn't be longer than 30 seconds", 10.0, 30.0),
            ("it shouldn't run over 30 seconds", 10.0, 30.0),
            ("it must not exceed 30 seconds", 10.0, 30.0),
            ("never more than 30 seconds", 10.0, 30.0),
            ("at most 30 seconds", 10.0, 30.0),
            ("a maximum of 30 seconds", 10.0, 30.0),
            ("max 30 seconds", 10.0, 30.0),
            ("up to 0:30", 10.0, 30.0),
            ("in under thirty seconds", 10.0, 30.0),
            ("within 30s", 10.0, 30.0),
            ("less than 30 seconds", 10.0, 30.0),
            ("shorter than 30 seconds", 10.0, 30.0),
            ("30 seconds at most", 10.0, 30.0),
            ("30 seconds or less", 10.0, 30.0),
            ("30 seconds max of the river", 10.0, 30.0),
            ("at least 30 seconds", 30.0, 60.0),
            ("over 30 seconds", 30.0, 60.0),
            ("more than 30 seconds", 30.0, 60.0),
            ("longer than 30 seconds", 30.0, 60.0),
            ("minimum 30 seconds", 30.0, 60.0),
            ("no less than 30 seconds", 30.0, 60.0),
            ("not less than 30 seconds", 30.0, 60.0),
            ("no fewer than 30 seconds", 30.0, 60.0),
            ("it shouldn't be under 30 seconds", 30.0, 60.0),
            ("30 seconds or more", 30.0, 60.0),
            // What is before it is another clause's.
            ("the view from above. 30 seconds", 30.0, 30.0),
            ("an interview with Max, 30 seconds", 30.0, 30.0),
        ] {
            for (now, expected) in [(10.0, of_ten), (60.0, of_sixty)] {
                let mut wishes = Wishes { seconds: now, ..Wishes::of("the river") };
                wishes.hear(text);
                assert_eq!((wishes.seconds, wishes.refused_seconds), (expected, None), "{text}, {now}");
            }
        }
    }

    #[test]
    fn a_message_changes_the_length_unless_it_negates_that() {
        for (text, seconds) in [
            ("shorter", 5.0),
            ("longer, without the boats", 20.0),
            ("without the boats, longer", 20.0),
            ("don't make it shorter", 10.0),
            ("do not make it any longer", 10.0),
            ("not longer than that", 10.0),
            ("no longer", 10.0),
            ("not shorter but longer", 20.0),
            ("not longer than 8 seconds", 8.0),
            ("don't make it longer than 8 seconds", 8.0),
            ("no more than 20 seconds", 10.0),
            ("not shorter than 20 seconds", 20.0),
            ("not shorter than 8 seconds", 10.0),
            ("10,5 seconds", 10.5),
            ("don't make it shorter, at least 20 seconds", 20.0),
            ("make it 5 seconds longer", 15.0),
            ("make it 3 seconds shorter", 7.0),
            ("add 5 seconds", 15.0),
            ("cut 3 seconds", 7.0),
            ("extend it by 5 seconds", 15.0),
            ("don't make it 5 seconds longer", 10.0),
            ("twice as long", 20.0),
            ("half as long, please", 5.0),
            ("not twice as long", 10.0),
            ("please don't be longer than 8 seconds", 8.0),
            ("no longer than about 15 seconds", 10.0),
            ("at most about 15 seconds", 10.0),
            ("it shouldn't be longer than 15 seconds", 10.0),
            ("it shouldn't be longer than 15", 10.0),
            ("less than 15 seconds", 10.0),
            ("under 15 seconds please", 10.0),
            ("not 20 seconds but 12", 12.0),
        ] {
            let mut wishes = Wishes::of("10 seconds about the river");
            wishes.hear(text);
            assert_eq!((wishes.seconds, wishes.refused_seconds), (seconds, None), "{text}");
        }
        for brief in
            ["A shorter film about the river", "Boats on the longer river", "the river, no less than 15 seconds"]
        {
            let wishes = Wishes::of(brief);
            assert_eq!((wishes.seconds, wishes.refused_seconds), (USUAL_SECONDS, None), "{brief}");
        }
        for (brief, refused) in [("an hour", 3_600.0), ("1,000 seconds", 1_000.0), ("1:00:00", 3_600.0)] {
            let wishes = Wishes::of(brief);
            assert_eq!((wishes.seconds, wishes.refused_seconds), (LONGEST_SECONDS, Some(refused)), "{brief}");
        }
    }
}
