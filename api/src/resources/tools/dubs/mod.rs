//! `dub`, `list_dubs`, `get_dub`, `edit_dub`, `undo_dub`, `render_dub` and `delete_dub`: speech translated into another
//! language (contract §4.14, docs/dubs.md).

mod call;
mod film;
mod languages;
mod ops;
mod segments;
mod shapes;
mod source;
mod writing;

use crate::app::App;
use crate::auth::{Auth, Role};
use crate::contract::envelope::{self, Stored, ToolAnswer};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, Code};
use crate::http::json::json_of;
use crate::http::paging::Page;
use crate::http::text::{Text, True};
use crate::resources::tools::written::write_document;
use crate::usecases::documents;
use crate::usecases::dubs::{DubEdit, KeptDub, delete_dub, edit_dub, reach_dub, source_of, undo_dub};
use crate::usecases::once::Once;
use call::{Answered, DubCall};
use domain::dub::{Dub, DubPlan, DubTool};
use domain::ids::DubId;
use film::Filmed;
use ops::EditDub;
use poem_openapi::OpenApi;
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use serde_json::json;
use shapes::{DeletedDub, DubAnswer, DubDocument, DubPage, ListDubs, ListedDub, MakeDub, OneDub, RenderDub, UndoDub};
use source::{DubbedTimeline, Named, Source, named};
use writing::Written;

/// The error codes of `dub` and `render_dub`.
macro_rules! starting {
    ($($more:expr),*) => {
        &[
            Code::InsufficientMinutes,
            Code::RoleForbidden,
            Code::WorkspaceForbidden,
            Code::ItemNotFound,
            Code::IdempotencyInProgress,
            Code::IdempotencyKeyReused,
            Code::EngineNotConfigured,
            Code::FileTooLarge,
            $($more),*
        ]
    };
}

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    (
        "POST /tools/dub",
        starting![
            Code::ItemNotReady,
            Code::ItemLeased,
            Code::InsufficientCredits,
            Code::ReadNotApplicable,
            Code::QuotaReached,
            Code::TimelineNotFound,
            Code::RevisionConflict
        ],
    ),
    ("POST /tools/list_dubs", &[Code::InvalidCursor]),
    ("POST /tools/get_dub", &[Code::DubNotFound, Code::WorkspaceForbidden]),
    (
        "POST /tools/edit_dub",
        &[Code::RoleForbidden, Code::DubNotFound, Code::WorkspaceForbidden, Code::RevisionConflict, Code::QuotaReached],
    ),
    (
        "POST /tools/undo_dub",
        &[
            Code::RoleForbidden,
            Code::DubNotFound,
            Code::WorkspaceForbidden,
            Code::RevisionConflict,
            Code::NothingToUndo,
        ],
    ),
    ("POST /tools/render_dub", starting![Code::DubNotFound]),
    ("POST /tools/delete_dub", &[Code::RoleForbidden, Code::DubNotFound, Code::WorkspaceForbidden]),
];

/// The dubs' tools.
pub struct DubTools(pub App);

#[OpenApi(tag = "Tag::Generation")]
impl DubTools {
    /// Dub an item or a timeline
    ///
    /// Translates the speech of an item and speaks it in another language, in a job of kind `dub` that makes a new
    /// item, a timeline with the new voices as its voiceover, and a dub to edit. It needs the item's `transcript` and
    /// `speakers` reads: stored ones are used at no charge. If one is missing, its job is started or joined and the
    /// answer is `queued`: follow `job_id` with `get_jobs` and call again. With `script` neither is needed. Of a
    /// timeline (`timeline_id`) the film is dubbed, and the new timeline is its variant: a film that is missing is
    /// rendered first, in the same way. Name `timeline_revision` in each call, so that an edit in between changes
    /// nothing. If the operator has configured a model for it, that translates, for AI credits (`translator`);
    /// otherwise a built-in engine does. Built-in engines speak, at draft quality: listen to the result, and change it
    /// with `edit_dub`. The same call makes the same dub once, until the dub or its item is deleted.
    #[oai(path = "/tools/dub", method = "post", operation_id = "dub")]
    async fn dub(&self, auth: Auth, key: IdempotencyKey, arguments: Json<MakeDub>) -> Answered {
        let (Auth(caller), asked) = (auth, arguments.0);
        caller.require(Role::Editor)?;
        let dry_run = asked.dry_run.unwrap_or(false);
        let request = json_of(&asked);
        let key = if dry_run { IdempotencyKey(None) } else { key };
        let call = DubCall { app: &self.0, caller: &caller, tool: "dub", request, key, dry_run };
        if let Some(answer) = call.replayed().await? {
            return Ok(answer);
        }
        let source = match named(&asked)? {
            Named::Item(item_ref) => Source::find(call.app, call.caller, item_ref, None).await?,
            Named::Timeline(timeline) => match call.film(&asked, timeline).await? {
                Filmed::Answered(answer) => return Ok(*answer),
                Filmed::Item(film, timeline) => {
                    Source::find(call.app, call.caller, &film.to_string(), Some(timeline)).await?
                }
            },
        };
        let (body, translates) = match call.write(&asked, &source).await? {
            Written::Answered(answer) => return Ok(*answer),
            Written::Dub(body, translates) => (*body, translates),
        };
        let dubbed = source.dubbed();
        let Source { item, duration, timeline } = source;
        let original = timeline.map(|kept| Box::new(kept.body));
        call.start(DubPlan { original, ..call.new_plan(item.name, body, translates) }, duration, dubbed).await
    }

    /// List dubs
    ///
    /// Newest first, without their segments.
    #[oai(path = "/tools/list_dubs", method = "post", operation_id = "list_dubs")]
    async fn list_dubs(&self, auth: Auth, arguments: Json<ListDubs>) -> Answer<Json<ToolAnswer<DubPage>>> {
        let Auth(caller) = auth;
        let page = Page::new("dubs", arguments.0.limit, arguments.0.cursor.as_ref())?;
        let mut conn = self.0.process.conn_of(caller.account_id).await?;
        let rows = documents::page::<Dub>(&mut conn, &caller, page.after, page.fetch()).await?;
        let list = page.list(rows, |row| row.id, ListedDub::from);
        let data = DubPage { dubs: list.data, has_more: list.has_more, next_cursor: list.next_cursor };
        Ok(ToolAnswer::new(&caller.request_id, data).json())
    }

    /// Read a dub
    ///
    /// With all its segments, what was last spoken, and whether it was changed since. `warnings` names what its voices
    /// leave out.
    #[oai(path = "/tools/get_dub", method = "post", operation_id = "get_dub")]
    async fn get_dub(&self, auth: Auth, arguments: Json<OneDub>) -> Answer<envelope::Written<ToolAnswer<DubAnswer>>> {
        let Auth(caller) = auth;
        let dub: DubId = arguments.0.dub_id.id(Code::DubNotFound)?;
        let reached = reach_dub(&self.0, &caller, dub).await?;
        let is_long = reached.kept.is_long;
        Ok(write_document(&self.0, &caller, is_long, || DubAnswer { dub: DubDocument::of(reached) }).await)
    }

    /// Change a dub
    ///
    /// Changes its name or its segments: `ops` are applied in order, all of them or none, and a refusal names the one
    /// that can't be applied. A new text that its segment's voice has no sounds for is refused too. Nothing is spoken:
    /// `render_dub` speaks the changes. The last 50 changes can be undone with `undo_dub`.
    #[oai(path = "/tools/edit_dub", method = "post", operation_id = "edit_dub")]
    async fn edit_dub(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<EditDub>,
    ) -> Answer<Stored<ToolAnswer<DubAnswer>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "edit_dub", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let EditDub { dub_id, if_revision, name, ops } = arguments.0;
        let ops = ops.iter().flatten().map(json_of).collect();
        let edit = DubEdit { if_revision, name: name.map(|name| name.0), ops };
        let dub = dub_id.id(Code::DubNotFound)?;
        Ok(edit_dub(&self.0, &caller, &once, dub, edit, answer_writer(&caller.request_id)).await?.into())
    }

    /// Undo the latest change of a dub
    ///
    /// Restores what the dub was before its latest change, as a new revision. A second call undoes the change before.
    #[oai(path = "/tools/undo_dub", method = "post", operation_id = "undo_dub")]
    async fn undo_dub(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<UndoDub>,
    ) -> Answer<Stored<ToolAnswer<DubAnswer>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "undo_dub", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let (dub, if_revision) = (arguments.0.dub_id.id(Code::DubNotFound)?, arguments.0.if_revision);
        Ok(undo_dub(&self.0, &caller, &once, dub, if_revision, answer_writer(&caller.request_id)).await?.into())
    }

    /// Speak a dub again
    ///
    /// Starts a job that makes a new item of the dub as it is now, and puts the new voices into the dub's timeline.
    /// Only segments whose text, voice or time changed are spoken; the job's result counts them (`spoken`, `reused`).
    /// If the dub has not changed, the answer is `ready`.
    #[oai(path = "/tools/render_dub", method = "post", operation_id = "render_dub")]
    async fn render_dub(&self, auth: Auth, key: IdempotencyKey, arguments: Json<RenderDub>) -> Answered {
        let (Auth(caller), RenderDub { dub_id, dry_run }) = (auth, arguments.0);
        caller.require(Role::Editor)?;
        let (dub, dry_run): (DubId, bool) = (dub_id.id(Code::DubNotFound)?, dry_run.unwrap_or(false));
        let key = if dry_run { IdempotencyKey(None) } else { key };
        let request = json!({ "dub_id": dub });
        let call = DubCall { app: &self.0, caller: &caller, tool: "render_dub", request, key, dry_run };
        if let Some(answer) = call.replayed().await? {
            return Ok(answer);
        }
        let KeptDub { kept, output, original } = reach_dub(&self.0, &caller, dub).await?;
        let duration = source_of(&mut *self.0.conn().await?, &caller, &kept.body).await?;
        let plan = DubPlan {
            tool: DubTool::RenderDub,
            workspace: caller.workspace.id,
            dub: Some(dub),
            revision: kept.revision,
            name: kept.name,
            body: kept.body,
            translates: false,
            translator: None,
            before: output.map(|output| output.before()),
            original: None,
        };
        call.start(plan, duration, original.map(|id| DubbedTimeline { id, revision: None })).await
    }

    /// Delete a dub
    ///
    /// Its history is deleted too. Its timeline and the items that were made of it stay.
    #[oai(path = "/tools/delete_dub", method = "post", operation_id = "delete_dub")]
    async fn delete_dub(&self, auth: Auth, arguments: Json<OneDub>) -> Answer<Json<ToolAnswer<DeletedDub>>> {
        let Auth(caller) = auth;
        let dub: DubId = arguments.0.dub_id.id(Code::DubNotFound)?;
        delete_dub(&self.0, &caller, dub).await?;
        let data = DeletedDub { dub_id: Text::of(dub), deleted: True };
        Ok(ToolAnswer::new(&caller.request_id, data).json())
    }
}

/// Returns a function that writes the answer which shows a dub.
fn answer_writer(request_id: &str) -> impl FnOnce(KeptDub) -> String {
    move |dub| ToolAnswer::new(request_id, DubAnswer { dub: DubDocument::of(dub) }).to_json_string()
}
