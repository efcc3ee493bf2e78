//! Warnings about an imported document, in whole sentences, and no more of them than anybody reads.

/// The most warnings that are kept; further ones are only counted.
const MOST: usize = 50;

/// A list of warnings.
#[derive(Debug, Default)]
pub struct Told {
    told: Vec<String>,
    untold: usize,
}

impl Told {
    /// Adds a warning.
    pub fn tell(&mut self, warning: String) {
        if self.told.len() < MOST {
            self.told.push(warning);
        } else {
            self.untold += 1;
        }
    }

    /// Returns the warnings, with a sentence for the number of those that were not kept.
    pub fn into_sentences(mut self) -> Vec<String> {
        if self.untold > 0 {
            self.told.push(format!("{} more of the kind.", self.untold));
        }
        self.told
    }

    /// Returns these warnings, followed by those of `others`.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.untold += others.untold;
        others.told.into_iter().for_each(|warning| self.tell(warning));
        self
    }
}
