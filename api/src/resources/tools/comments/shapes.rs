//! The shapes of comments: what the tools take, and what they answer.

use crate::http::paging::Limit;
use crate::http::text::{Text, Time, True};
use domain::comment;
use domain::footage::seconds;
use poem_openapi::{Enum, Object};
use store::comments::CommentRow;

/// A rectangle of the picture, in fractions of its width and height from its upper left corner.
#[derive(Debug, Clone, Copy, Object)]
#[oai(deny_unknown_fields, rename = "CommentRegion")]
pub struct Region {
    /// Its left edge, 0 to 1.
    pub x: f64,
    /// Its upper edge, 0 to 1.
    pub y: f64,
    /// Its width; `x` + `width` is at most 1.
    pub width: f64,
    /// Its height; `y` + `height` is at most 1.
    pub height: f64,
}

impl From<Region> for comment::Region {
    fn from(region: Region) -> Self {
        let Region { x, y, width, height } = region;
        Self { x, y, width, height }
    }
}

/// A comment to add.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct AddComment {
    /// An item ref, an item id, the id of the job that made the item, or a timeline's id.
    #[oai(rename = "ref")]
    pub subject: Text,
    /// Its text, 1 to 5,000 characters of plain text.
    pub text: Text,
    /// The time of the item or the timeline that it is about, in seconds; without it, it is about the whole.
    pub at: Option<f64>,
    /// The end of the stretch that it is about, in seconds; after `at`.
    pub until: Option<f64>,
    /// The part of the picture that it is about.
    pub region: Option<Region>,
    /// The comment that it replies to. A reply to a reply belongs to the same thread.
    pub reply_to: Option<Text>,
}

/// Which comments to list.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ListComments {
    /// An item ref, an item id, the id of the job that made the item, or a timeline's id.
    #[oai(rename = "ref")]
    pub subject: Text,
    /// Only comments that are resolved (`true`), or that are not (`false`).
    pub resolved: Option<bool>,
    /// Comments to show, 1 to 100; 20 when not given.
    pub limit: Option<Limit>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<Text>,
}

/// What to change in a comment. Absent fields keep their values.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct UpdateComment {
    /// The comment.
    pub comment_id: Text,
    /// Its new text; only its author may change it.
    pub text: Option<Text>,
    /// Whether it is resolved.
    pub resolved: Option<bool>,
}

/// Which comment.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct OneComment {
    /// The comment.
    pub comment_id: Text,
}

/// The kinds of authors of comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum AuthorKind {
    /// A user who signed in.
    User,
    /// An API key, or a script session that it made.
    Key,
    /// A visitor of a public link, with the name that they entered.
    Guest,
}

/// The author of a comment.
#[derive(Debug, Object)]
pub struct CommentAuthor {
    /// The kind of author.
    #[oai(rename = "type")]
    pub kind: AuthorKind,
    /// The id of the user, of the key, or of the public link that a guest came by.
    pub id: Option<Text>,
    /// The author's name, or null.
    pub name: Option<Text>,
}

/// A comment on an item or a timeline.
#[derive(Debug, Object)]
pub struct Comment {
    /// Its id.
    pub id: Text,
    /// The item; null when the comment is on a timeline.
    pub item_id: Option<Text>,
    /// The timeline; null when the comment is on an item.
    pub timeline_id: Option<Text>,
    /// The comment that began the thread; null when this one began it.
    pub reply_to: Option<Text>,
    /// Its text: plain text, never HTML.
    pub text: Text,
    /// The time that the comment is about, in seconds; null when it is about the whole.
    pub at: Option<f64>,
    /// The end of the stretch that it is about, in seconds; null when there is none.
    pub until: Option<f64>,
    /// The part of the picture that it is about; null when it is about all of it.
    pub region: Option<Region>,
    /// Its author.
    pub author: CommentAuthor,
    /// When somebody resolved it; null while it is unresolved.
    pub resolved_at: Option<Time>,
    /// When it was written.
    pub created_at: Time,
    /// When its text, or whether it is resolved, last changed.
    pub updated_at: Time,
}

impl From<CommentRow> for Comment {
    fn from(row: CommentRow) -> Self {
        let (kind, id) = match (row.user_id, row.key_id) {
            (Some(user), _) => (AuthorKind::User, Some(Text::of(user))),
            (None, Some(key)) => (AuthorKind::Key, Some(Text::of(key))),
            (None, None) => (AuthorKind::Guest, row.link_id.map(Text::of)),
        };
        let name = row.author_name.filter(|name| !name.is_empty()).map(Text);
        let region = row.region.map(|region| {
            let comment::Region { x, y, width, height } = region.0;
            Region { x, y, width, height }
        });
        Self {
            id: Text::of(row.id),
            item_id: row.item_id.map(Text::of),
            timeline_id: row.timeline_id.map(Text::of),
            reply_to: row.reply_to.map(Text::of),
            text: Text(row.text),
            at: row.at_ms.map(seconds),
            until: row.until_ms.map(seconds),
            region,
            author: CommentAuthor { kind, id, name },
            resolved_at: row.resolved_at.map(Time),
            created_at: Time(row.created_at),
            updated_at: Time(row.updated_at),
        }
    }
}

/// A comment.
#[derive(Debug, Object)]
pub struct CommentAnswer {
    /// The comment.
    pub comment: Comment,
}

/// A page of comments.
#[derive(Debug, Object)]
pub struct CommentPage {
    /// The comments, newest first.
    pub comments: Vec<Comment>,
    /// Whether there are comments after these.
    pub has_more: bool,
    /// Pass it as `cursor` for the comments after these; null on the last page.
    pub next_cursor: Option<Text>,
}

/// The comment that was deleted.
#[derive(Debug, Object)]
pub struct DeletedComment {
    /// Its id.
    pub comment_id: Text,
    /// Always true.
    pub deleted: True,
}
