//! Verifies signatures of ES256 and RS256, and no others, with ring, which the service's TLS uses anyway.
//!
//! `jsonwebtoken` parses tokens and leaves the cryptography to a provider. This one has no HMAC at all, so that a token
//! that is signed with a public key as the secret can't be verified even by a mistake elsewhere. It never signs.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result, new_error};
use jsonwebtoken::signature::{self, Verifier};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::signature::{ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey};

static ON_RING: CryptoProvider =
    CryptoProvider { signer_factory: signer, verifier_factory: verifier, key_utils: KeyUtils::new_unimplemented() };

/// Makes ring the provider of the process; a second call changes nothing.
pub fn install() {
    // An error means that a provider is installed, and only this module installs one.
    let _ = ON_RING.install_default();
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the provider's signature")]
fn signer(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    Err(new_error(ErrorKind::UnsupportedAlgorithm))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the provider's signature")]
fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    match (algorithm, key.family(), key.kind()) {
        (Algorithm::ES256, AlgorithmFamily::Ec, DecodingKeyKind::SecretOrDer(point)) => {
            Ok(Box::new(Es256(UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point.clone()))))
        }
        (Algorithm::RS256, AlgorithmFamily::Rsa, DecodingKeyKind::RsaModulusExponent { n, e }) => {
            Ok(Box::new(Rs256(RsaPublicKeyComponents { n: n.clone(), e: e.clone() })))
        }
        _ => Err(new_error(ErrorKind::UnsupportedAlgorithm)),
    }
}

/// Verifies ES256 with a key that is an uncompressed point of P-256.
struct Es256(UnparsedPublicKey<Vec<u8>>);

impl Verifier<Vec<u8>> for Es256 {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), signature::Error> {
        self.0.verify(message, signature).map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Es256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::ES256
    }
}

/// Verifies RS256 with a big-endian modulus and exponent. ring refuses a modulus under 2,048 bits.
struct Rs256(RsaPublicKeyComponents<Vec<u8>>);

impl Verifier<Vec<u8>> for Rs256 {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), signature::Error> {
        self.0.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature).map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Rs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::RS256
    }
}
