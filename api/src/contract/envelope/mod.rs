//! The shapes that answers share: the tool envelope (contract §4.2), lists of routes, and statuses other than 200.
//!
//! Handlers build the inside. Refusals are not here but in `http::error`.

mod cost;
mod payloads;

pub use cost::{CloudProcessing, Cost, RanOn};
pub use payloads::{Accepted, Created, Stored, Written};

use crate::http::text::{Text, Time, True};
use poem_openapi::payload::Json;
use poem_openapi::types::{ParseFromJSON, ToJSON};
use poem_openapi::{Enum, Object};

/// A tool's answer (contract §4.2).
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct ToolAnswer<T: ParseFromJSON + ToJSON> {
    /// Always true: any refusal has another status and the error envelope.
    pub ok: True,
    /// The tool's result.
    pub data: T,
    /// The request's id and what it cost.
    pub meta: Meta,
    /// Media to show beside the answer: of the items in it that are ready.
    pub media: Option<Vec<MediaLink>>,
}

impl<T: ParseFromJSON + ToJSON> ToolAnswer<T> {
    /// An answer that used no cloud processing.
    pub fn new(request_id: &str, data: T) -> Self {
        let meta = Meta { request_id: request_id.into(), cost: Cost::default(), cloud_processing: None };
        Self { ok: True, data, meta, media: None }
    }

    /// Adds the minutes that the call used, holds and leaves.
    #[must_use]
    pub fn cloud(mut self, minutes: CloudProcessing) -> Self {
        self.meta.cloud_processing = Some(minutes);
        self
    }

    /// Adds the AI credits that the call used, holds and leaves.
    #[must_use]
    pub fn costing(mut self, cost: Cost) -> Self {
        self.meta.cost = cost;
        self
    }

    /// Adds media to show beside it, if there is any.
    #[must_use]
    pub fn showing(mut self, media: impl IntoIterator<Item = MediaLink>) -> Self {
        self.media = Some(media.into_iter().collect()).filter(|media: &Vec<MediaLink>| !media.is_empty());
        self
    }

    /// As the payload of a handler.
    pub fn json(self) -> Json<Self> {
        Json(self)
    }
}

/// Media to show beside a tool's answer (contract §4.2, `media`).
#[derive(Debug, Object)]
pub struct MediaLink {
    /// The item's type.
    #[oai(rename = "type")]
    pub kind: ItemKind,
    /// The item.
    pub item_id: Text,
    /// The item's name for clients.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// The link to its bytes, as `media_url` of the item.
    pub url: Text,
    /// When that link ends.
    pub expires_at: Time,
    /// The media type that it is served as.
    pub content_type: Text,
    /// Its size in bytes.
    pub bytes: i64,
}

/// The type of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case", rename = "LibraryItemType")]
pub enum ItemKind {
    /// Moving pictures, with or without sound.
    Video,
    /// Sound.
    Audio,
    /// One picture.
    Image,
}

/// `meta` of a tool's answer (contract §4.2).
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct Meta {
    /// The id of the request, as in `X-Request-Id`.
    pub request_id: Text,
    /// The AI credits that the call cost.
    pub cost: Cost,
    /// The cloud minutes that the call used, holds and leaves; present for every tool that may start cloud processing.
    pub cloud_processing: Option<CloudProcessing>,
}

/// No fields: `{}`, or no body at all.
#[derive(Debug, Default, Object)]
#[oai(deny_unknown_fields)]
pub struct NoArguments {}

/// The answer of a route that removes something.
#[derive(Debug, Object)]
pub struct Deleted {
    /// Always true.
    pub deleted: True,
}

impl Deleted {
    /// The only answer of its kind.
    pub fn json() -> Json<Self> {
        Json(Self { deleted: True })
    }
}
