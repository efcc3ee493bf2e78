//! What is noted of a request, or of its answer, on its way through the layers.

use bytes::Bytes;
use poem::Request;
use std::sync::Arc;

/// The route's template, on every answer of an operation: the `http_route` of the metrics.
#[derive(Debug, Clone)]
pub struct Template(pub Arc<str>);

/// On every request whose body was read: its bytes, to be judged by.
#[derive(Debug, Clone)]
pub struct SentBody(pub Bytes);

/// The media type that a request says it has, in lower case, without its parameters.
pub fn media_type(request: &Request) -> String {
    let said = request.content_type().unwrap_or_default();
    said.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
