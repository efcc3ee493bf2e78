//! Secrets at rest: sealed with ChaCha20-Poly1305 under `MWS_SECRET_KEY` (docs/operations.md).
//!
//! It owns the sealed format and the choice between the current key and old ones. It never stores anything and never
//! draws randomness: the caller passes the nonce, 12 fresh random bytes each time. `purpose` is bound into the seal, so
//! that a sealed value that is copied to another account's row does not open there.
//!
//! Format, version 1: `01`, the key's id (4 bytes), the nonce (12 bytes), the ciphertext and its tag (16 bytes).

use crate::config::Settings;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{ChaCha20Poly1305, Nonce};
use secrecy::zeroize::Zeroize;
use secrecy::{SecretSlice, SecretString};
use sha2::{Digest, Sha256};
use std::fmt;

const VERSION: u8 = 1;
const KEY_ID_BYTES: usize = 4;
const NONCE_BYTES: usize = 12;
const HEADER_BYTES: usize = 1 + KEY_ID_BYTES;

/// Why a value could not be sealed or opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// A configured key is not the base64 of 32 bytes.
    #[error("a secret key must be 32 bytes in base64: `openssl rand -base64 32` makes one")]
    Key,
    /// The sealed bytes have another format, or none.
    #[error("the sealed value has an unknown format")]
    Format,
    /// None of the configured keys made this seal.
    #[error("the value was sealed under a key that is not configured: add it to MWS_SECRET_KEY_OLD")]
    UnknownKey,
    /// The bytes were changed, or belong to another purpose.
    #[error("the sealed value was altered, or belongs elsewhere")]
    Altered,
    /// The plain bytes are more than one message of this cipher can hold.
    #[error("the value is too long to be sealed")]
    TooLong,
    /// The opened bytes are not UTF-8, though text was asked for.
    #[error("the opened value is not text")]
    NotText,
}

/// The current key, which seals, and old ones, which only open.
pub struct Sealer {
    keys: Vec<Key>,
}

struct Key {
    id: [u8; KEY_ID_BYTES],
    cipher: ChaCha20Poly1305,
}

impl Sealer {
    /// Makes a sealer with `MWS_SECRET_KEY` and, while keys are being changed, those of `MWS_SECRET_KEY_OLD`; each is
    /// 32 bytes in base64.
    ///
    /// # Errors
    /// [`SealError::Key`] when one of them is anything else.
    pub fn new(current: &SecretString, old: &[SecretString]) -> Result<Self, SealError> {
        let keys = std::iter::once(current).chain(old).map(Key::read).collect::<Result<_, _>>()?;
        Ok(Self { keys })
    }

    /// Makes a sealer from the settings; none when they have no key.
    ///
    /// # Errors
    /// As [`Sealer::new`].
    pub fn of(settings: &Settings) -> Result<Option<Self>, SealError> {
        settings.secret_key.as_ref().map(|current| Self::new(current, &settings.secret_key_old)).transpose()
    }

    /// Returns the first bytes of each key's seals, the current key's first: format and key id.
    pub fn headers(&self) -> Vec<Vec<u8>> {
        self.keys.iter().map(|key| [&[VERSION][..], &key.id].concat()).collect()
    }

    /// Seals `plain` for one purpose (such as `webhook_secret/acc_…`). The nonce must be fresh random bytes.
    ///
    /// # Errors
    /// [`SealError::TooLong`] past 256 GiB.
    pub fn seal(&self, plain: &[u8], purpose: &str, nonce: [u8; NONCE_BYTES]) -> Result<Vec<u8>, SealError> {
        // The list is never empty: `new` puts the current key first.
        let key = self.keys.first().ok_or(SealError::UnknownKey)?;
        let mut sealed = vec![VERSION];
        sealed.extend(key.id);
        let bound = bound(&sealed, purpose);
        let payload = Payload { msg: plain, aad: &bound };
        let secret = key.cipher.encrypt(&Nonce::from(nonce), payload).map_err(|_| SealError::TooLong)?;
        sealed.extend(nonce);
        sealed.extend(secret);
        Ok(sealed)
    }

    /// Opens what [`Sealer::seal`] made for the same purpose, under the current key or an old one.
    ///
    /// # Errors
    /// [`SealError::Format`], [`SealError::UnknownKey`] or [`SealError::Altered`].
    pub fn open(&self, sealed: &[u8], purpose: &str) -> Result<SecretSlice<u8>, SealError> {
        let (header, rest) = sealed.split_at_checked(HEADER_BYTES).ok_or(SealError::Format)?;
        let (nonce, secret) = rest.split_at_checked(NONCE_BYTES).ok_or(SealError::Format)?;
        let nonce = Nonce::try_from(nonce).map_err(|_| SealError::Format)?;
        if header[0] != VERSION {
            return Err(SealError::Format);
        }
        let key = self.keys.iter().find(|key| key.id == header[1..]).ok_or(SealError::UnknownKey)?;
        let bound = bound(header, purpose);
        let payload = Payload { msg: secret, aad: &bound };
        let plain = key.cipher.decrypt(&nonce, payload).map_err(|_| SealError::Altered)?;
        Ok(SecretSlice::from(plain))
    }

    /// [`Sealer::open`] for a secret that is text, as signing secrets are.
    ///
    /// # Errors
    /// Those of [`Sealer::open`], and [`SealError::NotText`].
    pub fn open_text(&self, sealed: &[u8], purpose: &str) -> Result<SecretString, SealError> {
        use secrecy::ExposeSecret;
        let plain = self.open(sealed, purpose)?;
        let text = std::str::from_utf8(plain.expose_secret()).map_err(|_| SealError::NotText)?;
        Ok(SecretString::from(text))
    }

    /// Whether the value was sealed under the current key. After a change of keys, the scheduler's `reseal` seals all
    /// others again; then the old key can be removed.
    pub fn is_current(&self, sealed: &[u8]) -> bool {
        let id = sealed.get(1..HEADER_BYTES);
        sealed.first() == Some(&VERSION) && self.keys.first().is_some_and(|key| Some(key.id.as_slice()) == id)
    }
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealer({} keys)", self.keys.len())
    }
}

impl Key {
    fn read(encoded: &SecretString) -> Result<Self, SealError> {
        use secrecy::ExposeSecret;
        let mut bytes = STANDARD.decode(encoded.expose_secret().trim()).map_err(|_| SealError::Key)?;
        let cipher = ChaCha20Poly1305::new_from_slice(&bytes).map_err(|_| SealError::Key);
        // The id is a digest of the key, so that it needs no register; the label keeps it apart from other digests.
        let digest = Sha256::new().chain_update(b"mws seal key id").chain_update(&bytes).finalize();
        bytes.zeroize();
        let mut id = [0; KEY_ID_BYTES];
        id.copy_from_slice(&digest[..KEY_ID_BYTES]);
        Ok(Self { id, cipher: cipher? })
    }
}

fn bound(header: &[u8], purpose: &str) -> Vec<u8> {
    [header, purpose.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use secrecy::ExposeSecret;

    fn key(seed: u8) -> SecretString {
        SecretString::from(STANDARD.encode([seed; 32]))
    }

    fn sealer(current: u8, old: &[u8]) -> Sealer {
        let old: Vec<SecretString> = old.iter().copied().map(key).collect();
        Sealer::new(&key(current), &old).expect("keys of 32 bytes")
    }

    fn error<T>(result: Result<T, SealError>) -> Option<SealError> {
        result.err()
    }

    #[test]
    fn a_sealed_secret_opens_for_its_own_purpose_alone() {
        let keys = sealer(1, &[]);
        let sealed = keys.seal(b"whsec_x", "webhook_secret/acc_1", [9; 12]).expect("seals");
        assert_eq!(sealed.len(), 1 + 4 + 12 + 7 + 16);
        assert!(!sealed.windows(7).any(|window| window == b"whsec_x"));
        let opened = keys.open_text(&sealed, "webhook_secret/acc_1").expect("opens");
        assert_eq!(opened.expose_secret(), "whsec_x");
        assert_eq!(error(keys.open(&sealed, "webhook_secret/acc_2")), Some(SealError::Altered));
    }

    #[test]
    fn an_old_key_still_opens_and_tells_that_it_is_old() {
        let sealed = sealer(1, &[]).seal(b"secret", "p", [0; 12]).expect("seals");
        assert_eq!(sealer(3, &[2, 1]).headers()[2], sealed[..HEADER_BYTES]);
        assert!(sealer(3, &[2, 1]).open(&sealed, "p").is_ok(), "two changes ago");
        let rotated = sealer(2, &[1]);
        assert!(rotated.open(&sealed, "p").is_ok());
        assert!(!rotated.is_current(&sealed));
        assert!(rotated.is_current(&rotated.seal(b"secret", "p", [1; 12]).expect("seals")));
        assert_eq!(error(sealer(2, &[]).open(&sealed, "p")), Some(SealError::UnknownKey));
    }

    #[test]
    fn a_key_of_another_length_is_refused() {
        for text in ["", "short", "AAAA", &STANDARD.encode([0; 31]), &STANDARD.encode([0; 33]), "not base64 at all!"] {
            assert_eq!(error(Sealer::new(&SecretString::from(text), &[])), Some(SealError::Key), "{text}");
        }
    }

    #[test]
    fn bytes_of_another_format_are_refused() {
        let keys = sealer(1, &[]);
        let sealed = keys.seal(b"secret", "p", [0; 12]).expect("seals");
        for cut in 0..HEADER_BYTES + NONCE_BYTES {
            assert_eq!(error(keys.open(&sealed[..cut], "p")), Some(SealError::Format), "{cut} bytes");
        }
        let mut later = sealed.clone();
        later[0] = 2;
        assert_eq!(error(keys.open(&later, "p")), Some(SealError::Format));
        let binary = keys.seal(&[0xff], "p", [0; 12]).expect("seals");
        assert_eq!(error(keys.open_text(&binary, "p")), Some(SealError::NotText));
    }

    #[test]
    fn its_debug_text_shows_no_key() {
        assert_eq!(format!("{:?}", sealer(1, &[2])), "Sealer(2 keys)");
    }

    proptest! {
        #[test]
        fn any_flipped_bit_is_noticed(
            plain in proptest::collection::vec(any::<u8>(), 0..64), at in any::<prop::sample::Index>(), bit in 0..8_u8,
        ) {
            let keys = sealer(1, &[2]);
            let mut sealed = keys.seal(&plain, "p", [3; 12]).expect("seals");
            let opened = keys.open(&sealed, "p").expect("opens");
            prop_assert_eq!(opened.expose_secret(), plain.as_slice());
            let at = at.index(sealed.len());
            sealed[at] ^= 1 << bit;
            prop_assert!(keys.open(&sealed, "p").is_err());
        }
    }
}
