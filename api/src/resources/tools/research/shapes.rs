//! The shapes of the research tools' requests and answers.

use crate::http::paging::Limit;
use crate::http::text::{Text, Time, True};
use poem_openapi::Object;
use store::posts::PostRow;

/// Which posts to pull.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct PullPosts {
    /// The URL of a feed or a page: HTTPS and publicly reachable, as each of up to five redirects must be.
    pub url: Text,
    /// The number of posts to take from a feed, 1 to 50; 50 when not given.
    #[oai(validator(minimum(value = "1"), maximum(value = "50")))]
    pub limit: Option<u32>,
}

/// Which posts to list.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ListPosts {
    /// Only posts that contain this in their title, their author, a tag or the first thousand characters of their text,
    /// ignoring case; at most 200 characters.
    pub query: Option<Text>,
    /// Only posts that were pulled by this URL.
    pub source: Option<Text>,
    /// Only posts that are kept (`true`), or that are not (`false`).
    pub kept: Option<bool>,
    /// Posts to show, 1 to 100; 20 when not given.
    pub limit: Option<Limit>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<Text>,
}

/// Which post to keep.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct KeepPost {
    /// The post.
    pub post_id: Text,
    /// All of its tags from now on: at most 20, each of 1 to 64 characters.
    #[oai(validator(max_items = 20))]
    pub tags: Option<Vec<Text>>,
    /// Whether to import its first media as an item.
    pub import_media: Option<bool>,
}

/// Which post.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct OnePost {
    /// The post.
    pub post_id: Text,
}

/// A link to media that a post shows.
#[derive(Debug, Object)]
pub struct PostMedia {
    /// The URL of the media.
    pub url: Text,
    /// Its media type, as the post says; null when the post does not say.
    pub content_type: Option<Text>,
}

/// A post.
#[derive(Debug, Object)]
pub struct Post {
    /// Its id.
    pub id: Text,
    /// The URL that it was last pulled by.
    pub source: Text,
    /// The URL of the post.
    pub url: Text,
    /// Its author, as the post says; null when it does not.
    pub author: Option<Text>,
    /// Its title, or null.
    pub title: Option<Text>,
    /// Its text: plain text, at most 10,000 characters.
    pub text: Text,
    /// When it was published, as the post says; null when it does not.
    pub published_at: Option<Time>,
    /// Links to the media that it shows.
    pub media: Vec<PostMedia>,
    /// The SHA-256 of its content: it changes when the post is edited.
    pub sha256: Text,
    /// Its tags.
    pub tags: Vec<Text>,
    /// When it was kept; null when it is not kept.
    pub kept_at: Option<Time>,
    /// The item that its media was imported as, or null.
    pub item_id: Option<Text>,
    /// When it was last pulled.
    pub pulled_at: Time,
}

impl From<PostRow> for Post {
    fn from(row: PostRow) -> Self {
        let text = |value: &serde_json::Value| value.as_str().map(Text::of);
        let media = row.media.as_array().into_iter().flatten();
        let media = media
            .filter_map(|link| Some(PostMedia { url: text(&link["url"])?, content_type: text(&link["content_type"]) }));
        Self {
            id: Text::of(row.id),
            source: Text(row.source),
            url: Text(row.url),
            author: row.author.map(Text),
            title: row.title.map(Text),
            text: Text(row.text),
            published_at: row.published_at.map(Time),
            media: media.collect(),
            sha256: Text(hex::encode(row.sha256)),
            tags: row.tags.into_iter().map(Text).collect(),
            kept_at: row.kept_at.map(Time),
            item_id: row.item_id.map(Text::of),
            pulled_at: Time(row.pulled_at),
        }
    }
}

/// The posts that were pulled.
#[derive(Debug, Object)]
pub struct PulledPosts {
    /// The posts, in the feed's order.
    pub posts: Vec<Post>,
}

/// A page of the workspace's posts.
#[derive(Debug, Object)]
pub struct PostPage {
    /// The posts, newest first.
    pub posts: Vec<Post>,
    /// Whether there are posts after these.
    pub has_more: bool,
    /// Pass it as `cursor` for the posts after these; null on the last page.
    pub next_cursor: Option<Text>,
}

/// A post.
#[derive(Debug, Object)]
pub struct PostAnswer {
    /// The post.
    pub post: Post,
}

/// The post that was deleted.
#[derive(Debug, Object)]
pub struct DeletedPost {
    /// Its id.
    pub post_id: Text,
    /// Always true.
    pub deleted: True,
}
