//! Connections: how many there may be, how long each may take its time, and what is said to those that speak no HTTP.
//!
//! Nothing here knows an operation. The framework's own server neither ends a connection that never finishes its
//! headers nor lets us shape what is answered to one that it can't read; so connections are served here, on the same
//! HTTP implementation: HTTP/1.1, and no other. `connection_limits` says which are served; `wire` is one connection's
//! bytes, `exchange` its answers, `pace` how slowly they may be taken.

mod connection_limits;
mod exchange;
mod pace;
#[cfg(test)]
mod tests;
mod unreadable;
mod wire;

use crate::app::App;
use crate::http::refusal::Envelope;
use crate::server::outer;
use crate::server::router;
use connection_limits::{Admission, ConnectionLimits, ConnectionPermit, Why};
use exchange::{Exchange, held};
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use poem::http;
use poem::http::uri::Scheme;
use poem::web::{LocalAddr, RemoteAddr};
use poem::{Addr, Endpoint, Response};
use socket2::SockRef;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use unreadable::unreadable;
use wire::{Refusal, Timeouts, Wire};

/// How long answers that are under way have once the process is to end.
const GRACE: Duration = Duration::from_secs(10);
/// Bytes of a request's line and headers together.
const MOST_HEADER_BYTES: usize = 64 << 10;
/// Headers of a request.
const MOST_HEADERS: usize = 100;
/// What one may take that is let in narrowly, all in all.
const NARROW: Duration = Duration::from_secs(5);
/// Where a client takes its answer slowly, this much of it waits in the system for it to take more. It bounds the
/// memory that such clients cost, and lets it be seen how fast they take.
const UNSENT_BYTES: u32 = 128 << 10;
/// After a connection could not be taken, as when the process has no file descriptors left.
const PAUSE: Duration = Duration::from_millis(50);

/// What every connection of a process shares.
struct Server<E> {
    endpoint: E,
    app: App,
    http: Builder,
    /// For connections that are answered once.
    http_once: Builder,
    limits: ConnectionLimits,
    timeouts: Timeouts,
    shutdown: CancellationToken,
}

/// Serves until the process is told to end, and lets answers that are under way finish.
///
/// # Errors
/// When the listener's address can't be told.
pub async fn serve(listener: TcpListener, app: App) -> io::Result<()> {
    serve_with(listener, app, Timeouts::default()).await
}

/// The same, with clients who may take this long.
async fn serve_with(listener: TcpListener, app: App, timeouts: Timeouts) -> io::Result<()> {
    let local = listener.local_addr()?;
    let server = Arc::new(Server {
        endpoint: router(app.clone()),
        http: builder(),
        http_once: once(),
        limits: ConnectionLimits::new(&app),
        timeouts,
        shutdown: app.process.shutdown.clone(),
        app,
    });
    let connections = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            () = server.shutdown.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((socket, remote)) => Arc::clone(&server).take(socket, local, remote, &connections),
            Err(error) => {
                tracing::warn!(error = %error, "A connection could not be taken.");
                sleep(PAUSE).await;
            }
        }
    }
    drop(listener);
    connections.close();
    if timeout(GRACE, connections.wait()).await.is_err() {
        tracing::warn!("Answers that were still under way are cut off.");
    }
    Ok(())
}

fn builder() -> Builder {
    let mut builder = Builder::new();
    builder.max_headers(MOST_HEADERS).max_buf_size(MOST_HEADER_BYTES);
    builder
}

fn once() -> Builder {
    let mut builder = builder();
    builder.keep_alive(false);
    builder
}

/// What balancers ask, which is answered while connections are refused.
fn is_probe(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz")
}

impl<E: Endpoint<Output = Response> + 'static> Server<E> {
    /// Serves a connection in a task of its own, or turns it away when there are as many as there may be.
    fn take(self: Arc<Self>, socket: TcpStream, local: SocketAddr, remote: SocketAddr, tasks: &TaskTracker) {
        // Small answers leave at once. A socket that can't be told so is as good as one that can.
        let _ = socket.set_nodelay(true);
        let _ = SockRef::from(&socket).set_tcp_notsent_lowat(UNSENT_BYTES);
        match self.limits.admit(remote.ip()) {
            Admission::Served(place) => {
                tasks.spawn(async move { self.connection(socket, local, remote, &place).await });
            }
            Admission::Narrow(place, why) => {
                tasks.spawn(async move {
                    // How it ends is told by nobody.
                    let _ = timeout(NARROW, self.answer_once(socket, local, remote, why)).await;
                    drop(place);
                });
            }
            Admission::Closed => {}
        }
    }

    async fn connection(
        self: Arc<Self>,
        socket: TcpStream,
        local: SocketAddr,
        remote: SocketAddr,
        place: &ConnectionPermit,
    ) {
        let exchange = place.exchange.clone();
        let wire = Wire::new(socket, exchange.clone(), self.refusal(), self.timeouts);
        let service = service_fn(|request: http::Request<Incoming>| {
            // Held until the last byte of the answer has been handed over.
            let answering = exchange.answering();
            let server = Arc::clone(&self);
            async move { Ok::<_, Infallible>(held(server.answer(request, local, remote).await, answering)) }
        });
        let connection = self.http.serve_connection(TokioIo::new(wire), service);
        tokio::pin!(connection);
        tokio::select! {
            // How a connection ends is told by nobody: clients go as they please.
            _ = connection.as_mut() => return,
            () = self.shutdown.cancelled() => {}
            () = place.closed.cancelled() => {
                // A request that came in the same moment is answered still.
                if !place.exchange.is_answering() {
                    return;
                }
            }
        }
        connection.as_mut().graceful_shutdown();
        let _ = timeout(GRACE, connection).await;
    }

    /// Answers a connection that there is no place for: a probe as it is, anything else with why.
    async fn answer_once(self: Arc<Self>, socket: TcpStream, local: SocketAddr, remote: SocketAddr, why: Why) {
        let exchange = Exchange::new();
        let wire = Wire::once(socket, exchange.clone(), self.refusal(), self.timeouts);
        let service = service_fn(|request: http::Request<Incoming>| {
            let answering = exchange.answering();
            let server = Arc::clone(&self);
            async move {
                let response = if is_probe(request.uri().path()) {
                    server.answer(request, local, remote).await
                } else {
                    server.refuse(request.uri().path(), why)
                };
                Ok::<_, Infallible>(held(response, answering))
            }
        });
        // As above.
        let _ = self.http_once.serve_connection(TokioIo::new(wire), service).await;
    }

    async fn answer(&self, request: http::Request<Incoming>, local: SocketAddr, remote: SocketAddr) -> Response {
        let (local, remote) = (LocalAddr(Addr::from(local)), RemoteAddr(Addr::from(remote)));
        self.endpoint.get_response((request, local, remote, Scheme::HTTP).into()).await
    }

    fn refuse(&self, path: &str, why: Why) -> Response {
        let refusal = why.refusal();
        metrics::counter!("mws_api_refusals_total", "code" => refusal.code().name()).increment(1);
        let mut response = Envelope::of(path).refuse(&refusal);
        outer::add_headers(&self.app, &outer::unknown_scope(), &mut response);
        response
    }

    /// What is said to bytes that are no request.
    fn refusal(&self) -> Refusal {
        let app = self.app.clone();
        Arc::new(move |status, path| unreadable(&app, status, path))
    }
}
