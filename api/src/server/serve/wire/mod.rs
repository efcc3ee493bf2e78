//! One connection's bytes: deadlines for what a client sends, a least rate at which it reads, and our own answer where
//! HTTP itself failed.
//!
//! At rest, a connection may be silent for a while. Once a request begins, its headers must be complete soon after.
//! While it is answered, the client must only read the answer (bodies have deadlines of their own where they are read).
//! A request that can't be parsed never reaches the service: the HTTP implementation answers with a bare status line,
//! which is replaced here by the envelope and the headers of every answer. HTTP/2 is not supported, and a client that
//! begins with it is told so.

use super::exchange::Exchange;
use super::pace::Pace;
use super::unreadable::bare_refusal;
use poem::http::StatusCode;
use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// How long a client may take, in each of three states.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// To send something between requests: longer than load balancers keep idle connections open.
    pub rest: Duration,
    /// To send a request's line and headers, from their first byte, and to begin.
    pub head: Duration,
    /// To read anything of an answer, in addition to the time that its size allows (`pace`).
    pub stall: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { rest: Duration::from_secs(75), head: Duration::from_secs(15), stall: Duration::from_mins(1) }
    }
}

/// Bytes that are kept of a request line, by which the envelope of its refusal is chosen.
const KEPT: usize = 64;
/// Bytes of headers that are read at a time: the HTTP implementation checks their limit between two reads.
const PIECE: usize = 4 << 10;
/// The first bytes of a client that assumes HTTP/2.
const HTTP_2: &[u8] = b"PRI * HTTP/2.0";
/// How long a refused client's bytes are still read. Closing a socket with unread bytes resets the connection, and the
/// client may then lose the refusal.
pub const LINGER: Duration = Duration::from_secs(1);

/// Makes the whole answer to a request that could not be read, from its status and its path.
pub type Refusal = Arc<dyn Fn(StatusCode, &str) -> Vec<u8> + Send + Sync>;

/// What the client must do next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Its first byte.
    Greeting,
    /// The rest of a request's headers.
    Head,
    /// Another request.
    Rest,
    /// Nothing: it is being answered.
    Answering,
}

impl Phase {
    fn limit(self, timeouts: Timeouts) -> Option<Duration> {
        match self {
            Self::Greeting | Self::Head => Some(timeouts.head),
            Self::Rest => Some(timeouts.rest),
            Self::Answering => None,
        }
    }
}

/// The bytes of a refusal that are sent in place of others.
struct Substitute {
    bytes: Vec<u8>,
    written: usize,
    /// How many bytes they replace.
    stands_for: usize,
}

/// A socket whose deadlines and answers are watched.
pub struct Wire<Io> {
    io: Io,
    exchange: Exchange,
    refusal: Refusal,
    timeouts: Timeouts,
    phase: Phase,
    speaks_http_2: bool,
    /// How many answers had begun at the last look.
    begun: usize,
    /// The beginning of the request that is being read.
    line: Vec<u8>,
    deadline: Pin<Box<Sleep>>,
    pace: Pace,
    substitute: Option<Substitute>,
    /// Whether nothing may follow the refusal that was sent; `linger` is how long the client's bytes are read after it.
    refused: bool,
    linger: Option<Pin<Box<Sleep>>>,
}

impl<Io> Wire<Io> {
    /// Watches a new connection.
    pub fn new(io: Io, exchange: Exchange, refusal: Refusal, timeouts: Timeouts) -> Self {
        exchange.rests(true);
        Self {
            io,
            exchange,
            refusal,
            timeouts,
            phase: Phase::Greeting,
            speaks_http_2: false,
            begun: 0,
            line: Vec::new(),
            deadline: Box::pin(sleep(timeouts.head)),
            pace: Pace::new(timeouts.stall),
            substitute: None,
            refused: false,
            linger: None,
        }
    }

    fn enter(&mut self, phase: Phase) {
        if self.phase == phase {
            return;
        }
        self.phase = phase;
        self.exchange.rests(phase == Phase::Rest);
        if phase != Phase::Head {
            self.line.clear();
        }
        if let Some(limit) = phase.limit(self.timeouts) {
            self.deadline.as_mut().reset(Instant::now() + limit);
        }
    }

    /// Notes which answers began or ended since the last look. One answer may have done both.
    fn look(&mut self) {
        let begun = self.exchange.begun();
        let answered = begun != self.begun || self.phase == Phase::Answering;
        self.begun = begun;
        if self.exchange.is_answering() {
            self.enter(Phase::Answering);
        } else if answered {
            self.enter(Phase::Rest);
        }
    }

    /// Notes what the client sent. On a client that begins with HTTP/2, the HTTP implementation would close without an
    /// answer; with one byte of that preface changed, it refuses it like anything else that it can't parse.
    fn took(&mut self, bytes: &mut [u8]) {
        self.look();
        if self.phase == Phase::Answering {
            return;
        }
        self.enter(Phase::Head);
        let known = self.line.len();
        let room = KEPT.saturating_sub(known);
        self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if self.line.starts_with(HTTP_2)
            && let Some(last) = (HTTP_2.len() - 1).checked_sub(known)
        {
            self.speaks_http_2 = true;
            bytes[last] = 0;
        }
    }

    /// As [`Self::new`], for a connection that is answered once: after the answer, its client's bytes are still read
    /// for a moment, so that the answer is not lost.
    pub fn once(io: Io, exchange: Exchange, refusal: Refusal, timeouts: Timeouts) -> Self {
        Self { refused: true, ..Self::new(io, exchange, refusal, timeouts) }
    }

    /// Ends with an error once the client has taken longer than it may.
    fn overdue(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.look();
        if self.phase.limit(self.timeouts).is_none() {
            if self.exchange.is_answering_until_woken(cx.waker()) {
                return Poll::Pending;
            }
            // The answer ended between the two looks.
            self.look();
        }
        ready!(self.deadline.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// The path of the request that is being read, as far as its first bytes show it.
    fn path(&self) -> String {
        let line = String::from_utf8_lossy(&self.line).into_owned();
        line.split(' ').nth(1).unwrap_or_default().to_owned()
    }

    /// The bytes to send in place of `bytes`, if they end in a status line that the HTTP implementation made itself,
    /// which is the last that it sends. While an answer of ours is under way, they are that answer's, whatever they
    /// look like.
    fn substitute(&self, bytes: &[u8]) -> Option<Substitute> {
        if self.exchange.is_answering() {
            return None;
        }
        let (at, status) = bare_refusal(bytes)?;
        let status = if self.speaks_http_2 { StatusCode::HTTP_VERSION_NOT_SUPPORTED } else { status };
        let mut all = bytes[..at].to_vec();
        all.extend((self.refusal)(status, &self.path()));
        Some(Substitute { bytes: all, written: 0, stands_for: bytes.len() })
    }
}

impl<Io: AsyncRead + Unpin> AsyncRead for Wire<Io> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        self.look();
        let read = if self.phase == Phase::Answering {
            Pin::new(&mut self.io).poll_read(cx, buf)
        } else {
            let room = buf.remaining().min(PIECE);
            let mut piece = ReadBuf::new(buf.initialize_unfilled_to(room));
            let read = Pin::new(&mut self.io).poll_read(cx, &mut piece);
            let length = piece.filled().len();
            buf.advance(length);
            read
        };
        if read?.is_pending() {
            return self.overdue(cx);
        }
        self.took(&mut buf.filled_mut()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl<Io: AsyncWrite + Unpin> Wire<Io> {
    /// Writes `bytes`. Returns how many the socket took, and an error once the client reads too slowly.
    fn send(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let taken = Pin::new(&mut self.io).poll_write(cx, bytes);
        self.paced(cx, taken)
    }

    fn paced(&mut self, cx: &mut Context<'_>, taken: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match taken {
            Poll::Pending => self.pace.poll_wait(cx).map_ok(|()| 0),
            taken @ Poll::Ready(_) => {
                if let Poll::Ready(Ok(bytes)) = taken {
                    self.pace.record_read(bytes);
                }
                taken
            }
        }
    }
}

impl<Io: AsyncRead + Unpin> Wire<Io> {
    /// Reads what a refused client still sends, until it ends or `LINGER` is over.
    fn listen_on(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let linger = self.linger.get_or_insert_with(|| Box::pin(sleep(LINGER)));
        let mut bytes = [0; 4 << 10];
        while linger.as_mut().poll(cx).is_pending() {
            let mut unread = ReadBuf::new(&mut bytes);
            let read = ready!(Pin::new(&mut self.io).poll_read(cx, &mut unread));
            if read.is_err() || unread.filled().is_empty() {
                break;
            }
        }
        Poll::Ready(())
    }
}

impl<Io: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Wire<Io> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.substitute.is_none() {
            self.substitute = self.substitute(bytes);
            self.refused |= self.substitute.is_some();
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

    /// With vectored writes an answer's bytes stay where they are until the client reads them; else the HTTP
    /// implementation copies each piece of a body, however large, into the connection's buffer. Its own refusal is one
    /// piece, since it has no body.
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let mut filled = pieces.iter().filter(|piece| !piece.is_empty());
        let first = filled.next();
        if filled.next().is_none() {
            return self.poll_write(cx, first.map_or(&[], |piece| piece));
        }
        let taken = Pin::new(&mut self.io).poll_write_vectored(cx, pieces);
        self.paced(cx, taken)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.linger.is_none() {
            ready!(Pin::new(&mut self.io).poll_shutdown(cx))?;
        }
        if self.refused { self.listen_on(cx).map(Ok) } else { Poll::Ready(Ok(())) }
    }
}

#[cfg(test)]
mod tests;
