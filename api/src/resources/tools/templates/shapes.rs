//! What the templates' tools take and answer.

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
    /// What it is called, 1 to 200 characters; it is found by that.
    pub name: Text,
    /// The tool that it calls: any but `run_template`.
    pub tool: Text,
    /// What it calls the tool with. What the tool requires may be absent; a run adds it.
    pub arguments: Fields,
    /// The revision that is written over, 0 where there should be none yet. Another one stands: 409
    /// `revision_conflict`; there is one already: 409 `name_taken`. Without it, whatever stands is written over.
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

/// Which templates.
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
    /// What it is called.
    pub name: Text,
}

/// Which template to run, and what to change for this run.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none, example)]
pub struct RunTemplate {
    /// What it is called.
    pub name: Text,
    /// Arguments in the place of the template's; null for none.
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
    /// What it is called.
    pub name: Text,
    /// The tool that it calls.
    pub tool: Text,
    /// What it calls the tool with.
    pub arguments: Fields,
    /// How many times it was written.
    pub revision: i32,
    /// When it was first saved.
    pub created_at: Time,
    /// When it was last changed.
    pub updated_at: Time,
}

/// A template as lists show it.
#[derive(Debug, Object)]
pub struct ListedTemplate {
    /// What it is called.
    pub name: Text,
    /// The tool that it calls.
    pub tool: Text,
    /// How many times it was written.
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
    /// What it was called.
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
