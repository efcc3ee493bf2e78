//! A TCP proxy in front of the database or of the api, to take the network away from one process: what it sends gets
//! nowhere and nothing comes back, or its connections break.

use super::World;
use anyhow::Context;
use api::http::API_PATH;
use std::net::SocketAddr;
use std::path::PathBuf;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Up,
    /// Connections stay, and no byte passes.
    Silent,
    /// The same for those that are there; new ones get through.
    Replaced,
    /// Connections break, and new ones break at once.
    Cut,
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
    accepting: JoinHandle<()>,
}

impl Proxy {
    async fn start(behind: Behind, url: impl FnOnce(SocketAddr) -> String) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = url(listener.local_addr()?);
        let (line, state) = watch::channel(Line::Up);
        let accepting = tokio::spawn(accept(listener, behind, state));
        Ok(Self { url, line, accepting })
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

async fn accept(listener: TcpListener, behind: Behind, line: watch::Receiver<Line>) {
    while let Ok((client, _)) = listener.accept().await {
        let (behind, line) = (behind.clone(), line.clone());
        tokio::spawn(async move {
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

async fn join(
    client: TcpStream,
    from_server: impl AsyncRead + Unpin,
    to_server: impl AsyncWrite + Unpin,
    mut line: watch::Receiver<Line>,
) {
    let (from_client, to_client) = client.into_split();
    let new = *line.borrow() == Line::Replaced;
    let passes = move |line: &Line| *line != Line::Silent && (new || *line != Line::Replaced);
    let (up, down) = (line.clone(), line.clone());
    tokio::select! {
        _ = carry(from_client, to_server, up, passes) => {}
        _ = carry(from_server, to_client, down, passes) => {}
        _ = line.wait_for(|line| *line == Line::Cut) => {}
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
