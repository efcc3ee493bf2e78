//! Posts of a feed or a page, from the bytes that were fetched: RSS, Atom and JSON Feed, and a page's Open Graph data
//! (contract §4.10).
//!
//! Pure: bytes in, posts out. Texts are plain: markup is removed. Nothing is fetched here, not even a URL that is
//! found, and everything is bounded, since the bytes come from a stranger.

mod bounds;
mod encoding;
mod entry;
mod html;
mod page;
mod shallow;

pub use page::{Embed, embed};

use chrono::{DateTime, Datelike, Utc};
use shallow::Shallow;
use std::thread;
use url::Url;

/// Bytes of a feed or a page that are read at most.
pub const MOST_BYTES: u64 = 2 << 20;
/// Characters of a post's text at most.
pub const MOST_TEXT_CHARACTERS: usize = 10_000;
/// Characters of a title, and of an author's name, at most.
pub const MOST_LINE_CHARACTERS: usize = 500;
/// Bytes of a URL at most.
pub const MOST_URL_BYTES: usize = 2_000;
/// Links to media of one post at most.
pub const MOST_MEDIA: usize = 8;
/// Links to media of one post that are looked at, at most.
const MOST_MEDIA_SEEN: usize = 100;
/// Entries that a feed may have: all of them are in memory at once.
const MOST_ENTRIES: usize = 2_000;
/// Elements or objects that a feed may have.
const MOST_ELEMENTS: usize = 100_000;
/// Entities (`&lt;`) that a feed may have, and that are read of a page: each costs as much as an element. Two megabytes
/// of HTML that is written with entities have some 70,000.
const MOST_ENTITIES: usize = 100_000;
/// Bytes of a URL that are read at most: it may be shorter once its tracking parameters are gone.
const MOST_RAW_URL_BYTES: usize = 8 * MOST_URL_BYTES;
/// The stack for the parser of feeds, and what it may use of it while it reads: the rest is for what it does with that.
const STACK_BYTES: usize = 64 << 20;
const MOST_STACK_BYTES: usize = STACK_BYTES / 2;
/// Bytes that no XML may have. The parser would take some for UTF-16 or ISO-2022-JP, though nothing names these, and
/// find what was not counted.
const NEVER_IN_XML: [u8; 2] = [0, 0x1b];

/// A post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Post {
    /// Its URL, without tracking parameters, so that one post has one URL.
    pub url: Url,
    /// Its author's name.
    pub author: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Its plain text.
    pub text: String,
    /// When it was published, according to itself.
    pub published_at: Option<DateTime<Utc>>,
    /// Links to its media.
    pub media: Vec<MediaLink>,
}

/// A link to media.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaLink {
    /// The URL of the media.
    pub url: Url,
    /// The media type that the link gives.
    pub content_type: Option<String>,
}

/// What the bytes contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundPosts {
    /// A feed: its first posts, in its own order.
    Feed(Vec<Post>),
    /// A page: the post that it is, and the URL of its oEmbed data, if it has any.
    Page(Box<Post>, Option<Url>),
}

/// Why there are no posts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FeedError {
    /// Neither a feed nor a page.
    #[error("it is neither a feed (RSS, Atom, JSON Feed) nor a page")]
    Neither,
    /// A feed that can't be read.
    #[error("the feed can't be read: its XML or JSON is broken")]
    Broken,
    /// A feed that would take too much memory or time to read.
    #[error(
        "the feed has more than {MOST_ENTRIES} entries, more than {MOST_ELEMENTS} elements, attributes or entities, or \
         more groups of media than a feed needs, or too many for the length of its URL"
    )]
    TooLong,
    /// A page without a title and a description.
    #[error("the page has no title and no description")]
    Empty,
}

/// Reads up to `limit` posts from the bytes that were fetched from `url`.
///
/// # Errors
/// [`FeedError`].
pub fn found(bytes: &[u8], content_type: Option<&str>, url: &Url, limit: usize) -> Result<FoundPosts, FeedError> {
    let text = encoding::decoded(bytes, content_type).ok_or(FeedError::Broken)?;
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if is_feed(start) {
        let mut feed = encoding::without_declaration(start).as_bytes().to_vec();
        if bounds::is_long(start, url.as_str().len() + bounds::keep_one_base(&mut feed)) {
            return Err(FeedError::TooLong);
        }
        if feed.iter().any(|byte| NEVER_IN_XML.contains(byte)) {
            return Err(FeedError::Broken);
        }
        return parsed(&feed, url, limit).map(FoundPosts::Feed);
    }
    let says_html = content_type.is_none_or(|kind| kind.to_ascii_lowercase().contains("html"));
    if !says_html || !start.starts_with('<') {
        return Err(FeedError::Neither);
    }
    page::post(&text, url).map(|(post, more)| FoundPosts::Page(Box::new(post), more)).ok_or(FeedError::Empty)
}

/// Parses a feed into posts, on a stack of its own. What was parsed is dropped there too: categories within categories
/// are dropped by a call for each.
fn parsed(bytes: &[u8], url: &Url, limit: usize) -> Result<Vec<Post>, FeedError> {
    let parse = || {
        let parser = feed_rs::parser::Builder::new().base_uri(Some(url.as_str())).build();
        let feed = parser.parse(Shallow::new(bytes, MOST_STACK_BYTES)).map_err(|_| FeedError::Broken)?;
        Ok(feed.entries.into_iter().filter_map(|entry| entry::post(entry, url)).take(limit).collect())
    };
    thread::scope(|scope| {
        let parsing = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, parse);
        let parsing = parsing.map_err(|_| FeedError::Broken)?;
        parsing.join().unwrap_or(Err(FeedError::Broken))
    })
}

/// Whether a text begins like a feed: with the root of RSS or Atom, after a prolog if there is one, or with JSON Feed's
/// version.
fn is_feed(start: &str) -> bool {
    let head: String = start.chars().take(4_096).collect();
    if head.starts_with('{') {
        return head.contains("jsonfeed.org/version");
    }
    let root = ["<rss", "<feed", "<rdf:RDF"].iter().filter_map(|root| head.find(root)).min();
    let page = head.to_ascii_lowercase().find("<html");
    root.is_some_and(|root| page.is_none_or(|page| root < page))
}

/// Returns a URL in the form that tells posts apart: http or https, without a fragment, without tracking parameters,
/// and without a user and a password, which nobody else is to see. None when it is no such URL, or too long.
fn canonical(url: &str, base: &Url) -> Option<Url> {
    let url = Some(url.trim()).filter(|url| url.len() <= MOST_RAW_URL_BYTES)?;
    let mut url = base.join(url).ok().filter(|url| ["http", "https"].contains(&url.scheme()))?;
    url.set_fragment(None);
    url.set_username("").and_then(|()| url.set_password(None)).ok()?;
    let is_kept = |name: &str| !name.starts_with("utm_") && !["fbclid", "gclid", "mc_cid", "mc_eid"].contains(&name);
    let kept: Vec<(String, String)> =
        url.query_pairs().filter(|(name, _)| is_kept(name)).map(|(name, value)| (name.into(), value.into())).collect();
    if kept.len() < url.query_pairs().count() {
        url.set_query(None);
        if !kept.is_empty() {
            url.query_pairs_mut().extend_pairs(kept);
        }
    }
    (url.as_str().len() <= MOST_URL_BYTES).then_some(url)
}

/// Whether something may have been published then. Other years are none (decision 620): one of five digits can't be
/// written as a time of the contract, and with the year 1 programs say that they know none. Archives date what was
/// printed long before the web.
fn is_dated(time: &DateTime<Utc>) -> bool {
    (1_000..=9_999).contains(&time.year())
}

/// Returns a text as one line: white space folded, no control characters, cut to its bound. None when nothing is left.
fn line(text: &str) -> Option<String> {
    let visible: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let folded = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = folded.chars().take(MOST_LINE_CHARACTERS).collect();
    (!line.is_empty()).then_some(line)
}

#[cfg(test)]
mod tests;
