//! The links that this service gives out: to pictures of an item, and to its media.
//!
//! A link is signed and expires (`domain::link`), because requests for it carry no credential. Whoever may see an item
//! is given its links with it. `thumbnails` and `media` serve what they lead to.

use crate::http::text::{Text, Time};
use chrono::{DateTime, Utc};
use domain::ids::{ItemId, RequestId};
use domain::link::{LinkKeys, LinkTarget, PICTURE_SECONDS, Picture, expiry};

/// Makes and checks the links.
#[derive(Debug)]
pub struct Links {
    keys: LinkKeys,
    base_url: String,
    media_seconds: u32,
}

impl Links {
    /// Links below `base_url`, signed with these keys; those to media last `media_seconds` at most.
    pub fn new(keys: LinkKeys, base_url: &str, media_seconds: u32) -> Self {
        Self { keys, base_url: base_url.to_owned(), media_seconds }
    }

    /// Secrets that a repeat of the same call derives again, the current key's first; see `LinkKeys`.
    pub fn repeatable(&self, call: RequestId, key: &str) -> impl Iterator<Item = [u8; 32]> {
        self.keys.repeatable(call, key)
    }

    /// A link to a picture, good for one to two hours from `now`, the database's.
    pub fn to(&self, item: ItemId, picture: Picture, now: DateTime<Utc>) -> Text {
        let expires = expiry(now.timestamp(), PICTURE_SECONDS);
        let signature = self.keys.sign(item, picture, expires);
        let base_url = &self.base_url;
        Text(format!("{base_url}/thumbnails/{item}/{picture}?expires={expires}&signature={signature}"))
    }

    /// A link to an item's media, and when it ends.
    pub fn to_media(&self, item: ItemId, now: DateTime<Utc>) -> (Text, Time) {
        let expires = expiry(now.timestamp(), self.media_seconds);
        let signature = self.keys.sign(item, LinkTarget::Media, expires);
        let base_url = &self.base_url;
        let link = Text(format!("{base_url}/media/{item}?expires={expires}&signature={signature}"));
        // A setting of a few days leads to no second that chrono can't represent.
        (link, Time(DateTime::from_timestamp(expires, 0).unwrap_or(now)))
    }

    /// A code over this text that only this service can make.
    pub fn code(&self, subject: &str) -> [u8; 32] {
        self.keys.code(subject)
    }

    /// The codes that the service has, or had, over this text: the current one first.
    pub fn codes(&self, subject: &str) -> impl Iterator<Item = [u8; 32]> {
        self.keys.codes(subject)
    }

    /// Whether this is the code of that text.
    pub fn is_code(&self, subject: &str, given: &[u8]) -> bool {
        self.keys.is_code(subject, given)
    }

    /// Whether this is the signature of that link.
    pub fn verifies(&self, item: ItemId, shown: impl Into<LinkTarget>, expires: i64, given: &str) -> bool {
        self.keys.verifies(item, shown, expires, given)
    }
}
