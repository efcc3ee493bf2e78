//! `create_timeline`, `list_timelines`, `get_timeline`, `edit_timeline`, `undo_timeline`, `delete_timeline`: films that
//! people and programs edit (contract §4.11).

pub mod carry;
pub(super) mod film;
mod material;
mod ops;
mod pieces;
pub mod render;
mod shapes;

use crate::app::App;
use crate::auth::Auth;
use crate::contract::envelope::{Stored, ToolAnswer, Written};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, Code};
use crate::http::json::json_of;
use crate::http::paging::Page;
use crate::http::text::{Text, True};
use crate::resources::tools::shown_items::MediaLinks;
use crate::resources::tools::written::write_document;
use crate::usecases::document_edits::{self, Edit};
use crate::usecases::document_reads;
use crate::usecases::documents::{self, Kept};
use crate::usecases::gone;
use crate::usecases::once::Once;
use crate::usecases::timelines::create_timeline;
use domain::ids::TimelineId;
use domain::timeline;
use ops::{CreateTimeline, EditTimeline, ListTimelines, OneTimeline, UndoTimeline};
use poem_openapi::OpenApi;
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use shapes::{DeletedTimeline, ListedTimeline, Timeline, TimelineAnswer, TimelinePage};
use store::items;

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    (
        "POST /tools/create_timeline",
        &[
            Code::RoleForbidden,
            Code::QuotaReached,
            Code::ItemNotFound,
            Code::TimelineNotFound,
            Code::WorkspaceForbidden,
        ],
    ),
    ("POST /tools/list_timelines", &[Code::InvalidCursor]),
    ("POST /tools/get_timeline", &[Code::TimelineNotFound, Code::WorkspaceForbidden]),
    (
        "POST /tools/edit_timeline",
        &[
            Code::RoleForbidden,
            Code::TimelineNotFound,
            Code::WorkspaceForbidden,
            Code::ItemNotFound,
            Code::RevisionConflict,
            Code::QuotaReached,
        ],
    ),
    (
        "POST /tools/undo_timeline",
        &[
            Code::RoleForbidden,
            Code::TimelineNotFound,
            Code::WorkspaceForbidden,
            Code::RevisionConflict,
            Code::NothingToUndo,
        ],
    ),
    ("POST /tools/delete_timeline", &[Code::RoleForbidden, Code::TimelineNotFound, Code::WorkspaceForbidden]),
];

/// The timelines' tools.
pub struct TimelineTools(pub App);

#[OpenApi(tag = "Tag::Timeline")]
impl TimelineTools {
    /// Create a timeline
    ///
    /// Creates a sequence of scenes, with sound, with pictures and texts over the scenes, and with captions. It is
    /// empty, or what `ops` make of it. A workspace has at most 500 timelines.
    #[oai(path = "/tools/create_timeline", method = "post", operation_id = "create_timeline")]
    async fn create_timeline(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<CreateTimeline>,
    ) -> Answer<Stored<ToolAnswer<TimelineAnswer>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "create_timeline", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let CreateTimeline { name, ops } = arguments.0;
        let ops = ops.iter().flatten().map(json_of).collect();
        Ok(create_timeline(&self.0, &caller, &once, &name.0, ops, answer_writer(&caller.request_id)).await?.into())
    }

    /// List timelines
    ///
    /// Newest first, without their scenes, sound, overlays and captions.
    #[oai(path = "/tools/list_timelines", method = "post", operation_id = "list_timelines")]
    async fn list_timelines(
        &self,
        auth: Auth,
        arguments: Json<ListTimelines>,
    ) -> Answer<Json<ToolAnswer<TimelinePage>>> {
        let Auth(caller) = auth;
        let page = Page::new("timelines", arguments.0.limit, arguments.0.cursor.as_ref())?;
        let mut conn = self.0.process.conn_of(caller.account_id).await?;
        let mut rows = documents::page::<timeline::Timeline>(&mut conn, &caller, page.after, page.fetch()).await?;
        gone::forget_variants(&mut conn, &mut rows).await?;
        let list = page.list(rows, |row| row.id, ListedTimeline::from);
        let data = TimelinePage { timelines: list.data, has_more: list.has_more, next_cursor: list.next_cursor };
        Ok(ToolAnswer::new(&caller.request_id, data).json())
    }

    /// Read a timeline
    ///
    /// With everything in it, the time at which each scene begins, and links to what the scenes show. Parts whose item
    /// is deleted say so.
    #[oai(path = "/tools/get_timeline", method = "post", operation_id = "get_timeline")]
    async fn get_timeline(
        &self,
        auth: Auth,
        arguments: Json<OneTimeline>,
    ) -> Answer<Written<ToolAnswer<TimelineAnswer>>> {
        let Auth(caller) = auth;
        let timeline: TimelineId = arguments.0.timeline_id.id(Code::TimelineNotFound)?;
        let kept = document_reads::reach::<timeline::Timeline>(&self.0, &caller, timeline.uuid()).await?;
        let shown = items::usable(&mut *self.0.conn().await?, &kept.body.items(), caller.workspace.id).await?;
        let links = shown.first().map(|item| MediaLinks { links: &self.0.links, now: item.now });
        let is_long = kept.is_long;
        let show = || TimelineAnswer { timeline: Timeline::of(kept, links) };
        Ok(write_document(&self.0, &caller, is_long, show).await)
    }

    /// Change a timeline
    ///
    /// Changes its name or its contents: `ops` are applied in order, all of them or none, and a refusal names the one
    /// that can't be applied. The last 50 changes can be undone with `undo_timeline`.
    #[oai(path = "/tools/edit_timeline", method = "post", operation_id = "edit_timeline")]
    async fn edit_timeline(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<EditTimeline>,
    ) -> Answer<Stored<ToolAnswer<TimelineAnswer>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "edit_timeline", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let EditTimeline { timeline_id, if_revision, name, ops } = arguments.0;
        let ops = ops.iter().flatten().map(json_of).collect();
        let edit = Edit { if_revision, name: name.map(|name| name.0), ops };
        let timeline: TimelineId = timeline_id.id(Code::TimelineNotFound)?;
        Ok(document_edits::edit(&self.0, &caller, &once, timeline.uuid(), edit, answer_writer(&caller.request_id))
            .await?
            .into())
    }

    /// Undo the latest change of a timeline
    ///
    /// Restores what the timeline was before its latest change, as a new revision. A second call undoes the change
    /// before.
    #[oai(path = "/tools/undo_timeline", method = "post", operation_id = "undo_timeline")]
    async fn undo_timeline(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<UndoTimeline>,
    ) -> Answer<Stored<ToolAnswer<TimelineAnswer>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "undo_timeline", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let timeline: TimelineId = arguments.0.timeline_id.id(Code::TimelineNotFound)?;
        let (id, if_revision) = (timeline.uuid(), arguments.0.if_revision);
        let show = answer_writer(&caller.request_id);
        Ok(document_edits::undo(&self.0, &caller, &once, id, if_revision, show).await?.into())
    }

    /// Delete a timeline
    ///
    /// Its history is deleted too. The items that it names, and those that were rendered from it, stay.
    #[oai(path = "/tools/delete_timeline", method = "post", operation_id = "delete_timeline")]
    async fn delete_timeline(
        &self,
        auth: Auth,
        arguments: Json<OneTimeline>,
    ) -> Answer<Json<ToolAnswer<DeletedTimeline>>> {
        let Auth(caller) = auth;
        let timeline: TimelineId = arguments.0.timeline_id.id(Code::TimelineNotFound)?;
        documents::delete::<timeline::Timeline>(&self.0, &caller, timeline.uuid()).await?;
        let data = DeletedTimeline { timeline_id: Text::of(timeline), deleted: True };
        Ok(ToolAnswer::new(&caller.request_id, data).json())
    }
}

/// Returns a function that writes the answer which shows a timeline.
fn answer_writer(request_id: &str) -> impl FnOnce(Kept<timeline::Timeline>) -> String {
    move |kept| ToolAnswer::new(request_id, TimelineAnswer { timeline: Timeline::of(kept, None) }).to_json_string()
}
