//! What a feed may have, so that its parser can't be made to take much memory or time. All of it is counted in the
//! bytes before they are parsed. What a text or a comment has counts too: a count that followed the structure would
//! have to find the same structure as the parser.

use crate::{MOST_ELEMENTS, MOST_ENTITIES, MOST_ENTRIES, MOST_URL_BYTES};

/// Attributes, or what looks like them: the parser compares one that a tag has twice with all others of the tag.
const MOST_ATTRIBUTES: usize = 100_000;
/// Elements that the parser may have to copy: each group of media (`media:group`) gets those that stand beside it.
const MOST_COPIED_ELEMENTS: usize = 600_000;
/// Bytes of the same.
const MOST_COPIED_BYTES: usize = 64 << 20;
/// Each element gets a copy of the URL that its own are joined to, and each URL that is found is one.
const MOST_JOINED_BYTES: usize = 64 << 20;
/// The attribute that gives the URL to which an element's URLs are joined, and a name of that length which is nothing.
const BASE: &[u8] = b"xml:base";
const NO_BASE: &[u8] = b"xml:none";

/// Whether a feed has more of anything than is allowed. Its URLs are joined to one of `base_bytes` bytes.
pub(crate) fn is_long(feed: &str, base_bytes: usize) -> bool {
    let many = |what: &str| feed.matches(what).take(MOST_ENTRIES + 1).count() > MOST_ENTRIES;
    if many("<item") || many("<entry") || many(":item") || many(":entry") {
        return true;
    }
    let count = |wanted: &[u8]| feed.bytes().filter(|byte| wanted.contains(byte)).count();
    let begins = count(b"<{[");
    if begins > MOST_ELEMENTS || count(b"&") > MOST_ENTITIES {
        return true;
    }
    if feed.starts_with('{') {
        // An entry of JSON Feed has objects of its own: its authors, its attachments.
        return count(b"{") > 5 * MOST_ENTRIES;
    }
    count(b"=") > MOST_ATTRIBUTES || has_many_groups(feed, begins) || begins * base_bytes > MOST_JOINED_BYTES
}

fn has_many_groups(feed: &str, elements: usize) -> bool {
    let groups = feed.match_indices("group").filter(|(at, _)| feed[..*at].ends_with(['<', ':'])).count();
    groups * elements > MOST_COPIED_ELEMENTS || groups * feed.len() > MOST_COPIED_BYTES
}

/// Leaves the feed its first `xml:base`, and returns how many bytes its URLs may have by it. Later ones are renamed, so
/// that the parser does not know them: it would join each to the one around it, without a bound, and keep them all.
pub(crate) fn keep_one_base(feed: &mut [u8]) -> usize {
    let (mut kept, mut from) = (None, 0);
    while let Some(at) = feed[from..].windows(BASE.len()).position(|bytes| bytes == BASE) {
        let (begins, ends) = (from + at, from + at + BASE.len());
        match quoted_bytes(&feed[ends..]) {
            // A byte that a URL may not have takes three.
            Some(bytes) if kept.is_none() && bytes <= MOST_URL_BYTES => kept = Some(3 * bytes),
            _ => feed[begins..ends].copy_from_slice(NO_BASE),
        }
        from = ends;
    }
    kept.unwrap_or(0)
}

/// Returns the length of the quoted value that follows the name of an attribute; none where nothing quoted follows.
fn quoted_bytes(after: &[u8]) -> Option<usize> {
    let after = after.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, value) = after.split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    value.iter().position(|byte| byte == quote)
}
