//! The answers of one connection: how many are under way, and how many there have been.
//!
//! An answer is under way from the moment its request is read until its body has been handed over, which only the body
//! itself knows. Nothing here waits; `wire` asks what it may expect of the client.

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame, SizeHint};
use poem::Response;
use poem::http;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

/// How many answers of a connection are under way, and how many there have been.
#[derive(Clone, Default)]
pub struct Exchange(Arc<Counts>);

#[derive(Default)]
struct Counts {
    under_way: AtomicUsize,
    begun: AtomicUsize,
}

impl Exchange {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// An answer is under way until this is dropped.
    pub fn answering(&self) -> Answering {
        self.0.begun.fetch_add(1, Ordering::AcqRel);
        self.0.under_way.fetch_add(1, Ordering::AcqRel);
        Answering(Arc::clone(&self.0))
    }

    /// Whether one is under way.
    pub fn is_answering(&self) -> bool {
        self.0.under_way.load(Ordering::Acquire) > 0
    }

    /// How many there have been, those under way included.
    pub fn begun(&self) -> usize {
        self.0.begun.load(Ordering::Acquire)
    }
}

/// An answer that is under way.
pub struct Answering(Arc<Counts>);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The response, whose body holds `answering` until it has been sent.
pub fn held(response: Response, answering: Answering) -> http::Response<Held> {
    http::Response::from(response).map(|body| Held { body, _answering: answering })
}

/// A body that is under way until it is dropped. It is as long as the one that it holds.
pub struct Held {
    body: BoxBody<Bytes, io::Error>,
    _answering: Answering,
}

impl Body for Held {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
