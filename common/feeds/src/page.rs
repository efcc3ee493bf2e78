//! A page as a post, from its Open Graph data, and the oEmbed data that adds to it.

use crate::html::{Head, head, plain};
use crate::{MOST_MEDIA, MOST_TEXT_CHARACTERS, MediaLink, Post, canonical, is_dated, line};
use chrono::{DateTime, Utc};
use serde_json::Value;
use url::Url;

/// The parts of a page's oEmbed data that are used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Embed {
    /// The author's name.
    pub author: Option<String>,
    /// The title.
    pub title: Option<String>,
}

/// Returns a page as a post, and the URL of its oEmbed data; none when it has neither title nor description.
pub(crate) fn post(html: &str, url: &Url) -> Option<(Post, Option<Url>)> {
    let head = head(html);
    let title = head.said(&["og:title", "twitter:title"]).and_then(line).or_else(|| line(&head.title));
    let description = head.said(&["og:description", "twitter:description", "description"]);
    let text = plain(description.unwrap_or_default(), MOST_TEXT_CHARACTERS);
    if title.is_none() && text.is_empty() {
        return None;
    }
    let published = head.said(&["article:published_time", "og:published_time", "date"]);
    let post = Post {
        url: head.url(url)?,
        author: head.said(&["article:author", "author"]).filter(|name| !name.starts_with("http")).and_then(line),
        title,
        text,
        published_at: published
            .and_then(|time| DateTime::parse_from_rfc3339(time.trim()).ok())
            .map(Into::<DateTime<Utc>>::into)
            .filter(is_dated),
        media: head.media(url),
    };
    Some((post, head.embed(url)))
}

/// Returns the parts of an oEmbed response that are used; none when it is no JSON object.
pub fn embed(bytes: &[u8]) -> Option<Embed> {
    let said: Value = serde_json::from_slice(bytes).ok()?;
    said.as_object()?;
    let field = |name: &str| said[name].as_str().and_then(|text| line(&plain(text, MOST_TEXT_CHARACTERS)));
    Some(Embed { author: field("author_name"), title: field("title") })
}

impl Head {
    /// Returns the first of these facts, by name, that is present and not empty.
    fn said(&self, names: &[&str]) -> Option<&str> {
        let mut found = names.iter().filter_map(|name| {
            let meta = self.metas.iter().find(|(known, content)| known == name && !content.trim().is_empty());
            meta.map(|(_, content)| content.as_str())
        });
        found.next()
    }

    /// Returns the URL that the page gives as its own, if it has the page's host; otherwise the URL that was fetched.
    fn url(&self, asked: &Url) -> Option<Url> {
        let link = self.links.iter().find(|(rel, _, _)| rel == "canonical").map(|(_, _, href)| href.as_str());
        let said = self.said(&["og:url"]).or(link).and_then(|said| canonical(said, asked));
        said.filter(|said| said.host_str() == asked.host_str()).or_else(|| canonical(asked.as_str(), asked))
    }

    fn media(&self, base: &Url) -> Vec<MediaLink> {
        let mut links: Vec<MediaLink> = Vec::new();
        for (kind, names) in [
            ("video", ["og:video:secure_url", "og:video:url", "og:video"]),
            ("audio", ["og:audio:secure_url", "og:audio:url", "og:audio"]),
            ("image", ["og:image:secure_url", "og:image:url", "og:image"]),
        ] {
            let url = self.said(&names).and_then(|url| canonical(url, base));
            let content_type = self.said(&[&format!("og:{kind}:type")]).and_then(line);
            // A player is a page, not media.
            let is_player = content_type.as_deref().is_some_and(|kind| kind.starts_with("text/"));
            links.extend(url.filter(|_| !is_player).map(|url| MediaLink { url, content_type }));
        }
        links.truncate(MOST_MEDIA);
        links
    }

    fn embed(&self, base: &Url) -> Option<Url> {
        let is_embed = |kind: &str| kind.eq_ignore_ascii_case("application/json+oembed");
        let link = self.links.iter().find(|(_, kind, _)| is_embed(kind))?;
        base.join(&link.2).ok().filter(|url| ["http", "https"].contains(&url.scheme()))
    }
}
