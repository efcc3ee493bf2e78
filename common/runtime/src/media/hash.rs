//! A SHA-256 over the bytes of several requests: its state is stored between them.

use sha2::digest::common::hazmat::SerializableState;
use sha2::{Digest, Sha256};

/// The SHA-256 of bytes that arrive in pieces.
#[derive(Clone)]
pub struct RunningHash(Sha256);

impl RunningHash {
    /// Resumes the hash that had this stored state. Without a state it is the hash of no bytes yet.
    ///
    /// # Errors
    /// When the state can't be read.
    pub fn resume(state: Option<&[u8]>) -> Result<Self, &'static str> {
        let Some(state) = state else { return Ok(Self(Sha256::new())) };
        let state = state.try_into().map_err(|_| "a state of a hash has another length")?;
        Sha256::deserialize(&state).map(Self).map_err(|_| "a state of a hash can't be read")
    }

    /// Goes on with these bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the state, for [`RunningHash::resume`].
    pub fn state(&self) -> Vec<u8> {
        self.0.serialize().to_vec()
    }

    /// Returns the hash of all bytes so far.
    pub fn sha256(&self) -> [u8; 32] {
        self.0.clone().finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_that_is_put_down_at_any_byte_goes_on_as_if_it_had_not_been() {
        let bytes: Vec<u8> = (0..=255).cycle().take(1_000).collect();
        let wanted: [u8; 32] = Sha256::digest(&bytes).into();
        for at in 0..bytes.len() {
            let mut first = RunningHash::resume(None).unwrap();
            first.update(&bytes[..at]);
            let mut second = RunningHash::resume(Some(&first.state())).unwrap();
            second.update(&bytes[at..]);
            assert_eq!(second.sha256(), wanted, "at {at}");
        }
        assert!(RunningHash::resume(Some(&[1, 2])).is_err());
    }
}
