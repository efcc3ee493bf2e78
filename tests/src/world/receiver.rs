//! A customer's webhook receiver on a loopback port: keeps what it was sent, and answers as it is told.

use super::until;
use bytes::Bytes;
use poem::http::{HeaderMap, StatusCode};
use poem::listener::TcpAcceptor;
use poem::{Body, Endpoint, Request, Response, Server};
use serde_json::Value;
use std::net::TcpListener;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::task::JoinHandle;

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Received {
    /// Path and query.
    pub path: String,
    /// Headers.
    pub headers: HeaderMap,
    /// The exact bytes.
    pub body: Bytes,
}

impl Received {
    /// A header's text; empty when it is not there.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

#[derive(Clone)]
struct Inbox {
    received: Arc<Mutex<Vec<Received>>>,
    status: Arc<AtomicU16>,
}

impl Endpoint for Inbox {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let path = request.uri().to_string();
        let headers = request.headers().clone();
        let body = request.take_body().into_bytes().await?;
        self.received.lock().unwrap_or_else(PoisonError::into_inner).push(Received { path, headers, body });
        let status = StatusCode::from_u16(self.status.load(Ordering::SeqCst)).unwrap_or(StatusCode::OK);
        Ok(Response::builder().status(status).body(Body::empty()))
    }
}

/// A receiver; it is gone when this is dropped.
pub struct Receiver {
    /// Where it receives, over plain http.
    pub url: String,
    inbox: Inbox,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Receiver {
    /// One that takes everything.
    pub fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let url = format!("http://{}/hook", listener.local_addr()?);
        let inbox = Inbox { received: Arc::default(), status: Arc::new(AtomicU16::new(200)) };
        let server = Server::new_with_acceptor(TcpAcceptor::from_std(listener)?);
        let serving = tokio::spawn(server.run(inbox.clone()));
        Ok(Self { url, inbox, serving })
    }

    /// Answers with this status from now on.
    pub fn answer(&self, status: u16) {
        self.inbox.status.store(status, Ordering::SeqCst);
    }

    /// Everything received so far.
    pub fn received(&self) -> Vec<Received> {
        self.inbox.received.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until this many requests have come, and answers all.
    pub async fn gets(&self, requests: usize) -> anyhow::Result<Vec<Received>> {
        until(&format!("{requests} requests have come"), async || {
            let received = self.received();
            Ok((received.len() >= requests).then_some(received))
        })
        .await
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
