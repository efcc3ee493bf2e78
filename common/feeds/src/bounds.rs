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
/// Bytes of all relative `xml:base`: each is joined to the one around it, and all are kept.
const MOST_BASE_BYTES: usize = 16 << 10;

/// Whether a feed has more of anything than is allowed.
pub(crate) fn is_long(feed: &str) -> bool {
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
    count(b"=") > MOST_ATTRIBUTES || has_many_groups(feed, begins) || has_long_bases(feed)
}

fn has_many_groups(feed: &str, elements: usize) -> bool {
    let groups = feed.match_indices("group").filter(|(at, _)| feed[..*at].ends_with(['<', ':'])).count();
    groups * elements > MOST_COPIED_ELEMENTS || groups * feed.len() > MOST_COPIED_BYTES
}

/// Whether the URLs that stand in `xml:base`, joined, would be long. One that is absolute stands for itself.
fn has_long_bases(feed: &str) -> bool {
    const NAME: &str = "xml:base";
    let mut relative = 0;
    for (at, _) in feed.match_indices(NAME) {
        let Some(value) = quoted(&feed[at + NAME.len()..]) else { continue };
        let begins = |scheme: &str| value.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
        if !begins("https://") && !begins("http://") {
            relative += value.len();
        }
        if value.len() > MOST_URL_BYTES || relative > MOST_BASE_BYTES {
            return true;
        }
    }
    false
}

/// Returns the value that follows the name of an attribute; none where nothing quoted follows.
fn quoted(after: &str) -> Option<&str> {
    let after = after.trim_start().strip_prefix('=')?.trim_start();
    let quote = after.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    after[1..].split(quote).next()
}
