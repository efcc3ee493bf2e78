//! Checks that a request can be read before anything is decided about it: a body within its limit, legible headers.
//!
//! The body is read here, whole, so that the limit holds for chunked ones too and refusals can name its fields.
//! Requests that upload media pass unread: their bodies are streamed to the store.

use crate::http::API_PATH;
use crate::http::address::{NOWHERE, network};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::request::SentBody;
use crate::http::scope::Scope;
use crate::http::shares::{Share, Shares};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use poem::http::{HeaderValue, Method, header};
use poem::{Body, Request};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes that a body may have (contract §8).
const MOST_BYTES: usize = 1 << 20;
/// How long a client may take to send a body.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Headers that decide something. A value that is not text would be ignored without a word, and so would one of two.
const READ_HEADERS: [&str; 11] = [
    "authorization",
    "x-workspace-id",
    "idempotency-key",
    "content-type",
    "last-event-id",
    "host",
    "origin",
    "upload-checksum",
    "upload-offset",
    "tus-resumable",
    "x-http-method-override",
];

/// Bytes of a body that need no room: most calls need no more, and all connections together hold little by it.
const FREE_BYTES: usize = 16 << 10;
/// KiB that the bodies of all requests may hold together past those.
const MOST_KIB: usize = 256 << 10;
/// KiB of those that the bodies from one address may hold.
const MOST_KIB_OF_ADDRESS: usize = MOST_KIB / 8;

/// The memory for bodies of the whole process. The caller is known only once the body is read, so what strangers may
/// make it hold is limited, and each address has a part of it. Small bodies are never refused.
#[derive(Debug)]
pub struct BodyMemory {
    all: Arc<Semaphore>,
    of_address: Shares<IpAddr>,
}

impl BodyMemory {
    /// Memory of which all is free.
    pub fn new() -> Self {
        Self { all: Arc::new(Semaphore::new(MOST_KIB)), of_address: Shares::default() }
    }
}

impl Default for BodyMemory {
    fn default() -> Self {
        Self::new()
    }
}

/// The memory that one body takes, until this is dropped.
#[derive(Debug, Default)]
pub struct BodyPermit {
    from: Option<IpAddr>,
    held: Option<OwnedSemaphorePermit>,
    shares: Vec<Share<IpAddr>>,
}

impl BodyPermit {
    /// No memory yet, for a body from this address; none when it is unknown.
    fn from(address: Option<IpAddr>) -> Self {
        Self { from: Some(network(address.unwrap_or(NOWHERE))), ..Self::default() }
    }

    /// Takes memory until the body has `bytes` in all.
    fn hold(&mut self, rooms: &BodyMemory, bytes: usize) -> Answer<()> {
        let held = self.held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let wanted = bytes.saturating_sub(FREE_BYTES).div_ceil(1 << 10).saturating_sub(held);
        if wanted == 0 {
            return Ok(());
        }
        if let Some(from) = self.from {
            let share = rooms.of_address.take_many(from, wanted, MOST_KIB_OF_ADDRESS);
            self.shares.push(share.ok_or_else(|| {
                let message =
                    "Your address is sending as many large bodies as one may at once. Send some of them later.";
                ApiError::new(Code::RateLimited, message).retry_after(1)
            })?);
        }
        let wanted = u32::try_from(wanted).unwrap_or(u32::MAX);
        let more = Arc::clone(&rooms.all).try_acquire_many_owned(wanted).map_err(|_| {
            let message = "This process holds as many large bodies as it can. Try again.";
            ApiError::new(Code::Unavailable, message)
        })?;
        match &mut self.held {
            Some(held) => held.merge(more),
            none => *none = Some(more),
        }
        Ok(())
    }
}

/// Whether the body is streamed to the store: `PUT` and `PATCH` below `/uploads/`.
pub fn is_streamed(request: &Request) -> bool {
    let path = request.uri().path().strip_prefix(API_PATH);
    [Method::PUT, Method::PATCH].contains(request.method()) && path.is_some_and(|path| path.starts_with("/uploads/"))
}

/// Checks the headers, reads the body, and puts both in the form that the framework expects. The permit must be kept as
/// long as the request.
pub async fn take_in(rooms: &BodyMemory, request: &mut Request) -> Answer<BodyPermit> {
    refuse_unclear_headers(request)?;
    if is_streamed(request) {
        return Ok(BodyPermit::default());
    }
    let declared = request.header("content-length").and_then(|length| length.parse::<u64>().ok());
    if declared.is_some_and(|bytes| bytes > MOST_BYTES as u64) {
        return Err(too_large());
    }
    let body = request.take_body();
    let (bytes, room) =
        tokio::time::timeout(TIMEOUT, read(rooms, BodyPermit::from(Scope::of(request).address), body)).await.map_err(
            |_| ApiError::new(Code::InvalidRequest, format!("The body did not arrive within {} s.", TIMEOUT.as_secs())),
        )??;
    // A call without arguments need not send a Content-Type.
    if bytes.is_empty() && request.method() != Method::GET {
        request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    request.set_data(SentBody(bytes.clone()));
    request.set_body(bytes);
    Ok(room)
}

/// Refuses headers that decide something where one is no text, or is sent twice.
fn refuse_unclear_headers(request: &Request) -> Answer<()> {
    for name in READ_HEADERS {
        let sent = request.headers().get_all(name);
        if sent.iter().any(|value| value.to_str().is_err()) {
            return Err(ApiError::new(Code::InvalidRequest, format!("`{name}`: expected printable ASCII characters.")));
        }
        if sent.iter().nth(1).is_some() {
            return Err(ApiError::new(Code::InvalidRequest, format!("`{name}`: sent more than once.")));
        }
    }
    Ok(())
}

/// Refuses a body whose end others might see elsewhere: proxies differ in what they take of several transfer codings,
/// and the HTTP implementation takes any whose last one is `chunked`.
pub fn refuse_odd_coding(request: &Request) -> Answer<()> {
    let mut codings = request.headers().get_all(header::TRANSFER_ENCODING).iter();
    let is_usual = codings.next().is_none_or(|coding| coding.as_bytes().eq_ignore_ascii_case(b"chunked"));
    if is_usual && codings.next().is_none() {
        return Ok(());
    }
    Err(ApiError::new(Code::InvalidRequest, "`transfer-encoding`: expected `chunked`, once, or a `content-length`."))
}

async fn read(rooms: &BodyMemory, mut room: BodyPermit, body: Body) -> Answer<(Bytes, BodyPermit)> {
    let mut stream = body.into_bytes_stream();
    let mut bytes = BytesMut::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|_| ApiError::new(Code::InvalidRequest, "The body broke off."))?;
        if bytes.len() + chunk.len() > MOST_BYTES {
            return Err(too_large());
        }
        room.hold(rooms, bytes.len() + chunk.len())?;
        bytes.extend_from_slice(&chunk);
    }
    Ok((bytes.freeze(), room))
}

fn too_large() -> ApiError {
    ApiError::new(Code::RequestTooLarge, format!("The body is larger than {MOST_BYTES} bytes."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_bodies_share_what_room_there_is_and_small_ones_need_none() {
        let rooms = BodyMemory { all: Arc::new(Semaphore::new(8)), of_address: Shares::default() };
        let (mut first, mut second) = (BodyPermit::default(), BodyPermit::default());
        first.hold(&rooms, FREE_BYTES + 1).expect("one of eight");
        first.hold(&rooms, FREE_BYTES + (6 << 10)).expect("six of eight");
        second.hold(&rooms, FREE_BYTES).expect("none");
        second.hold(&rooms, FREE_BYTES + (2 << 10)).expect("the other two");
        let refused = second.hold(&rooms, FREE_BYTES + (2 << 10) + 1).expect_err("there are no more");
        assert_eq!(refused.code(), Code::Unavailable);
        drop(first);
        second.hold(&rooms, FREE_BYTES + (8 << 10)).expect("the first's are free again");
    }
    #[test]
    fn an_address_has_a_part_of_the_room_and_leaves_the_rest_to_others() {
        let rooms = BodyMemory::new();
        let [one, other] = ["192.0.2.1", "192.0.2.2"].map(|address| address.parse::<IpAddr>().expect("an address"));
        let mut large: Vec<BodyPermit> = (0..4).map(|_| BodyPermit::from(Some(one))).collect();
        for room in &mut large {
            room.hold(&rooms, FREE_BYTES + (MOST_KIB_OF_ADDRESS << 8)).expect("a quarter of its part");
        }
        let refused = BodyPermit::from(Some(one)).hold(&rooms, FREE_BYTES + 1).expect_err("it has its part");
        assert_eq!(refused.code(), Code::RateLimited);
        BodyPermit::from(Some(other)).hold(&rooms, FREE_BYTES + 1).expect("another's");
        large.pop();
        BodyPermit::from(Some(one)).hold(&rooms, FREE_BYTES + 1).expect("free again");
    }
}
