//! `add_comment`, `list_comments`, `update_comment`, `delete_comment`: comments on an item or a timeline
//! (docs/links.md).

mod shapes;

use crate::app::App;
use crate::app::beside::polled_beside;
use crate::auth::Auth;
use crate::contract::envelope::{Stored, ToolAnswer, Written};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, Code};
use crate::http::paging::Page;
use crate::http::text::{Text, True};
use crate::resources::tools::written::write_list;
use crate::usecases::comments::{Said, add_comment, delete_comment, subject, update_comment};
use crate::usecases::once::Once;
use domain::comment;
use domain::ids::CommentId;
use poem_openapi::OpenApi;
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use shapes::{
    AddComment, Comment, CommentAnswer, CommentPage, DeletedComment, ListComments, OneComment, UpdateComment,
};
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
        let mut conn = self.0.process.conn_of(caller.account_id).await?;
        let subject = subject(&mut conn, &caller, &name).await?;
        let page = Page::of("comments", subject.uuid(), limit, cursor.as_ref())?;
        let before = page.after.map(CommentId::from);
        let rows = polled_beside(comments::page(&mut conn, subject, resolved, before, page.fetch())).await?;
        drop(conn);
        let list = page.list(rows, |row| row.id.uuid(), Comment::from);
        let data = CommentPage { comments: list.data, has_more: list.has_more, next_cursor: list.next_cursor };
        Ok(write_list(&caller, data))
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
