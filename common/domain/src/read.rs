//! The reads of contract §2: their names, and whether they need a picture.
//!
//! Clients ask for reads. The job that computes one, its price and its place in a queue are decided elsewhere, by this
//! enum.

use serde::{Deserialize, Serialize};

/// One of the reads that `prepare_media` starts (contract §2, "read").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Read {
    /// The spoken words, with times.
    Transcript,
    /// The moments of a video.
    SearchIndex,
    /// When somebody speaks.
    Speech,
    /// Who speaks when; the job may store `speech` too.
    Speakers,
    /// The times of beats.
    Beats,
    /// The loudness.
    Levels,
}

impl Read {
    /// All of them, in the contract's order (§2).
    pub const ALL: [Self; 6] =
        [Self::Transcript, Self::SearchIndex, Self::Speech, Self::Speakers, Self::Beats, Self::Levels];

    /// Returns its name in requests, answers, tables and queues.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transcript => "transcript",
            Self::SearchIndex => "search_index",
            Self::Speech => "speech",
            Self::Speakers => "speakers",
            Self::Beats => "beats",
            Self::Levels => "levels",
        }
    }

    /// Returns the read of this name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|read| read.name() == name)
    }

    /// Whether it is computed from the picture rather than from the sound.
    pub const fn needs_video(self) -> bool {
        matches!(self, Self::SearchIndex)
    }
}

impl std::fmt::Display for Read {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_reads_are_listed_in_their_order_under_the_names_that_they_are_stored_by() {
        // What the derived code knows: `unknown variant `none`, expected one of `transcript`, …`.
        let said = serde_json::from_str::<Read>("\"none\"").unwrap_err().to_string();
        let known: Vec<&str> = said.split('`').skip(3).step_by(2).collect();
        assert_eq!(known, Read::ALL.map(Read::name), "{said}");
    }
}
