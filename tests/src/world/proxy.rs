//! A TCP proxy in front of the database, to take the network away from one process: what it sends gets nowhere and
//! nothing comes back, or its connections break.

use super::World;
use anyhow::Context;
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
    /// Connections break, and new ones break at once.
    Cut,
}

/// A proxy; it is gone when this is dropped.
pub struct Proxy {
    /// The database's URL through it.
    pub url: String,
    line: watch::Sender<Line>,
    accepting: JoinHandle<()>,
}

impl Proxy {
    /// Lets everything through.
    pub fn restore(&self) {
        self.line.send_replace(Line::Up);
    }

    /// Lets nothing through from now on, as a network does that drops packets.
    pub fn silence(&self) {
        self.line.send_replace(Line::Silent);
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
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (user, name) = (options.get_username(), self.database.name());
        let url = format!("postgres://{user}@{address}/{name}?sslmode=disable");
        let (line, state) = watch::channel(Line::Up);
        let accepting = tokio::spawn(accept(listener, socket, state));
        Ok(Proxy { url, line, accepting })
    }
}

async fn accept(listener: TcpListener, socket: PathBuf, line: watch::Receiver<Line>) {
    while let Ok((client, _)) = listener.accept().await {
        tokio::spawn(join(client, socket.clone(), line.clone()));
    }
}

async fn join(client: TcpStream, socket: PathBuf, mut line: watch::Receiver<Line>) {
    let Ok(server) = UnixStream::connect(&socket).await else { return };
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let (up, down) = (line.clone(), line.clone());
    tokio::select! {
        _ = carry(from_client, to_server, up) => {}
        _ = carry(from_server, to_client, down) => {}
        _ = line.wait_for(|line| *line == Line::Cut) => {}
    }
}

async fn carry(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut line: watch::Receiver<Line>,
) -> std::io::Result<()> {
    let mut bytes = vec![0; 16 << 10];
    loop {
        let read = from.read(&mut bytes).await?;
        if read == 0 || line.wait_for(|line| *line != Line::Silent).await.is_err() {
            return Ok(());
        }
        to.write_all(&bytes[..read]).await?;
    }
}
