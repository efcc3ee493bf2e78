//! Verifies a server's certificates, and refuses chains that would take long to verify.
//!
//! Whoever gives us a URL chooses the server, and so its certificates. The search for a path from them to a root tries
//! intermediates in every order: with fifteen of the same name, a handshake took four seconds of processor time on a
//! thread that all tasks share, and no timeout can interrupt it. With few certificates and few bytes it takes
//! milliseconds. Servers usually send one to three.

use super::OutboundError;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use std::sync::Arc;

/// Intermediate certificates, besides the server's own, that a chain may have.
const MOST_INTERMEDIATES: usize = 4;
/// Bytes that all certificates of a chain may have together.
const MOST_BYTES: usize = 32 << 10;

/// Verifies with these roots, once the size of the chain is checked.
#[derive(Debug)]
pub(super) struct Bounded(Arc<WebPkiServerVerifier>);

impl Bounded {
    pub(super) fn new(roots: RootCertStore, provider: Arc<CryptoProvider>) -> Result<Self, OutboundError> {
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
        verifier.map(Self).map_err(|error| OutboundError::Setup(error.to_string()))
    }
}

impl ServerCertVerifier for Bounded {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let bytes = intermediates.iter().fold(own.len(), |sum, one| sum + one.len());
        if intermediates.len() > MOST_INTERMEDIATES || bytes > MOST_BYTES {
            tracing::debug!(intermediates = intermediates.len(), bytes, "A server's certificates are not looked at.");
            return Err(CertificateError::UnknownIssuer.into());
        }
        self.0.verify_server_cert(own, intermediates, name, ocsp, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        own: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, own, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        own: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, own, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

    fn authority(name: &str, padding: usize) -> CertifiedIssuer<'static, KeyPair> {
        let mut params = CertificateParams::new(vec!["a".repeat(padding.max(1))]).expect("a name");
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority")
    }

    #[test]
    fn a_chain_of_many_certificates_or_of_many_bytes_is_refused_before_it_is_looked_at() {
        let root = authority("root", 1);
        let key = KeyPair::generate().expect("a key");
        let own = CertificateParams::new(vec!["hooks.example.com".to_owned()]).expect("a name");
        let own = own.signed_by(&key, &root).expect("a certificate");
        let mut roots = RootCertStore::empty();
        roots.add(root.der().clone()).expect("a root");
        let verifier = Bounded::new(roots, Arc::new(rustls::crypto::ring::default_provider())).expect("a verifier");
        let verify = |intermediates: &[CertificateDer<'_>]| {
            let name = ServerName::try_from("hooks.example.com").expect("a name");
            verifier.verify_server_cert(own.der(), intermediates, &name, &[], UnixTime::now()).is_ok()
        };
        // None of these leads to the root, which has signed the server's own certificate.
        let others = |many: usize, padding: usize| -> Vec<CertificateDer<'static>> {
            (0..many).map(|_| authority("other", padding).der().clone()).collect()
        };
        assert!(verify(&[]) && verify(&others(MOST_INTERMEDIATES, 1)));
        assert!(!verify(&others(MOST_INTERMEDIATES + 1, 1)));
        assert!(!verify(&others(1, MOST_BYTES)));
    }
}
