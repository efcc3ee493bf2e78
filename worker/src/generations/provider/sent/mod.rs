//! What is sent to a provider that changes an item: JSON with the item's bytes in it, as a `data:` URL in base64.
//!
//! They are read from the opened file as they are sent, a piece at a time, so that a job holds little while its
//! provider takes them, and nothing of them while it waits for an answer. A request that is sent again reads them
//! again. The length of a request is known before: a provider that gets less of it knows that the rest is missing.

use crate::readers::{CutShort, MediaSource, ReadError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use domain::item::ItemType;
use futures_util::{Stream, StreamExt, future, stream};
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE};
use reqwest::{Body, RequestBuilder};
use serde_json::Value;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Bytes of a source that are read at a time. They are a multiple of three, so that the base64 of all pieces, one after
/// the other, is that of the whole.
const PIECE: u64 = 48 << 10;

/// An item's opened file, to be sent as a `data:` URL.
pub(super) struct Source {
    file: Arc<File>,
    bytes: u64,
    content_type: String,
}

impl Source {
    /// Returns that of an item, which may have so many bytes at most.
    pub(super) fn of(media: &MediaSource, most_bytes: u64) -> Result<Self, ReadError> {
        let file = media.shared_file();
        let bytes = file.metadata()?.len();
        if bytes > most_bytes {
            return Err(ReadError::Unsupported("the item is larger than this model takes"));
        }
        let facts = crate::ingest::facts(media.probe(), None);
        let is_sound = facts.item_type == ItemType::Audio;
        let content_type = if is_sound { "audio/mpeg".to_owned() } else { facts.content_type };
        Ok(Self { file, bytes, content_type })
    }

    /// Returns how many bytes its base64 has.
    const fn encoded_bytes(&self) -> u64 {
        self.bytes.div_ceil(3) * 4
    }
}

/// The JSON of a request. The base64 of its source, where it has one, belongs between the two parts.
pub(super) struct Document {
    before: Bytes,
    source: Option<Source>,
    after: Bytes,
}

impl Document {
    /// Returns the JSON that `json` makes of the source's URL; of none where there is no source.
    pub(super) fn of(source: Option<Source>, json: impl Fn(Option<String>) -> Value) -> Self {
        let text = |url| Bytes::from(json(url).to_string());
        let Some(source) = source else {
            return Self { before: text(None), source: None, after: Bytes::new() };
        };
        let url = |base64| Some(format!("data:{};base64,{base64}", source.content_type));
        // Base64 belongs where a text without any and one with some first differ, whatever else is in them.
        let (mut before, other) = (text(url("")), text(url("A")));
        let place = before.iter().zip(&other).take_while(|(one, other)| one == other).count();
        let after = before.split_off(place);
        Self { before, source: Some(source), after }
    }

    /// Puts it into a request. What is returned beside that completes with an error when the source can't be read to
    /// its end, whatever becomes of the request then: HTTP/2 does not tell why one was reset here.
    pub(super) fn put_into(&self, request: RequestBuilder) -> (RequestBuilder, oneshot::Receiver<ReadError>) {
        let (cut_short, is_cut_short) = oneshot::channel();
        let request = request.header(CONTENT_TYPE, "application/json");
        let Some(source) = &self.source else {
            return (request.body(self.before.clone()), is_cut_short);
        };
        let bytes = self.before.len() as u64 + source.encoded_bytes() + self.after.len() as u64;
        let part = |part: &Bytes| stream::once(future::ready(Ok(part.clone())));
        let encoded = encoded(Arc::clone(&source.file), source.bytes, cut_short);
        let body = part(&self.before).chain(encoded).chain(part(&self.after));
        (request.header(CONTENT_LENGTH, bytes).body(Body::wrap_stream(body)), is_cut_short)
    }
}

/// Returns the base64 of a file of so many bytes, as it is read.
fn encoded(
    file: Arc<File>,
    bytes: u64,
    cut_short: oneshot::Sender<ReadError>,
) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    stream::try_unfold((0_u64, cut_short), move |(from, cut_short)| {
        let (file, length) = (Arc::clone(&file), PIECE.min(bytes - from));
        async move {
            if length == 0 {
                return Ok(None);
            }
            match piece(file, from, length).await {
                Ok(piece) => Ok(Some((piece, (from + length, cut_short)))),
                Err(error) => {
                    let ends_with = io::Error::from(error.kind());
                    // Nobody hears it where the answer has come already.
                    let _ = cut_short.send(io::Error::other(CutShort(error)).into());
                    Err(ends_with)
                }
            }
        }
    })
}

/// Returns the base64 of so many bytes of a file.
async fn piece(file: Arc<File>, from: u64, length: u64) -> io::Result<Bytes> {
    let reading = move || {
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        // Others may be reading the same opened file at other positions.
        file.read_exact_at(&mut bytes, from)?;
        Ok::<_, io::Error>(Bytes::from(STANDARD.encode(bytes)))
    };
    tokio::task::spawn_blocking(reading).await.map_err(io::Error::other)?
}

#[cfg(test)]
mod tests;
