//! A match as the answer shows it: words that are spoken or written in an item, and the moment that is seen there.

use crate::app::links::Links;
use crate::http::text::Text;
use crate::usecases::search_footage::Hit;
use domain::footage::seconds;
use domain::link::Picture;
use poem_openapi::{Enum, Object};
use store::footage::SeenMoment;

/// Words that are spoken or shown in an item.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct FootageMatch {
    /// The item's ref, or its id when it has none.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// The item.
    pub item_id: Text,
    /// When the first of the words begins, in seconds.
    pub start: f64,
    /// When the last of the words ends, in seconds.
    pub end: f64,
    /// How well it fits, 0 to 1.
    pub score: f64,
    /// The words, with some of the text around them.
    pub text: Text,
    /// Whether the words are spoken or written.
    pub source: WordSource,
    /// The moment (shot) in which it begins; absent for sound, and when no search index is stored.
    pub moment: Option<MomentSpan>,
    /// A still of that moment, a JPEG: this link needs no credential and is valid for at least an hour. Absent when
    /// there is no still.
    pub thumbnail_url: Option<Text>,
}

/// Whether words are spoken or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum WordSource {
    /// They are spoken: the transcript has them.
    Said,
    /// They are written in the picture: the search index has them. `start` and `end` are the time for which they are
    /// shown.
    Shown,
}

/// A moment of a video.
#[derive(Debug, Object)]
pub struct MomentSpan {
    /// Its id in the item's `search_index`.
    pub id: Text,
    /// When it begins, in seconds.
    pub start: f64,
    /// When it ends, in seconds.
    pub end: f64,
}

impl FootageMatch {
    /// Makes a match of a hit and the moment that is seen at its time.
    pub(super) fn of(hit: Hit, seen: Option<&SeenMoment>, links: &Links) -> Self {
        let Hit { item, item_ref, shown, spoken } = hit;
        let link = |seen: &SeenMoment| {
            let picture = Picture::Moment(seen.moment.number);
            seen.moment.thumbnail_key.as_ref().map(|_| links.to(item, picture, seen.now))
        };
        let moment = |seen: &SeenMoment| MomentSpan {
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
