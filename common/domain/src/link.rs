//! Links that show one picture, or an item's media, for a limited time to whoever has them: they are signed, so that
//! they need no credential and nobody can make others (contract §12).
//!
//! A browser's `<img>` sends no `Authorization`. The signature covers the item, the part of it that is shown and the
//! second at which the link ends, under a key that is derived from `MWS_SECRET_KEY` for this alone. Links made within
//! half of their lifetime are identical, so that browsers can cache what they show. Nothing here reads a clock: times
//! are arguments.

use super::signature::digest;
use crate::ids::{ItemId, RequestId};
use std::fmt;
use std::str::FromStr;
use subtle::ConstantTimeEq;

/// Separates the derived key from any other use of the secret.
const PURPOSE: &[u8] = b"mws picture links 1";
/// Bytes of a signature: as hard to guess as an id.
const SIGNATURE_BYTES: usize = 16;
/// The longest lifetime of a link to a picture, in seconds.
pub const PICTURE_SECONDS: u32 = 7_200;

/// A picture of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// The picture of the whole item.
    Item,
    /// The picture of one of its moments, by the moment's number.
    Moment(i32),
}

impl fmt::Display for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Item => f.write_str("item"),
            Self::Moment(number) => write!(f, "m{number}"),
        }
    }
}

/// A text that is no picture's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected `item`, or `m` and a moment's number")]
pub struct NoPicture;

impl FromStr for Picture {
    type Err = NoPicture;

    fn from_str(text: &str) -> Result<Self, NoPicture> {
        if text == "item" {
            return Ok(Self::Item);
        }
        text.strip_prefix('m').and_then(|number| number.parse().ok()).map(Self::Moment).ok_or(NoPicture)
    }
}

/// The part of an item that a link shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkTarget {
    /// The media itself.
    Media,
    /// A picture.
    Picture(Picture),
}

impl From<Picture> for LinkTarget {
    fn from(picture: Picture) -> Self {
        Self::Picture(picture)
    }
}

impl fmt::Display for LinkTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // No picture has this name.
            Self::Media => f.write_str("media"),
            Self::Picture(picture) => picture.fmt(f),
        }
    }
}

/// The keys of links: the current one, which signs, and earlier ones, which only verify.
pub struct LinkKeys(Vec<[u8; 32]>);

impl LinkKeys {
    /// Returns the keys that are derived from these secrets, the current one first.
    pub fn derived<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        Self(secrets.into_iter().map(|secret| digest(secret.as_bytes(), &[PURPOSE])).collect())
    }

    /// Returns the signature of a link to this part of the item, which ends at this unix second.
    pub fn sign(&self, item: ItemId, shown: impl Into<LinkTarget>, expires: i64) -> String {
        let key = self.0.first().copied().unwrap_or_default();
        hex::encode(signature(&key, item, shown.into(), expires))
    }

    /// Returns the secret of an answer that may be repeated under an Idempotency-Key: it is the same for the same call
    /// and key, so that only its hash is stored. One per key, the current one first.
    pub fn repeatable(&self, call: RequestId, key: &str) -> impl Iterator<Item = [u8; 32]> {
        self.0.iter().map(move |seed| digest(seed, &[format!("once {call} ").as_bytes(), key.as_bytes()]))
    }

    /// Returns a code for this text, which only this service can make.
    pub fn code(&self, subject: &str) -> [u8; 32] {
        coded(&self.0.first().copied().unwrap_or_default(), subject)
    }

    /// Returns the codes for this text with all keys, the current one first.
    pub fn codes(&self, subject: &str) -> impl Iterator<Item = [u8; 32]> {
        self.0.iter().map(move |key| coded(key, subject))
    }

    /// Whether this is the code for that text with any of the keys; compared in constant time.
    pub fn is_code(&self, subject: &str, given: &[u8]) -> bool {
        self.0.iter().any(|key| bool::from(coded(key, subject).as_slice().ct_eq(given)))
    }

    /// Whether this is the signature of that link with any of the keys; compared in constant time.
    pub fn verifies(&self, item: ItemId, shown: impl Into<LinkTarget>, expires: i64, given: &str) -> bool {
        let Ok(given) = hex::decode(given) else { return false };
        let shown = shown.into();
        let matches = |key: &[u8; 32]| bool::from(signature(key, item, shown, expires).as_slice().ct_eq(&given));
        self.0.iter().any(matches)
    }
}

impl fmt::Debug for LinkKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LinkKeys({})", self.0.len())
    }
}

/// Returns the unix second at which a link ends that is made now: a multiple of half of `seconds`, and after half to
/// all of `seconds`.
pub const fn expiry(now: i64, seconds: u32) -> i64 {
    let half = seconds.div_ceil(2) as i64;
    let half = if half == 0 { 1 } else { half };
    now - now.rem_euclid(half) + 2 * half
}

/// Returns the code, over a prefix that no other signed text begins with.
fn coded(key: &[u8], subject: &str) -> [u8; 32] {
    digest(key, &[b"code ", subject.as_bytes()])
}

fn signature(key: &[u8], item: ItemId, shown: LinkTarget, expires: i64) -> Vec<u8> {
    let mut signature = digest(key, &[format!("{item}/{shown}/{expires}").as_bytes()]).to_vec();
    signature.truncate(SIGNATURE_BYTES);
    signature
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_good_for_its_picture_and_its_time_alone() {
        let (keys, item) = (LinkKeys::derived(["secret"]), ItemId::mint());
        let signature = keys.sign(item, Picture::Moment(3), 7_200);
        assert_eq!(signature.len(), 32);
        assert!(keys.verifies(item, Picture::Moment(3), 7_200, &signature));
        assert!(!keys.verifies(item, Picture::Moment(3), 10_800, &signature));
        assert!(!keys.verifies(item, Picture::Item, 7_200, &signature));
        assert!(!keys.verifies(ItemId::mint(), Picture::Moment(3), 7_200, &signature));
        for wrong in ["", "zz", &signature[..30], &signature.replace(&signature[..2], "00")] {
            assert!(!keys.verifies(item, Picture::Moment(3), 7_200, wrong) || signature.starts_with("00"), "{wrong}");
        }
        let rotated = LinkKeys::derived(["new", "secret"]);
        assert!(rotated.verifies(item, Picture::Moment(3), 7_200, &signature));
        assert_ne!(rotated.sign(item, Picture::Moment(3), 7_200), signature);
    }

    #[test]
    fn a_link_lasts_half_of_its_time_to_all_of_it_and_is_the_same_within_one_half() {
        let ends = |now| expiry(now, PICTURE_SECONDS);
        assert_eq!((ends(0), ends(3_599), ends(3_600)), (7_200, 7_200, 10_800));
        assert_eq!((expiry(30, 61), expiry(31, 61)), (62, 93));
        assert_eq!(expiry(5, 0), 7);
    }

    #[test]
    fn a_link_to_a_picture_is_none_to_the_media() {
        let (keys, item) = (LinkKeys::derived(["secret"]), ItemId::mint());
        let media = keys.sign(item, LinkTarget::Media, 7_200);
        assert!(keys.verifies(item, LinkTarget::Media, 7_200, &media));
        assert!(!keys.verifies(item, Picture::Item, 7_200, &media));
        assert!(!keys.verifies(ItemId::mint(), LinkTarget::Media, 7_200, &media));
        assert_eq!("media".parse::<Picture>(), Err(NoPicture));
    }

    #[test]
    fn pictures_are_named() {
        for picture in [Picture::Item, Picture::Moment(12)] {
            assert_eq!(picture.to_string().parse(), Ok(picture));
        }
        for wrong in ["", "m", "mx", "items", "../x"] {
            assert_eq!(wrong.parse::<Picture>(), Err(NoPicture), "{wrong}");
        }
    }
}
