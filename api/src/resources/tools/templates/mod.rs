//! `save_template`, `list_templates`, `run_template`, `undo_template`, `delete_template`: named arguments of a tool
//! (contract §4.9).
//!
//! `run` turns a run into a call of the template's tool.

mod run;
mod shapes;

use crate::app::App;
use crate::auth::Auth;
use crate::contract::envelope::{Stored, ToolAnswer};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, Code};
use crate::http::paging::Page;
use crate::http::text::True;
use crate::usecases::documents::{self, Kept};
use crate::usecases::once::Once;
use crate::usecases::saved::{delete_named, reach_named, undo_named};
use crate::usecases::templates::{NewTemplate, save_template};
use domain::template;
use poem::Request;
use poem_openapi::OpenApi;
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use run::{Ran, call_tool};
use shapes::{
    DeletedTemplate, ListTemplates, ListedTemplate, OneTemplate, RunTemplate, SaveTemplate, TemplateAnswer,
    TemplatePage, UndoTemplate,
};

/// The error codes of these operations, besides those that any operation may return; a run may also return its tool's.
pub const ERRORS: Refusals = &[
    (
        "POST /tools/save_template",
        &[Code::RoleForbidden, Code::ToolNotFound, Code::NameTaken, Code::RevisionConflict, Code::QuotaReached],
    ),
    ("POST /tools/list_templates", &[Code::InvalidCursor]),
    ("POST /tools/run_template", &[Code::TemplateNotFound, Code::ToolNotFound]),
    (
        "POST /tools/undo_template",
        &[Code::RoleForbidden, Code::TemplateNotFound, Code::RevisionConflict, Code::NothingToUndo],
    ),
    ("POST /tools/delete_template", &[Code::RoleForbidden, Code::TemplateNotFound]),
];

/// The templates' tools.
pub struct TemplateTools(pub App);

#[OpenApi(tag = "Tag::Workspace")]
impl TemplateTools {
    /// Save a template
    ///
    /// Saves a tool's arguments under a name, to run again and again. They are checked against the tool's schema;
    /// required arguments may be left to the run. A template of the same name is replaced; the last 50 changes can be
    /// undone with `undo_template`. A workspace has at most 200.
    #[oai(path = "/tools/save_template", method = "post", operation_id = "save_template")]
    async fn save_template(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<SaveTemplate>,
    ) -> Answer<Stored<ToolAnswer<TemplateAnswer>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "save_template", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let SaveTemplate { name, tool, arguments, if_revision } = arguments.0;
        let new = NewTemplate { name: name.0, tool: tool.0, arguments: arguments.0, if_revision };
        Ok(save_template(&self.0, &caller, &once, new, shown(&caller.request_id)).await?.into())
    }

    /// List templates
    ///
    /// Newest first, without their arguments.
    #[oai(path = "/tools/list_templates", method = "post", operation_id = "list_templates")]
    async fn list_templates(
        &self,
        auth: Auth,
        arguments: Json<Option<ListTemplates>>,
    ) -> Answer<Json<ToolAnswer<TemplatePage>>> {
        let Auth(caller) = auth;
        let asked = arguments.0.unwrap_or_default();
        let page = Page::new("templates", asked.limit, asked.cursor.as_ref())?;
        let mut conn = self.0.process.conn_of(caller.account_id).await?;
        let rows = documents::page::<template::Template>(&mut conn, &caller, page.after, page.fetch()).await?;
        let list = page.list(rows, |row| row.id, ListedTemplate::from);
        let data = TemplatePage { templates: list.data, has_more: list.has_more, next_cursor: list.next_cursor };
        Ok(ToolAnswer::new(&caller.request_id, data).json())
    }

    /// Run a template
    ///
    /// Calls the template's tool with its arguments, some replaced by `overrides`, and returns the tool's answer. It is
    /// a call of that tool: who may make it, its price, its refusals and its Idempotency-Key are the tool's.
    #[oai(path = "/tools/run_template", method = "post", operation_id = "run_template")]
    async fn run_template(
        &self,
        auth: Auth,
        request: &Request,
        _key: IdempotencyKey,
        arguments: Json<RunTemplate>,
    ) -> Answer<Ran> {
        let Auth(caller) = auth;
        let RunTemplate { name, overrides } = arguments.0;
        let mut conn = self.0.conn().await?;
        let kept = reach_named::<template::Template>(&mut conn, caller.workspace.id, &name).await?;
        // The tool takes its own connection.
        drop(conn);
        call_tool(&self.0, request, caller, kept.body, overrides.unwrap_or_default().0).await
    }

    /// Undo the latest change of a template
    ///
    /// Restores what the template was before its latest change, as a new revision. Repeat it to undo the change before.
    /// A first save is not undone: `delete_template` deletes the template.
    #[oai(path = "/tools/undo_template", method = "post", operation_id = "undo_template")]
    async fn undo_template(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<UndoTemplate>,
    ) -> Answer<Stored<ToolAnswer<TemplateAnswer>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "undo_template", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let UndoTemplate { name, if_revision } = arguments.0;
        let show = shown(&caller.request_id);
        Ok(undo_named(&self.0, &caller, &once, &name, if_revision, show).await?.into())
    }

    /// Delete a template
    ///
    /// Its history is deleted too, and its name becomes free.
    #[oai(path = "/tools/delete_template", method = "post", operation_id = "delete_template")]
    async fn delete_template(
        &self,
        auth: Auth,
        arguments: Json<OneTemplate>,
    ) -> Answer<Json<ToolAnswer<DeletedTemplate>>> {
        let (Auth(caller), name) = (auth, arguments.0.name);
        delete_named::<template::Template>(&self.0, &caller, &name).await?;
        Ok(ToolAnswer::new(&caller.request_id, DeletedTemplate { name, deleted: True }).json())
    }
}

/// Returns a function that writes the answer which shows a template.
fn shown(request_id: &str) -> impl FnOnce(Kept<template::Template>) -> String {
    move |kept| ToolAnswer::new(request_id, TemplateAnswer { template: kept.into() }).to_json_string()
}
