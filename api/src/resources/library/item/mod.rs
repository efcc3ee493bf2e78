//! An item as answers show it (contract §4.6), and its media as tools show it besides their data.

mod parts;

use crate::app::links::Links;
use crate::contract::envelope::{ItemKind, MediaLink};
use crate::http::text::{Text, Time};
use crate::http::words::same_words;
use crate::resources::library::on_ready::ReadsOnReady;
use domain::item::{ItemStatus, ItemType};
use domain::link::Picture;
use domain::upload::served_type;
pub use parts::{ItemError, ItemMadeBy, ItemState, ItemStream, StoredStamp};
use poem_openapi::Object;
use std::collections::BTreeMap;
use store::items::ItemRow;

/// A library item (contract §2).
#[expect(clippy::struct_field_names, reason = "the names are the interface's")]
#[derive(Debug, Object)]
#[oai(rename = "LibraryItem")]
pub struct Item {
    /// Its id.
    pub id: Text,
    /// Its ref, or its id when it has none.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// Its name, for people.
    pub name: Text,
    /// Its type; null until its bytes were examined.
    #[oai(rename = "type")]
    pub kind: Option<ItemKind>,
    /// Its status.
    pub status: ItemState,
    /// Why it failed; null unless it did.
    pub error: Option<ItemError>,
    /// Its duration in seconds; null for an image, and until its bytes were examined.
    pub duration_seconds: Option<f64>,
    /// Its width in pixels; null for sound, and until its bytes were examined.
    pub width: Option<i32>,
    /// Its height in pixels; null for sound, and until its bytes were examined.
    pub height: Option<i32>,
    /// Its media type, such as `video/mp4`, or null.
    pub content_type: Option<Text>,
    /// The bytes that it takes of the account's storage; 0 when it failed, or while its size is unknown.
    pub bytes: i64,
    /// The SHA-256 of its bytes in hexadecimal, or null.
    pub sha256: Option<Text>,
    /// When it was created.
    pub created_at: Time,
    /// Until when its reads are held back because a computer reads it itself; null when they are not.
    pub leased_until: Option<Time>,
    /// A picture of it, a JPEG: this link needs no credential and is valid for at least an hour. Null when there is
    /// none.
    pub thumbnail_url: Option<Text>,
    /// Its media: this link needs no credential, takes ranges, and is valid until `media_url_expires_at`. Null until it
    /// is ready, and in lists without `include=media`.
    pub media_url: Option<Text>,
    /// When `media_url` expires.
    pub media_url_expires_at: Option<Time>,
    /// The streams of its file; null until its bytes were examined.
    pub streams: Option<Vec<ItemStream>>,
    /// The reads stored on it, by their names.
    pub reads: BTreeMap<String, StoredStamp>,
    /// Its tags.
    pub tags: Vec<Text>,
    /// The reads that were requested with its upload or import; null when none were.
    pub reads_on_ready: Option<ReadsOnReady>,
    /// How it was made here; null for an upload or an import.
    pub made_by: Option<ItemMadeBy>,
}

/// Whether an item is shown with a link to its media.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithMedia {
    /// With a link, once it is ready.
    Yes,
    /// Without a link.
    No,
}

impl Item {
    /// Returns the item of this row, with links to its picture and, once it is ready, to its media.
    pub fn of(row: ItemRow, links: &Links) -> Self {
        Self::listed(row, links, WithMedia::Yes)
    }

    /// Returns the item as a list shows it.
    pub fn listed(row: ItemRow, links: &Links, with_media: WithMedia) -> Self {
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

    /// Returns its media as a tool's answer shows it besides its data; none without a link.
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

same_words!(ItemType = ItemKind { Video, Audio, Image });

#[expect(clippy::cast_precision_loss, reason = "no media lasts 2^53 milliseconds")]
fn seconds(ms: i64) -> f64 {
    ms as f64 / 1000.0
}

/// Returns bytes in lower-case hexadecimal.
pub fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
