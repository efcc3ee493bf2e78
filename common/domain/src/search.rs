//! Where in a passage the words of a query are said, and how well that fits (contract §4.4).
//!
//! Postgres finds passages; this narrows one to the words that were meant and gives it a score. All words where they
//! were meant to be make 1, all words further apart at least 0.5; words that are merely alike make less. Pure: the
//! lexemes come from the same dictionary that the index was made with.

use super::footage::Said;
use std::collections::HashMap;

/// Of a query's letters, this part must be in words that are said, or nearly so.
const LEAST_COVER: f64 = 2.0 / 3.0;
/// Words shown on either side of what was found.
const CONTEXT_WORDS: usize = 12;
/// The share of the score that is given for the words themselves; the rest is for standing together.
const FOUND: f64 = 0.5;

/// A word of a query or of a passage, and what the search index calls it; empty for a word too common to be indexed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Term {
    /// In lower case, without punctuation.
    pub word: String,
    /// Its lexeme; several with a space between them where the index takes the word apart.
    pub lexeme: String,
}

impl Term {
    /// A word as it was written, and its lexeme.
    pub fn new(written: &str, lexeme: &str) -> Self {
        Self { word: plain(written), lexeme: lexeme.to_owned() }
    }

    fn shares_a_lexeme(&self, other: &Self) -> bool {
        self.lexeme.split_whitespace().any(|one| other.lexeme.split_whitespace().any(|its| its == one))
    }
}

/// How a passage's words are held against a query's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// By their lexemes: the passage is known to hold what was asked for.
    Exact,
    /// By their letters too: a slip of the pen, or of the ear.
    Alike,
}

/// What was found in a passage.
#[derive(Debug, Clone, PartialEq)]
pub struct Spoken {
    /// Where the first of the words begins, in milliseconds.
    pub start_ms: i32,
    /// Where the last one ends.
    pub end_ms: i32,
    /// 0 to 1.
    pub score: f64,
    /// The words, with those around them.
    pub text: String,
}

/// A query's words as terms, and which of them are to be said together.
#[derive(Debug, Clone)]
pub struct Asked {
    terms: Vec<Term>,
    /// What `or` parts, as places among the terms; a word that stands twice has its first place.
    alternatives: Vec<Vec<usize>>,
}

impl Asked {
    /// A query, with the lexeme of each of its [`words`].
    pub fn new(query: &str, lexemes: &[String]) -> Self {
        let (mut terms, mut alternatives): (Vec<Term>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        let mut open = None;
        for ((alternative, word), lexeme) in spelled(query).iter().zip(lexemes) {
            let term = Term::new(word, lexeme);
            let place = terms.iter().position(|known| *known == term).unwrap_or(terms.len());
            terms.push(term);
            match alternatives.last_mut().filter(|_| open == Some(alternative)) {
                Some(places) => places.push(place),
                None => alternatives.push(vec![place]),
            }
            open = Some(alternative);
        }
        Self { terms, alternatives }
    }
}

/// The words of a query, without its signs: those left out by `-`, and `or`, are none that is looked for.
pub fn words(query: &str) -> Vec<String> {
    spelled(query).into_iter().map(|(_, word)| word).collect()
}

/// The words of a query, each with the number of `or`s before it. Within quotes `or` is a word like any other that is
/// too common to be looked for.
fn spelled(query: &str) -> Vec<(usize, String)> {
    let (mut spelled, mut alternative, mut quoted) = (Vec::new(), 0, false);
    for written in query.split_whitespace() {
        let is_or = written.eq_ignore_ascii_case("or");
        alternative += usize::from(is_or && !quoted);
        if written.matches('"').count() % 2 == 1 {
            quoted = !quoted;
        }
        let word = plain(written);
        if !is_or && !written.starts_with('-') && !word.is_empty() {
            spelled.push((alternative, word));
        }
    }
    spelled
}

/// Whether a query is words alone. One with signs (`"…"`, `-`, `or`) means exactly what it says, and nothing that is
/// alike.
pub fn is_plain(query: &str) -> bool {
    let signed = |word: &str| word.starts_with('-') || word.eq_ignore_ascii_case("or");
    !query.contains('"') && !query.split_whitespace().any(signed)
}

/// Lower case letters and digits alone.
fn plain(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// What the words that are heard are of a query: each is judged once, however many passages it is said in.
#[derive(Debug)]
pub struct Judged<'a> {
    query: &'a Asked,
    fit: Fit,
    known: HashMap<Term, Option<Matched>>,
}

impl<'a> Judged<'a> {
    /// Nothing yet.
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

/// Where the query is said in a passage: each place once, the closest together first. `said` are the passage's words
/// and `heard` the same as terms, of which the first `own` are its own. What begins after those is the next passage's
/// to find.
pub fn narrow(judged: &mut Judged<'_>, said: &[Said], heard: &[Term], own: usize) -> Vec<Spoken> {
    let (query, fit) = (judged.query, judged.fit);
    let matches: Vec<Option<Matched>> = heard.iter().map(|word| judged.word(word)).collect();
    if fit == Fit::Exact && matches.iter().all(Option::is_none) {
        // The index took words apart otherwise than is done here: it is somewhere in the passage.
        return own.checked_sub(1).and_then(|last| spoken(said, 0, last, FOUND)).into_iter().collect();
    }
    let mut rows: Vec<(Row, &[usize])> = Vec::new();
    for (alternative, required) in requirements(query, &matches, fit) {
        rows.extend(closest(&matches, &required, own).into_iter().map(|row| (row, alternative)));
    }
    rows.sort_by_key(|(row, _)| *row);
    let mut taken: Vec<(usize, usize)> = Vec::new();
    let mut found = Vec::new();
    for (row, alternative) in rows {
        let (from, to) = with_common_words(&matches, row);
        if !taken.iter().any(|(first, last)| from <= *last && *first <= to) {
            taken.push((from, to));
            found.extend(spoken(said, from, to, score(query, alternative, &matches, (from, to), fit)));
        }
    }
    found
}

/// Words that are too common to be looked for are part of the phrase all the same.
fn with_common_words(matches: &[Option<Matched>], row: Row) -> (usize, usize) {
    let asked = |place: usize| matches.get(place).is_some_and(Option::is_some);
    let Row { mut from, mut to, .. } = row;
    while from > 0 && asked(from - 1) {
        from -= 1;
    }
    while asked(to + 1) {
        to += 1;
    }
    (from, to)
}

/// How well the words from one place to another fit this alternative of a query.
fn score(
    query: &Asked,
    alternative: &[usize],
    matches: &[Option<Matched>],
    (from, to): (usize, usize),
    fit: Fit,
) -> f64 {
    let found: Vec<Matched> = matches.iter().take(to + 1).skip(from).flatten().copied().collect();
    let fitting = ratio(found.len(), to + 1 - from) * cover(query, alternative, &found);
    match fit {
        Fit::Exact => FOUND + (1.0 - FOUND) * fitting,
        Fit::Alike => FOUND * fitting,
    }
}

/// The words from one place to another, and those around them.
fn spoken(said: &[Said], from: usize, to: usize, score: f64) -> Option<Spoken> {
    let within = said.get(from..=to)?;
    let shown = said.iter().take(to + 1 + CONTEXT_WORDS).skip(from.saturating_sub(CONTEXT_WORDS));
    let text: Vec<&str> = shown.map(|word| word.word.as_str()).collect();
    let end_ms = within.iter().map(|word| word.end_ms).max()?;
    Some(Spoken { start_ms: within.first()?.start_ms, end_ms, score: hundredths(score), text: text.join(" ") })
}

/// Which word of the query a heard word is, and how surely.
#[derive(Debug, Clone, Copy)]
struct Matched {
    term: usize,
    sure: f64,
}

/// The same word or the same lexeme; else, where that is allowed, a word that differs by a slip.
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

/// Each alternative of a query that may be said here, with the words of it that have to be in what is found.
fn requirements<'a>(query: &'a Asked, matches: &[Option<Matched>], fit: Fit) -> Vec<(&'a [usize], Vec<usize>)> {
    let held = held(matches);
    let known = |place: &usize| query.terms.get(*place).is_some_and(|term| !term.lexeme.is_empty());
    let required = |alternative: &'a Vec<usize>| {
        let said: Vec<usize> = held.iter().filter(|place| alternative.contains(place)).copied().collect();
        let exact: Vec<usize> = said.iter().filter(|place| known(place)).copied().collect();
        // What the index knows; where it knows none of them, or slips are looked for, all that the passage holds.
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
    // The index may have taken words apart otherwise than is done here; then what there is of them is shown.
    if whole.is_empty() && fit == Fit::Exact { parts } else { whole }
}

/// The words of the query that were heard, each once.
fn held(matches: &[Option<Matched>]) -> Vec<usize> {
    let mut terms: Vec<usize> = matches.iter().flatten().map(|one| one.term).collect();
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// The part of an alternative's letters that is in these words, each word as sure as it was heard.
fn cover(query: &Asked, alternative: &[usize], found: &[Matched]) -> f64 {
    let (mut covered, mut all) = (0.0, 0.0);
    for place in alternative {
        let letters = ratio(query.terms.get(*place).map_or(0, |term| term.word.chars().count()), 1);
        let sure = found.iter().filter(|one| one.term == *place).map(|one| one.sure).fold(0.0, f64::max);
        (covered, all) = (covered + letters * sure, all + letters);
    }
    if all > 0.0 { covered / all } else { 0.0 }
}

/// Words in a row, those first that have the fewest others between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    others: usize,
    length: usize,
    from: usize,
    to: usize,
}

/// The rows that hold all required terms, the shortest from each place among the first `own` that has one of them.
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
            // Without this one the row may hold the term still.
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

/// How many slips lead from one word to the other, when they are few for their length. A slip is a letter too many, too
/// few or wrong, or two that changed places.
fn slips(one: &str, other: &str) -> Option<usize> {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let allowed = match one.len().min(other.len()) {
        0..4 => return None,
        4..8 => 1,
        _ => 2,
    };
    if one.len().abs_diff(other.len()) > allowed {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, letter) in one.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, its) in other.iter().enumerate() {
            let wrong = row[j] + usize::from(letter != its);
            let mut least = wrong.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *letter == other[j - 1] && one[i - 1] == *its {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().filter(|slips| *slips <= allowed)
}

#[expect(clippy::cast_precision_loss, reason = "a passage has few words")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn hundredths(score: f64) -> f64 {
    (score * 100.0).round() / 100.0
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
