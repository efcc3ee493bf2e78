//! The receiver of all webhooks: it answers at once, and records when each request came. Some paths misbehave.
//!
//! `/e/<n>` answers 200 at once, and so does `/well`, which records nothing; `/slow` answers after five seconds,
//! `/hang` after twelve; `/drip` sends a byte per second for ever, and so does `/dripping/…` after a head that promises
//! ten megabytes; `/flood` sends a hundred megabytes. `GET /count` returns how many requests came to `/e/…`, `GET
//! /take` those that came since it was last asked.

use crate::children::{ready, until_told_to_end};
use std::fmt::Write;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A request that came.
struct Came {
    at_us: i64,
    event: String,
}

type Inbox = Arc<Mutex<(usize, Vec<Came>)>>;

/// Receives until it is told to end.
pub fn run() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        ready(&listener.local_addr()?.to_string());
        let inbox = Inbox::default();
        let serving = async {
            while let Ok((stream, _)) = listener.accept().await {
                let inbox = Arc::clone(&inbox);
                // A client that hangs up ends only its own connection.
                tokio::spawn(async move { serve(stream, &inbox).await.ok() });
            }
        };
        tokio::select! {
            () = serving => {}
            () = until_told_to_end() => {}
        }
        Ok(())
    })
}

async fn serve(mut stream: TcpStream, inbox: &Inbox) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut bytes = Vec::with_capacity(8 << 10);
    loop {
        let Some((head, whole)) = split(&bytes) else {
            if stream.read_buf(&mut bytes).await? == 0 {
                return Ok(());
            }
            continue;
        };
        let head = String::from_utf8_lossy(&bytes[..head]).into_owned();
        bytes.drain(..whole);
        let path = head.split(' ').nth(1).unwrap_or_default();
        match path {
            "/well" => stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await?,
            "/slow" | "/hang" => {
                tokio::time::sleep(Duration::from_secs(if path == "/slow" { 5 } else { 12 })).await;
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await?;
            }
            path if path.starts_with("/dripping/") => {
                stream
                    .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: audio/wav\r\ncontent-length: 10000000\r\n\r\n")
                    .await?;
                loop {
                    stream.write_all(b"R").await?;
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
            "/drip" => loop {
                stream.write_all(b"H").await?;
                tokio::time::sleep(Duration::from_secs(1)).await;
            },
            "/flood" => {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n").await?;
                for _ in 0..100_000_000 / 16_384 {
                    stream.write_all(&[b'x'; 16_384]).await?;
                }
            }
            "/count" => {
                let text = lock(inbox).0.to_string();
                answer(&mut stream, &text).await?;
            }
            "/take" => {
                let text = taken(inbox);
                answer(&mut stream, &text).await?;
            }
            _ => {
                let event = head.lines().find_map(|line| line.strip_prefix("service-delivery: ")).unwrap_or_default();
                keep(inbox, Came { at_us: now_us(), event: event.to_owned() });
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await?;
            }
        }
    }
}

/// Returns where the head ends and where the request ends, once it is complete.
fn split(bytes: &[u8]) -> Option<(usize, usize)> {
    let head = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let text = std::str::from_utf8(&bytes[..head]).ok()?;
    let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
    let whole = head + 4 + length.map_or(0, |length| length.parse().unwrap_or_default());
    (bytes.len() >= whole).then_some((head, whole))
}

async fn answer(stream: &mut TcpStream, text: &str) -> io::Result<()> {
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{text}", text.len());
    stream.write_all(answer.as_bytes()).await
}

fn keep(inbox: &Inbox, came: Came) {
    let mut inbox = lock(inbox);
    inbox.0 += 1;
    inbox.1.push(came);
}

/// Returns a line for each request: time and event.
fn taken(inbox: &Inbox) -> String {
    let came = std::mem::take(&mut lock(inbox).1);
    came.iter().fold(String::new(), |mut text, one| {
        let _infallible = writeln!(text, "{} {}", one.at_us, one.event);
        text
    })
}

fn lock(inbox: &Inbox) -> std::sync::MutexGuard<'_, (usize, Vec<Came>)> {
    inbox.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the host's time in microseconds since 1970, which all processes of a run share.
pub fn now_us() -> i64 {
    #[expect(clippy::disallowed_methods, reason = "two processes' moments are compared, and nothing is decided by it")]
    let now = std::time::SystemTime::now();
    now.duration_since(std::time::UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}
