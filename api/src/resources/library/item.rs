//! An item as answers show it (contract §4.6), and its media as tools show it beside their
//! answers.

use crate::app::links::Links;
use crate::contract::envelope::{ItemKind, MediaLink};
use crate::http::text::{Text, Time};
use crate::resources::library::on_ready::ReadsOnReady;
use domain::generation::MadeBy;
use domain::item::{ItemStatus, ItemType, Stream};
use domain::link::Picture;
use domain::upload::served_type;
use poem_openapi::{Enum, Object};
use std::collections::BTreeMap;
use store::items::ItemRow;

/// A library item (contract §2).
#[expect(clippy::struct_field_names, reason = "the names are the interface's")]
#[derive(Debug, Object)]
#[oai(rename = "LibraryItem")]
pub struct Item {
    /// Its id.
    pub id: Text,
    /// What clients call it: the ref it was given, or else its id.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// What people call it.
    pub name: Text,
    /// What it is; null until its bytes were looked at.
    #[oai(rename = "type")]
    pub kind: Option<ItemKind>,
    /// How far it has come.
    pub status: ItemState,
    /// Why it failed; null unless it did.
    pub error: Option<ItemError>,
    /// Media time in seconds; null for an image, and until its bytes were looked at.
    pub duration_seconds: Option<f64>,
    /// Pixels across.
    pub width: Option<i32>,
    /// Pixels down.
    pub height: Option<i32>,
    /// Its media type.
    pub content_type: Option<Text>,
    /// Bytes that it takes of the account's storage; 0 when it failed, or while its size is unknown.
    pub bytes: i64,
    /// SHA-256 of its bytes in hexadecimal.
    pub sha256: Option<Text>,
    /// When it was made.
    pub created_at: Time,
    /// Until when a computer that reads it itself holds its reads back; null when none does.
    pub leased_until: Option<Time>,
    /// A picture of it, a JPEG: this link needs no credential and is good for at least an hour. Null where there is
    /// none.
    pub thumbnail_url: Option<Text>,
    /// Its media: this link needs no credential, takes ranges, and is good until `media_url_expires_at`. Null until it
    /// is ready, and in lists without `include=media`.
    pub media_url: Option<Text>,
    /// When that link ends.
    pub media_url_expires_at: Option<Time>,
    /// The streams of its file; null until its bytes were looked at.
    pub streams: Option<Vec<ItemStream>>,
    /// The reads stored on it, by their names.
    pub reads: BTreeMap<String, StoredStamp>,
    /// What people sort it by.
    pub tags: Vec<Text>,
    /// The reads that were asked for with its upload or import; null where none were.
    pub reads_on_ready: Option<ReadsOnReady>,
    /// How it was made here; null of what was uploaded or imported.
    pub made_by: Option<ItemMadeBy>,
}

/// How an item was made.
#[derive(Debug, Object)]
#[oai(rename = "LibraryItemMadeBy", skip_serializing_if_is_none)]
pub struct ItemMadeBy {
    /// The job that made it.
    pub job_id: Text,
    /// The tool that was called.
    pub tool: Text,
    /// The engine that is built in, if one made it.
    pub engine: Option<Text>,
    /// Or the provider's model.
    pub model: Option<Text>,
    /// The items that it was made from.
    pub source_item_ids: Vec<Text>,
    /// Whether a machine spoke or drew it, or something that it was made from.
    pub synthetic: bool,
    /// `draft` of what a simple engine made.
    pub quality: Option<Text>,
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
        }
    }
}

/// A stream of an item's file, as its container describes it.
#[derive(Debug, Object)]
#[oai(rename = "LibraryItemStream", skip_serializing_if_is_none)]
pub struct ItemStream {
    /// Its number in the container, from 0.
    pub index: u32,
    /// `video`, `audio`, `subtitle`, `data`, `attachment`, or `picture` for a cover.
    #[oai(rename = "type")]
    pub kind: Text,
    /// Its codec, as ffmpeg calls it.
    pub codec: Option<Text>,
    /// Seconds that it declares.
    pub duration_seconds: Option<f64>,
    /// Pixels across, of pictures.
    pub width: Option<u32>,
    /// Pixels down, of pictures.
    pub height: Option<u32>,
    /// Pictures a second on average, of video.
    pub frame_rate: Option<f64>,
    /// Samples a second, of audio.
    pub sample_rate: Option<u32>,
    /// Channels, of audio.
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

/// How far an item has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case", rename = "LibraryItemStatus")]
pub enum ItemState {
    /// Its bytes are awaited, fetched or looked at.
    Processing,
    /// It can be read.
    Ready,
    /// It never will be; `error` says why.
    Failed,
}

/// Why an item failed.
#[derive(Debug, Object)]
#[oai(rename = "LibraryItemError")]
pub struct ItemError {
    /// Such as `media_unreadable`, `media_too_long`, `url_not_allowed`, `fetch_failed`, `file_too_large`.
    pub code: Text,
    /// What went wrong, in words.
    pub message: Text,
}

/// That a read is stored.
#[derive(Debug, Object)]
pub struct StoredStamp {
    /// Since when.
    pub stored_at: Time,
}

/// Whether an item that is shown brings a link to its media.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithMedia {
    /// It does, once it is ready.
    Yes,
    /// It does not.
    No,
}

impl Item {
    /// The item of this row, with links to its picture and, once it is ready, to its media.
    pub fn of(row: ItemRow, links: &Links) -> Self {
        Self::shown(row, links, WithMedia::Yes)
    }

    /// The same, as a list shows it.
    pub fn shown(row: ItemRow, links: &Links, with_media: WithMedia) -> Self {
        let has_link = with_media == WithMedia::Yes && row.status == ItemStatus::Ready;
        let (media_url, media_url_expires_at) = has_link.then(|| links.to_media(row.id, row.now)).unzip();
        let stamps = row.reads_stored_at.into_iter().map(|at| StoredStamp { stored_at: Time(at) });
        let message = row.error_message.unwrap_or_default();
        Self {
            id: Text::of(row.id),
            item_ref: Text(row.item_ref),
            name: Text(row.name),
            kind: row.item_type.map(ItemKind::from),
            status: row.status.into(),
            error: row.error_code.map(|code| ItemError { code: Text(code), message: Text(message) }),
            duration_seconds: row.duration_ms.map(seconds),
            width: row.width,
            height: row.height,
            content_type: row.content_type.map(Text),
            bytes: row.bytes,
            sha256: row.sha256.map(|hash| Text(hexadecimal(&hash))),
            created_at: Time(row.created_at),
            leased_until: row.leased_until.map(Time),
            thumbnail_url: row.thumbnail_key.map(|_| links.to(row.id, Picture::Item, row.now)),
            media_url,
            media_url_expires_at,
            streams: row.streams.map(|streams| streams.0.into_iter().map(ItemStream::from).collect()),
            reads: row.reads.into_iter().zip(stamps).collect(),
            tags: row.tags.into_iter().map(Text).collect(),
            reads_on_ready: row.reads_on_ready.map(|asked| ReadsOnReady::of(asked, row.reads_answer)),
            made_by: row.made_by.map(|made| made.0.into()),
        }
    }

    /// Its media as a tool's answer shows it beside its data; none without a link.
    pub fn media(&self) -> Option<MediaLink> {
        let (url, expires_at) = (self.media_url.clone()?, self.media_url_expires_at?);
        Some(MediaLink {
            kind: self.kind?,
            item_id: self.id.clone(),
            item_ref: self.item_ref.clone(),
            url,
            expires_at,
            content_type: served_type(self.content_type.as_deref()).into(),
            bytes: self.bytes,
        })
    }
}

impl From<ItemKind> for ItemType {
    fn from(kind: ItemKind) -> Self {
        match kind {
            ItemKind::Video => Self::Video,
            ItemKind::Audio => Self::Audio,
            ItemKind::Image => Self::Image,
        }
    }
}

impl From<ItemState> for ItemStatus {
    fn from(state: ItemState) -> Self {
        match state {
            ItemState::Processing => Self::Processing,
            ItemState::Ready => Self::Ready,
            ItemState::Failed => Self::Failed,
        }
    }
}

impl From<ItemType> for ItemKind {
    fn from(kind: ItemType) -> Self {
        match kind {
            ItemType::Video => Self::Video,
            ItemType::Audio => Self::Audio,
            ItemType::Image => Self::Image,
        }
    }
}

impl From<ItemStatus> for ItemState {
    fn from(status: ItemStatus) -> Self {
        match status {
            ItemStatus::Processing => Self::Processing,
            ItemStatus::Ready => Self::Ready,
            ItemStatus::Failed => Self::Failed,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "no media lasts 2^53 milliseconds")]
fn seconds(ms: i64) -> f64 {
    ms as f64 / 1000.0
}

/// Bytes in lower-case hexadecimal.
pub fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
