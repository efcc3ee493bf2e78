//! A match as it is shown: what is said or written in an item, and what is seen there.

use crate::app::links::Links;
use crate::http::text::Text;
use crate::usecases::search_footage::Hit;
use domain::footage::seconds;
use domain::link::Picture;
use poem_openapi::{Enum, Object};
use store::footage::Seen;

/// Something said or shown in an item.
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
    /// How they are there.
    pub source: WordSource,
    /// The moment that it begins in; absent for sound, and where no search index is stored.
    pub moment: Option<MomentSpan>,
    /// A still of that moment, a JPEG: this link needs no credential and is good for at least an hour. Absent where
    /// there is none.
    pub thumbnail_url: Option<Text>,
}

/// How words are in an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum WordSource {
    /// They are spoken: the transcript has them.
    Said,
    /// They are written in the picture: the search index has them. `start` and `end` are those of the picture, as long
    /// as it stands.
    Shown,
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

impl FootageMatch {
    /// A hit, with what is seen at its place.
    pub(super) fn of(hit: Hit, seen: Option<&Seen>, links: &Links) -> Self {
        let Hit { item, item_ref, shown, spoken } = hit;
        let link = |seen: &Seen| {
            let picture = Picture::Moment(seen.moment.number);
            seen.moment.thumbnail_key.as_ref().map(|_| links.to(item, picture, seen.now))
        };
        let moment = |seen: &Seen| MomentSpan {
            id: Text::of(Picture::Moment(seen.moment.number)),
            start: seconds(seen.moment.start_ms),
            end: seconds(seen.moment.end_ms),
        };
        Self {
            item_ref: Text(item_ref),
            item_id: Text::of(item),
            start: seconds(spoken.start_ms),
            end: seconds(spoken.end_ms),
            score: spoken.score,
            text: Text(spoken.text),
            source: if shown { WordSource::Shown } else { WordSource::Said },
            moment: seen.map(moment),
            thumbnail_url: seen.and_then(link),
        }
    }
}
