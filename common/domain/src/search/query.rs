//! A query and its words: what it asks for, and how words are written to be compared.

/// A word of a query or of a passage, with its lexeme in the search index.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Term {
    /// In lower case, without punctuation.
    pub word: String,
    /// Its lexeme; several with a space between them where the index splits the word; empty for a word too common to be
    /// indexed.
    pub lexeme: String,
}

impl Term {
    /// Makes a term of a word as it was written, and its lexeme.
    pub fn new(written: &str, lexeme: &str) -> Self {
        Self { word: plain(written), lexeme: lexeme.to_owned() }
    }

    pub(super) fn shares_a_lexeme(&self, other: &Self) -> bool {
        self.lexeme.split_whitespace().any(|one| other.lexeme.split_whitespace().any(|its| its == one))
    }
}

/// A query's words as terms, grouped into the alternatives that `or` separates.
#[derive(Debug, Clone)]
pub struct Asked {
    pub(super) terms: Vec<Term>,
    /// For each alternative, the indexes of its words in `terms`. A repeated word has the index of its first
    /// occurrence.
    pub(super) alternatives: Vec<Vec<usize>>,
}

impl Asked {
    /// Parses a query; `lexemes` has one for each of its [`words`].
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

/// Returns the words that a query looks for: without its quotes, its `or`s and the words that `-` excludes.
pub fn words(query: &str) -> Vec<String> {
    spelled(query).into_iter().map(|(_, word)| word).collect()
}

/// Returns the words that a query looks for, each with the number of `or`s before it. Within quotes an `or` is not
/// counted, and is left out of the words.
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

/// Whether a query has no operator: no quotes, no `-` and no `or`. A query with an operator is searched exactly as it
/// is written, never for words alike.
pub fn is_plain(query: &str) -> bool {
    let signed = |word: &str| word.starts_with('-') || word.eq_ignore_ascii_case("or");
    !query.contains('"') && !query.split_whitespace().any(signed)
}

/// Returns the word in lower case, with only its letters and digits.
pub(super) fn plain(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
