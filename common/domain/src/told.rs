//! What people are told of a document that was imported, in whole sentences, and no more than anybody reads.

/// Warnings that are told; what comes after them is counted.
const MOST: usize = 50;

/// Warnings.
#[derive(Debug, Default)]
pub struct Told {
    told: Vec<String>,
    untold: usize,
}

impl Told {
    /// Tells one more.
    pub fn tell(&mut self, warning: String) {
        if self.told.len() < MOST {
            self.told.push(warning);
        } else {
            self.untold += 1;
        }
    }

    /// Those that are told, and how many are not.
    pub fn into_sentences(mut self) -> Vec<String> {
        if self.untold > 0 {
            self.told.push(format!("{} more of the kind.", self.untold));
        }
        self.told
    }

    /// These, and after them those of another.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.untold += others.untold;
        others.told.into_iter().for_each(|warning| self.tell(warning));
        self
    }
}
