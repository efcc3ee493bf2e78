//! Which words of a text belong to what is to be left out.

use super::words::{Mark, Word};

/// Words behind which something is left out.
const NEGATIONS: [&str; 6] = ["no", "not", "never", "nor", "neither", "cannot"];
/// Verbs that `n't` or `nt` behind them make negations: `shouldn't`, `dont`, `won't`.
const NEGATED: [&str; 8] = ["do", "does", "should", "must", "is", "are", "wo", "ca"];
/// Words that take a negation back: "not only the boats", "don't forget the boats", "can't wait for the boats".
const TAKING_BACK: [&str; 5] = ["only", "forget", "wait", "miss", "hesitate"];
/// Words that mean to leave out. Behind a negation they take it back.
const LEAVING: [&str; 11] =
    ["without", "except", "exclude", "excluding", "avoid", "avoiding", "drop", "remove", "omit", "skip", "minus"];
/// Words that mean to leave out with `out` behind them, or behind what is left out.
const LEAVING_WITH_OUT: [&str; 5] = ["leave", "leaving", "take", "cut", "keep"];
/// Words that `out` behind them belongs to: `fade out` leaves nothing out.
const WITH_AN_OUT_OF_THEIR_OWN: [&str; 12] =
    ["fade", "fades", "fading", "zoom", "zooms", "zooming", "go", "goes", "going", "come", "comes", "coming"];
/// Words behind `cut` where it is a noun, or goes from one scene to another.
const BEHIND_OTHER_CUTS: [&str; 3] = ["of", "to", "from"];
/// Words before an order in the same clause.
const BEFORE_ORDERS: [&str; 17] = [
    "and", "but", "or", "please", "then", "so", "also", "just", "you", "to", "we", "should", "must", "can", "could",
    "would", "i",
];
/// Words before a noun: `a drop` is no order.
const BEFORE_NOUNS: [&str; 13] =
    ["a", "an", "the", "each", "every", "this", "that", "one", "my", "our", "his", "her", "their"];
/// Words that say what is shown: what is left out has ended before them.
const SHOWING: [&str; 21] = [
    "about",
    "add",
    "but",
    "feature",
    "featuring",
    "focus",
    "include",
    "including",
    "instead",
    "keep",
    "make",
    "more",
    "only",
    "prefer",
    "put",
    "see",
    "show",
    "showing",
    "use",
    "want",
    "with",
];

/// What has been named in a list of what is to be left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Named {
    /// Nothing yet.
    #[default]
    Nothing,
    /// How long the film is.
    Length,
    /// Music or captions alone.
    Setting,
    /// What may be seen or said.
    Thing,
}

/// What has begun to leave something out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Opening {
    /// A word that means to leave out.
    #[default]
    Leaving,
    /// A negation.
    Negation,
    /// `no`: the nouns behind it have no articles.
    No,
}

/// Whether the words that are read belong to what is to be left out.
#[derive(Debug, Default)]
pub struct Scope {
    is_open: bool,
    opening: Opening,
    named: Named,
    /// The place of the `out` that ends it.
    out: Option<usize>,
}

impl Scope {
    /// Reads the word at this place. Returns whether it only says that something is left out.
    pub fn read(&mut self, words: &[Word], place: usize) -> bool {
        let Some(word) = words.get(place) else { return false };
        if self.out == Some(place) {
            self.close();
            return true;
        }
        if self.out.is_none() && self.ends_before(word) {
            self.close();
        }
        let text = word.text.as_str();
        if TAKING_BACK.contains(&text) && word_before(words, place).is_some_and(negates) {
            return true;
        }
        // "Somebody who can't swim" is to be seen.
        if negates(text) && is_after(words, place, &["who"]) {
            return true;
        }
        if negates(text) {
            let opening = if text == "no" { Opening::No } else { Opening::Negation };
            let is_taken_back = words.get(place + 1).is_some_and(|next| TAKING_BACK.contains(&next.text.as_str()));
            *self = Self { is_open: !is_taken_back, opening, ..Self::default() };
            return true;
        }
        let out = out_of(words, place);
        if out.is_none() && (!LEAVING.contains(&text) || is_after(words, place, &BEFORE_NOUNS)) {
            return false;
        }
        // In "leave out the boats" they stand behind it, and a list may go on.
        let out = out.filter(|out| *out > place + 1);
        // "Don't leave out the boats".
        let is_taken_back = self.is_negation() && self.opening != Opening::Leaving;
        *self = Self { is_open: !is_taken_back, out, ..Self::default() };
        true
    }

    /// Whether the word that was read belongs to what is to be left out.
    pub const fn is_open(&self) -> bool {
        self.is_open
    }

    /// Whether something is negated of which no more than a length has been named yet: `don't make it`.
    pub fn is_negation(&self) -> bool {
        self.is_open && self.named <= Named::Length
    }

    /// Notes what the word that was read names.
    pub fn name(&mut self, named: Named) {
        self.named = self.named.max(named);
    }

    /// Ends what is to be left out.
    pub fn close(&mut self) {
        *self = Self::default();
    }

    /// Whether what is left out has ended before this word. A list goes on over commas.
    fn ends_before(&self, word: &Word) -> bool {
        let has_article = ["a", "an", "the"].contains(&word.text.as_str());
        let is_elsewhere = match word.mark {
            Mark::Stop => true,
            // "No boats, the garden at dawn" is no list, nor is "without music, the garden at dawn".
            Mark::Comma => {
                self.is_negation() || has_article && (self.opening == Opening::No || self.named == Named::Setting)
            }
            Mark::None => false,
        };
        // "Don't make it longer and show the bridge".
        let is_about_length = self.opening != Opening::Leaving && self.named == Named::Length;
        let has_named = self.named > Named::Length;
        is_elsewhere
            || word.text == "but"
            || is_about_length && word.text != "than"
            || has_named && SHOWING.contains(&word.text.as_str())
    }
}

fn negates(word: &str) -> bool {
    let verb = word.strip_suffix("n't").or_else(|| word.strip_suffix("nt"));
    NEGATIONS.contains(&word) || verb.is_some_and(|verb| NEGATED.contains(&verb))
}

/// Returns the word before this one in the same clause.
fn word_before(words: &[Word], place: usize) -> Option<&str> {
    words.get(place).filter(|word| word.mark == Mark::None)?;
    words.get(place.checked_sub(1)?).map(|word| word.text.as_str())
}

fn is_after(words: &[Word], place: usize, before: &[&str]) -> bool {
    word_before(words, place).is_some_and(|word| before.contains(&word))
}

/// Returns the place of the `out` of `leave the boats out` or `leave out the boats`. `People take boats out` leaves
/// nothing out.
fn out_of(words: &[Word], place: usize) -> Option<usize> {
    let word = words.get(place).filter(|word| LEAVING_WITH_OUT.contains(&word.text.as_str()))?;
    let is_behind = |before: &str| BEFORE_ORDERS.contains(&before) || negates(before);
    let is_order = word.mark != Mark::None || word_before(words, place).is_some_and(is_behind);
    let behind = words.iter().enumerate().skip(place + 1);
    let mut clause = behind.take_while(|(_, word)| word.mark != Mark::Stop && !begins_another(&word.text));
    let is_own = |place: usize| is_after(words, place, &WITH_AN_OUT_OF_THEIR_OWN);
    let (out, _) = clause.find(|(place, word)| word.text == "out" && !is_own(*place))?;
    let is_leaving_out = out == place + 1 && word.text.starts_with("leav");
    let is_other = words.get(place + 1).is_some_and(|next| BEHIND_OTHER_CUTS.contains(&next.text.as_str()));
    (is_leaving_out || is_order && !is_other).then_some(out)
}

fn begins_another(word: &str) -> bool {
    let all = [&SHOWING[..], &LEAVING, &LEAVING_WITH_OUT];
    negates(word) || all.iter().any(|words| words.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::super::Wishes;

    fn check(brief: &str, words: &str, without: &str) {
        let wishes = Wishes::of(brief);
        assert_eq!((wishes.words.join(" ").as_str(), wishes.without.join(" ").as_str()), (words, without), "{brief}");
    }

    #[test]
    fn what_a_brief_leaves_out_is_understood_however_it_is_said() {
        for (brief, words, without) in [
            ("8 seconds about the river, leave the boats out", "river", "boats"),
            ("8 seconds about the river and leave the boats out, please", "river", "boats"),
            ("Leave the harbour out. 10 seconds about the river", "river", "harbour"),
            ("leave the boats, the fishermen and the garden out", "", "boats fishermen garden"),
            ("take the boats out and show the river", "river", "boats"),
            ("take out the boats", "", "boats"),
            ("cut the shots of boats out", "", "boats"),
            ("The river leaving out the boats", "river", "boats"),
            ("the river, avoid boats", "river", "boats"),
            ("the river, never boats", "river", "boats"),
            ("the river, skip the boats; the garden", "river garden", "boats"),
            ("the river, drop the boats. The garden", "river garden", "boats"),
            ("the river, exclude the boats", "river", "boats"),
            ("don't show the boats", "", "boats"),
            ("don't include the boats", "", "boats"),
            ("no more boats", "", "boats"),
            ("the river without the boats, the fishermen and the garden", "river", "boats fishermen garden"),
            ("the river without boats, fishermen or gardens", "river", "boats fishermen gardens"),
            ("the river, no boats, fishermen, nor gardens", "river", "boats fishermen gardens"),
            ("no boats and show the garden", "garden", "boats"),
            ("without boats, with the garden", "garden", "boats"),
            ("no boats, but gardens", "gardens", "boats"),
            ("no boats, include the garden", "garden", "boats"),
            ("without the boats, about the garden", "garden", "boats"),
            ("no boats, the garden at dawn", "garden dawn", "boats"),
            ("without the boats, 20 seconds of the garden", "garden", "boats"),
            ("without the boats, vertical, the garden", "garden", "boats"),
            ("No, show the garden", "garden", ""),
            ("don't leave out the boats", "boats", ""),
            ("the river without boats, and don't forget the garden", "river garden", "boats"),
            ("remove or drop the boats", "", "boats"),
            ("a drop of water", "drop water", ""),
            ("not longer than 8 seconds about the river", "river", ""),
            ("don't make it longer and show the bridge", "bridge", ""),
            ("without longer shots of boats", "", "boats"),
            ("no more than 20 seconds of the harbour without the boats", "harbour", "boats"),
            ("fishermen take the boat out", "fishermen boat", ""),
            ("take the best of the interview, fade out at the end", "interview fade", ""),
            ("keep the boats, and zoom out", "boats zoom", ""),
            ("cut from the harbour to people who walk out", "harbour people walk", ""),
            ("leave the boats that go out to sea out", "", "boats sea"),
        ] {
            check(brief, words, without);
        }
        for (brief, words, without) in [
            ("30 seconds without music, the river", "river", ""),
            ("the river without music, captions or boats", "river", "boats"),
        ] {
            check(brief, words, without);
            assert!(!Wishes::of(brief).music, "{brief}");
        }
    }

    #[test]
    fn a_verb_that_is_negated_leaves_something_out() {
        for (brief, words, without) in [
            ("the river. There shouldn't be boats", "river", "boats"),
            ("the river. There shouldn\u{2019}t be boats", "river", "boats"),
            ("the river. There shouldnt be boats", "river", "boats"),
            ("the river. There should be no boats", "river", "boats"),
            ("the river. There should not be any boats", "river", "boats"),
            ("the river. It mustn't show the boats and shouldn't show gardens", "river", "boats gardens"),
            ("a film of the river that doesn't show boats", "river", "boats"),
            ("the film isn't about boats", "", "boats"),
            ("there aren't any boats", "", "boats"),
            ("it can't have boats, it won't have gardens", "", "boats gardens"),
            ("it cannot show boats. It cant show gardens, it wont show sails", "", "boats gardens sails"),
            ("never show boats", "", "boats"),
            ("dont show boats", "", "boats"),
            ("don\u{2019}t leave out the boats, you shouldn\u{2019}t leave the garden out", "boats garden", ""),
            ("I can't wait to see the boats", "boats", ""),
            ("people who can't swim in the river", "people swim river", ""),
            ("the parent and the front of the church", "parent front church", ""),
        ] {
            check(brief, words, without);
        }
    }

    #[test]
    fn what_follows_a_bound_of_the_length_is_shown() {
        for (brief, words, without) in [
            ("not over 30 seconds of the river", "river", ""),
            ("at most 30 seconds of the river", "river", ""),
            ("it shouldn't run over 30 seconds, the river", "river", ""),
            ("without the boats max 30 seconds of the river", "river", "boats"),
            ("the river, up to a minute or less of the boats", "river boats", ""),
            ("an interview with max about fishing", "interview max fishing", ""),
        ] {
            check(brief, words, without);
        }
    }
}
