//! Comments on items and timelines: written by those who work in the workspace, or by guests of an item's public link.
//!
//! A comment is added under the lock of its subject's comments, so that two requests can't both be the last that fits.
//! Only its author may change its words; whoever works in the workspace may delete it.

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::document_reads;
use crate::usecases::library::reach;
use crate::usecases::once::{Begun, Made, Once};
use crate::usecases::quotas::{self, Asker};
use domain::comment::{
    AskedAnchor, CommentError, Extent, GUEST_COMMENTS_A_MINUTE, MOST_COMMENTS, MOST_GUEST_COMMENTS, Region, Subject,
    checked_anchor, checked_name, checked_text,
};
use domain::ids::{CommentId, TimelineId, WorkspaceId};
use domain::item::ItemType;
use domain::timeline::Timeline;
use sqlx::PgConnection;
use store::comments::{self, Author, CommentChange, CommentRow, NewComment};
use store::items::{self, ItemRow};
use store::public_links::OpenLink;

/// A comment as somebody writes it.
#[derive(Debug)]
pub struct Said<'a> {
    /// Its words.
    pub text: &'a str,
    /// The second that it is about, or that its range begins with.
    pub at: Option<f64>,
    /// The second that its range ends with.
    pub until: Option<f64>,
    /// The part of the picture that it is about.
    pub region: Option<Region>,
    /// The comment that it replies to.
    pub reply_to: Option<CommentId>,
}

impl Said<'_> {
    const fn anchor(&self) -> AskedAnchor {
        AskedAnchor { at: self.at, until: self.until, region: self.region }
    }
}

/// What is commented on, and the limits that a comment's times and region must be within.
struct Commented {
    subject: Subject,
    workspace: WorkspaceId,
    extent: Extent,
}

/// Finds what this name means: a timeline by its id, an item by its id or ref.
///
/// # Errors
/// As `document_reads::reach` and `library::reach`.
pub async fn subject(conn: &mut PgConnection, caller: &Caller, name: &str) -> Answer<Subject> {
    match name.parse::<TimelineId>() {
        Ok(id) => document_reads::summary::<Timeline>(conn, caller, id.uuid()).await.map(|_| Subject::Timeline(id)),
        Err(_) => reach(conn, caller.workspace, name).await.map(|item| Subject::Item(item.id)),
    }
}

/// As [`subject`], for a comment that this transaction adds: a timeline is there until it ends.
async fn subject_to_comment_on(conn: &mut PgConnection, caller: &Caller, name: &str) -> Answer<Commented> {
    let Ok(id) = name.parse::<TimelineId>() else {
        return Ok(Commented::of(&reach(conn, caller.workspace, name).await?));
    };
    let summary = document_reads::summary_to_comment_on::<Timeline>(conn, caller, id.uuid()).await?;
    Ok(Commented {
        subject: Subject::Timeline(id),
        workspace: caller.workspace.id,
        extent: Extent { duration_ms: Some(Timeline::duration_in(&summary).0 / 1_000), has_picture: true },
    })
}

impl Commented {
    fn of(item: &ItemRow) -> Self {
        let has_picture = matches!(item.item_type, Some(ItemType::Video | ItemType::Image));
        let duration_ms = item.duration_ms.filter(|_| item.item_type != Some(ItemType::Image));
        let extent = Extent { duration_ms, has_picture };
        Self { subject: Subject::Item(item.id), workspace: item.workspace_id, extent }
    }
}

/// Adds the caller's comment to the item or the timeline that `name` names. `show` writes the answer.
///
/// # Errors
/// As [`subject`]; `invalid_request` for what can't be a comment; `comment_not_found` for the comment replied to;
/// `quota_reached` where the subject has as many comments as it may, or the account as many bytes of them.
pub async fn add_comment(
    app: &App,
    caller: &Caller,
    once: &Once,
    name: &str,
    said: Said<'_>,
    show: impl FnOnce(CommentRow) -> String,
) -> Answer<Made> {
    let mut add_comment = match once.begin(app).await? {
        Begun::Now(add_comment, _) => add_comment,
        Begun::Before(before) => return Ok(Made::Before(before)),
    };
    let commented = subject_to_comment_on(&mut add_comment, caller, name).await?;
    let author = match (caller.user_id, caller.key_id) {
        (Some(user), _) => Author::User(user),
        (None, Some(key)) => Author::Key(key),
        (None, None) => return Err(ApiError::internal("a caller who is neither a user nor a key")),
    };
    let comment = add(&mut add_comment, &commented, author, said).await?;
    let account = caller.workspace.account_id;
    quotas::texts(&mut add_comment, account, Asker::of(caller, account)).await?;
    let body = show(comment);
    once.keep(app, &mut add_comment, &body).await?;
    add_comment.commit().await?;
    Ok(Made::Now(body))
}

/// Adds a comment of a guest who came by this link.
///
/// # Errors
/// `invalid_request` for what can't be a comment, `item_not_found`, `rate_limited` where the link has brought many in
/// the last minute, `quota_reached` where it or the item has as many as it may, or the account as many bytes.
pub async fn add_guests_comment(app: &App, link: &OpenLink, name: &str, said: Said<'_>) -> Answer<CommentId> {
    let invalid = |error: CommentError| ApiError::new(Code::InvalidRequest, error.to_a_guest());
    let name = checked_name(name).map_err(invalid)?;
    checked_text(said.text).map_err(invalid)?;
    let mut add_comment = app.process.begin_of(link.account_id).await?;
    let gone = || ApiError::new(Code::ItemNotFound, "There is no such item any more.");
    let item = items::find(&mut add_comment, link.item_id).await?.ok_or_else(gone)?;
    let commented = Commented::of(&item);
    checked_anchor(said.anchor(), commented.extent).map_err(invalid)?;
    comments::lock(&mut add_comment, Subject::Item(link.item_id)).await.map_err(ApiError::of_own_lock)?;
    let guests = comments::count_of_link(&mut add_comment, link.id, MOST_GUEST_COMMENTS).await?;
    if guests.in_all >= MOST_GUEST_COMMENTS {
        return Err(full(MOST_GUEST_COMMENTS, "link"));
    }
    if guests.lately >= GUEST_COMMENTS_A_MINUTE {
        let message = format!("This link takes {GUEST_COMMENTS_A_MINUTE} comments a minute. Wait, and send it again.");
        return Err(ApiError::new(Code::RateLimited, message).retry_after(60));
    }
    let comment = add(&mut add_comment, &commented, Author::Guest(link.id, name), said).await?;
    quotas::texts(&mut add_comment, link.account_id, Asker::Guest).await?;
    add_comment.commit().await?;
    Ok(comment.id)
}

/// Adds the comment in this transaction. Its count is checked under the lock of the subject's comments.
async fn add(conn: &mut PgConnection, commented: &Commented, author: Author<'_>, said: Said<'_>) -> Answer<CommentRow> {
    let invalid = |error: CommentError| ApiError::new(Code::InvalidRequest, format!("{error}."));
    let text = checked_text(said.text).map_err(invalid)?;
    let &Commented { subject, workspace, extent } = commented;
    let anchor = checked_anchor(said.anchor(), extent).map_err(invalid)?;
    comments::lock(conn, subject).await.map_err(ApiError::of_own_lock)?;
    if comments::count(conn, subject, MOST_COMMENTS).await? >= MOST_COMMENTS {
        return Err(full(MOST_COMMENTS, subject.noun()));
    }
    let reply_to = match said.reply_to {
        Some(comment) => Some(comments::thread_of(conn, subject, comment).await?.ok_or_else(|| unknown(comment))?),
        None => None,
    };
    let new = NewComment { subject, workspace, reply_to, text, anchor, author };
    let id = comments::add(conn, &new).await?;
    comments::find(conn, id).await?.ok_or_else(|| unknown(id))
}

/// Changes a comment of the workspace that the call acts in. Returns the changed comment.
///
/// # Errors
/// `invalid_request` for what can't be a comment's text; `comment_not_found`, `workspace_forbidden`; `not_the_author`
/// for a change of somebody else's words; `quota_reached` where the account has as many bytes of comments as it may.
pub async fn update_comment(
    app: &App,
    caller: &Caller,
    comment: CommentId,
    text: Option<&str>,
    resolved: Option<bool>,
) -> Answer<CommentRow> {
    let text = text.map(checked_text).transpose();
    let text = text.map_err(|error| ApiError::new(Code::InvalidRequest, format!("{error}.")))?;
    let mut change_comment = app.process.begin_of(caller.account_id).await?;
    let row = reach_comment(&mut change_comment, caller, comment).await?;
    if text.is_some() && !is_by(caller, &row) {
        let refusal = ApiError::new(Code::NotTheAuthor, "The comment is somebody else's: its text stays.");
        return Err(refusal.suggest("Reply to it, resolve it, or delete it."));
    }
    let change = CommentChange { text, resolved };
    if !comments::change(&mut change_comment, comment, caller.workspace.id, change).await? {
        return Err(unknown(comment));
    }
    if text.is_some() {
        let account = caller.workspace.account_id;
        quotas::texts(&mut change_comment, account, Asker::of(caller, account)).await?;
    }
    let changed = comments::find(&mut change_comment, comment).await?.ok_or_else(|| unknown(comment))?;
    change_comment.commit().await?;
    Ok(changed)
}

/// Deletes a comment of the workspace that the call acts in, with its replies.
///
/// # Errors
/// `comment_not_found`, `workspace_forbidden`.
pub async fn delete_comment(app: &App, caller: &Caller, comment: CommentId) -> Answer<()> {
    let mut conn = app.conn().await?;
    reach_comment(&mut conn, caller, comment).await?;
    if comments::delete(&mut conn, comment, caller.workspace.id).await? { Ok(()) } else { Err(unknown(comment)) }
}

async fn reach_comment(conn: &mut PgConnection, caller: &Caller, comment: CommentId) -> Answer<CommentRow> {
    let row = comments::find(conn, comment).await?.ok_or_else(|| unknown(comment))?;
    if row.workspace_id != caller.workspace.id {
        return Err(ApiError::elsewhere("comment"));
    }
    Ok(row)
}

/// Whether the caller wrote the comment: as the same user, or with the same key.
fn is_by(caller: &Caller, row: &CommentRow) -> bool {
    match row.user_id {
        Some(user) => caller.user_id == Some(user),
        None => row.key_id.is_some() && caller.user_id.is_none() && caller.key_id == row.key_id,
    }
}

fn unknown(comment: CommentId) -> ApiError {
    ApiError::new(Code::CommentNotFound, format!("There is no comment {comment}."))
}

fn full(most: i64, of: &str) -> ApiError {
    let refusal = ApiError::new(Code::QuotaReached, format!("The {of} has {most} comments, which is the most."));
    refusal.suggest("Delete some of them with `delete_comment`.")
}
