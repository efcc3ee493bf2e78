//! The demo's receiver of webhooks: a small HTTP server on loopback that keeps what it receives and answers 200.
//!
//! It stands for the customer's server: it knows nothing of the service but the bytes that arrive.

use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Bytes that a body may have.
const MOST_BYTES: usize = 1 << 20;
/// How long a connection is served.
const TIMEOUT: Duration = Duration::from_secs(30);

/// One webhook as it arrived.
#[derive(Debug, Clone)]
pub struct Received {
    /// Header names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The raw bytes that were signed.
    pub body: Vec<u8>,
}

/// The running server. It ends with the process.
#[derive(Debug, Clone)]
pub struct Receiver {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Receiver {
    /// Listens on any free port.
    pub async fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.context("the receiver can't listen")?;
        let this = Self { address: listener.local_addr()?, received: Arc::default() };
        let all = Arc::clone(&this.received);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let all = Arc::clone(&all);
                tokio::spawn(async move {
                    // The sender notices a broken connection, and tries again.
                    let _ = tokio::time::timeout(TIMEOUT, serve(stream, &all)).await;
                });
            }
        });
        Ok(this)
    }

    /// The URL for webhooks.
    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// The webhooks that have arrived so far.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Takes requests from one connection until it is closed.
async fn serve(stream: TcpStream, received: &Mutex<Vec<Received>>) -> anyhow::Result<()> {
    let mut stream = BufReader::new(stream);
    while let Some(request) = read_request(&mut stream).await? {
        received.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await?;
    }
    Ok(())
}

async fn read_request(stream: &mut BufReader<TcpStream>) -> anyhow::Result<Option<Received>> {
    let mut line = String::new();
    if stream.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let mut headers = BTreeMap::new();
    loop {
        line.clear();
        if stream.read_line(&mut line).await? == 0 {
            bail!("the connection ended within the headers");
        }
        let text = line.trim_end();
        if text.is_empty() {
            break;
        }
        if let Some((name, value)) = text.split_once(':') {
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    let length: usize = headers.get("content-length").map_or("0", String::as_str).parse()?;
    if length > MOST_BYTES {
        bail!("the body is too large");
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(Some(Received { headers, body }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_keeps_headers_and_bytes_and_answers_every_request_of_a_connection() {
        let receiver = Receiver::start().await.unwrap();
        let mut stream = TcpStream::connect(receiver.address).await.unwrap();
        for body in ["one", "three"] {
            let request =
                format!("POST /hook HTTP/1.1\r\nService-Event: ping\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut answer = [0; 15];
            stream.read_exact(&mut answer).await.unwrap();
            assert_eq!(&answer, b"HTTP/1.1 200 OK");
            let mut rest = [0; 23];
            stream.read_exact(&mut rest).await.unwrap();
        }
        let all = receiver.received();
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].headers["service-event"], "ping");
        assert_eq!(all[1].body, b"three");
    }
}
