//! How media is answered: its headers, the part that was asked for, and what is said where none is sent.
//!
//! What a client uploaded is nobody's page: it has a type of a closed list that browsers neither run nor guess at, and
//! is sandboxed where it is shown by itself: no scripts, forms or windows. The sandbox keeps the link's origin, since a
//! browser's player loads nothing for an opaque one. A page elsewhere may show it (`Cross-Origin-Resource-Policy`):
//! whoever has the link may see it. That page may not read it: there is no CORS.

use crate::app::downloads::Download;
use crate::http::answers::holding;
use crate::http::error::{ApiError, Code};
use crate::http::refusal::Envelope;
use bytes::Bytes;
use domain::file_name::{Disposition, content_disposition, file_name};
use domain::ids::ItemId;
use domain::upload::{served_type, usual_extension};
use futures_util::TryStreamExt;
use poem::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use poem::{Body, IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::payload::{Binary, Payload};
use poem_openapi::registry::{MetaHeader, MetaMediaType, MetaResponse, MetaResponses, Registry};
use poem_openapi::types::Type;
use runtime::media::StoredObject;
use std::io;
use std::ops::Range;
use store::items::LinkedMedia;

/// What media is served as, as the document says it.
const TYPES: [&str; 4] = ["video/*", "audio/*", "image/*", "application/octet-stream"];
/// How long its reader may keep it: what a link shows never changes. A shared cache must not.
const KEEP: &str = "private, max-age=3600, immutable";

/// What is said of an item's bytes.
#[derive(Debug)]
pub struct Served {
    /// A type of the closed list.
    pub content_type: &'static str,
    /// How many there are.
    pub bytes: u64,
    /// Their strong tag, quotes included: their SHA-256, or the item's id where none is kept, whose bytes never change.
    pub tag: String,
    /// The value of `Content-Disposition`.
    pub disposition: String,
}

impl Served {
    /// Of this item.
    pub fn of(item: ItemId, linked: &LinkedMedia, is_download: bool) -> Self {
        let content_type = served_type(linked.content_type.as_deref());
        let disposition = if is_download { Disposition::Attachment } else { Disposition::Inline };
        let own = linked.content_type.as_deref().and_then(usual_extension);
        let name = file_name(&linked.name, own.or_else(|| usual_extension(content_type)));
        Self {
            content_type,
            bytes: u64::try_from(linked.bytes).unwrap_or(0),
            tag: linked.sha256.as_ref().map_or_else(|| format!("\"{item}\""), |hash| format!("\"{}\"", hex(hash))),
            disposition: content_disposition(disposition, &name),
        }
    }

    /// What every answer says that names these bytes.
    fn put_into(&self, headers: &mut HeaderMap) {
        headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(KEEP));
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox allow-same-origin"));
        let policy = HeaderName::from_static("cross-origin-resource-policy");
        headers.insert(policy, HeaderValue::from_static("cross-origin"));
        for (name, value) in [(header::ETAG, &self.tag), (header::CONTENT_DISPOSITION, &self.disposition)] {
            // Both are plain ASCII.
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    crate::resources::library::hexadecimal(bytes)
}

/// What is sent: a part or the whole; nothing to a HEAD.
#[derive(Debug)]
pub struct Sent {
    /// The part that was asked for; none is the whole.
    pub range: Option<Range<u64>>,
    /// The bytes, and the place that they are sent in.
    pub object: Option<Box<(StoredObject, Download)>>,
}

impl Sent {
    /// The headers alone.
    pub const fn nothing() -> Self {
        Self { range: None, object: None }
    }
}

/// An answer of the route.
#[derive(Debug)]
pub enum MediaAnswer {
    /// 200 or 206.
    Sent(Served, Sent),
    /// 304: its reader has the bytes.
    Known(Served),
    /// 302: a bucket has the bytes.
    Elsewhere(String),
    /// 416: of so many bytes, none that were asked for.
    Nothing(u64),
}

impl IntoResponse for MediaAnswer {
    fn into_response(self) -> Response {
        match self {
            Self::Sent(served, sent) => sending(&served, sent),
            Self::Known(served) => {
                let mut response = Response::builder().status(StatusCode::NOT_MODIFIED).finish();
                served.put_into(response.headers_mut());
                response
            }
            Self::Elsewhere(link) => match HeaderValue::from_str(&link) {
                // Not to be kept: the link ends, and whether it is given out is asked each time.
                Ok(link) => Response::builder().status(StatusCode::FOUND).header(header::LOCATION, link).finish(),
                Err(error) => Envelope::Route.refuse(&ApiError::internal(error)),
            },
            Self::Nothing(bytes) => {
                let message = format!("The range begins behind the last of the {bytes} bytes.");
                let mut response = Envelope::Route.refuse(&ApiError::new(Code::RangeNotSatisfiable, message));
                if let Ok(range) = HeaderValue::from_str(&format!("bytes */{bytes}")) {
                    response.headers_mut().insert(header::CONTENT_RANGE, range);
                }
                response
            }
        }
    }
}

fn sending(served: &Served, sent: Sent) -> Response {
    let Sent { range, object } = sent;
    let length = range.as_ref().map_or(served.bytes, |range| range.end - range.start);
    let (body, download) = match object.map(|object| *object) {
        Some((object, download)) => {
            (Body::from_bytes_stream(object.into_stream().map_err(io::Error::other)), Some(download))
        }
        None => (Body::empty(), None),
    };
    let status = if range.is_some() { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK };
    let mut response = Response::builder().status(status).content_type(served.content_type).body(body);
    served.put_into(response.headers_mut());
    // So that a reader can tell an answer that broke off from one that is whole.
    response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    if let Some(Range { start, end }) = range
        && let Ok(range) = HeaderValue::from_str(&format!("bytes {start}-{}/{}", end - 1, served.bytes))
    {
        response.headers_mut().insert(header::CONTENT_RANGE, range);
    }
    holding(response, download)
}

/// A header of an answer as the document describes it.
fn told(name: &str, description: &str) -> MetaHeader {
    MetaHeader {
        name: name.to_owned(),
        description: Some(description.to_owned()),
        required: true,
        deprecated: false,
        schema: <String as Type>::schema_ref(),
    }
}

impl ApiResponse for MediaAnswer {
    fn meta() -> MetaResponses {
        let content = || {
            let types = TYPES
                .map(|content_type| MetaMediaType { content_type, schema: <Binary<Bytes> as Payload>::schema_ref() });
            types.into_iter().collect()
        };
        let tag = || told("ETag", "The SHA-256 of the whole, in hexadecimal and in quotes.");
        let ranges = || told("Accept-Ranges", "Always `bytes`.");
        let name = || told("Content-Disposition", "What to call the file; `attachment` with `download=1`.");
        let range = told("Content-Range", "Which bytes of how many these are.");
        let link = told("Location", "A link to the bucket, good for as long as this one.");
        let response = |status, description, content, headers| MetaResponse {
            description,
            status: Some(status),
            status_range: None,
            content,
            headers,
        };
        let responses = vec![
            response(200, "All of the bytes.", content(), vec![tag(), ranges(), name()]),
            response(206, "The bytes that were asked for.", content(), vec![tag(), ranges(), name(), range]),
            response(302, "The bytes are in a bucket: follow the link.", vec![], vec![link]),
            response(304, "The reader has the bytes already.", vec![], vec![tag(), ranges(), name()]),
        ];
        MetaResponses { responses }
    }

    fn register(_registry: &mut Registry) {}
}
