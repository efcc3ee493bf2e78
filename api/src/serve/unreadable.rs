//! The answer to what never became a request: bytes that are no HTTP, headers past their caps, a connection too many.
//!
//! It is written out whole, because no HTTP implementation stands between it and the client; its envelope and headers
//! are those of every other answer. Why a request is refused is decided elsewhere: here is only how that is said.

use crate::app::App;
use crate::error::{ApiError, Code};
use crate::guard::Envelope;
use crate::outer;
use poem::http::{StatusCode, header};

/// The answer's bytes. `status` is what the HTTP implementation made of the request; `path` is what is known of its path.
pub fn unreadable(app: &App, status: StatusCode, path: &str) -> Vec<u8> {
    let refusal = match status {
        StatusCode::SERVICE_UNAVAILABLE => {
            ApiError::new(Code::Unavailable, "This process has as many connections as it takes. Try again.")
        }
        StatusCode::URI_TOO_LONG | StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => ApiError::new(
            Code::RequestTooLarge,
            "The request's line and headers are larger than 64 KiB, or there are more than 100 headers.",
        ),
        _ => ApiError::new(Code::InvalidRequest, "What was sent is no HTTP request that can be read."),
    };
    metrics::counter!("mws_api_refusals_total", "code" => refusal.code().name()).increment(1);
    let envelope = Envelope::of(path);
    let (mut response, body) = (envelope.refuse(&refusal), envelope.body(&refusal));
    outer::add_headers(app, &outer::unknown_scope(), &mut response);
    let status = response.status();
    let mut head = format!("HTTP/1.1 {} {}\r\n", status.as_u16(), status.canonical_reason().unwrap_or_default());
    for (name, value) in response.headers().iter().filter(|(name, _)| **name != header::CONTENT_LENGTH) {
        // Every one of them is made here, of plain text.
        head.extend([name.as_str(), ": ", value.to_str().unwrap_or_default(), "\r\n"]);
    }
    head.extend(["content-length: ", &body.len().to_string(), "\r\nconnection: close\r\n\r\n", &body]);
    head.into_bytes()
}
