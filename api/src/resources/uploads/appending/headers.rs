//! The headers of a PATCH that describe its bytes: where they begin, and what they sum to.

use crate::http::error::{Answer, ApiError, Code};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{self, Algorithm};

/// The supported checksums, as `Tus-Checksum-Algorithm` names them.
pub const CHECKSUMS: &str = "sha1,sha256,sha512";

/// The headers of a PATCH that describe its bytes.
pub struct PatchHeaders<'a> {
    /// `Upload-Offset`: the position of the first byte.
    pub offset: Option<&'a str>,
    /// `Upload-Checksum`: the checksum of the bytes.
    pub checksum: Option<&'a str>,
}

impl PatchHeaders<'_> {
    /// # Errors
    /// `invalid_request` when the offset is not a number, or the checksum's algorithm or digest is not valid.
    pub(super) fn read(&self) -> Answer<(i64, Option<Checksum>)> {
        let digits = self.offset.filter(|offset| offset.bytes().all(|byte| byte.is_ascii_digit()));
        let offset = digits.and_then(|digits| digits.parse().ok());
        let wrong = || ApiError::new(Code::InvalidRequest, "`Upload-Offset`: expected a number of bytes, such as 0.");
        Ok((offset.ok_or_else(wrong)?, self.checksum.map(Checksum::of).transpose()?))
    }
}

/// A checksum that the bytes are compared with.
pub(super) struct Checksum {
    pub(super) algorithm: &'static Algorithm,
    pub(super) expected: Vec<u8>,
}

impl Checksum {
    /// Parses `Upload-Checksum`: an algorithm and the digest in Base64.
    fn of(text: &str) -> Answer<Self> {
        let wrong = || {
            let message = format!("`Upload-Checksum`: expected one of {CHECKSUMS}, a space, and the digest in Base64.");
            ApiError::new(Code::InvalidRequest, message)
        };
        let (name, digest) = text.split_once(' ').ok_or_else(wrong)?;
        let algorithm = match name {
            "sha1" => &digest::SHA1_FOR_LEGACY_USE_ONLY,
            "sha256" => &digest::SHA256,
            "sha512" => &digest::SHA512,
            _ => return Err(wrong()),
        };
        let expected = STANDARD.decode(digest).ok().filter(|digest| digest.len() == algorithm.output_len());
        Ok(Self { algorithm, expected: expected.ok_or_else(wrong)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_names_its_algorithm_and_is_as_long_as_its_digests() {
        assert!(Checksum::of("sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=").is_ok());
        for wrong in ["", "sha1", "sha1 ", "sha1 AAAA", "md5 Kq5sNclPz7QV2+lfQIuc6R7oRu0=", "sha1 Kq5sNclPz7QV2-lfQIuc"]
        {
            assert_eq!(Checksum::of(wrong).err().map(|refusal| refusal.code()), Some(Code::InvalidRequest), "{wrong}");
        }
    }
}
