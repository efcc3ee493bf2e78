//! One connection's bytes: deadlines for what a client sends and takes, and an answer of ours where HTTP itself failed.
//!
//! A connection is in one of three states. At rest it may be silent for a while; a request that has begun must have its
//! headers whole soon after; and while it is answered nothing is asked of the client but to take the answer (bodies have
//! deadlines of their own where they are read). A request that can't be read never reaches the service: the HTTP
//! implementation answers it with a bare status line, which is replaced here by the envelope and the headers that every
//! answer has. HTTP/2 keeps its own order; of it only the beginning is watched.

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame, SizeHint};
use poem::Response;
use poem::http::{self, StatusCode};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// How long a client may take.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// To say something between requests: longer than a balancer before it keeps a connection open.
    pub rest: Duration,
    /// To send a request's line and headers, from their first byte, and to begin.
    pub head: Duration,
    /// To take any of an answer.
    pub stall: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { rest: Duration::from_secs(75), head: Duration::from_secs(15), stall: Duration::from_mins(1) }
    }
}

/// What is kept of a request line, to know which envelope its refusal takes.
const KEPT: usize = 64;

/// Makes the whole answer to a request that could not be read, from its status and its path.
type Refusal = Arc<dyn Fn(StatusCode, &str) -> Vec<u8> + Send + Sync>;

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

    fn is_answering(&self) -> bool {
        self.0.under_way.load(Ordering::Acquire) > 0
    }

    fn begun(&self) -> usize {
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

/// What is awaited of the client.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Its first byte.
    Greeting,
    /// The rest of a request's headers.
    Head,
    /// Another request.
    Rest,
    /// Nothing: it is answered, or it speaks HTTP/2.
    Answering,
}

impl Phase {
    fn limit(self, patience: Patience) -> Option<Duration> {
        match self {
            Self::Greeting | Self::Head => Some(patience.head),
            Self::Rest => Some(patience.rest),
            Self::Answering => None,
        }
    }
}

/// The bytes of a refusal that take the place of others.
struct Substitute {
    bytes: Vec<u8>,
    written: usize,
    /// How many bytes of the others they stand for.
    stands_for: usize,
}

/// A socket that is watched.
pub struct Wire<Io> {
    io: Io,
    exchange: Exchange,
    refusal: Refusal,
    patience: Patience,
    phase: Phase,
    multiplexed: bool,
    /// How many answers had begun when it was last looked.
    begun: usize,
    /// The beginning of the request that is being read.
    line: Vec<u8>,
    deadline: Pin<Box<Sleep>>,
    stall: Option<Pin<Box<Sleep>>>,
    substitute: Option<Substitute>,
}

impl<Io> Wire<Io> {
    /// Watches a connection that has just been made.
    pub fn new(io: Io, exchange: Exchange, refusal: Refusal, patience: Patience) -> Self {
        Self {
            io,
            exchange,
            refusal,
            patience,
            phase: Phase::Greeting,
            multiplexed: false,
            begun: 0,
            line: Vec::new(),
            deadline: Box::pin(sleep(patience.head)),
            stall: None,
            substitute: None,
        }
    }

    fn enter(&mut self, phase: Phase) {
        if self.phase == phase {
            return;
        }
        self.phase = phase;
        if phase != Phase::Head {
            self.line.clear();
        }
        if let Some(limit) = phase.limit(self.patience) {
            self.deadline.as_mut().reset(Instant::now() + limit);
        }
    }

    /// Takes note of answers that began or ended since the last look. One may have done both.
    fn look(&mut self) {
        let begun = self.exchange.begun();
        let answered = begun != self.begun || self.phase == Phase::Answering;
        self.begun = begun;
        if self.exchange.is_answering() || self.multiplexed {
            self.enter(Phase::Answering);
        } else if answered {
            self.enter(Phase::Rest);
        }
    }

    /// Takes note of what the client sent.
    fn took(&mut self, bytes: &[u8]) {
        self.look();
        if self.phase == Phase::Answering {
            return;
        }
        self.enter(Phase::Head);
        let room = KEPT.saturating_sub(self.line.len());
        self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if self.line.starts_with(b"PRI * HTTP/2.0") {
            self.multiplexed = true;
            self.enter(Phase::Answering);
        }
    }

    /// Ends with an error once the client has taken longer than it may.
    fn overdue(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.look();
        if self.phase.limit(self.patience).is_none() {
            return Poll::Pending;
        }
        ready!(self.deadline.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// Ends with an error once the client has taken nothing for too long.
    fn stalled(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let stall = self.stall.get_or_insert_with(|| Box::pin(sleep(self.patience.stall)));
        ready!(stall.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// The path of the request that is being read, as far as it is known.
    fn path(&self) -> String {
        let line = String::from_utf8_lossy(&self.line).into_owned();
        line.split(' ').nth(1).unwrap_or_default().to_owned()
    }

    /// What to send in place of `bytes`, if they end in a status line that the HTTP implementation made by itself, which
    /// is the last thing it says. Nothing else that is sent here can end so: bodies are JSON or text of ours.
    fn substitute(&self, bytes: &[u8]) -> Option<Substitute> {
        if self.multiplexed {
            return None;
        }
        let (at, status) = bare_refusal(bytes)?;
        let mut all = bytes[..at].to_vec();
        all.extend((self.refusal)(status, &self.path()));
        Some(Substitute { bytes: all, written: 0, stands_for: bytes.len() })
    }
}

/// Where a refusal without a body begins in these bytes, if they end in one, and its status.
fn bare_refusal(bytes: &[u8]) -> Option<(usize, StatusCode)> {
    const BEGINS: &[u8] = b"HTTP/1.1 4";
    const LONGEST: usize = 256;
    if !bytes.ends_with(b"\r\n\r\n") {
        return None;
    }
    let from = bytes.len().saturating_sub(LONGEST);
    let at = from + bytes[from..].windows(BEGINS.len()).rposition(|window| window == BEGINS)?;
    let head = std::str::from_utf8(&bytes[at..]).ok()?;
    let is_bare = head.contains("content-length: 0\r\n") && !head.contains("x-request-id");
    let status = head.get(9..12)?.parse().ok()?;
    is_bare.then_some((at, status))
}

impl<Io: AsyncRead + Unpin> AsyncRead for Wire<Io> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        if Pin::new(&mut self.io).poll_read(cx, buf)?.is_pending() {
            return self.overdue(cx);
        }
        self.took(&buf.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl<Io: AsyncWrite + Unpin> Wire<Io> {
    /// What the socket takes of `bytes`, and an error once it has taken nothing for too long.
    fn send(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.io).poll_write(cx, bytes) {
            Poll::Pending => self.stalled(cx).map_ok(|()| 0),
            taken @ Poll::Ready(_) => {
                self.stall = None;
                taken
            }
        }
    }
}

impl<Io: AsyncWrite + Unpin> AsyncWrite for Wire<Io> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.substitute.is_none() {
            self.substitute = self.substitute(bytes);
        }
        let Some(mut substitute) = self.substitute.take() else { return self.send(cx, bytes) };
        while substitute.written < substitute.bytes.len() {
            let Poll::Ready(taken) = self.send(cx, &substitute.bytes[substitute.written..])? else {
                self.substitute = Some(substitute);
                return Poll::Pending;
            };
            substitute.written += taken;
        }
        Poll::Ready(Ok(substitute.stands_for))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

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
    }

    const SOON: Duration = Duration::from_millis(20);
    const NEVER: Duration = Duration::from_hours(1);

    /// A connection that is watched, and its client.
    fn watched(patience: Patience) -> (Wire<DuplexStream>, DuplexStream, Exchange) {
        let (ours, theirs) = tokio::io::duplex(64);
        let exchange = Exchange::new();
        let refusal = Arc::new(|status: StatusCode, path: &str| format!("{status} for {path}").into_bytes());
        (Wire::new(ours, exchange.clone(), refusal, patience), theirs, exchange)
    }

    async fn read(wire: &mut Wire<DuplexStream>) -> io::Result<usize> {
        wire.read(&mut [0; 16]).await
    }

    #[tokio::test]
    async fn a_client_that_says_nothing_or_never_ends_its_headers_is_cut_off() {
        for begun in [&b""[..], b"GET"] {
            let (mut wire, mut client, _) = watched(Patience { rest: NEVER, head: SOON, stall: NEVER });
            client.write_all(begun).await.expect("room");
            let cut_off = loop {
                match read(&mut wire).await {
                    Ok(_) => {}
                    Err(error) => break error.kind(),
                }
            };
            assert_eq!(cut_off, io::ErrorKind::TimedOut, "after {begun:?}");
        }
    }

    #[tokio::test]
    async fn while_it_is_answered_a_client_may_be_silent_and_then_only_for_so_long() {
        let (mut wire, mut client, exchange) = watched(Patience { rest: SOON, head: NEVER, stall: NEVER });
        client.write_all(b"GET").await.expect("room");
        assert_eq!(read(&mut wire).await.expect("three bytes"), 3);
        let answering = exchange.answering();
        assert!(tokio::time::timeout(SOON * 3, read(&mut wire)).await.is_err(), "it is being answered");
        drop(answering);
        assert_eq!(read(&mut wire).await.map_err(|error| error.kind()), Err(io::ErrorKind::TimedOut));
    }

    #[tokio::test]
    async fn a_client_that_takes_none_of_its_answer_is_cut_off() {
        let (mut wire, _client, _) = watched(Patience { rest: NEVER, head: NEVER, stall: SOON });
        let cut_off = wire.write_all(&[0; 1_000]).await;
        assert_eq!(cut_off.map_err(|error| error.kind()), Err(io::ErrorKind::TimedOut));
    }

    #[tokio::test]
    async fn a_bare_refusal_is_replaced_by_one_that_knows_the_path() {
        let (mut wire, mut client, _) = watched(Patience::default());
        client.write_all(b"POST /tools/x HTTP/1.1\r\n\0").await.expect("room");
        read(&mut wire).await.expect("sixteen bytes");
        wire.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n").await.expect("it is taken");
        let mut told = [0; 64];
        let length = client.read(&mut told).await.expect("an answer");
        assert_eq!(std::str::from_utf8(&told[..length]), Ok("400 Bad Request for /tools/x"));
    }
}
