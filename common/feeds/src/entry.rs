//! One entry of a feed as a post.

use crate::html::plain;
use crate::{MOST_MEDIA, MOST_MEDIA_SEEN, MOST_TEXT_CHARACTERS, MediaLink, Post, canonical, is_dated, line};
use feed_rs::model::{Entry, Link};
use url::Url;

/// Returns an entry as a post; none when it has no URL.
pub(crate) fn post(entry: Entry, base: &Url) -> Option<Post> {
    let is_page = |link: &&Link| link.rel.as_deref().is_none_or(|rel| rel == "alternate");
    let link = entry.links.iter().find(is_page).map(|link| link.href.clone());
    // Without a link, an id that is a URL is taken as the post's URL.
    let url = link.or_else(|| Some(entry.id.clone()).filter(|id| id.starts_with("http")))?;
    let url = canonical(&url, base)?;
    let media = media(&entry, base);
    let body = entry.content.and_then(|content| content.body).or(entry.summary.map(|summary| summary.content));
    Some(Post {
        url,
        author: entry.authors.first().and_then(|person| person.name.as_deref()).and_then(line),
        title: entry.title.and_then(|title| line(&plain(&title.content, MOST_TEXT_CHARACTERS))),
        text: plain(&body.unwrap_or_default(), MOST_TEXT_CHARACTERS),
        published_at: [entry.published, entry.updated].into_iter().flatten().find(is_dated),
        media,
    })
}

/// Returns the enclosures and the media of an entry, each URL once, of the first [`MOST_MEDIA_SEEN`].
fn media(entry: &Entry, base: &Url) -> Vec<MediaLink> {
    let enclosed = entry.links.iter().filter(|link| link.rel.as_deref() == Some("enclosure"));
    let enclosed = enclosed.map(|link| (link.href.clone(), link.media_type.clone()));
    let shown = entry.media.iter().flat_map(|media| &media.content);
    let shown = shown.filter_map(|content| {
        Some((content.url.as_ref()?.to_string(), content.content_type.as_ref().map(ToString::to_string)))
    });
    let mut links: Vec<MediaLink> = Vec::new();
    for (url, content_type) in enclosed.chain(shown).take(MOST_MEDIA_SEEN) {
        let Some(url) = canonical(&url, base) else { continue };
        if links.len() < MOST_MEDIA && !links.iter().any(|link| link.url == url) {
            links.push(MediaLink { url, content_type: content_type.as_deref().and_then(line) });
        }
    }
    links
}
