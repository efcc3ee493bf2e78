//! What a request must be before anything is decided about it: a body within its cap, headers that can be read.
//!
//! The body is read here, whole, so that a cap holds for chunked ones too and a refusal can be explained by it. Routes
//! that take media are let through unread: their bodies go to the store as they come.

use crate::app::API_PATH;
use crate::error::{Answer, ApiError, Code};
use crate::guard::SentBody;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use poem::http::{HeaderValue, Method, header};
use poem::{Body, Request};
use std::time::Duration;

/// Bytes of a body (interface.md, "body").
const MOST_BYTES: usize = 1 << 20;
/// How long a client may take to send one.
const PATIENCE: Duration = Duration::from_secs(30);
/// Headers that decide something: one that is no text would be silently ignored, and of two one would be.
const READ_HEADERS: [&str; 4] = ["authorization", "x-workspace-id", "idempotency-key", "content-type"];

/// Whether a body goes to the store as it comes: `PUT` below `/uploads/`.
fn is_streamed(request: &Request) -> bool {
    let path = request.uri().path().strip_prefix(API_PATH);
    request.method() == Method::PUT && path.is_some_and(|path| path.starts_with("/uploads/"))
}

/// Checks the headers, reads the body, and puts both in order for the framework.
pub async fn take_in(request: &mut Request) -> Answer<()> {
    for name in READ_HEADERS {
        let sent = request.headers().get_all(name);
        if sent.iter().any(|value| value.to_str().is_err()) {
            return Err(ApiError::new(Code::InvalidRequest, format!("`{name}`: expected printable ASCII characters.")));
        }
        if sent.iter().nth(1).is_some() {
            return Err(ApiError::new(Code::InvalidRequest, format!("`{name}`: sent more than once.")));
        }
    }
    if is_streamed(request) {
        return Ok(());
    }
    let declared = request.header("content-length").and_then(|length| length.parse::<u64>().ok());
    if declared.is_some_and(|bytes| bytes > MOST_BYTES as u64) {
        return Err(too_large());
    }
    let body = request.take_body();
    let bytes = tokio::time::timeout(PATIENCE, read(body)).await.map_err(|_| {
        ApiError::new(Code::InvalidRequest, format!("The body did not arrive within {} s.", PATIENCE.as_secs()))
    })??;
    // A call without arguments need not say what its nothing is made of.
    if bytes.is_empty() && request.method() != Method::GET {
        request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    request.set_data(SentBody(bytes.clone()));
    request.set_body(bytes);
    Ok(())
}

async fn read(body: Body) -> Answer<Bytes> {
    let mut stream = body.into_bytes_stream();
    let mut bytes = BytesMut::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|_| ApiError::new(Code::InvalidRequest, "The body broke off."))?;
        if bytes.len() + chunk.len() > MOST_BYTES {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes.freeze())
}

fn too_large() -> ApiError {
    ApiError::new(Code::RequestTooLarge, format!("The body is larger than {MOST_BYTES} bytes."))
}
