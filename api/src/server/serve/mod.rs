//! Accepts connections and serves HTTP/1.1 on them, with limits on their number and their time.
//!
//! Nothing here knows an operation. The framework's own server never ends a connection that does not finish its
//! headers, and offers no way to shape the answer to a request that it can't parse. So connections are served here, on
//! the same HTTP implementation. `connection_limits` decides which are served; `wire` handles a connection's bytes,
//! `exchange` its answers, `pace` how slowly they may be read.

mod connection_limits;
mod exchange;
mod pace;
#[cfg(test)]
mod tests;
mod unreadable;
mod wire;

use crate::app::App;
use crate::app::doors::is_probe;
use crate::http::refusal::Envelope;
use crate::server::outer;
use crate::server::router;
use connection_limits::{Admission, ConnectionLimits, ConnectionPermit, NotServed};
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

/// How long answers that are under way may take once the process is to end.
const GRACE: Duration = Duration::from_secs(10);
/// Bytes of a request's line and headers together.
const MOST_HEADER_BYTES: usize = 64 << 10;
/// Headers of a request.
const MOST_HEADERS: usize = 100;
/// How long a connection that is answered once may take in all.
const NARROW: Duration = Duration::from_secs(5);
/// Bytes of an answer that wait in the kernel for a slow client. That bounds the memory which slow clients cost, and
/// shows how fast they read.
const UNSENT_BYTES: u32 = 128 << 10;
/// The pause after a connection could not be accepted, as when the process has no file descriptors left.
const PAUSE: Duration = Duration::from_millis(50);

/// What all connections of a process share.
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

/// Serves until the process shuts down, and lets answers that are under way finish.
///
/// # Errors
/// When the listener's address is unknown.
pub async fn serve(listener: TcpListener, app: App) -> io::Result<()> {
    serve_with(listener, app, Timeouts::default()).await
}

/// As [`serve`], with these timeouts.
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

impl<E: Endpoint<Output = Response> + 'static> Server<E> {
    /// Serves a connection in its own task, or turns it away when no place is left.
    fn take(self: Arc<Self>, socket: TcpStream, local: SocketAddr, remote: SocketAddr, tasks: &TaskTracker) {
        // Small answers are sent at once. A socket where that can't be set works too.
        let _ = socket.set_nodelay(true);
        let _ = SockRef::from(&socket).set_tcp_notsent_lowat(UNSENT_BYTES);
        match self.limits.admit(remote.ip()) {
            Admission::Served(place) => {
                tasks.spawn(async move { self.connection(socket, local, remote, &place).await });
            }
            Admission::Narrow(place, why) => {
                tasks.spawn(async move {
                    // How such a connection ends does not matter.
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
            async move {
                // Requests that a client has sent ahead are answered one by one, and others have their turns between.
                tokio::task::yield_now().await;
                Ok::<_, Infallible>(held(server.answer(request, local, remote).await, answering))
            }
        });
        let connection = self.http.serve_connection(TokioIo::new(wire), service);
        tokio::pin!(connection);
        tokio::select! {
            // How a connection ends does not matter: clients leave as they please.
            _ = connection.as_mut() => return,
            () = self.shutdown.cancelled() => {}
            () = place.closed.cancelled() => {
                // A request that arrived at the same moment is still answered.
                if !place.exchange.is_answering() {
                    return;
                }
            }
        }
        connection.as_mut().graceful_shutdown();
        let _ = timeout(GRACE, connection).await;
    }

    /// Answers a connection that has no place: a probe as usual, anything else with the reason.
    async fn answer_once(self: Arc<Self>, socket: TcpStream, local: SocketAddr, remote: SocketAddr, why: NotServed) {
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
        // How it ends does not matter.
        let _ = self.http_once.serve_connection(TokioIo::new(wire), service).await;
    }

    async fn answer(&self, request: http::Request<Incoming>, local: SocketAddr, remote: SocketAddr) -> Response {
        let (local, remote) = (LocalAddr(Addr::from(local)), RemoteAddr(Addr::from(remote)));
        self.endpoint.get_response((request, local, remote, Scheme::HTTP).into()).await
    }

    fn refuse(&self, path: &str, why: NotServed) -> Response {
        let refusal = why.refusal();
        metrics::counter!("mws_api_refusals_total", "code" => refusal.code().name()).increment(1);
        let mut response = Envelope::of(path).refuse(&refusal);
        outer::add_headers(&self.app, &outer::unknown_scope(), &mut response);
        response
    }

    /// Makes the answers to bytes that are not a request.
    fn refusal(&self) -> Refusal {
        let app = self.app.clone();
        Arc::new(move |status, path| unreadable(&app, status, path))
    }
}
