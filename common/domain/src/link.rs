//! Links that show one picture, or an item's media, for a while, to whoever has them: signed, so that no credential is
//! needed and none other can be made (contract §12).
//!
//! A browser's `<img>` sends no `Authorization`. The signature is over the item, what of it is shown and the second at
//! which the link ends, under a key that is derived from `MWS_SECRET_KEY` for this alone. Links made within half of
//! their time are the same, so that what was fetched once is not fetched again. Nothing here reads a clock: the times
//! are handed in.

use super::signature::digest;
use crate::ids::{ItemId, RequestId};
use std::fmt;
use std::str::FromStr;
use subtle::ConstantTimeEq;

/// Keeps the derived key apart from any other use of the secret.
const PURPOSE: &[u8] = b"mws picture links 1";
/// Bytes of a signature: as hard to guess as an id.
const SIGNATURE_BYTES: usize = 16;
/// Seconds after which a link to a picture has ended for certain.
pub const PICTURE_SECONDS: u32 = 7_200;

/// A picture of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// Of the whole item.
    Item,
    /// Of one of its moments, by its number.
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

/// A text that names no picture.
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

/// What of an item a link shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// Its own bytes.
    Media,
    /// A picture of it.
    Picture(Picture),
}

impl From<Picture> for Shown {
    fn from(picture: Picture) -> Self {
        Self::Picture(picture)
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // No picture is called so.
            Self::Media => f.write_str("media"),
            Self::Picture(picture) => picture.fmt(f),
        }
    }
}

/// What links are signed with: the current secret first, and those before it, which only verify.
pub struct LinkKeys(Vec<[u8; 32]>);

impl LinkKeys {
    /// Keys derived from these secrets.
    pub fn derived<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        Self(secrets.into_iter().map(|secret| digest(secret.as_bytes(), &[PURPOSE])).collect())
    }

    /// The signature of a link to this that ends at this unix second.
    pub fn sign(&self, item: ItemId, shown: impl Into<Shown>, expires: i64) -> String {
        let key = self.0.first().copied().unwrap_or_default();
        hex::encode(signature(&key, item, shown.into(), expires))
    }

    /// What is secret of an answer that may be asked for again under an Idempotency-Key: the same for the same call and
    /// key, so that only its hash has to be kept. One by each secret, the current one first.
    pub fn repeatable(&self, call: RequestId, key: &str) -> impl Iterator<Item = [u8; 32]> {
        self.0.iter().map(move |seed| digest(seed, &[format!("once {call} ").as_bytes(), key.as_bytes()]))
    }

    /// A code over this text, which only this service can make.
    pub fn code(&self, subject: &str) -> [u8; 32] {
        coded(&self.0.first().copied().unwrap_or_default(), subject)
    }

    /// The same with each of the secrets, the current one first.
    pub fn codes(&self, subject: &str) -> impl Iterator<Item = [u8; 32]> {
        self.0.iter().map(move |key| coded(key, subject))
    }

    /// Whether this is the code of that text, made with any of the secrets. In constant time.
    pub fn is_code(&self, subject: &str, given: &[u8]) -> bool {
        self.0.iter().any(|key| bool::from(coded(key, subject).as_slice().ct_eq(given)))
    }

    /// Whether this is the signature of that link. In constant time.
    pub fn verifies(&self, item: ItemId, shown: impl Into<Shown>, expires: i64, given: &str) -> bool {
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

/// The unix second at which a link ends that is made now and lasts for at most `seconds`: after half of them to all, at
/// a multiple of their half.
pub const fn expiry(now: i64, seconds: u32) -> i64 {
    let half = seconds.div_ceil(2) as i64;
    let half = if half == 0 { 1 } else { half };
    now - now.rem_euclid(half) + 2 * half
}

/// Behind a word that no other text which is signed begins with.
fn coded(key: &[u8], subject: &str) -> [u8; 32] {
    digest(key, &[b"code ", subject.as_bytes()])
}

fn signature(key: &[u8], item: ItemId, shown: Shown, expires: i64) -> Vec<u8> {
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
        let media = keys.sign(item, Shown::Media, 7_200);
        assert!(keys.verifies(item, Shown::Media, 7_200, &media));
        assert!(!keys.verifies(item, Picture::Item, 7_200, &media));
        assert!(!keys.verifies(ItemId::mint(), Shown::Media, 7_200, &media));
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
