//! A customer's receiver behind TLS, with a certificate that is good or bad in one way, and the authority that signed
//! it.

use anyhow::Context;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, SanType, date_time_ymd};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// What is wrong with a receiver's certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certificate {
    /// Nothing.
    Good,
    /// It is another host's.
    OfAnotherHost,
    /// It ended long ago.
    Expired,
    /// It begins in a far future.
    NotYetValid,
}

/// Who signs certificates.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    /// A new one, whom nobody trusts yet.
    pub fn new() -> anyhow::Result<Self> {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Ok(Self(CertifiedIssuer::self_signed(params, KeyPair::generate()?)?))
    }

    /// Its own certificate, as `MWS_OUTBOUND_ROOTS` takes it.
    pub fn pem(&self) -> String {
        self.0.pem()
    }

    fn sign(&self, certificate: Certificate) -> anyhow::Result<TlsAcceptor> {
        let other = certificate == Certificate::OfAnotherHost;
        let names = if other { vec!["other.test".to_owned()] } else { Vec::new() };
        let mut params = CertificateParams::new(names)?;
        if !other {
            params.subject_alt_names.push(SanType::IpAddress(IpAddr::V4(Ipv4Addr::LOCALHOST)));
        }
        match certificate {
            Certificate::Expired => params.not_after = date_time_ymd(2001, 1, 1),
            Certificate::NotYetValid => params.not_before = date_time_ymd(4000, 1, 1),
            Certificate::Good | Certificate::OfAnotherHost => {}
        }
        let key = KeyPair::generate()?;
        let signed: CertificateDer<'static> = params.signed_by(&key, &self.0)?.der().clone();
        let key = PrivateKeyDer::try_from(key.serialize_der()).map_err(anyhow::Error::msg)?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![signed], key)?;
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

/// A receiver; it is gone when this is dropped.
pub struct TlsReceiver {
    /// Where it receives.
    pub url: String,
    requests: Arc<Mutex<Vec<String>>>,
    serving: JoinHandle<()>,
}

impl TlsReceiver {
    /// One that takes everything that is sent to it behind this certificate.
    pub async fn start(authority: &Authority, certificate: Certificate) -> anyhow::Result<Self> {
        let acceptor = authority.sign(certificate)?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("https://{}/hook", listener.local_addr()?);
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&requests);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, seen) = (acceptor.clone(), Arc::clone(&seen));
                // A client that refuses the certificate hangs up, and so does one that is done.
                tokio::spawn(async move { serve(stream, acceptor, &seen).await.ok() });
            }
        });
        Ok(Self { url, requests, serving })
    }

    /// The requests that came, heads and bodies as text.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for TlsReceiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(stream: TcpStream, acceptor: TlsAcceptor, seen: &Mutex<Vec<String>>) -> anyhow::Result<()> {
    let mut stream = acceptor.accept(stream).await?;
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.context("a length")?.parse()?;
            if body.len() >= length {
                seen.lock().unwrap_or_else(PoisonError::into_inner).push(text.into_owned());
                bytes.clear();
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await?;
                stream.flush().await?;
                continue;
            }
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(());
        }
    }
}
