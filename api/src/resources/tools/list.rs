//! `GET /tools`: the tool registry that the HTTP interface, MCP and the command line share (contract §4.4).
//!
//! It is read from the OpenAPI document, so that a tool is described in one place: at its handler.

use crate::app::App;
use crate::auth::Auth;
use crate::contract::groups::{Refusals, Tag};
use crate::contract::{Contract, Operation};
use crate::http::error::Answer;
use crate::http::text::Text;
use poem_openapi::payload::Json;
use poem_openapi::types::Any;
use poem_openapi::{Object, OpenApi};
use serde_json::Value;

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[("GET /tools", &[])];

/// The tool list.
pub struct ToolRegistry(pub App);

/// A tool.
#[derive(Debug, Clone, Object)]
pub struct Tool {
    /// Its name: `POST /tools/<name>` calls it.
    pub name: Text,
    /// Its group.
    pub tag: Text,
    /// Its description.
    pub description: Text,
    /// Whether it may start cloud processing, which is measured in minutes.
    pub cloud: bool,
    /// The JSON Schema (OpenAPI 3.0) of its request body, without references.
    pub input_schema: Any<Value>,
}

/// The tools.
#[derive(Debug, Clone, Object)]
pub struct ToolList {
    /// All tools, ordered by name.
    pub data: Vec<Tool>,
    /// Always false: one page has all tools.
    pub has_more: bool,
    /// Always null.
    pub next_cursor: Option<Text>,
}

/// Returns all tools, ordered by name.
pub fn all(contract: &Contract) -> Vec<Tool> {
    let mut tools: Vec<Tool> = contract.operations().iter().filter_map(|one| tool(contract, one)).collect();
    tools.sort_by(|one, other| one.name.cmp(&other.name));
    tools
}

fn tool(contract: &Contract, operation: &Operation) -> Option<Tool> {
    let name = operation.path.strip_prefix("/tools/")?;
    let described = contract.described(operation);
    let text = |value: &Value| Text::from(value.as_str().unwrap_or_default());
    Some(Tool {
        name: name.into(),
        tag: text(&described["tags"][0]),
        description: text(&described["description"]),
        cloud: operation.uses_minutes() || operation.runs_others(),
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
        Ok(Json(ToolList { data: all(&self.0.contract), has_more: false, next_cursor: None }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::document;

    #[test]
    fn the_operation_of_a_tool_has_the_tools_name() {
        for operation in document().operations() {
            if let Some(name) = operation.path.strip_prefix("/tools/") {
                assert_eq!(document().described(operation)["operationId"], name);
            }
        }
    }

    #[test]
    fn every_tool_says_what_it_does_and_what_it_takes() {
        let tools = all(document());
        assert!(!tools.is_empty());
        for tool in tools {
            assert!(!tool.description.is_empty() && !tool.tag.is_empty(), "{tool:?}");
            assert_eq!(tool.input_schema.0["type"], "object", "{tool:?}");
            assert_eq!(tool.input_schema.0["additionalProperties"], false, "{tool:?}");
        }
    }
}
