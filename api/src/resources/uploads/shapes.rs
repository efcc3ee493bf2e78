//! The shapes of the requests and answers of uploads.

use crate::http::text::{Text, Time};
use crate::resources::tools::prepare_media::ReadKind;
use poem_openapi::{Enum, Object};
use std::collections::BTreeMap;

/// A file to send, or a URL to fetch one from.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct CreateUpload {
    /// The file's name. Required with `bytes`; with `url` it becomes the item's name.
    pub filename: Option<Text>,
    /// The file's media type, such as `video/mp4`. Required with `bytes`.
    pub content_type: Option<Text>,
    /// The length of the file in bytes. Required unless `url` is given.
    #[oai(validator(minimum(value = "0")))]
    pub bytes: Option<i64>,
    /// The SHA-256 of those bytes in hexadecimal; when given, `complete` refuses other bytes.
    pub sha256: Option<Text>,
    /// The URL to fetch the file from instead: HTTPS and publicly reachable, as each of up to five redirects must be.
    pub url: Option<Text>,
    /// The item's ref, unique in the workspace; clients use its id when none is given.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// Reads to start once the item is ready, as `prepare_media` would then; the item's `reads_on_ready` says what
    /// became of each. When not given, those of the workspace's settings.
    pub reads: Option<Vec<ReadKind>>,
}

/// An upload that was started.
#[expect(clippy::struct_field_names, reason = "the names are the interface's")]
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct Upload {
    /// Its id.
    pub id: Text,
    /// Whether the service waits for your bytes or fetches them.
    pub status: UploadState,
    /// The item that it becomes; in `processing` until it is ready or failed.
    pub item_id: Text,
    /// How to send the bytes; absent when a worker fetches them.
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
    /// The URL to send the bytes to: the service, or the bucket in which it keeps media.
    pub url: Text,
    /// When `url` and those of `parts` expire, if they lead to a bucket; null for the service's own URL, which is valid
    /// as long as the upload. A repeat of the call with the same `Idempotency-Key` returns new ones.
    pub url_expires_at: Option<Time>,
    /// Headers to send with it.
    pub headers: BTreeMap<String, String>,
    /// The parts of a file that is too large for one request to a bucket, each to be put to its
    /// own URL instead of `url`.
    pub parts: Option<Vec<UploadPart>>,
    /// The URL to send the same bytes to with tus 1.0.0, always at the service: an upload that broke off can continue.
    pub resumable_url: Text,
    /// When the upload is dropped, unless it is completed before.
    pub expires_at: Time,
}

/// A part of a file.
#[derive(Debug, Object)]
pub struct UploadPart {
    /// Its number, from 1.
    pub number: u32,
    /// Its offset in the file, in bytes.
    pub start: i64,
    /// Its length in bytes.
    pub bytes: i64,
    /// The URL to put it to, with the `headers` of the upload.
    pub url: Text,
}

/// Bytes that arrived.
#[expect(clippy::struct_field_names, reason = "the names are the interface's")]
#[derive(Debug, Object)]
pub struct ReceivedBytes {
    /// The upload's id.
    pub id: Text,
    /// The number of bytes that arrived.
    pub received_bytes: u64,
    /// Their SHA-256 in hexadecimal.
    pub sha256: Text,
}
