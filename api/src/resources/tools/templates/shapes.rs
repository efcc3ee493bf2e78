//! The shapes of the template tools' requests and answers.

use crate::http::paging::Limit;
use crate::http::text::{Fields, Text, Time, True};
use crate::usecases::documents::Kept;
use domain::template;
use poem_openapi::Object;
use poem_openapi::types::Example;
use serde_json::{Value, json};
use store::documents::ListedRow;

/// A template to save.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none, example)]
pub struct SaveTemplate {
    /// Its name, 1 to 200 characters; calls find it by that.
    pub name: Text,
    /// The tool to call: any but `run_template`.
    pub tool: Text,
    /// The arguments of the call. Required arguments may be absent if every run adds them.
    pub arguments: Fields,
    /// The revision to replace, or 0 when there should be no template of this name. If it has another revision: 409
    /// `revision_conflict`; if 0 was given and it exists: 409 `name_taken`. Without it, whatever exists is replaced.
    pub if_revision: Option<i32>,
}

impl Example for SaveTemplate {
    fn example() -> Self {
        let arguments = json!({ "min_silence_ms": 700, "render": true });
        Self {
            name: "Tight cut".into(),
            tool: "remove_silence".into(),
            arguments: Fields(object(arguments)),
            if_revision: None,
        }
    }
}

/// Which templates to list.
#[derive(Debug, Default, Object)]
#[oai(deny_unknown_fields)]
pub struct ListTemplates {
    /// Templates to show, 1 to 100; 20 when not given.
    pub limit: Option<Limit>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<Text>,
}

/// Which template.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct OneTemplate {
    /// Its name.
    pub name: Text,
}

/// Which template to restore.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct UndoTemplate {
    /// Its name.
    pub name: Text,
    /// The revision to undo. If the template has another one: 409 `revision_conflict`.
    pub if_revision: Option<i32>,
}

/// Which template to run, and what to change for this run.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none, example)]
pub struct RunTemplate {
    /// Its name.
    pub name: Text,
    /// Arguments to add to the template's or to replace them, by name; a value of null removes one.
    pub overrides: Option<Fields>,
}

impl Example for RunTemplate {
    fn example() -> Self {
        Self { name: "Tight cut".into(), overrides: Some(Fields(object(json!({ "ref": "interview" })))) }
    }
}

/// A template.
#[derive(Debug, Object)]
pub struct Template {
    /// Its name.
    pub name: Text,
    /// The tool that it calls.
    pub tool: Text,
    /// The arguments of the call.
    pub arguments: Fields,
    /// Its revision: 1 when created, then one higher with every change.
    pub revision: i32,
    /// When it was first saved.
    pub created_at: Time,
    /// When it was last changed.
    pub updated_at: Time,
}

/// A template as lists show it.
#[derive(Debug, Object)]
pub struct ListedTemplate {
    /// Its name.
    pub name: Text,
    /// The tool that it calls.
    pub tool: Text,
    /// Its revision: 1 when created, then one higher with every change.
    pub revision: i32,
    /// When it was last changed.
    pub updated_at: Time,
}

/// A template.
#[derive(Debug, Object)]
pub struct TemplateAnswer {
    /// The template.
    pub template: Template,
}

/// A page of the workspace's templates.
#[derive(Debug, Object)]
pub struct TemplatePage {
    /// The templates, newest first.
    pub templates: Vec<ListedTemplate>,
    /// Whether there are templates after these.
    pub has_more: bool,
    /// Pass it as `cursor` for the templates after these; null on the last page.
    pub next_cursor: Option<Text>,
}

/// The template that was deleted.
#[derive(Debug, Object)]
pub struct DeletedTemplate {
    /// Its name.
    pub name: Text,
    /// Always true.
    pub deleted: True,
}

impl From<Kept<template::Template>> for Template {
    fn from(kept: Kept<template::Template>) -> Self {
        Self {
            name: Text(kept.name),
            tool: Text(kept.body.tool),
            arguments: Fields(kept.body.arguments),
            revision: kept.revision,
            created_at: Time(kept.created_at),
            updated_at: Time(kept.updated_at),
        }
    }
}

impl From<ListedRow> for ListedTemplate {
    fn from(row: ListedRow) -> Self {
        Self {
            name: Text(row.name),
            tool: row.summary["tool"].as_str().unwrap_or_default().into(),
            revision: row.revision,
            updated_at: Time(row.updated_at),
        }
    }
}

fn object(value: Value) -> serde_json::Map<String, Value> {
    if let Value::Object(object) = value { object } else { serde_json::Map::new() }
}
