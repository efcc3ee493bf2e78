//! From passages that may be meant to matches as they are shown: narrowed, scored, and each place in a video once.

use crate::app::links::Links;
use crate::http::text::Text;
use common::domain::footage::{Said, seconds};
use common::domain::link::Picture;
use common::domain::search::{Asked, Fit, Judged, Spoken, Term, narrow};
use common::ids::ItemId;
use common::store::footage::{Candidate, Seen};
use poem_openapi::Object;

/// Something said in a video.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct FootageMatch {
    /// What clients call the item.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// The item.
    pub item_id: Text,
    /// Where the first of the words begins, in seconds.
    pub start: f64,
    /// Where the last one ends.
    pub end: f64,
    /// How well it fits, 0 to 1.
    pub score: f64,
    /// The words, with some of those around them.
    pub text: Text,
    /// The moment that it begins in.
    pub moment: Option<MomentSpan>,
    /// A still of that moment, a JPEG: this link needs no credential and is good for at least an hour. Absent where there is
    /// none.
    pub thumbnail_url: Option<Text>,
}

/// A moment of a video.
#[derive(Debug, Object)]
pub struct MomentSpan {
    /// Its id, as the item's `search_index` has it.
    pub id: Text,
    /// Where it begins, in seconds.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
}

/// What was found so far, the best first.
pub(super) struct Hits {
    limit: usize,
    found: Vec<Hit>,
}

struct Hit {
    item: ItemId,
    item_ref: String,
    spoken: Spoken,
}

impl Hits {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, found: Vec::new() }
    }

    pub(super) fn have_room(&self) -> bool {
        self.found.len() < self.limit
    }

    /// Takes what the query is said in of these passages, the best first. What overlaps with something better in the same
    /// item is that same thing, found again.
    pub(super) fn take(&mut self, query: &Asked, candidates: &[Candidate], fit: Fit) {
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

    /// Where each begins.
    pub(super) fn places(&self) -> Vec<(ItemId, i32)> {
        self.found.iter().map(|hit| (hit.item, hit.spoken.start_ms)).collect()
    }

    /// As they are shown, with what is seen at each place.
    pub(super) fn shown(self, seen: &[Option<Seen>], links: &Links) -> Vec<FootageMatch> {
        self.found.into_iter().zip(seen).map(|(hit, seen)| hit.shown(seen.as_ref(), links)).collect()
    }
}

impl Hit {
    fn overlaps(&self, other: &Self) -> bool {
        self.item == other.item
            && self.spoken.start_ms < other.spoken.end_ms
            && other.spoken.start_ms < self.spoken.end_ms
    }

    fn shown(self, seen: Option<&Seen>, links: &Links) -> FootageMatch {
        let Self { item, item_ref, spoken } = self;
        let link = |seen: &Seen| {
            let picture = Picture::Moment(seen.moment.number);
            seen.moment.thumbnail_key.as_ref().map(|_| links.to(item, picture, seen.now))
        };
        let moment = |seen: &Seen| MomentSpan {
            id: Text::of(Picture::Moment(seen.moment.number)),
            start: seconds(seen.moment.start_ms),
            end: seconds(seen.moment.end_ms),
        };
        FootageMatch {
            item_ref: Text(item_ref),
            item_id: Text::of(item),
            start: seconds(spoken.start_ms),
            end: seconds(spoken.end_ms),
            score: spoken.score,
            text: Text(spoken.text),
            moment: seen.map(moment),
            thumbnail_url: seen.and_then(link),
        }
    }
}

fn hits(judged: &mut Judged<'_>, candidate: &Candidate) -> Vec<Hit> {
    let said: Vec<Said> = candidate.passage.words().collect();
    let heard: Vec<Term> =
        said.iter().zip(&candidate.lexemes).map(|(said, lexeme)| Term::new(&said.word, lexeme)).collect();
    let spoken = narrow(judged, &said, &heard, candidate.passage.own_words);
    let hit = |spoken| Hit { item: candidate.item, item_ref: candidate.item_ref.clone(), spoken };
    spoken.into_iter().map(hit).collect()
}
