//! The answers of the media route: their headers, the requested range, and the answers without bytes.
//!
//! Media that clients uploaded must not act as a page: its type is from a closed list that browsers neither run nor
//! guess at, and it is sandboxed when shown on its own: no scripts, forms or windows. The sandbox keeps the link's
//! origin, since a browser's player loads nothing for an opaque one. Other sites may show it
//! (`Cross-Origin-Resource-Policy`), since whoever has the link may see it. They may not read it: there is no CORS.

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

/// The media types of the answer in the OpenAPI document.
const TYPES: [&str; 4] = ["video/*", "audio/*", "image/*", "application/octet-stream"];
/// How long a client may keep it: what a link shows never changes. A shared cache must not keep it.
const KEEP: &str = "private, max-age=3600, immutable";

/// The facts of an item's bytes that headers state.
#[derive(Debug)]
pub struct Served {
    /// A type of the closed list.
    pub content_type: &'static str,
    /// The number of bytes.
    pub bytes: u64,
    /// Their strong `ETag`, with quotes: their SHA-256, or the item's id if no hash is kept; its bytes never change.
    pub tag: String,
    /// The value of `Content-Disposition`.
    pub disposition: String,
}

impl Served {
    /// Returns the facts of this item's bytes.
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

    /// Adds the headers that every answer about these bytes has.
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

/// What is sent: a range, or the whole; nothing for a HEAD.
#[derive(Debug)]
pub struct Sent {
    /// The requested range; none for the whole.
    pub range: Option<Range<u64>>,
    /// The bytes, and the place among the account's downloads in which they are sent.
    pub object: Option<Box<(StoredObject, Download)>>,
}

impl Sent {
    /// Sends the headers only.
    pub const fn nothing() -> Self {
        Self { range: None, object: None }
    }
}

/// An answer of the route.
#[derive(Debug)]
pub enum MediaAnswer {
    /// 200 with the whole, or 206 with a range.
    Sent(Served, Sent),
    /// 304: the client has the bytes already.
    Known(Served),
    /// 302: to a bucket's link.
    Elsewhere(String),
    /// 416: the range is outside the bytes, of which there are this many.
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
                // Not cacheable: the link expires, and access is checked each time.
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
    // So that a client can tell an answer that broke off from a complete one.
    response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    if let Some(Range { start, end }) = range
        && let Ok(range) = HeaderValue::from_str(&format!("bytes {start}-{}/{}", end - 1, served.bytes))
    {
        response.headers_mut().insert(header::CONTENT_RANGE, range);
    }
    holding(response, download)
}

/// Returns a header of an answer, for the OpenAPI document.
fn header_meta(name: &str, description: &str) -> MetaHeader {
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
        let tag = || header_meta("ETag", "The SHA-256 of the whole, in hexadecimal and in quotes.");
        let ranges = || header_meta("Accept-Ranges", "Always `bytes`.");
        let name = || header_meta("Content-Disposition", "What to call the file; `attachment` with `download=1`.");
        let range = header_meta("Content-Range", "Which bytes of how many these are.");
        let link = header_meta("Location", "A link to the bucket, good for as long as this one.");
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
