//! Connections: how many there may be, how long each may take its time, and what is said to those that speak no HTTP.
//!
//! Nothing here knows an operation. The framework's own server neither ends a connection that never finishes its headers
//! nor lets us shape what is answered to one that it can't read; so connections are served here, on the same HTTP
//! implementation: HTTP/1.1, and no other. `wire` is one connection's bytes, `exchange` its answers.

mod exchange;
mod unreadable;
mod wire;

use crate::app::App;
use crate::router;
use exchange::{Exchange, held};
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use poem::http::uri::Scheme;
use poem::http::{self, StatusCode};
use poem::web::{LocalAddr, RemoteAddr};
use poem::{Addr, Endpoint, Response};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use unreadable::unreadable;
use wire::{FAREWELL, Patience, Wire};

/// How long answers that are under way have once the process is to end.
const GRACE: Duration = Duration::from_secs(10);
/// Bytes of a request's line and headers together.
const MOST_HEADER_BYTES: usize = 64 << 10;
/// Headers of a request.
const MOST_HEADERS: usize = 100;
/// Connections that may be being turned away at a time; further ones are closed without a word.
const MOST_FAREWELLS: usize = 64;
/// After a connection could not be taken, as when the process has no file descriptors left.
const PAUSE: Duration = Duration::from_millis(50);

/// What every connection of a process shares.
struct Server<E> {
    endpoint: E,
    app: App,
    http: Builder,
    /// Places for connections.
    places: Arc<Semaphore>,
    farewells: Arc<Semaphore>,
    shutdown: CancellationToken,
}

/// Serves until the process is told to end, and lets answers that are under way finish.
///
/// # Errors
/// When the listener's address can't be told.
pub async fn serve(listener: TcpListener, app: App) -> io::Result<()> {
    let local = listener.local_addr()?;
    let server = Arc::new(Server {
        endpoint: router(app.clone()),
        http: builder(),
        places: Arc::new(Semaphore::new(app.api.max_connections)),
        farewells: Arc::new(Semaphore::new(MOST_FAREWELLS)),
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

impl<E: Endpoint<Output = Response> + 'static> Server<E> {
    /// Serves a connection in a task of its own, or turns it away when there are as many as there may be.
    fn take(self: Arc<Self>, socket: TcpStream, local: SocketAddr, remote: SocketAddr, tasks: &TaskTracker) {
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            tasks.spawn(async move {
                // Small answers leave at once. A socket that can't be told so is as good as one that can.
                let _ = socket.set_nodelay(true);
                self.connection(socket, local, remote).await;
                drop(place);
            });
        } else if let Ok(place) = Arc::clone(&self.farewells).try_acquire_owned() {
            metrics::counter!("mws_connections_refused_total").increment(1);
            tasks.spawn(async move {
                self.turn_away(socket).await;
                drop(place);
            });
        }
    }

    async fn connection(self: Arc<Self>, socket: TcpStream, local: SocketAddr, remote: SocketAddr) {
        let exchange = Exchange::new();
        let app = self.app.clone();
        let refusal = Arc::new(move |status: StatusCode, path: &str| unreadable(&app, status, path));
        let wire = Wire::new(socket, exchange.clone(), refusal, Patience::default());
        let service = service_fn(|request: http::Request<Incoming>| {
            // Held until the last byte of the answer has been handed over.
            let answering = exchange.answering();
            let (local, remote) = (LocalAddr(Addr::from(local)), RemoteAddr(Addr::from(remote)));
            let server = Arc::clone(&self);
            async move {
                let response = server.endpoint.get_response((request, local, remote, Scheme::HTTP).into()).await;
                Ok::<_, Infallible>(held(response, answering))
            }
        });
        let connection = self.http.serve_connection(TokioIo::new(wire), service);
        tokio::pin!(connection);
        tokio::select! {
            // How a connection ends is told by nobody: clients go as they please.
            _ = connection.as_mut() => return,
            () = self.shutdown.cancelled() => {}
        }
        connection.as_mut().graceful_shutdown();
        let _ = timeout(GRACE, connection).await;
    }

    async fn turn_away(&self, mut socket: TcpStream) {
        let answer = unreadable(&self.app, StatusCode::SERVICE_UNAVAILABLE, "");
        let farewell = async {
            socket.write_all(&answer).await?;
            socket.shutdown().await?;
            tokio::io::copy(&mut socket, &mut tokio::io::sink()).await
        };
        // Nobody is told whether it was taken.
        let _ = timeout(FAREWELL, farewell).await;
    }
}
