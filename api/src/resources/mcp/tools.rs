//! The registry's tools as MCP lists them: names, schemas of requests and answers, and hints about their effects.
//!
//! All of it is derived from the OpenAPI document and the tables of what operations need and refuse, so that a new tool
//! appears here automatically. Nothing here calls a tool.

use super::schema::json_schema;
use crate::auth::Role;
use crate::contract::access::Needs;
use crate::contract::{Contract, Operation};
use crate::http::error::Code;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::Arc;

/// Tools whose names begin with these remove something.
const TAKES_AWAY: [&str; 3] = ["delete_", "cancel_", "revoke_"];

/// Returns all tools, ordered by name.
pub fn all(contract: &Contract) -> Vec<Tool> {
    let mut tools: Vec<Tool> = contract.operations().iter().filter_map(|one| tool(contract, one)).collect();
    tools.sort_by(|one, other| one.name.cmp(&other.name));
    tools
}

fn tool(contract: &Contract, operation: &Operation) -> Option<Tool> {
    let name = operation.path.strip_prefix("/tools/")?;
    let described = contract.described(operation);
    let text = |field: &str| described[field].as_str().unwrap_or_default().to_owned();
    let takes = operation.body.as_ref().map_or_else(|| json!({ "type": "object" }), json_schema);
    let mut tool = Tool::new(name.to_owned(), text("description"), object(takes));
    tool.title = Some(text("summary"));
    tool.output_schema = operation.answer.as_ref().map(|answer| object(answer_or_refusal(json_schema(answer))));
    Some(tool.with_annotations(hints(operation, name)))
}

/// Returns a schema as the object that the protocol's types take; an empty one if the schema is no object.
pub(super) fn object(schema: Value) -> Arc<JsonObject> {
    Arc::new(if let Value::Object(object) = schema { object } else { JsonObject::new() })
}

/// Returns a schema for answers and refusals: a result may be either, and clients may check both against it. Parts that
/// are the same for all tools have one line each: in full, they would be half of a list that models must read.
fn answer_or_refusal(mut answer: Value) -> Value {
    let same = [
        ("ok", json!("boolean"), "Whether the tool did what was asked."),
        ("meta", json!("object"), "The request's id, what it cost, and the minutes that it held."),
        ("media", json!(["array", "null"]), "Items to look at or listen to."),
        ("error", json!("object"), "Why not: `code`, `message`, `suggested_action`, `retryable`."),
    ];
    for (field, kind, description) in same {
        answer["properties"][field] = json!({ "type": kind, "description": description });
    }
    answer["required"] = json!(["ok"]);
    answer
}

/// Returns hints: a tool that needs only a viewer's role changes nothing (`contract::table`), and a tool that starts
/// cloud processing starts nothing twice when repeated (contract §4.2.8).
fn hints(operation: &Operation, name: &str) -> ToolAnnotations {
    let (works, runs_others) = (operation.uses_minutes(), operation.runs_others());
    let reads =
        !works && !runs_others && matches!(operation.needs, Some(Needs::Account | Needs::Workspace(Role::Viewer)));
    let takes_away = runs_others || TAKES_AWAY.iter().any(|prefix| name.starts_with(prefix));
    let fetches = runs_others || operation.refuses.is_some_and(|codes| codes.contains(&Code::UrlNotAllowed));
    ToolAnnotations::new()
        .read_only(reads)
        .destructive(takes_away)
        .idempotent(!runs_others && (reads || takes_away || works))
        .open_world(fetches)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::document;
    use crate::resources::tools::list;

    #[test]
    fn the_registrys_tools_are_all_here_with_what_they_take_and_answer() {
        let tools = all(document());
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        let registered = list::all(document());
        let registered: Vec<&str> = registered.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(names, registered);
        for tool in &tools {
            let answer = tool.output_schema.as_ref().expect("every tool answers something");
            assert_eq!((&tool.input_schema["type"], &answer["type"]), (&json!("object"), &json!("object")), "{tool:?}");
            assert!(answer["properties"]["data"]["type"] == "object", "{}", tool.name);
            assert!(tool.title.as_ref().is_some_and(|title| !title.is_empty()), "{}", tool.name);
            let text = serde_json::to_string(tool).expect("JSON");
            assert!(!text.contains("$ref") && !text.contains("nullable"), "{}", tool.name);
        }
        let bytes = serde_json::to_vec(&tools).map_or(0, |list| list.len());
        assert!(bytes < tools.len() * 5_000, "{bytes} bytes, which every agent reads");
    }

    #[test]
    fn hints_say_what_a_call_changes() {
        let tools = all(document());
        let hinted = |name: &str| {
            let tool = tools.iter().find(|tool| tool.name == name);
            let hints = tool.and_then(|tool| tool.annotations.clone()).expect("hints");
            (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint)
        };
        let said = |reads, takes_away, again, outside| (Some(reads), Some(takes_away), Some(again), Some(outside));
        for (name, wanted) in [
            ("get_jobs", said(true, false, true, false)),
            ("list_items", said(true, false, true, false)),
            ("prepare_media", said(false, false, true, false)),
            ("detect_beats", said(false, false, true, false)),
            ("cancel_jobs", said(false, true, true, false)),
            ("delete_item", said(false, true, true, false)),
            ("import_media", said(false, false, false, true)),
            ("run_template", said(false, true, false, true)),
            ("get_api_session", said(false, false, false, false)),
        ] {
            assert_eq!(hinted(name), wanted, "{name}");
        }
    }
}
