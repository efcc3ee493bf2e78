//! How each kind of cue is taken, and a word that is none. What takes a cue returns whether there was one.

use super::cues::{self, before, is_order, is_setting, longest, negates, next, text};
use super::{Exclusion, Named, Opening, Reader, Role, State};
use crate::agent::words::{Mark, says_something};

impl Reader<'_> {
    /// Takes the length. What follows one of its own, or a bound, is no list any more.
    pub(super) fn take_length(&mut self) -> bool {
        let Some((range, is_bound)) = self.length.clone().filter(|(range, _)| range.start == self.place) else {
            return false;
        };
        let is_joined = self.mark(range.start) == Some(Mark::None);
        let own = self.exclusion().filter(|own| own.out.is_none());
        let is_negation = |own: Exclusion| own.opening != Opening::Leaving && own.named <= Named::Length;
        // "Don't be longer than 8 seconds".
        let is_ignored = matches!(self.state, State::Ignoring);
        self.negates_length = is_joined && (is_ignored || own.is_some_and(is_negation));
        if own.is_some() && (!is_joined || is_bound) {
            self.state = State::Wanting;
        }
        self.names_film = true;
        self.pass(range.len());
        true
    }

    /// Takes a phrase that negates nothing, or behind which nothing is wanted.
    pub(super) fn take_phrase(&mut self) -> bool {
        for (phrases, state) in [(cues::KEEPING, State::Keeping), (cues::IGNORING, State::Ignoring)] {
            let many = longest(self.words, self.place, phrases);
            if many > 0 {
                self.pass(many);
                self.state = state;
                return true;
            }
        }
        false
    }

    /// Takes a word that leaves out what is before it: `boats excluded`, `boat-free`.
    pub(super) fn take_left_out(&mut self) -> bool {
        let (words, place) = (self.words, self.place);
        let last = place.saturating_sub(1);
        if text(words, place) == "-free" {
            self.leave_out(last..place);
            self.pass(1);
            return true;
        }
        let many = longest(words, place, cues::LEFT_OUT);
        let is_last = || (place + many..self.part_end()).all(|behind| !says_something(text(words, behind)));
        let is_name = cues::REMOVED_FROM_SOUND.contains(&text(words, last));
        let is_taken_back = self.exclusion().is_some_and(|own| own.is_bare());
        if many == 0 || is_name || is_taken_back || !is_last() {
            return false;
        }
        // "The river with the boats left out".
        let begin = self.part_begin();
        let with = (begin..place).rev().find(|own| text(words, *own) == "with");
        self.leave_out(with.unwrap_or(begin)..place);
        self.pass(many);
        self.state = State::Wanting;
        true
    }

    pub(super) fn take_negation(&mut self) -> bool {
        let (words, place) = (self.words, self.place);
        let word = text(words, place);
        if !negates(word) {
            return false;
        }
        // "Somebody who can't swim" is to be seen.
        if before(words, place) == "who" {
            self.pass(1);
            return true;
        }
        let (next, end) = (next(words, place), self.part_end());
        // "People who never leave the river", but not "don't leave the boats in".
        let is_leaving = ["leave", "leaving"].contains(&next) && self.out_of(place + 1).is_none();
        let stays = is_leaving && text(words, end.saturating_sub(1)) != "in";
        if stays || cues::TAKING_BACK.contains(&next) {
            self.pass(2);
            self.state = State::Keeping;
            return true;
        }
        if self.negates_its_subject(end) {
            self.leave_out(self.part_begin()..place);
            self.pass(end - place);
            self.state = State::Wanting;
            return true;
        }
        if self.is_answer(end) {
            self.leave_out(self.clause_before..place);
        }
        let opening = if word == "no" { Opening::No } else { Opening::Negation };
        self.begin(1, opening, None);
        true
    }

    /// Whether the negation here says that what is before it is not to be seen: `the boats must not appear`.
    fn negates_its_subject(&self, end: usize) -> bool {
        let names = |place: usize| {
            let word = text(self.words, place);
            let is_length = self.length.as_ref().is_some_and(|(range, _)| range.contains(&place));
            let is_thing = says_something(word) && !cues::SEEN.contains(&word);
            is_thing || is_length || is_setting(word) || ["longer", "shorter"].contains(&word)
        };
        let has_subject = (self.part_begin()..self.place).any(|place| says_something(text(self.words, place)));
        let mut behind = self.place + 1..end;
        has_subject && behind.clone().any(|place| cues::SEEN.contains(&text(self.words, place))) && !behind.any(names)
    }

    /// Whether the negation here is all of its clause, and answers the one before: `Boats? No.`
    fn is_answer(&self, end: usize) -> bool {
        let is_alone = self.mark(end).is_none_or(|mark| mark > Mark::Comma);
        let follows = matches!(self.mark(self.place), Some(Mark::Question | Mark::Line));
        let says_more = (self.place + 1..end).any(|place| says_something(text(self.words, place)));
        self.place > 0 && self.place == self.clause && follows && is_alone && !says_more
    }

    /// Takes a word that leaves out what is behind it. Behind a negation it takes that back.
    pub(super) fn take_leaving(&mut self) -> bool {
        let (words, place) = (self.words, self.place);
        let out = self.out_of(place);
        let many = match out {
            Some(out) if out == place + 1 => 2,
            Some(_) => 1,
            None => self.leaving_words(),
        };
        if many == 0 {
            return false;
        }
        let before = before(words, place);
        let is_joined = !before.is_empty() && !cues::JOINING.contains(&before);
        // "Don't leave out the boats", "don't remove or drop the boats".
        let is_taken_back = is_joined && self.exclusion().is_some_and(|own| own.is_bare());
        if is_taken_back || matches!(self.state, State::Keeping) && ["or", "nor"].contains(&before) {
            self.pass(many);
            self.state = State::Keeping;
        } else {
            self.begin(many, Opening::Leaving, out.filter(|out| *out > place + 1));
        }
        true
    }

    /// Returns the number of words here that leave out what is behind them.
    fn leaving_words(&self) -> usize {
        let (words, place) = (self.words, self.place);
        let word = text(words, place);
        let many = longest(words, place, cues::LEAVING);
        if many == 1 && cues::BEFORE_NOUNS.contains(&before(words, place)) {
            return 0;
        }
        let is_bare = self.exclusion().is_some_and(|own| own.is_bare());
        let is_order = is_order(words, place) || is_bare;
        let cuts = || {
            let mut part = place..self.part_end();
            word == "cut"
                && cues::BEHIND_CUTS.contains(&next(words, place))
                && !part.any(|place| cues::BESIDE_OTHER_CUTS.contains(&text(words, place)))
        };
        let leaves = is_order && (cues::LEAVING_AS_ORDERS.contains(&word) || cuts());
        many.max(usize::from(leaves))
    }

    /// Returns the place of the `out` of `leave the boats out` or `leave out the boats`. `People take boats out`
    /// leaves nothing out.
    fn out_of(&self, place: usize) -> Option<usize> {
        let words = self.words;
        let word = words.get(place).filter(|word| cues::LEAVING_WITH_OUT.contains(&word.text.as_str()))?;
        let behind = words.iter().enumerate().skip(place + 1);
        let mut clause =
            behind.take_while(|(place, word)| word.mark <= Mark::Comma && !cues::begins_another(words, *place));
        let is_own = |place: usize| cues::WITH_AN_OUT_OF_THEIR_OWN.contains(&before(words, place));
        let (out, _) = clause.find(|(place, word)| word.text == "out" && !is_own(*place))?;
        let is_leaving_out = out == place + 1 && word.text.starts_with("leav");
        let is_other = cues::BEHIND_OTHER_CUTS.contains(&text(words, place + 1));
        (is_leaving_out || is_order(words, place) && !is_other).then_some(out)
    }

    /// Takes the `out` that ends an exclusion, or that leaves out all of its part of the clause: `boats out`.
    pub(super) fn take_out(&mut self) -> bool {
        let (words, place) = (self.words, self.place);
        if text(words, place) != "out" {
            return false;
        }
        if self.exclusion().is_some_and(|own| own.out == Some(place)) {
            self.pass(1);
            self.state = State::Wanting;
            return true;
        }
        let last = before(words, place);
        let is_noun = says_something(last) && !cues::WITH_AN_OUT_OF_THEIR_OWN.contains(&last);
        let is_list = |own: usize| {
            let word = text(words, own);
            says_something(word) || cues::BEFORE_NOUNS.contains(&word) || ["all", "and", "any", "or"].contains(&word)
        };
        if !is_noun || self.part_end() > place + 1 || !(self.part_begin()..place).all(is_list) {
            return false;
        }
        self.leave_out(self.part_begin()..place);
        self.pass(1);
        self.state = State::Wanting;
        true
    }

    fn begin(&mut self, many: usize, opening: Opening, out: Option<usize>) {
        self.pass(many);
        let (named, is_of_film) = (Named::Nothing, self.names_film);
        self.state = State::LeavingOut(Exclusion { opening, named, out, is_heading: false, is_of_film });
    }

    /// Takes a word that is no cue.
    pub(super) fn take_word(&mut self) {
        let (words, place) = (self.words, self.place);
        let word = text(words, place);
        let is_general = cues::GENERAL.contains(&word) && cues::BEHIND_GENERAL.contains(&next(words, place));
        let is_thing = says_something(word) && !is_general;
        let role = match &mut self.state {
            State::LeavingOut(own) => {
                let is_length = ["longer", "shorter"].contains(&word) && own.opening != Opening::Leaving;
                own.named = own.named.max(match word {
                    word if is_setting(word) => Named::Setting,
                    _ if is_thing => Named::Thing,
                    _ if is_length => Named::Length,
                    _ => Named::Nothing,
                });
                if is_general { Role::Nothing } else { Role::LeftOut }
            }
            State::Ignoring => Role::Nothing,
            State::Wanting | State::Keeping => {
                self.has_wish |= is_thing;
                Role::Wanted
            }
        };
        self.names_film |= cues::FILMS.contains(&word);
        if let Some(own) = self.roles.get_mut(place) {
            *own = role;
        }
        self.place += 1;
    }
}
