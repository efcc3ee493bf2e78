//! Which words of a text are wanted, and which are left out.
//!
//! A text is read clause by clause; any mark but a comma ends one. A cue of the closed tables in `cues` opens an
//! exclusion, and all words from there to the clause's end are left out, unless a comma, `and` or the like comes before
//! a word that shows something. Where a text may mean two things, more is left out.

mod cues;
mod taking;

use self::cues::{before, is_setting, shows, text};
use super::words::{Mark, Word, says_something};
use std::ops::Range;

pub use self::cues::{CAPTIONS, MUSIC};

/// The most words that one word is read together with: a brief may have hundreds of thousands without a mark.
const MOST_LOOKED_AT: usize = 50;

/// What a word of a text does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It may name what is wanted.
    Wanted,
    /// It may name what is left out.
    LeftOut,
    /// It names nothing: it is a cue, or a part of the length.
    Nothing,
}

/// How a text is read.
#[derive(Debug)]
pub struct Reading {
    /// What each word does.
    pub roles: Vec<Role>,
    /// Whether its length is negated: `not longer than 8 seconds`.
    pub negates_length: bool,
}

/// What has been named of what is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    Nothing,
    /// How long the film is.
    Length,
    /// Music or captions alone.
    Setting,
    /// What may be seen or said.
    Thing,
}

/// What has begun to leave something out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// A word that means to leave out.
    Leaving,
    /// A negation.
    Negation,
    /// `no`: the nouns behind it have no articles, and it may be an answer.
    No,
}

#[derive(Debug, Clone, Copy)]
struct Exclusion {
    opening: Opening,
    named: Named,
    /// The place of the `out` that ends it.
    out: Option<usize>,
    /// Whether it is the heading of a list, such as `Leave out:`, which goes on over lines.
    is_heading: bool,
    /// Whether a film or its length was named before it, so that its subject may follow.
    is_of_film: bool,
}

impl Exclusion {
    /// Whether something is negated that has not been named yet.
    fn is_bare(&self) -> bool {
        self.opening != Opening::Leaving && self.named == Named::Nothing
    }
}

/// What becomes of the words that follow.
#[derive(Debug, Clone, Copy)]
enum State {
    Wanting,
    /// They are wanted although there was a negation: `don't leave out`.
    Keeping,
    /// They are neither wanted nor left out: `never mind`.
    Ignoring,
    LeavingOut(Exclusion),
}

struct Reader<'a> {
    words: &'a [Word],
    /// The words of the length, and whether it is a bound or a change.
    length: Option<(Range<usize>, bool)>,
    roles: Vec<Role>,
    negates_length: bool,
    state: State,
    place: usize,
    /// The places at which the clause, the one before, and the part of it behind the last comma begin.
    clause: usize,
    clause_before: usize,
    part: usize,
    /// Whether the clause has named something that is wanted, and a film or its length.
    has_wish: bool,
    names_film: bool,
}

/// Reads a text. Its length has these words, and may be a bound or a change.
pub fn read(words: &[Word], length: Option<(Range<usize>, bool)>) -> Reading {
    let mut reader = Reader {
        words,
        length,
        roles: vec![Role::Wanted; words.len()],
        negates_length: false,
        state: State::Wanting,
        place: 0,
        clause: 0,
        clause_before: 0,
        part: 0,
        has_wish: false,
        names_film: false,
    };
    while reader.place < words.len() {
        reader.begin_part();
        reader.end_before_what_is_shown();
        let is_cue = reader.take_length()
            || reader.take_phrase()
            || reader.take_left_out()
            || reader.take_negation()
            || reader.take_leaving()
            || reader.take_out();
        if !is_cue {
            reader.take_word();
        }
    }
    Reading { roles: reader.roles, negates_length: reader.negates_length }
}

impl Reader<'_> {
    fn mark(&self, place: usize) -> Option<Mark> {
        self.words.get(place).map(|word| word.mark)
    }

    fn exclusion(&self) -> Option<Exclusion> {
        match self.state {
            State::LeavingOut(own) => Some(own),
            State::Wanting | State::Keeping | State::Ignoring => None,
        }
    }

    /// Returns the place after the last word of this part of the clause.
    fn part_end(&self) -> usize {
        let begin = self.place + 1;
        let behind = self.words.iter().skip(begin).take(MOST_LOOKED_AT);
        begin + behind.take_while(|word| word.mark == Mark::None).count()
    }

    /// Returns the place at which this part of the clause begins, or the first place that is looked at.
    fn part_begin(&self) -> usize {
        self.part.max(self.place.saturating_sub(MOST_LOOKED_AT))
    }

    /// Goes on behind so many words, which name nothing.
    fn pass(&mut self, many: usize) {
        let end = self.place + many.max(1);
        for role in self.roles.iter_mut().take(end).skip(self.place) {
            *role = Role::Nothing;
        }
        self.place = end;
    }

    /// Leaves out what was wanted in these words.
    fn leave_out(&mut self, words: Range<usize>) {
        for role in self.roles.iter_mut().take(words.end).skip(words.start) {
            if *role == Role::Wanted {
                *role = Role::LeftOut;
            }
        }
    }

    /// Begins a clause or a part of one, if there is a mark.
    fn begin_part(&mut self) {
        let mark = self.mark(self.place).unwrap_or(Mark::None);
        if mark == Mark::None {
            return;
        }
        self.part = self.place;
        if mark == Mark::Comma {
            if self.ends_at_comma() {
                self.state = State::Wanting;
            }
            return;
        }
        (self.clause_before, self.clause) = (self.clause, self.place);
        (self.has_wish, self.names_film) = (false, false);
        let is_heading = |own: &Exclusion| {
            own.is_heading || own.opening == Opening::Leaving && own.named == Named::Nothing && own.out.is_none()
        };
        self.state = match self.exclusion().filter(|own| mark == Mark::Line && is_heading(own)) {
            Some(own) => State::LeavingOut(Exclusion { is_heading: true, ..own }),
            None => State::Wanting,
        };
    }

    /// Whether what follows a comma is not of the list before it.
    fn ends_at_comma(&self) -> bool {
        let Some(own) = self.exclusion() else { return true };
        let word = text(self.words, self.place);
        let has_article = ["a", "an", "the"].contains(&word);
        let is_no = own.opening == Opening::No;
        match own.named {
            _ if own.out.is_some() => false,
            // "No, show the garden".
            Named::Nothing => is_no && self.place.checked_sub(1).is_some_and(|last| text(self.words, last) == "no"),
            Named::Length => own.opening != Opening::Leaving,
            Named::Setting | Named::Thing if shows(word) => true,
            // "No music, boats", but not "without music, captions or boats".
            Named::Setting => (has_article || is_no && !is_setting(word)) && !self.goes_on_with_or(),
            // "No boats, the garden at dawn" is no list.
            Named::Thing => has_article && is_no && !self.goes_on_with_or(),
        }
    }

    fn goes_on_with_or(&self) -> bool {
        let rest = self.words.iter().skip(self.place).take(MOST_LOOKED_AT).enumerate();
        let mut clause = rest.take_while(|(place, word)| *place == 0 || word.mark <= Mark::Comma);
        clause.any(|(_, word)| ["or", "nor"].contains(&word.text.as_str()))
    }

    /// Ends an exclusion before a word that shows something.
    fn end_before_what_is_shown(&mut self) {
        let Some(own) = self.exclusion().filter(|own| own.out.is_none()) else { return };
        let (word, before) = (text(self.words, self.place), before(self.words, self.place));
        let is_joined = own.named > Named::Nothing && shows(word) && cues::JOINING.contains(&before);
        // "Don't make it longer than that".
        let is_past_length = own.opening != Opening::Leaving && own.named == Named::Length && word != "than";
        // "8 seconds without boats about the river".
        let may_be_subject = word == "about" && own.named == Named::Thing && own.is_of_film && !self.has_wish;
        let speaks = cues::GENERAL.contains(&before) || cues::SPEAKING.contains(&before);
        let is_subject = may_be_subject && says_something(before) && !speaks;
        if word == "but" || is_joined || is_past_length || is_subject {
            self.state = State::Wanting;
        }
    }
}

#[cfg(test)]
mod tests;
