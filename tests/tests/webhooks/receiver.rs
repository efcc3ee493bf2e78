//! A receiver on loopback: it keeps what it is sent and answers as it is told.

use std::collections::HashMap;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// A request that was received.
#[derive(Debug, Clone)]
pub struct Received {
    /// By lower-case name.
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

#[derive(Debug)]
struct State {
    received: Mutex<Vec<Received>>,
    /// Statuses to answer next; then 200, or `always`.
    next: Mutex<VecDeque<u16>>,
    always: Mutex<u16>,
    /// Answers wait for a permit here while `held` is set.
    gate: Semaphore,
    held: Mutex<bool>,
    now: AtomicUsize,
    most: AtomicUsize,
}

#[derive(Debug, Clone)]
pub struct Receiver {
    state: Arc<State>,
    pub url: String,
}

impl Receiver {
    pub async fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/hooks/in?key=secret", listener.local_addr()?);
        let state = Arc::new(State {
            received: Mutex::default(),
            next: Mutex::default(),
            always: Mutex::new(200),
            gate: Semaphore::new(0),
            held: Mutex::new(false),
            now: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
        });
        let serving = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&serving)));
            }
        });
        Ok(Self { state, url })
    }

    pub fn received(&self) -> Vec<Received> {
        lock(&self.state.received).clone()
    }

    pub fn answer_always(&self, status: u16) {
        *lock(&self.state.always) = status;
    }

    pub fn answer_next(&self, statuses: impl IntoIterator<Item = u16>) {
        lock(&self.state.next).extend(statuses);
    }

    /// Keeps every answer back until [`Receiver::release`].
    pub fn hold(&self) {
        *lock(&self.state.held) = true;
    }

    pub fn release(&self) {
        *lock(&self.state.held) = false;
        self.state.gate.add_permits(Semaphore::MAX_PERMITS / 2);
    }

    pub fn in_flight(&self) -> usize {
        self.state.now.load(Ordering::SeqCst)
    }

    pub fn most_in_flight(&self) -> usize {
        self.state.most.load(Ordering::SeqCst)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no test panics while it holds this")
}

async fn serve(stream: TcpStream, state: Arc<State>) {
    let (reading, mut writing) = stream.into_split();
    let mut reading = BufReader::new(reading);
    while let Some(received) = read(&mut reading).await {
        let now = state.now.fetch_add(1, Ordering::SeqCst) + 1;
        state.most.fetch_max(now, Ordering::SeqCst);
        lock(&state.received).push(received);
        let held = *lock(&state.held);
        if held {
            state.gate.acquire().await.expect("never closed").forget();
        }
        let status = lock(&state.next).pop_front().unwrap_or(*lock(&state.always));
        state.now.fetch_sub(1, Ordering::SeqCst);
        let answer = format!("HTTP/1.1 {status} Said So\r\ncontent-length: 5\r\n\r\nheard");
        if writing.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn read(reading: &mut BufReader<tokio::net::tcp::OwnedReadHalf>) -> Option<Received> {
    let mut headers = HashMap::new();
    let mut line = String::new();
    reading.read_line(&mut line).await.ok().filter(|&read| read > 0)?;
    loop {
        line.clear();
        reading.read_line(&mut line).await.ok().filter(|&read| read > 0)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length")?.parse().ok()?;
    let mut body = vec![0; length];
    reading.read_exact(&mut body).await.ok()?;
    Some(Received { headers, body })
}
