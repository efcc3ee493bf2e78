//! A body that holds something while it is being sent: a place, a share of memory, a mark that an answer is under way.
//!
//! A body ends when its last bytes are handed to the connection, which keeps them until the client takes them. So each
//! piece of bytes shares what is held, which is dropped with the last piece.

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame, SizeHint};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// A body that keeps `held` until it was sent or given up. Its length is that of the body inside.
pub struct Holding<T> {
    body: BoxBody<Bytes, io::Error>,
    held: Arc<T>,
}

/// Bytes that are being sent, and what they hold.
struct Held<T> {
    bytes: Bytes,
    _held: Arc<T>,
}

impl<T> AsRef<[u8]> for Held<T> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl<T> Holding<T> {
    /// Makes this body hold `held`.
    pub fn new(body: BoxBody<Bytes, io::Error>, held: Arc<T>) -> Self {
        Self { body, held }
    }
}

impl<T: Send + Sync + 'static> Body for Holding<T> {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        let holding = |bytes| Bytes::from_owner(Held { bytes, _held: Arc::clone(&self.held) });
        frame.map_ok(|frame| frame.map_data(holding))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::{BodyExt, Full};
    use std::convert::Infallible;

    #[tokio::test]
    async fn what_is_held_is_let_go_with_the_last_bytes_and_not_with_the_body() {
        let held = Arc::new(());
        let body = BoxBody::new(Full::new(Bytes::from_static(b"bytes")).map_err(|never: Infallible| match never {}));
        let mut holding = Holding::new(body, Arc::clone(&held));
        assert_eq!(holding.size_hint().exact(), Some(5));
        let frame = holding.frame().await.expect("a frame").expect("no error");
        drop(holding);
        assert_eq!(Arc::strong_count(&held), 2, "the connection has the bytes still");
        assert_eq!(frame.into_data().ok().as_deref(), Some(&b"bytes"[..]));
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
