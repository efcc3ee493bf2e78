//! Links with which a client puts the bytes of an upload into the bucket itself, past the api's processes.
//!
//! They are added to an answer just before it is sent, also when it is sent again, and never stored. Each is valid for
//! one key, type and length; the bytes are checked when the upload is completed, and read when it is probed.

use crate::http::error::{Answer, ApiError, Code};
use crate::http::json::json_of;
use crate::http::text::Time;
use chrono::DateTime;
use domain::ids::ItemId;
use domain::upload::direct_parts;
use runtime::clock::host_unix_seconds;
use runtime::media::{Awaited, MediaError, MediaStore, sent_key};
use serde_json::{Value, json};

/// Seconds for which a link is valid. A repeat with the same `Idempotency-Key` gets new ones.
const LINK_SECONDS: i64 = 3_600;

/// Returns the answer of an upload of `bytes` bytes, with links to the bucket.
pub(super) async fn with_links(media: &MediaStore, body: &str, bytes: i64) -> Answer<String> {
    let mut answer: Value = serde_json::from_str(body).map_err(ApiError::internal)?;
    let item: ItemId = text(&answer, "/item_id").parse().map_err(ApiError::internal)?;
    let content_type = text(&answer, "/upload/headers/Content-Type").to_owned();
    let ends_at = Time::from(DateTime::from_timestamp(host_unix_seconds() + LINK_SECONDS, 0).unwrap_or_default());
    let mut parts = Vec::new();
    for (number, part) in (1..).zip(direct_parts(bytes)) {
        let awaited = Awaited {
            seconds: LINK_SECONDS.unsigned_abs(),
            content_type: &content_type,
            bytes: part.bytes.unsigned_abs(),
        };
        let link = media.put_link(&sent_key(item, number), awaited).await.map_err(|error| not_made(&error))?;
        let Some(url) = link else { return Ok(body.to_owned()) };
        parts.push(json!({ "number": number, "start": part.start, "bytes": part.bytes, "url": url }));
    }
    match parts.as_mut_slice() {
        // There is nothing to send.
        [] => return Ok(body.to_owned()),
        [only] => answer["upload"]["url"] = only["url"].take(),
        _ => answer["upload"]["parts"] = parts.into(),
    }
    answer["upload"]["url_expires_at"] = json_of(&ends_at);
    Ok(answer.to_string())
}

fn text<'a>(answer: &'a Value, pointer: &str) -> &'a str {
    answer.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn not_made(error: &MediaError) -> ApiError {
    tracing::error!(error = %error, "A link to the bucket could not be made.");
    ApiError::new(Code::Unavailable, "The media store does not answer. Ask again with the same Idempotency-Key.")
        .retry_after(2)
}
