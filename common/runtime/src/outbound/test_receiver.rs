//! A receiver on loopback that answers in every way a bad one might, and counts what reaches it.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// How a receiver behaves on every connection.
#[derive(Debug, Clone)]
pub(crate) enum Behaviour {
    /// Answers these bytes to each request and keeps the connection.
    Answers(Vec<u8>),
    /// Answers these bytes, then closes the connection.
    Closes(Vec<u8>),
    /// Answers these bytes, then one byte every 20 ms for ever.
    Drips(Vec<u8>),
    /// Answers headers and then this many bytes.
    Floods(usize),
    /// Reads and never answers.
    Silent,
    /// Accepts the connection and hangs up, before TLS.
    HangsUp,
    /// Accepts the connection and never speaks, before TLS.
    Stalls,
    /// Redirects from each path to the next of these locations, the last of which it answers these bytes.
    Redirects(Vec<&'static str>, Vec<u8>),
    /// Answers `100 Continue` for as long as somebody reads.
    Continues,
}

/// A receiver, ended when dropped.
pub(crate) struct Receiver {
    pub(crate) port: u16,
    pub(crate) is_tls: bool,
    /// The certificate authority to trust.
    pub(crate) root: CertificateDer<'static>,
    seen: Arc<Seen>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Seen {
    connections: AtomicUsize,
    written: AtomicU64,
    requests: Mutex<Vec<String>>,
}

impl Receiver {
    /// Speaks TLS as `hooks.example.com`, `localhost` and 127.0.0.1.
    pub(crate) async fn tls(behaviour: Behaviour) -> Self {
        Self::start(behaviour, true).await
    }

    /// Speaks plain HTTP.
    pub(crate) async fn plain(behaviour: Behaviour) -> Self {
        Self::start(behaviour, false).await
    }

    async fn start(behaviour: Behaviour, tls: bool) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("binds");
        let port = listener.local_addr().expect("has an address").port();
        let (root, acceptor) = authority();
        let seen = Arc::<Seen>::default();
        let shared = seen.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                shared.connections.fetch_add(1, Ordering::SeqCst);
                let acceptor = tls.then(|| acceptor.clone());
                tokio::spawn(connection(stream, acceptor, behaviour.clone(), shared.clone()));
            }
        });
        Self { port, is_tls: tls, root, seen, task }
    }

    pub(crate) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    /// How many bytes of a flood, or of heads without end, went out before the client hung up.
    pub(crate) fn written(&self) -> u64 {
        self.seen.written.load(Ordering::SeqCst)
    }

    /// Heads and bodies as they came.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.seen.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn authority() -> (CertificateDer<'static>, TlsAcceptor) {
    let mut ca = CertificateParams::default();
    ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let ca = CertifiedIssuer::self_signed(ca, KeyPair::generate().expect("a key")).expect("an authority");
    let mut leaf = CertificateParams::new(["hooks.example.com".to_owned(), "localhost".to_owned()]).expect("names");
    leaf.subject_alt_names.push(rcgen::SanType::IpAddress(IpAddr::V4(Ipv4Addr::LOCALHOST)));
    let key = KeyPair::generate().expect("a key");
    let certificate = leaf.signed_by(&key, &ca).expect("a certificate");
    let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a private key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.expect("versions").with_no_client_auth();
    let mut config = builder.with_single_cert(vec![certificate.der().clone()], key).expect("a server");
    // As real servers do. Who would take HTTP/2 would then be sent it.
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    (ca.der().clone(), TlsAcceptor::from(Arc::new(config)))
}

async fn connection(stream: TcpStream, acceptor: Option<TlsAcceptor>, behaviour: Behaviour, seen: Arc<Seen>) {
    match (acceptor, behaviour) {
        (_, Behaviour::HangsUp) => drop(stream),
        (_, Behaviour::Stalls) => std::future::pending().await,
        (Some(acceptor), behaviour) => {
            if let Ok(stream) = acceptor.accept(stream).await {
                let _ends_with_the_client = exchanges(stream, behaviour, &seen).await;
            }
        }
        (None, behaviour) => {
            let _ends_with_the_client = exchanges(stream, behaviour, &seen).await;
        }
    }
}

async fn exchanges<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, how: Behaviour, seen: &Seen) -> io::Result<()> {
    loop {
        let request = request(&mut stream).await?;
        let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
        seen.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        match &how {
            Behaviour::Redirects(locations, bytes) => {
                let at = locations.iter().position(|location| location.ends_with(&path)).map_or(0, |at| at + 1);
                match locations.get(at) {
                    Some(next) => {
                        let head = format!("HTTP/1.1 302 X\r\nlocation: {next}\r\ncontent-length: 0\r\n\r\n");
                        stream.write_all(head.as_bytes()).await?;
                    }
                    None => stream.write_all(bytes).await?,
                }
            }
            Behaviour::Answers(bytes) => stream.write_all(bytes).await?,
            Behaviour::Closes(bytes) => {
                stream.write_all(bytes).await?;
                return stream.shutdown().await;
            }
            Behaviour::Drips(bytes) => {
                stream.write_all(bytes).await?;
                loop {
                    stream.write_all(b"x").await?;
                    stream.flush().await?;
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
            Behaviour::Floods(bytes) => {
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {bytes}\r\n\r\n");
                stream.write_all(head.as_bytes()).await?;
                for _ in 0..bytes / 16_384 {
                    stream.write_all(&[b'x'; 16_384]).await?;
                    seen.written.fetch_add(16_384, Ordering::SeqCst);
                }
            }
            Behaviour::Continues => loop {
                let heads = b"HTTP/1.1 100 Continue\r\n\r\n".repeat(1_000);
                stream.write_all(&heads).await?;
                seen.written.fetch_add(heads.len() as u64, Ordering::SeqCst);
            },
            _ => std::future::pending().await,
        }
        stream.flush().await?;
    }
}

async fn request<S: AsyncRead + Unpin>(stream: &mut S) -> io::Result<String> {
    let mut bytes = Vec::new();
    loop {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        // A plain receiver that is spoken to in TLS answers in plain HTTP, as real ones do.
        if bytes[0] == 0x16 {
            return Ok(String::new());
        }
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().expect("a length")) {
            return Ok(text.into_owned());
        }
    }
}
