//! What an upload is asked for with, and how it is answered.

use crate::http::text::{Text, Time};
use crate::resources::tools::prepare_media::ReadKind;
use poem_openapi::{Enum, Object};
use std::collections::BTreeMap;

/// A file to send, or a URL to fetch one from.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct CreateUpload {
    /// The file's name. Required with `bytes`; with `url`, what to call the item.
    pub filename: Option<Text>,
    /// The file's media type, such as `video/mp4`. Required with `bytes`.
    pub content_type: Option<Text>,
    /// How many bytes will be sent.
    #[oai(validator(minimum(value = "0")))]
    pub bytes: Option<i64>,
    /// SHA-256 of those bytes in hexadecimal; when given, `complete` refuses others.
    pub sha256: Option<Text>,
    /// Where to fetch the file instead: HTTPS and publicly reachable, as each of up to five redirects has to be.
    pub url: Option<Text>,
    /// What clients will call the item, unique in the workspace; its id when not given.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// Reads to start once the item is ready, as `prepare_media` would then; `reads_on_ready` of the item says what
    /// became of each. Those of the workspace's settings when not given.
    pub reads: Option<Vec<ReadKind>>,
}

/// An upload that was started.
#[expect(clippy::struct_field_names, reason = "the names are the interface's")]
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct Upload {
    /// Its id.
    pub id: Text,
    /// Whether bytes are awaited from you or fetched.
    pub status: UploadState,
    /// The item that it fills; in `processing` until it is ready or failed.
    pub item_id: Text,
    /// How to send the bytes; absent when they are fetched.
    pub upload: Option<Presigned>,
}

/// What an upload waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum UploadState {
    /// Send the bytes, then call `complete`.
    AwaitingUpload,
    /// A worker fetches the URL; there is nothing to complete.
    Fetching,
}

/// A request that sends the bytes; it needs no credential but its URL.
#[derive(Debug, Object)]
pub struct Presigned {
    /// Always `PUT`.
    pub method: Text,
    /// Where to: the service, or the bucket that it keeps media in.
    pub url: Text,
    /// When the bucket takes nothing more by `url` and those of `parts`; null of the service's own, which lasts as long
    /// as the upload. The same call with the same `Idempotency-Key` is answered with new ones.
    pub url_expires_at: Option<Time>,
    /// Headers to send with it.
    pub headers: BTreeMap<String, String>,
    /// Of a file that is larger than a bucket takes at once: its parts, each to be put to a URL of its own, instead of
    /// `url`.
    pub parts: Option<Vec<UploadPart>>,
    /// Where the same bytes can be sent by tus 1.0.0, always the service: what was cut off goes on where it was.
    pub resumable_url: Text,
    /// When the upload is dropped, unless it was completed.
    pub expires_at: Time,
}

/// A part of a file.
#[derive(Debug, Object)]
pub struct UploadPart {
    /// Its number, from 1.
    pub number: u32,
    /// Where it begins in the file.
    pub start: i64,
    /// How many bytes it has.
    pub bytes: i64,
    /// Where to put them, with the headers of the whole.
    pub url: Text,
}

/// Bytes that arrived.
#[expect(clippy::struct_field_names, reason = "the names are the interface's")]
#[derive(Debug, Object)]
pub struct ReceivedBytes {
    /// The upload's id.
    pub id: Text,
    /// How many bytes arrived.
    pub received_bytes: u64,
    /// Their SHA-256 in hexadecimal.
    pub sha256: Text,
}
