//! Bounds how much a server may send, and how long it may keep us from sending.
//!
//! HTTP allows any number of interim heads (`100 Continue`) before a response, chunks with as much overhead as a server
//! likes, and TLS records that contain nothing. The libraries read them without a bound, and without letting other
//! tasks run in between. A connection therefore counts what it reads: it fails once a server has sent too much for a
//! request, and lets other tasks run between its reads. A connection also fails when its server accepts nothing for a
//! while, even if nobody waits for its response any more. Nothing here knows HTTP: a write counts as a request.

use super::opening::Opening;
use hyper_util::client::legacy::connect::{Connected, Connection};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// Bytes that a server may send for one request: the longest head, the part of a webhook's response that is read, and
/// what is buffered ahead. What is read of a longer body is added.
const FOR_ONE_REQUEST: usize = 256 * 1024;

/// The same below TLS, with the overhead of handshakes and records.
const WITH_TLS: usize = 1024 * 1024;

/// Bytes after which other tasks run.
const TURN: usize = 64 * 1024;

/// How long a server may accept nothing of what is sent to it.
const STALLED: Duration = Duration::from_secs(30);

/// How much a server may still send. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct Allowance {
    left: Arc<AtomicUsize>,
    most: usize,
}

impl Allowance {
    fn new(most: usize) -> Self {
        Self { left: Arc::new(AtomicUsize::new(most)), most }
    }

    fn renew(&self) {
        self.left.store(self.most, Ordering::Relaxed);
    }

    /// Adds twice the bytes that were read of the body: the body, and its overhead.
    fn add(&self, taken: usize) {
        let more = |left: usize| Some(left.saturating_add(taken.saturating_mul(2)));
        // The closure returns a value for every input, so this never fails.
        let _ = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    fn spend(&self, bytes: usize) -> io::Result<()> {
        let spent = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        spent.map(drop).map_err(|_| io::Error::other(SentTooMuch))
    }
}

/// The allowances of a connection: for what HTTP reads, and for what TLS reads below it.
#[derive(Debug, Clone)]
pub(super) struct Allowances([Allowance; 2]);

impl Allowances {
    /// Records that this many bytes of a body were read.
    pub(super) fn took(&self, bytes: usize) {
        self.0.iter().for_each(|allowance| allowance.add(bytes));
    }

    fn renew(&self) {
        self.0.iter().for_each(Allowance::renew);
    }
}

/// The error of a server that sent more than its allowance.
#[derive(Debug, thiserror::Error)]
#[error("the server sent more than belongs to an answer")]
pub(super) struct SentTooMuch;

/// A connection whose reads are counted.
#[derive(Debug)]
pub(super) struct Metered<S> {
    stream: S,
    allowance: Allowance,
    /// The allowances that a write renews; none below TLS, where a write need not be a request.
    renewed: Option<Allowances>,
    /// How it was opened; none below TLS.
    opening: Option<Opening>,
    /// Bytes read since other tasks last ran.
    in_turn: usize,
    /// How long a write may wait, and the timer of the write that waits now.
    longest_stall: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> Metered<S> {
    /// Returns a connection below TLS, whose writes are not all requests: `above` renews its allowance.
    pub(super) fn below(stream: S) -> Self {
        Self::new(stream, Allowance::new(WITH_TLS), None)
    }

    /// Returns a connection for HTTP, over one with the allowance `below`.
    pub(super) fn above(stream: S, below: Allowance) -> Self {
        let allowance = Allowance::new(FOR_ONE_REQUEST);
        let renewed = Some(Allowances([allowance.clone(), below]));
        Self::new(stream, allowance, renewed)
    }

    fn new(stream: S, allowance: Allowance, renewed: Option<Allowances>) -> Self {
        Self { stream, allowance, renewed, opening: None, in_turn: 0, longest_stall: STALLED, stalled: None }
    }

    /// Has each response on it say that it was opened by the request with this measurement.
    pub(super) fn opened_by(self, opening: Opening) -> Self {
        Self { opening: Some(opening), ..self }
    }

    /// Returns its server's allowance, which clones share.
    pub(super) fn allowance(&self) -> Allowance {
        self.allowance.clone()
    }

    /// Returns the result of a write, or of one that has waited too long: `TimedOut`.
    fn written<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_pending() {
            let longest = self.longest_stall;
            let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(longest)));
            ready!(stalled.as_mut().poll(cx));
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        self.stalled = None;
        written
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.in_turn >= TURN {
            self.in_turn = 0;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buf.filled().len();
        let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(cx, buf) else {
            self.in_turn = 0;
            return Poll::Pending;
        };
        read?;
        let bytes = buf.filled().len() - before;
        self.in_turn += bytes;
        Poll::Ready(self.allowance.spend(bytes))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        let written = ready!(self.written(cx, written));
        self.renewed.iter().for_each(Allowances::renew);
        Poll::Ready(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        let written = ready!(self.written(cx, written));
        self.renewed.iter().for_each(Allowances::renew);
        Poll::Ready(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.written(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ended = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.written(cx, ended)
    }
}

impl<S: Connection> Connection for Metered<S> {
    fn connected(&self) -> Connected {
        let connected = self.stream.connected();
        let connected = match &self.renewed {
            Some(allowances) => connected.extra(allowances.clone()),
            None => connected,
        };
        match &self.opening {
            Some(opening) => connected.extra(opening.clone()),
            None => connected,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    /// A metered connection over one that holds a MiB, and its other end.
    fn pair() -> (Metered<DuplexStream>, DuplexStream) {
        let (near, far) = duplex(1 << 20);
        (Metered::above(near, Allowance::new(WITH_TLS)), far)
    }

    async fn read(from: &mut Metered<DuplexStream>, bytes: usize) -> io::Result<()> {
        from.read_exact(&mut vec![0; bytes]).await.map(drop)
    }

    #[tokio::test]
    async fn a_server_may_send_so_much_for_a_request_and_as_much_for_the_next() {
        let (mut near, mut far) = pair();
        far.write_all(&vec![b'x'; 3 * FOR_ONE_REQUEST]).await.expect("room");
        read(&mut near, FOR_ONE_REQUEST).await.expect("within it");
        near.write_all(b"another").await.expect("a request");
        read(&mut near, FOR_ONE_REQUEST).await.expect("within it again");
        let refused = read(&mut near, 1).await.expect_err("past it");
        assert!(refused.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<SentTooMuch>));
    }

    #[tokio::test]
    async fn what_is_taken_of_a_body_is_added() {
        let (mut near, mut far) = pair();
        far.write_all(&vec![b'x'; 2 * FOR_ONE_REQUEST]).await.expect("room");
        read(&mut near, FOR_ONE_REQUEST).await.expect("within it");
        near.renewed.as_ref().expect("allowances").took(1_000);
        read(&mut near, 2_000).await.expect("twice what was taken");
        assert!(read(&mut near, 1).await.is_err());
    }

    #[tokio::test]
    async fn others_run_between_the_reads_of_what_is_there() {
        let (mut near, mut far) = pair();
        far.write_all(&vec![b'x'; FOR_ONE_REQUEST]).await.expect("room");
        let (mut buf, mut turns, mut left) = (vec![0; 8 * 1024], 0, FOR_ONE_REQUEST);
        while left > 0 {
            let bytes = poll_fn(|cx| {
                let mut into = ReadBuf::new(&mut buf);
                match Pin::new(&mut near).poll_read(cx, &mut into) {
                    Poll::Ready(done) => Poll::Ready(done.map(|()| into.filled().len())),
                    Poll::Pending => {
                        turns += 1;
                        Poll::Pending
                    }
                }
            });
            left -= bytes.await.expect("bytes");
        }
        assert_eq!(turns, FOR_ONE_REQUEST / TURN - 1, "all of it was there from the start");
    }

    #[tokio::test]
    async fn a_server_that_takes_nothing_ends_the_connection() {
        let (near, mut far) = duplex(16);
        let mut near = Metered::above(near, Allowance::new(WITH_TLS));
        near.longest_stall = Duration::from_millis(20);
        let stuck = near.write_all(&[b'x'; 64]).await.expect_err("nobody takes it");
        assert_eq!(stuck.kind(), io::ErrorKind::TimedOut);
        far.read_exact(&mut [0; 16]).await.expect("what was sent");
        assert!(near.write_all(b"y").await.is_ok(), "who takes something has time again");
    }
}
