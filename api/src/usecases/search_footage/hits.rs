//! From passages that may be meant to hits: narrowed, scored, and each place in an item once.

use domain::footage::Said;
use domain::ids::ItemId;
use domain::search::{Asked, Fit, Judged, Spoken, Term, narrow};
use store::footage::FoundPassage;

/// Something said in an item.
#[derive(Debug)]
pub struct Hit {
    /// The item.
    pub item: ItemId,
    /// What clients call it.
    pub item_ref: String,
    /// Whether it is written in the picture, and not said.
    pub shown: bool,
    /// The words, and where.
    pub spoken: Spoken,
}

/// What was found so far, the best first.
pub(super) struct Hits {
    limit: usize,
    found: Vec<Hit>,
}

impl Hits {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, found: Vec::new() }
    }

    pub(super) fn have_room(&self) -> bool {
        self.found.len() < self.limit
    }

    /// Takes what the query is said in of these passages, the best first. What overlaps with something better in the
    /// same item is that same thing, found again.
    pub(super) fn take(&mut self, query: &Asked, candidates: &[FoundPassage], fit: Fit) {
        let mut judged = Judged::by(query, fit);
        let mut hits: Vec<Hit> = candidates.iter().flat_map(|candidate| hits(&mut judged, candidate)).collect();
        // Stable: of equal scores Postgres's order stays.
        hits.sort_by(|one, other| other.spoken.score.total_cmp(&one.spoken.score));
        for hit in hits {
            if !self.have_room() {
                return;
            }
            if !self.found.iter().any(|better| better.overlaps(&hit)) {
                self.found.push(hit);
            }
        }
    }

    pub(super) fn found(self) -> Vec<Hit> {
        self.found
    }
}

impl Hit {
    fn overlaps(&self, other: &Self) -> bool {
        self.item == other.item
            && self.shown == other.shown
            && self.spoken.start_ms < other.spoken.end_ms
            && other.spoken.start_ms < self.spoken.end_ms
    }
}

fn hits(judged: &mut Judged<'_>, candidate: &FoundPassage) -> Vec<Hit> {
    let said: Vec<Said> = candidate.passage.words().collect();
    let heard: Vec<Term> =
        said.iter().zip(&candidate.lexemes).map(|(said, lexeme)| Term::new(&said.word, lexeme)).collect();
    let spoken = narrow(judged, &said, &heard, candidate.passage.own_words);
    let hit =
        |spoken| Hit { item: candidate.item, item_ref: candidate.item_ref.clone(), shown: candidate.shown, spoken };
    spoken.into_iter().map(hit).collect()
}
