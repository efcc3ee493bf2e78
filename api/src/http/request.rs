//! What one layer attaches to a request or an answer for others to read, and the media type of a request.

use bytes::Bytes;
use poem::Request;
use std::sync::Arc;

/// The path template of the route. It is attached to every answer of an operation; metrics show it as `http_route`.
#[derive(Debug, Clone)]
pub struct Template(pub Arc<str>);

/// The bytes of a request's body. They are attached to every request whose body was read, so that it can be checked.
#[derive(Debug, Clone)]
pub struct SentBody(pub Bytes);

/// Returns the media type in a request's Content-Type, in lower case, without parameters; empty when there is none.
pub fn media_type(request: &Request) -> String {
    let said = request.content_type().unwrap_or_default();
    said.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
