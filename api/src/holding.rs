//! A body that holds something for as long as it is being sent: a place, a share of memory, a note that an answer is under
//! way.

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame, SizeHint};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A body, and what is held until it has been sent or given up. It is as long as the one that it is made of.
pub struct Holding<T> {
    body: BoxBody<Bytes, io::Error>,
    _held: T,
}

impl<T> Holding<T> {
    /// This body, which holds `held`.
    pub fn new(body: BoxBody<Bytes, io::Error>, held: T) -> Self {
        Self { body, _held: held }
    }
}

impl<T: Unpin> Body for Holding<T> {
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
