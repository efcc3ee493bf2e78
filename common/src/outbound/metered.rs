//! What a server may send before its answer begins.
//!
//! HTTP allows any number of interim heads (`100 Continue`) before the answer, and the HTTP library skips them without
//! a bound, as many as there are, before it lets anything else run. A connection therefore counts what it reads. It
//! fails once a server has sent more than an answer can need, and lets others run between its reads. It knows nothing
//! of HTTP: each write is taken for a request, which gives the server its allowance anew.

use hyper_util::client::legacy::connect::{Connected, Connection};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes that a server may send for one request until [`Allowance::lift`]: the longest head, the part of a body that is
/// read of a webhook's answer, and what is read ahead of both.
const FOR_ONE_REQUEST: usize = 256 * 1024;

/// Bytes after which others run.
const TURN: usize = 64 * 1024;

/// How much a server may still send. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct Allowance(Arc<AtomicUsize>);

impl Allowance {
    /// Lets the server send without end, until the next request.
    pub(super) fn lift(&self) {
        self.0.store(usize::MAX, Ordering::Relaxed);
    }

    fn renew(&self) {
        self.0.store(FOR_ONE_REQUEST, Ordering::Relaxed);
    }

    /// Takes this many bytes off.
    fn spend(&self, bytes: usize) -> io::Result<()> {
        let spent = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| match left {
            usize::MAX => Some(left),
            _ => left.checked_sub(bytes),
        });
        spent.map(drop).map_err(|_| io::Error::other(SentTooMuch))
    }
}

/// A server sent more than belongs to the head of an answer.
#[derive(Debug, thiserror::Error)]
#[error("the server sent more than an answer's head may have")]
pub(super) struct SentTooMuch;

/// A connection whose reads are counted.
#[derive(Debug)]
pub(super) struct Metered<S> {
    stream: S,
    allowance: Allowance,
    /// Bytes since others ran.
    in_turn: usize,
}

impl<S> Metered<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, allowance: Allowance(Arc::new(AtomicUsize::new(FOR_ONE_REQUEST))), in_turn: 0 }
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
        let written = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes));
        self.allowance.renew();
        Poll::Ready(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write_vectored(cx, parts));
        self.allowance.renew();
        Poll::Ready(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

impl<S: Connection> Connection for Metered<S> {
    fn connected(&self) -> Connected {
        self.stream.connected().extra(self.allowance.clone())
    }
}
