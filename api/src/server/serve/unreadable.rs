//! The answer to bytes that never became a request: not HTTP, or headers beyond the limits.
//!
//! It is written here whole, because no HTTP implementation stands between it and the client; its envelope and headers
//! are those of every other answer. The HTTP implementation decides what is refused: this words the answer, and finds
//! the bare refusal that it takes the place of.

use crate::app::App;
use crate::http::error::{ApiError, Code};
use crate::http::refusal::Envelope;
use crate::server::outer;
use poem::http::{StatusCode, header};

/// Returns the bytes of the answer. `status` is the HTTP implementation's verdict; `path` is as much of the path as is
/// known.
pub fn unreadable(app: &App, status: StatusCode, path: &str) -> Vec<u8> {
    let refusal = match status {
        StatusCode::URI_TOO_LONG | StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => ApiError::new(
            Code::RequestTooLarge,
            "The request's line and headers are larger than 64 KiB, or there are more than 100 headers.",
        ),
        StatusCode::HTTP_VERSION_NOT_SUPPORTED => {
            ApiError::new(Code::InvalidRequest, "HTTP/2 is not spoken here. Send the request by HTTP/1.1.")
        }
        _ => ApiError::new(Code::InvalidRequest, "What was sent is no HTTP request that can be read."),
    };
    metrics::counter!("mws_api_refusals_total", "code" => refusal.code().name()).increment(1);
    let envelope = Envelope::of(path);
    let (mut response, body) = (envelope.refuse(&refusal), envelope.body(&refusal));
    outer::add_headers(app, &outer::unknown_scope(), &mut response);
    let status = response.status();
    let mut head = format!("HTTP/1.1 {} {}\r\n", status.as_u16(), status.canonical_reason().unwrap_or_default());
    for (name, value) in response.headers().iter().filter(|(name, _)| **name != header::CONTENT_LENGTH) {
        // All of these headers are made here, of plain text.
        head.extend([name.as_str(), ": ", value.to_str().unwrap_or_default(), "\r\n"]);
    }
    head.extend(["content-length: ", &body.len().to_string(), "\r\nconnection: close\r\n\r\n", &body]);
    head.into_bytes()
}

/// Returns where a refusal without a body begins, if these bytes end in one, and its status. It must have exactly the
/// headers that the HTTP implementation writes, so that no answer of ours is taken for one.
pub fn bare_refusal(bytes: &[u8]) -> Option<(usize, StatusCode)> {
    const BEGINS: &[u8] = b"HTTP/1.1 4";
    const LONGEST: usize = 256;
    if !bytes.ends_with(b"\r\n\r\n") {
        return None;
    }
    let from = bytes.len().saturating_sub(LONGEST);
    let at = from + bytes[from..].windows(BEGINS.len()).rposition(|window| window == BEGINS)?;
    let head = std::str::from_utf8(&bytes[at..]).ok()?;
    let mut lines = head.strip_suffix("\r\n\r\n")?.split("\r\n");
    let status = lines.next()?.get(9..12)?.parse().ok()?;
    let mut is_empty = false;
    for line in lines {
        match line.split_once(": ")? {
            ("content-length", "0") => is_empty = true,
            ("connection" | "date", _) => {}
            _ => return None,
        }
    }
    is_empty.then_some((at, status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_refusal_is_found_behind_an_answer_and_an_answer_of_ours_is_none() {
        let bare = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\ndate: x\r\n\r\n";
        let ours = b"HTTP/1.1 404 Not Found\r\nx-request-id: req_1\r\ncontent-length: 0\r\n\r\n";
        assert_eq!(bare_refusal(bare), Some((0, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE)));
        let both = [&ours[..], &bare[..]].concat();
        assert_eq!(bare_refusal(&both), Some((ours.len(), StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE)));
        assert_eq!(bare_refusal(ours), None);
        assert_eq!(bare_refusal(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"), None);
        assert_eq!(bare_refusal(b""), None);
        // A body of ours that looks like a status line is not taken for one, wherever it ends.
        let within = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\nmore\r\n\r\n";
        assert_eq!(bare_refusal(within), None);
        assert_eq!(bare_refusal(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nallow: GET\r\n\r\n"), None);
    }
}
