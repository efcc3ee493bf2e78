//! A TCP proxy in front of the database, of the api or of a bucket, to take the network away from one process: what it
//! sends gets nowhere and nothing comes back, its connections break, or every request is refused with one answer.

use super::{Bucket, World};
use anyhow::Context;
use api::http::API_PATH;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Up,
    /// Connections stay, and no byte passes.
    Silent,
    /// No byte passes on connections that are there; new ones get through.
    Replaced,
    /// Connections break, and new ones break at once.
    Cut,
    /// Connections break, and the first request of each new one is answered with this.
    Refused(&'static str),
}

/// What stands behind a proxy.
#[derive(Debug, Clone)]
enum Behind {
    Socket(PathBuf),
    Address(SocketAddr),
}

/// A proxy; it is gone when this is dropped.
pub struct Proxy {
    /// The URL, through it, of what stands behind it.
    pub url: String,
    line: watch::Sender<Line>,
    refusals: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

impl Proxy {
    async fn start(behind: Behind, url: impl FnOnce(SocketAddr) -> String) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = url(listener.local_addr()?);
        let (line, state) = watch::channel(Line::Up);
        let refusals = Arc::<AtomicUsize>::default();
        let accepting = tokio::spawn(accept(listener, behind, state, Arc::clone(&refusals)));
        Ok(Self { url, line, refusals, accepting })
    }

    /// Lets everything through.
    pub fn restore(&self) {
        self.line.send_replace(Line::Up);
    }

    /// Lets nothing through from now on, as a network does that drops packets.
    pub fn silence(&self) {
        self.line.send_replace(Line::Silent);
    }

    /// Lets nothing through of what is connected, and everything of what connects from now on: another host has taken
    /// the place of one that went without a word.
    pub fn replace(&self) {
        self.line.send_replace(Line::Replaced);
    }

    /// Breaks all connections.
    pub fn cut(&self) {
        self.line.send_replace(Line::Cut);
    }

    /// Answers every HTTP request with this, and hands none on.
    pub fn refuse(&self, answer: &'static str) {
        self.line.send_replace(Line::Refused(answer));
    }

    /// How many requests were refused in this way.
    pub fn refusals(&self) -> usize {
        self.refusals.load(Ordering::SeqCst)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
        self.cut();
    }
}

impl World {
    /// A proxy in front of this world's database.
    pub async fn proxy(&self) -> anyhow::Result<Proxy> {
        let options = self.database.connect_options();
        let folder = options.get_socket().context("the test server listens on a socket")?;
        let socket = folder.join(format!(".s.PGSQL.{}", options.get_port()));
        let (user, name) = (options.get_username(), self.database.name());
        let url = |address| format!("postgres://{user}@{address}/{name}?sslmode=disable");
        Proxy::start(Behind::Socket(socket), url).await
    }

    /// A proxy in front of this world's api; its URL is a client's base URL.
    pub async fn api_proxy(&self) -> anyhow::Result<Proxy> {
        let address = self.base_url().trim_start_matches("http://").parse()?;
        Proxy::start(Behind::Address(address), |address| format!("http://{address}{API_PATH}")).await
    }
}

impl Bucket {
    /// A proxy in front of this bucket; its URL is another endpoint of it.
    pub async fn proxy(&self) -> anyhow::Result<Proxy> {
        let address = self.endpoint().trim_start_matches("http://").parse()?;
        Proxy::start(Behind::Address(address), |address| format!("http://{address}")).await
    }
}

async fn accept(listener: TcpListener, behind: Behind, line: watch::Receiver<Line>, refusals: Arc<AtomicUsize>) {
    while let Ok((client, _)) = listener.accept().await {
        let (behind, line, refusals) = (behind.clone(), line.clone(), Arc::clone(&refusals));
        tokio::spawn(async move {
            let now = *line.borrow();
            if let Line::Refused(answer) = now {
                // A client that has gone wants no answer.
                let _ = refuse(client, answer, &refusals).await;
                return;
            }
            match behind {
                Behind::Socket(path) => {
                    let Ok(server) = UnixStream::connect(&path).await else { return };
                    let (from, to) = server.into_split();
                    join(client, from, to, line).await;
                }
                Behind::Address(address) => {
                    let Ok(server) = TcpStream::connect(address).await else { return };
                    let (from, to) = server.into_split();
                    join(client, from, to, line).await;
                }
            }
        });
    }
}

/// Answers one request, and hears its body to the end: a client that is cut off in it sees no answer.
async fn refuse(mut client: TcpStream, answer: &str, refusals: &AtomicUsize) -> std::io::Result<()> {
    let (mut head, mut bytes) = (Vec::new(), vec![0; 16 << 10]);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = client.read(&mut bytes).await?;
        if read == 0 {
            return Ok(());
        }
        head.extend_from_slice(&bytes[..read]);
    }
    client.write_all(answer.as_bytes()).await?;
    refusals.fetch_add(1, Ordering::SeqCst);
    while client.read(&mut bytes).await? > 0 {}
    Ok(())
}

async fn join(
    client: TcpStream,
    from_server: impl AsyncRead + Unpin,
    to_server: impl AsyncWrite + Unpin,
    mut line: watch::Receiver<Line>,
) {
    let (from_client, to_client) = client.into_split();
    let new = *line.borrow() == Line::Replaced;
    let passes = move |line: &Line| *line == Line::Up || (new && *line == Line::Replaced);
    let (up, down) = (line.clone(), line.clone());
    tokio::select! {
        _ = carry(from_client, to_server, up, passes) => {}
        _ = carry(from_server, to_client, down, passes) => {}
        _ = line.wait_for(|line| matches!(line, Line::Cut | Line::Refused(_))) => {}
    }
}

async fn carry(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut line: watch::Receiver<Line>,
    passes: impl Fn(&Line) -> bool,
) -> std::io::Result<()> {
    let mut bytes = vec![0; 16 << 10];
    loop {
        let read = from.read(&mut bytes).await?;
        if read == 0 || line.wait_for(&passes).await.is_err() {
            return Ok(());
        }
        to.write_all(&bytes[..read]).await?;
    }
}
