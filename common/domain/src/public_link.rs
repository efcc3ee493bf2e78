//! Public links: a token that shows an item to whoever has it, and an optional passphrase.
//!
//! The token is 160 random bits, shown once; its SHA-256 is stored. A passphrase is stored as an HMAC under the
//! service's own secret, so that it can't be guessed from the tables alone.

use crate::ids::PublicLinkId;
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;

/// The most live links that a workspace may have.
pub const MOST_LINKS: i64 = 1_000;
/// The longest lifetime of a link, in seconds: 90 days.
pub const LONGEST_SECONDS: i64 = 90 * 86_400;
/// The default lifetime of a link, in seconds: 30 days.
pub const USUAL_SECONDS: i64 = 30 * 86_400;
/// The most wrong passphrases for a link within `WRONG_MINUTES`, from all senders together.
pub const MOST_WRONG: i32 = 10;
/// Minutes after which wrong passphrases are forgotten.
pub const WRONG_MINUTES: i32 = 15;
/// How many characters a passphrase may have.
pub const PASSPHRASE_CHARACTERS: std::ops::RangeInclusive<usize> = 4..=200;

/// The secret part of a link's URL: 40 hexadecimal characters.
#[derive(Clone, PartialEq, Eq)]
pub struct LinkToken([u8; 20]);

impl LinkToken {
    /// Makes a token of random bytes.
    pub fn from_random(bytes: [u8; 32]) -> Self {
        let mut token = [0; 20];
        token.copy_from_slice(&bytes[..20]);
        Self(token)
    }

    /// Returns the hash that is stored.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0).into()
    }

    /// Returns the text, for the URL that is shown once.
    pub fn expose(&self) -> String {
        hex::encode(self.0)
    }
}

impl fmt::Debug for LinkToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LinkToken(…)")
    }
}

/// A text that is not a link's token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected 40 hexadecimal characters")]
pub struct NoToken;

impl FromStr for LinkToken {
    type Err = NoToken;

    fn from_str(text: &str) -> Result<Self, NoToken> {
        let mut token = [0; 20];
        let is_lower = !text.bytes().any(|byte| byte.is_ascii_uppercase());
        hex::decode_to_slice(text, &mut token).ok().filter(|()| is_lower).map(|()| Self(token)).ok_or(NoToken)
    }
}

/// Returns the text whose HMAC is stored for a passphrase. It names the link, so that the HMAC is valid for that link
/// alone.
pub fn passphrase_subject(link: PublicLinkId, passphrase: &str) -> String {
    format!("passphrase {link} {passphrase}")
}

/// Returns the text whose HMAC proves, until the unix second `expires`, that a link's passphrase was given.
pub fn admission_subject(link: PublicLinkId, passphrase_hash: &[u8], expires: i64) -> String {
    format!("admitted {link} {} {expires}", hex::encode(passphrase_hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_reads_back_what_it_wrote_and_shows_itself_nowhere_else() {
        let token = LinkToken::from_random([0xab; 32]);
        let text = token.expose();
        assert_eq!((text.len(), text.parse()), (40, Ok(token.clone())));
        assert_eq!(format!("{token:?}"), "LinkToken(…)");
        for wrong in ["", "zz", &text[1..], &text.to_uppercase(), &format!("{text}0"), &"ab".repeat(21)] {
            assert_eq!(wrong.parse::<LinkToken>(), Err(NoToken), "{wrong}");
        }
        assert_ne!(hex::encode(token.hash()), text);
    }

    #[test]
    fn what_is_signed_names_its_link() {
        let (one, other) = (PublicLinkId::mint(), PublicLinkId::mint());
        assert_ne!(passphrase_subject(one, "open"), passphrase_subject(other, "open"));
        assert_ne!(admission_subject(one, b"x", 1), admission_subject(one, b"x", 2));
    }
}
