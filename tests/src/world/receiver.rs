//! A customer's webhook receiver on a loopback port: keeps what it was sent, and answers as it is told.

use super::until;
use bytes::Bytes;
use poem::http::header::DATE;
use poem::http::{HeaderMap, StatusCode};
use poem::listener::TcpAcceptor;
use poem::{Endpoint, Request, Response, Server};
use serde_json::Value;
use std::collections::VecDeque;
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Semaphore;
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

/// What a receiver was sent, and what it answers.
struct Inbox {
    received: Mutex<Vec<Received>>,
    /// Statuses to answer next; then `always`.
    next: Mutex<VecDeque<u16>>,
    always: AtomicU16,
    /// What its `Date` says, in place of the time that it is.
    date: Mutex<Option<&'static str>>,
    /// Answers wait for a permit of this while they are held.
    gate: Semaphore,
    is_held: AtomicBool,
    in_flight: AtomicUsize,
    most_in_flight: AtomicUsize,
}

/// A request that is not answered yet.
struct InFlight<'a>(&'a Inbox);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::SeqCst);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Endpoint for Inbox {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let path = request.uri().to_string();
        let headers = request.headers().clone();
        let body = request.take_body().into_bytes().await?;
        let now = self.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
        let in_flight = InFlight(self);
        self.most_in_flight.fetch_max(now, Ordering::SeqCst);
        lock(&self.received).push(Received { path, headers, body });
        if self.is_held.load(Ordering::SeqCst)
            && let Ok(permit) = self.gate.acquire().await
        {
            permit.forget();
        }
        let status = lock(&self.next).pop_front().unwrap_or_else(|| self.always.load(Ordering::SeqCst));
        drop(in_flight);
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
        let mut answer = Response::builder().status(status);
        if let Some(date) = *lock(&self.date) {
            answer = answer.header(DATE, date);
        }
        Ok(answer.body("heard"))
    }
}

/// A receiver; it is gone when this is dropped.
pub struct Receiver {
    /// Where it receives, over plain http.
    pub url: String,
    inbox: Arc<Inbox>,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Receiver {
    /// One that takes everything.
    pub fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let url = format!("http://{}/hooks/in?key=secret", listener.local_addr()?);
        let inbox = Arc::new(Inbox {
            received: Mutex::default(),
            next: Mutex::default(),
            always: AtomicU16::new(200),
            date: Mutex::default(),
            gate: Semaphore::new(0),
            is_held: AtomicBool::new(false),
            in_flight: AtomicUsize::new(0),
            most_in_flight: AtomicUsize::new(0),
        });
        let server = Server::new_with_acceptor(TcpAcceptor::from_std(listener)?);
        let serving = tokio::spawn(server.run(Arc::clone(&inbox)));
        Ok(Self { url, inbox, serving })
    }

    /// Answers with this status from now on.
    pub fn answer(&self, status: u16) {
        self.inbox.always.store(status, Ordering::SeqCst);
    }

    /// Answers the next requests with these, one each.
    pub fn answer_next(&self, statuses: impl IntoIterator<Item = u16>) {
        lock(&self.inbox.next).extend(statuses);
    }

    /// Says this in the `Date` of its answers from now on; without it, the time that it is.
    pub fn says_date(&self, date: Option<&'static str>) {
        *lock(&self.inbox.date) = date;
    }

    /// Keeps every answer back until [`Receiver::release`].
    pub fn hold(&self) {
        self.inbox.is_held.store(true, Ordering::SeqCst);
    }

    /// Answers what was held, and what comes.
    pub fn release(&self) {
        self.inbox.is_held.store(false, Ordering::SeqCst);
        self.inbox.gate.add_permits(Semaphore::MAX_PERMITS / 2);
    }

    /// Requests that are not answered yet.
    pub fn in_flight(&self) -> usize {
        self.inbox.in_flight.load(Ordering::SeqCst)
    }

    /// The most of them that there were.
    pub fn most_in_flight(&self) -> usize {
        self.inbox.most_in_flight.load(Ordering::SeqCst)
    }

    /// Everything received so far.
    pub fn received(&self) -> Vec<Received> {
        lock(&self.inbox.received).clone()
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
