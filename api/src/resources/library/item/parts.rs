//! The parts of an item: its status, its streams, how it was made, and its stored reads.

use crate::http::text::{Text, Time};
use crate::http::words::same_words;
use domain::generation::MadeBy;
use domain::item::{ItemStatus, Stream};
use poem_openapi::{Enum, Object};

/// How an item was made.
#[derive(Debug, Object)]
#[oai(rename = "LibraryItemMadeBy", skip_serializing_if_is_none)]
pub struct ItemMadeBy {
    /// The job that made it.
    pub job_id: Text,
    /// The tool that was called.
    pub tool: Text,
    /// The built-in engine that made it; absent when a model did.
    pub engine: Option<Text>,
    /// The provider's model that made it; absent when an engine did.
    pub model: Option<Text>,
    /// The items that it was made from.
    pub source_item_ids: Vec<Text>,
    /// Whether a machine generated it, or something that it was made from.
    pub synthetic: bool,
    /// `draft` when a simple engine made it.
    pub quality: Option<Text>,
    /// `true` when it is a film of a timeline or a dub, or shows one once more, as an enlarged film does; absent
    /// otherwise. The planner `keywords` takes none for footage.
    pub film: Option<bool>,
}

impl From<MadeBy> for ItemMadeBy {
    fn from(made: MadeBy) -> Self {
        Self {
            job_id: Text::of(made.job_id),
            tool: Text(made.tool),
            engine: made.engine.map(Text),
            model: made.model.map(Text),
            source_item_ids: made.source_item_ids.into_iter().map(Text::of).collect(),
            synthetic: made.synthetic,
            quality: made.quality.map(Text),
            film: made.film.then_some(true),
        }
    }
}

/// A stream of an item's file, as its container describes it.
#[derive(Debug, Object)]
#[oai(rename = "LibraryItemStream", skip_serializing_if_is_none)]
pub struct ItemStream {
    /// Its index in the container, from 0.
    pub index: u32,
    /// `video`, `audio`, `subtitle`, `data`, `attachment`, or `picture` for a cover.
    #[oai(rename = "type")]
    pub kind: Text,
    /// Its codec, by ffmpeg's name.
    pub codec: Option<Text>,
    /// The duration in seconds that it declares.
    pub duration_seconds: Option<f64>,
    /// Its width in pixels; only for pictures.
    pub width: Option<u32>,
    /// Its height in pixels; only for pictures.
    pub height: Option<u32>,
    /// Average frames per second; only for video.
    pub frame_rate: Option<f64>,
    /// Samples per second; only for audio.
    pub sample_rate: Option<u32>,
    /// The number of channels; only for audio.
    pub channels: Option<u32>,
}

impl From<Stream> for ItemStream {
    fn from(stream: Stream) -> Self {
        Self {
            index: stream.index,
            kind: Text(stream.kind),
            codec: stream.codec.map(Text),
            duration_seconds: stream.duration_seconds,
            width: stream.width,
            height: stream.height,
            frame_rate: stream.frame_rate,
            sample_rate: stream.sample_rate,
            channels: stream.channels,
        }
    }
}

/// The status of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case", rename = "LibraryItemStatus")]
pub enum ItemState {
    /// Its bytes are awaited, fetched or examined.
    Processing,
    /// It can be read.
    Ready,
    /// It will never be ready; `error` says why.
    Failed,
}

/// Why an item failed.
#[derive(Debug, Object)]
#[oai(rename = "LibraryItemError")]
pub struct ItemError {
    /// A code such as `media_unreadable`, `media_too_long`, `url_not_allowed`, `fetch_failed`, `file_too_large`.
    pub code: Text,
    /// What went wrong, as a sentence.
    pub message: Text,
}

/// A read that is stored.
#[derive(Debug, Object)]
pub struct StoredStamp {
    /// When it was stored.
    pub stored_at: Time,
}

same_words!(ItemStatus = ItemState { Processing, Ready, Failed });
