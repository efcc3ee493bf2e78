//! `GET /tools`: the registry that the HTTP interface, MCP and the command line share (interface.md, "Tools").
//!
//! It is read off the OpenAPI document, so that a tool is described in one place: beside its handler.

use crate::auth::Auth;
use crate::error::Answer;
use crate::openapi;
use crate::operation::{Refusals, Tag};
use crate::text::Text;
use poem_openapi::payload::Json;
use poem_openapi::types::Any;
use poem_openapi::{Object, OpenApi};
use serde_json::Value;
use std::sync::LazyLock;

/// What these operations refuse with, beside what every operation may.
pub const ERRORS: Refusals = &[("GET /tools", &[])];

/// The tool list.
pub struct ToolRegistry;

/// A tool.
#[derive(Debug, Clone, Object)]
pub struct Tool {
    /// Its name: `POST /tools/<name>` calls it.
    pub name: Text,
    /// Its group.
    pub tag: Text,
    /// What it does.
    pub description: Text,
    /// Whether it may use cloud processing, which is measured in minutes.
    pub cloud: bool,
    /// The JSON Schema (OpenAPI 3.0) of its body, without references.
    pub input_schema: Any<Value>,
}

/// The tools.
#[derive(Debug, Clone, Object)]
pub struct ToolList {
    /// All tools, in the order of their names.
    pub data: Vec<Tool>,
    /// Always false: they are few, and all here.
    pub has_more: bool,
    /// Always null.
    pub next_cursor: Option<Text>,
}

/// All tools, in the order of their names.
pub fn all() -> &'static [Tool] {
    static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
        let document = openapi::document();
        let mut tools: Vec<Tool> = document.operations().iter().filter_map(tool).collect();
        tools.sort_by(|one, other| one.name.cmp(&other.name));
        tools
    });
    &TOOLS
}

fn tool(operation: &openapi::Operation) -> Option<Tool> {
    let document = openapi::document();
    let name = operation.path.strip_prefix("/tools/")?;
    let described = &document.json["paths"][&operation.path]["post"];
    let text = |value: &Value| Text::from(value.as_str().unwrap_or_default());
    Some(Tool {
        name: name.into(),
        tag: text(&described["tags"][0]),
        description: text(&described["description"]),
        cloud: openapi::uses_minutes(&format!("POST {}", operation.path)),
        input_schema: Any(operation.body.clone().unwrap_or_else(|| serde_json::json!({ "type": "object" }))),
    })
}

#[expect(clippy::unused_async, reason = "the macro takes async handlers alone")]
#[OpenApi(tag = "Tag::Discovery")]
impl ToolRegistry {
    /// List tools
    ///
    /// Every tool with its description and the schema of its body.
    #[oai(path = "/tools", method = "get", operation_id = "list_tools")]
    async fn list(&self, _auth: Auth) -> Answer<Json<ToolList>> {
        Ok(Json(ToolList { data: all().to_vec(), has_more: false, next_cursor: None }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_says_what_it_does_and_what_it_takes() {
        assert!(!all().is_empty());
        for tool in all() {
            assert!(!tool.description.is_empty() && !tool.tag.is_empty(), "{tool:?}");
            assert_eq!(tool.input_schema.0["type"], "object", "{tool:?}");
            assert_eq!(tool.input_schema.0["additionalProperties"], false, "{tool:?}");
        }
    }
}
