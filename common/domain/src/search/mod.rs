//! Finds where in a passage the words of a query are said, and scores how well they fit (contract §4.4).
//!
//! Postgres finds passages. This module narrows a passage to the words that the query asks for, and scores them: 1 when
//! all of them stand next to each other, 0.5 to 1 when other words stand between them, and at most 0.5 when words are
//! only alike. It does no IO: the caller passes the lexemes, from the same dictionary that the index was made with.

mod query;
mod slips;

pub use query::{Asked, Term, is_plain, words};

use crate::footage::Said;
use slips::slips;
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// With [`Fit::Alike`], the matched words must hold at least this part of the letters of an alternative of the query.
const LEAST_COVER: f64 = 2.0 / 3.0;
/// Words shown on either side of what was found.
const CONTEXT_WORDS: usize = 12;
/// The score of words that are found exactly, however far apart they are; also the most that words alike can score.
const FOUND: f64 = 0.5;

/// How a passage's words are compared with a query's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// Words match that are the same or share a lexeme. For passages that the index found by the query.
    Exact,
    /// Words match also if they differ in a letter or two: misspelt in the query, or misheard in the transcript.
    Alike,
}

/// A place in a passage where a query was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Spoken {
    /// The start of its first word, in milliseconds.
    pub start_ms: i32,
    /// The end of its last word, in milliseconds.
    pub end_ms: i32,
    /// The score, 0 to 1.
    pub score: f64,
    /// Its words, with `CONTEXT_WORDS` on either side.
    pub text: String,
}

/// Matches heard words with those of a query. Each different word is matched only once, in however many passages it
/// occurs.
#[derive(Debug)]
pub struct Judged<'a> {
    query: &'a Asked,
    fit: Fit,
    known: HashMap<Term, Option<Matched>>,
}

impl<'a> Judged<'a> {
    /// Starts with no word matched.
    pub fn by(query: &'a Asked, fit: Fit) -> Self {
        Self { query, fit, known: HashMap::new() }
    }

    fn word(&mut self, heard: &Term) -> Option<Matched> {
        if let Some(known) = self.known.get(heard) {
            return *known;
        }
        let found = matched(&self.query.terms, heard, self.fit);
        self.known.insert(heard.clone(), found);
        found
    }
}

/// Returns where the query is said in a passage. The places don't overlap; those with the fewest other words in them
/// come first. `said` are the passage's words, and `heard` the same words as terms. The first `own` of them are the
/// passage's own; what begins after them is found in the next passage.
pub fn narrow(judged: &mut Judged<'_>, said: &[Said], heard: &[Term], own: usize) -> Vec<Spoken> {
    let (query, fit) = (judged.query, judged.fit);
    let matches: Vec<Option<Matched>> = heard.iter().map(|word| judged.word(word)).collect();
    if fit == Fit::Exact && matches.iter().all(Option::is_none) {
        // The index splits words otherwise than this code does: where in the passage the query is said is not known.
        return own.checked_sub(1).and_then(|last| spoken(said, &(0..=last), FOUND)).into_iter().collect();
    }
    let mut rows: Vec<(Row, &[usize])> = Vec::new();
    for (alternative, required) in requirements(query, &matches, fit) {
        rows.extend(closest(&matches, &required, own).into_iter().map(|row| (row, alternative)));
    }
    rows.sort_by_key(|(row, _)| *row);
    let mut taken: Vec<RangeInclusive<usize>> = Vec::new();
    let mut found = Vec::new();
    for (row, alternative) in rows {
        let places = with_common_words(&matches, row);
        if !taken.iter().any(|other| places.start() <= other.end() && other.start() <= places.end()) {
            found.extend(spoken(said, &places, score(query, alternative, &matches, &places, fit)));
            taken.push(places);
        }
    }
    found
}

/// Widens a row by the query's words right before and after it, such as words that are too common to be required.
fn with_common_words(matches: &[Option<Matched>], row: Row) -> RangeInclusive<usize> {
    let asked = |place: usize| matches.get(place).is_some_and(Option::is_some);
    let Row { mut from, mut to, .. } = row;
    while from > 0 && asked(from - 1) {
        from -= 1;
    }
    while asked(to + 1) {
        to += 1;
    }
    from..=to
}

/// Returns the score of the words in these places, for this alternative of a query.
fn score(
    query: &Asked,
    alternative: &[usize],
    matches: &[Option<Matched>],
    places: &RangeInclusive<usize>,
    fit: Fit,
) -> f64 {
    let (from, to) = (*places.start(), *places.end());
    let found: Vec<Matched> = matches.iter().take(to + 1).skip(from).flatten().copied().collect();
    let fitting = ratio(found.len(), to + 1 - from) * cover(query, alternative, &found);
    match fit {
        Fit::Exact => FOUND + (1.0 - FOUND) * fitting,
        Fit::Alike => FOUND * fitting,
    }
}

/// Returns the place as a result, with the words around it.
fn spoken(said: &[Said], places: &RangeInclusive<usize>, score: f64) -> Option<Spoken> {
    let (from, to) = (*places.start(), *places.end());
    let within = said.get(from..=to)?;
    let shown = said.iter().take(to + 1 + CONTEXT_WORDS).skip(from.saturating_sub(CONTEXT_WORDS));
    let text: Vec<&str> = shown.map(|word| word.word.as_str()).collect();
    let end_ms = within.iter().map(|word| word.end_ms).max()?;
    Some(Spoken { start_ms: within.first()?.start_ms, end_ms, score: hundredths(score), text: text.join(" ") })
}

/// The query word that a heard word matches, by its index in `terms`, and how sure the match is, 0 to 1.
#[derive(Debug, Clone, Copy)]
struct Matched {
    term: usize,
    sure: f64,
}

/// Returns which query word a heard word is: one with the same word or lexeme, else, with [`Fit::Alike`], the one with
/// the fewest slips.
fn matched(query: &[Term], heard: &Term, fit: Fit) -> Option<Matched> {
    let same = |term: &Term| (!term.word.is_empty() && term.word == heard.word) || term.shares_a_lexeme(heard);
    if let Some(term) = query.iter().position(same) {
        return Some(Matched { term, sure: 1.0 });
    }
    if fit == Fit::Exact {
        return None;
    }
    let slips = query.iter().enumerate().filter_map(|(term, asked)| Some((term, slips(&asked.word, &heard.word)?)));
    slips.min_by_key(|(_, slips)| *slips).map(|(term, _)| Matched { term, sure: 0.8 })
}

/// Returns each alternative of a query that the passage may hold, with the terms that every match must contain.
fn requirements<'a>(query: &'a Asked, matches: &[Option<Matched>], fit: Fit) -> Vec<(&'a [usize], Vec<usize>)> {
    let held = held(matches);
    let known = |place: &usize| query.terms.get(*place).is_some_and(|term| !term.lexeme.is_empty());
    let required = |alternative: &'a Vec<usize>| {
        let said: Vec<usize> = held.iter().filter(|place| alternative.contains(place)).copied().collect();
        let exact: Vec<usize> = said.iter().filter(|place| known(place)).copied().collect();
        // Words that the index knows are required; where it knows none, or with `Fit::Alike`, all that are heard.
        let required = if exact.is_empty() || fit == Fit::Alike { said } else { exact };
        (alternative.as_slice(), required)
    };
    let alternatives = query.alternatives.iter().map(required).filter(|(_, required)| !required.is_empty());
    let whole = |(alternative, required): &(&[usize], Vec<usize>)| match fit {
        Fit::Exact => alternative.iter().filter(|place| known(place)).all(|place| required.contains(place)),
        Fit::Alike => {
            let heard: Vec<Matched> = required.iter().map(|term| Matched { term: *term, sure: 1.0 }).collect();
            cover(query, alternative, &heard) >= LEAST_COVER
        }
    };
    let (whole, parts): (Vec<_>, Vec<_>) = alternatives.partition(whole);
    // The index may split words otherwise than this code does: then alternatives found only in part are taken.
    if whole.is_empty() && fit == Fit::Exact { parts } else { whole }
}

/// Returns the indexes of the query words that were heard, each once.
fn held(matches: &[Option<Matched>]) -> Vec<usize> {
    let mut terms: Vec<usize> = matches.iter().flatten().map(|one| one.term).collect();
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// Returns the part of an alternative's letters that these words cover; a match that is less sure counts for less.
fn cover(query: &Asked, alternative: &[usize], found: &[Matched]) -> f64 {
    let (mut covered, mut all) = (0.0, 0.0);
    for place in alternative {
        let letters = ratio(query.terms.get(*place).map_or(0, |term| term.word.chars().count()), 1);
        let sure = found.iter().filter(|one| one.term == *place).map(|one| one.sure).fold(0.0, f64::max);
        (covered, all) = (covered + letters * sure, all + letters);
    }
    if all > 0.0 { covered / all } else { 0.0 }
}

/// The words from one place to another. Rows sort by how many of their words match nothing, then by length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    others: usize,
    length: usize,
    from: usize,
    to: usize,
}

/// Returns the rows that hold all required terms: the shortest from each required term among the first `own` words.
fn closest(matches: &[Option<Matched>], required: &[usize], own: usize) -> Vec<Row> {
    let term_at = |place: usize| {
        let term = matches.get(place).copied().flatten()?.term;
        required.contains(&term).then_some(term)
    };
    let others = |from: usize, to: usize| matches.iter().take(to + 1).skip(from).filter(|one| one.is_none()).count();
    let mut counts: HashMap<usize, usize> = HashMap::new();
    let (mut from, mut rows) = (0, Vec::new());
    for to in 0..matches.len() {
        if let Some(term) = term_at(to) {
            *counts.entry(term).or_default() += 1;
        }
        while counts.len() == required.len() && from <= to && from < own {
            let Some(term) = term_at(from) else {
                from += 1;
                continue;
            };
            rows.push(Row { others: others(from, to), length: to - from, from, to });
            // The rest of the row may hold this term once more.
            if let Some(count) = counts.get_mut(&term).filter(|count| **count > 1) {
                *count -= 1;
            } else {
                counts.remove(&term);
            }
            from += 1;
        }
    }
    rows
}

#[expect(clippy::cast_precision_loss, reason = "a passage has few words")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn hundredths(score: f64) -> f64 {
    (score * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests;
