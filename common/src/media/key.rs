//! Keys of the media store: where each object lies, decided in one place.
//!
//! It owns the naming. A key is made of typed ids or read back from a table, and either way holds nothing but plain
//! segments, so that no key can leave the store's folder. It never touches the store.

use crate::domain::read::Read;
use crate::ids::{ItemId, JobId, UploadId};
use std::fmt;
use std::str::FromStr;

/// The longest key, in bytes.
const LONGEST: usize = 512;

/// An object's key: segments of letters, digits, `_`, `-` and `.`, parted by `/`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MediaKey(String);

/// A text that is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a media key is made of segments of letters, digits, `_`, `-` and `.`")]
pub struct KeyError;

impl MediaKey {
    /// An item's own bytes.
    pub fn original(item: ItemId) -> Self {
        Self(format!("items/{item}/original"))
    }

    /// A rendered item's bytes. The claim's number is in the key, so that a worker which lost its lease can't write
    /// over what its successor made (interface.md, "Minutes": render).
    pub fn rendered(item: ItemId, claim_no: i64) -> Self {
        Self(format!("items/{item}/rendered-{}", claim_no.unsigned_abs()))
    }

    /// A read's result that is too large for its row (design.md, "Storage").
    pub fn read(item: ItemId, read: Read, job: JobId) -> Self {
        Self(format!("reads/{item}/{read}/{job}.json"))
    }

    /// An upload's bytes until it is complete.
    pub fn upload(upload: UploadId) -> Self {
        Self(format!("uploads/{upload}"))
    }

    /// What all results of an item's reads start with.
    pub fn reads_of(item: ItemId) -> Self {
        Self(format!("reads/{item}"))
    }

    /// A probe of the store's health.
    pub(super) fn probe(name: &str) -> Self {
        Self(format!("probes/{name}"))
    }

    /// The key as text, for the tables.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for MediaKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
        let segment = |segment: &str| !segment.is_empty() && !segment.starts_with('.') && segment.bytes().all(plain);
        if text.len() <= LONGEST && text.split('/').all(segment) { Ok(Self(text.to_owned())) } else { Err(KeyError) }
    }
}

impl fmt::Display for MediaKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_that_is_made_reads_back() {
        let (item, job) = (ItemId::mint(), JobId::mint());
        for key in [
            MediaKey::original(item),
            MediaKey::rendered(item, 3),
            MediaKey::read(item, Read::SearchIndex, job),
            MediaKey::upload(UploadId::mint()),
            MediaKey::reads_of(item),
        ] {
            assert_eq!(key.as_str().parse(), Ok(key));
        }
        let read = MediaKey::read(item, Read::Beats, job).to_string();
        assert_eq!(read, format!("reads/{item}/beats/{job}.json"));
    }

    #[test]
    fn no_key_leads_out_of_the_store() {
        let long = "a".repeat(LONGEST + 1);
        for text in [
            "",
            "/",
            "/etc/passwd",
            "..",
            "../x",
            "a/../b",
            "a/..",
            "a/./b",
            ".",
            "a//b",
            "a/",
            "/a",
            "a\\..\\b",
            "a%2e%2e",
            "%2e%2e/x",
            "a\0b",
            "a\nb",
            "C:/x",
            "a b",
            "ä",
            "a/.hidden",
            "a#1",
            "~/x",
            "a:b",
            "${HOME}",
            &long,
        ] {
            assert_eq!(text.parse::<MediaKey>(), Err(KeyError), "{text:?}");
        }
    }
}
