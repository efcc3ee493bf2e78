//! Turns passages that may match into hits: narrowed, scored, and each place in an item only once.

use domain::footage::Said;
use domain::ids::ItemId;
use domain::search::{Asked, Fit, Judged, Spoken, Term, narrow};
use store::footage::FoundPassage;

/// A place in an item where the query is said.
#[derive(Debug)]
pub struct Hit {
    /// The item.
    pub item: ItemId,
    /// The item's name for clients.
    pub item_ref: String,
    /// Whether the words are written in the picture, and not said.
    pub shown: bool,
    /// The words, with their times and their score.
    pub spoken: Spoken,
}

/// The hits found so far, the best first, and how many there may be.
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

    /// Adds the places in these passages where the query is said, the best first. A place that overlaps a better one in
    /// the same item is that one, found again.
    pub(super) fn take(&mut self, query: &Asked, candidates: &[FoundPassage], fit: Fit) {
        let mut judged = Judged::by(query, fit);
        let mut hits: Vec<Hit> = candidates.iter().flat_map(|candidate| hits(&mut judged, candidate)).collect();
        // The sort is stable: equal scores keep Postgres's order.
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
