//! `add_comment`, `list_comments`, `update_comment`, `delete_comment`: comments on an item or a timeline
//! (docs/links.md).

use crate::app::App;
use crate::auth::Auth;
use crate::contract::envelope::{Stored, ToolAnswer, Written};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, Code};
use crate::http::paging::{Limit, Page};
use crate::http::text::{Text, Time, True};
use crate::resources::tools::written::written_list;
use crate::usecases::comments::{Said, add_comment, delete_comment, subject, update_comment};
use crate::usecases::once::Once;
use domain::comment;
use domain::footage::seconds;
use domain::ids::CommentId;
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use poem_openapi::{Enum, Object, OpenApi};
use store::comments::{self, CommentRow};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    (
        "POST /tools/add_comment",
        &[
            Code::RoleForbidden,
            Code::ItemNotFound,
            Code::TimelineNotFound,
            Code::WorkspaceForbidden,
            Code::CommentNotFound,
            Code::QuotaReached,
        ],
    ),
    (
        "POST /tools/list_comments",
        &[Code::ItemNotFound, Code::TimelineNotFound, Code::WorkspaceForbidden, Code::InvalidCursor],
    ),
    (
        "POST /tools/update_comment",
        &[Code::RoleForbidden, Code::CommentNotFound, Code::WorkspaceForbidden, Code::NotTheAuthor, Code::QuotaReached],
    ),
    ("POST /tools/delete_comment", &[Code::RoleForbidden, Code::CommentNotFound, Code::WorkspaceForbidden]),
];

/// The comments' tools.
pub struct CommentTools(pub App);

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

#[OpenApi(tag = "Tag::Library")]
impl CommentTools {
    /// Comment on an item or a timeline
    ///
    /// A comment is about the whole, a time, or a stretch, and may be about a part of the picture. Each item and each
    /// timeline has at most 10,000 comments, which are deleted with it. A comment on a timeline keeps its time when
    /// scenes before it change.
    #[oai(path = "/tools/add_comment", method = "post", operation_id = "add_comment")]
    async fn add_comment(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<AddComment>,
    ) -> Answer<Stored<ToolAnswer<CommentAnswer>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "add_comment", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let AddComment { subject, text, at, until, region, reply_to } = arguments.0;
        let reply_to = reply_to.map(|comment| comment.id(Code::CommentNotFound)).transpose()?;
        let said = Said { text: &text, at, until, region: region.map(comment::Region::from), reply_to };
        let show = |row: CommentRow| {
            ToolAnswer::new(&caller.request_id, CommentAnswer { comment: row.into() }).to_json_string()
        };
        Ok(add_comment(&self.0, &caller, &once, &subject, said, show).await?.into())
    }

    /// List comments on an item or a timeline
    ///
    /// Newest first, including replies.
    #[oai(path = "/tools/list_comments", method = "post", operation_id = "list_comments")]
    async fn list_comments(
        &self,
        auth: Auth,
        arguments: Json<ListComments>,
    ) -> Answer<Written<ToolAnswer<CommentPage>>> {
        let Auth(caller) = auth;
        let ListComments { subject: name, resolved, limit, cursor } = arguments.0;
        let mut conn = self.0.conn().await?;
        let subject = subject(&mut conn, &caller, &name).await?;
        let page = Page::of("comments", subject.uuid(), limit, cursor.as_ref())?;
        let before = page.after.map(CommentId::from);
        let rows = comments::page(&mut conn, subject, resolved, before, page.fetch()).await?;
        drop(conn);
        let list = page.list(rows, |row| row.id.uuid(), Comment::from);
        let data = CommentPage { comments: list.data, has_more: list.has_more, next_cursor: list.next_cursor };
        Ok(written_list(&self.0, &caller, data).await)
    }

    /// Change a comment
    ///
    /// Changes its text, which only its author may do, or whether it is resolved. Absent fields keep their values.
    #[oai(path = "/tools/update_comment", method = "post", operation_id = "update_comment")]
    async fn update_comment(
        &self,
        auth: Auth,
        arguments: Json<UpdateComment>,
    ) -> Answer<Json<ToolAnswer<CommentAnswer>>> {
        let Auth(caller) = auth;
        let UpdateComment { comment_id, text, resolved } = arguments.0;
        let comment = comment_id.id(Code::CommentNotFound)?;
        let row =
            update_comment(&self.0, &caller, comment, text.as_ref().map(|text| text.0.as_str()), resolved).await?;
        Ok(ToolAnswer::new(&caller.request_id, CommentAnswer { comment: row.into() }).json())
    }

    /// Delete a comment
    ///
    /// The replies to it are deleted too.
    #[oai(path = "/tools/delete_comment", method = "post", operation_id = "delete_comment")]
    async fn delete_comment(
        &self,
        auth: Auth,
        arguments: Json<OneComment>,
    ) -> Answer<Json<ToolAnswer<DeletedComment>>> {
        let Auth(caller) = auth;
        let comment: CommentId = arguments.0.comment_id.id(Code::CommentNotFound)?;
        delete_comment(&self.0, &caller, comment).await?;
        let data = DeletedComment { comment_id: Text::of(comment), deleted: True };
        Ok(ToolAnswer::new(&caller.request_id, data).json())
    }
}
