//! Warnings about an imported document or a film, in whole sentences, and no more of them than anybody reads.

/// The most warnings that are kept; further ones are only counted.
const MOST: usize = 50;
/// The most names in a sentence; further ones are only counted.
const MOST_NAMES: usize = 5;

/// A list of warnings.
#[derive(Debug, Default)]
pub struct Warnings {
    kept: Vec<String>,
    dropped: usize,
}

impl Warnings {
    /// Adds a warning.
    pub fn add(&mut self, warning: String) {
        if self.kept.len() < MOST {
            self.kept.push(warning);
        } else {
            self.dropped += 1;
        }
    }

    /// Returns the warnings, with a sentence for the number of those that were not kept.
    pub fn into_sentences(mut self) -> Vec<String> {
        if self.dropped > 0 {
            self.kept.push(format!("{} more of the kind.", self.dropped));
        }
        self.kept
    }

    /// Returns these warnings, followed by those of `others`.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.dropped += others.dropped;
        others.kept.into_iter().for_each(|warning| self.add(warning));
        self
    }
}

/// Returns these names in a row: the first ones, and how many more there are. None if there are none.
pub fn in_short(mut names: impl Iterator<Item = String>) -> Option<String> {
    let first: Vec<String> = names.by_ref().take(MOST_NAMES).collect();
    let first = Some(first.join(", ")).filter(|_| !first.is_empty())?;
    match names.count() {
        0 => Some(first),
        more => Some(format!("{first} and {more} more")),
    }
}
