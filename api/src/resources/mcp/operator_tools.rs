//! The operators' tools over MCP: which of the operators' operations are tools, what each takes, and the request that a
//! call of one stands for. Nothing here calls an operation.
//!
//! What a tool says of itself and takes is derived from the document: the parameters of its path, those of its query
//! and the fields of its body are the fields of one object.

use super::schema::json_schema;
use super::tools::object;
use crate::contract::access::Needs;
use crate::contract::idempotency::Repeat;
use crate::contract::{Contract, Operation, inlined};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::request::SentBody;
use bytes::Bytes;
use domain::operator::OperatorRole;
use poem::Request;
use poem::http::{HeaderValue, Method, Uri, header};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use url::form_urlencoded::{Serializer, byte_serialize};

/// The tools, in the order in which they are listed, each with its operation: the verdict, what the console has a
/// button for, and what finds the ids that those take.
const TOOLS: [(&str, &str); 20] = [
    ("get_health", "GET /operator/report"),
    ("list_errors", "GET /operator/errors"),
    ("list_jobs", "GET /operator/jobs"),
    ("get_job", "GET /operator/jobs/{id}"),
    ("retry_job", "POST /operator/jobs/{id}/retry"),
    ("cancel_job", "POST /operator/jobs/{id}/cancel"),
    ("list_deliveries", "GET /operator/deliveries"),
    ("get_delivery", "GET /operator/deliveries/{id}"),
    ("resend_delivery", "POST /operator/deliveries/{id}/resend"),
    ("resend_deliveries", "POST /operator/deliveries/resend"),
    ("count_failed_reads", "GET /operator/failed-reads"),
    ("start_bulk_operation", "POST /operator/bulk-operations"),
    ("list_bulk_operations", "GET /operator/bulk-operations"),
    ("get_bulk_operation", "GET /operator/bulk-operations/{id}"),
    ("stop_bulk_operation", "POST /operator/bulk-operations/{id}/stop"),
    ("list_webhooks", "GET /operator/webhooks"),
    ("update_webhook", "PATCH /operator/webhooks/{id}"),
    ("list_reads", "GET /operator/reads"),
    ("update_read", "PATCH /operator/reads/{read}"),
    ("create_portal_link", "POST /operator/accounts/{id}/portal-sessions"),
];
/// Letters of a field's name that a refusal repeats.
const LONGEST_SHOWN: usize = 60;

/// A tool for operators.
pub struct OperatorTool {
    /// The tool, as it is listed.
    pub tool: Tool,
    /// The role that its operation needs.
    pub role: OperatorRole,
    operation: Arc<Operation>,
    /// The names of the parameters in its path.
    in_path: Vec<String>,
}

/// Returns the tools.
pub fn all(contract: &Contract) -> Vec<OperatorTool> {
    let named = |operation: &str| contract.operations().iter().find(|one| one.name() == operation);
    TOOLS.iter().filter_map(|&(name, operation)| tool(contract, name, named(operation)?)).collect()
}

fn tool(contract: &Contract, name: &'static str, operation: &Arc<Operation>) -> Option<OperatorTool> {
    let Some(Needs::Operator(role)) = operation.needs else { return None };
    let described = contract.described(operation);
    let text = |field: &str| described[field].as_str().unwrap_or_default().to_owned();
    let (mut properties, mut required, mut in_path) = (Map::new(), Vec::new(), Vec::new());
    for parameter in described["parameters"].as_array().into_iter().flatten() {
        let (place, name) = (&parameter["in"], parameter["name"].as_str().unwrap_or_default());
        if place != "path" && place != "query" {
            continue;
        }
        let mut schema = json_schema(&inlined(&contract.json, &parameter["schema"]));
        schema["description"] = parameter["description"].clone();
        properties.insert(name.to_owned(), schema);
        if parameter["required"] == true {
            required.push(json!(name));
        }
        if place == "path" {
            in_path.push(name.to_owned());
        }
    }
    let body = operation.body.as_ref().map(json_schema).unwrap_or_default();
    properties.extend(body["properties"].as_object().cloned().unwrap_or_default());
    required.extend(body["required"].as_array().cloned().unwrap_or_default());
    let takes = json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    });
    let mut tool = Tool::new(name, with_tools_names(text("description")), object(takes));
    tool.title = Some(text("summary"));
    tool.output_schema = operation.answer.as_ref().map(|answer| object(json_schema(answer)));
    let tool = tool.with_annotations(hints(operation));
    Some(OperatorTool { tool, role, operation: Arc::clone(operation), in_path })
}

/// Puts the names of tools in place of those operations that are tools.
pub(super) fn with_tools_names(description: String) -> String {
    let renamed =
        |text: String, (tool, operation): &(&str, &str)| text.replace(&format!("`{operation}`"), &format!("`{tool}`"));
    TOOLS.iter().fold(description, renamed)
}

/// Returns hints. Whatever changes something works on what is a customer's, and so is told as destructive: clients that
/// go by hints ask a person before such a call.
fn hints(operation: &Operation) -> ToolAnnotations {
    let reads = operation.method == Method::GET;
    let again = reads || operation.repeat == Some(Repeat::Harmless);
    ToolAnnotations::new().read_only(reads).destructive(!reads).idempotent(again).open_world(!reads)
}

impl OperatorTool {
    /// Returns the request that a call with these arguments stands for, without a credential.
    ///
    /// # Errors
    /// `invalid_request` for an argument that the tool does not take, or that has no place in a path or a query. All
    /// else is judged by the operation.
    pub fn request(&self, mut arguments: JsonObject) -> Answer<Request> {
        let mut path = self.operation.path.clone();
        for name in &self.in_path {
            let Some(Value::String(id)) = arguments.remove(name).filter(|id| *id != "") else {
                return Err(wrong(name, "a string that is not empty is required"));
            };
            // What no id has is escaped, so that it leads to no other path.
            let segment: String = byte_serialize(id.as_bytes()).collect();
            path = path.replace(&format!("{{{name}}}"), &segment);
        }
        let mut query = Serializer::new(String::new());
        for known in &self.operation.queries {
            let values = match arguments.remove(&known.name) {
                None | Some(Value::Null) => continue,
                Some(Value::Array(values)) => values,
                Some(value) => vec![value],
            };
            for value in values {
                let text = match value {
                    Value::String(text) => text,
                    Value::Bool(_) | Value::Number(_) => value.to_string(),
                    _ => return Err(wrong(&known.name, "expected text, a number, or a list of these")),
                };
                query.append_pair(&known.name, &text);
            }
        }
        let query = query.finish();
        let takes_body = self.operation.body.is_some();
        let body = if takes_body {
            Bytes::from(Value::Object(arguments).to_string())
        } else if let Some(name) = arguments.keys().next() {
            return Err(wrong(name, "the tool has no such argument"));
        } else {
            Bytes::new()
        };
        let target = if query.is_empty() { path } else { format!("{path}?{query}") };
        let uri: Uri = target.parse().map_err(ApiError::internal)?;
        let mut call = Request::builder().method(self.operation.method.clone()).uri(uri).body(body.clone());
        if takes_body {
            call.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        call.set_data(SentBody(body));
        Ok(call)
    }
}

#[cfg(test)]
impl OperatorTool {
    /// Returns the codes that its operation lists of its own.
    pub(super) fn refuses(&self) -> &'static [Code] {
        self.operation.refuses.unwrap_or_default()
    }
}

fn wrong(name: &str, words: &str) -> ApiError {
    let shown: String = name.chars().take(LONGEST_SHOWN).collect();
    ApiError::new(Code::InvalidRequest, format!("`{shown}`: {words}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::document;

    fn named(name: &str) -> OperatorTool {
        all(document()).into_iter().find(|tool| tool.tool.name == name).expect("a tool")
    }

    fn asked(name: &str, arguments: Value) -> Answer<(String, String)> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let request = named(name).request(arguments)?;
        let SentBody(body) = request.data::<SentBody>().expect("a body, if an empty one");
        let body = String::from_utf8_lossy(body).into_owned();
        Ok((format!("{} {}", request.method(), request.uri()), body))
    }

    #[test]
    fn each_tool_says_of_itself_what_the_document_says_of_its_operation() {
        let tools = all(document());
        assert_eq!(tools.len(), TOOLS.len(), "a row that is no operation for operators");
        for tool in &tools {
            assert!(tool.tool.title.as_ref().is_some_and(|title| !title.is_empty()), "{}", tool.tool.name);
            let text = serde_json::to_string(&tool.tool).expect("JSON");
            assert!(!text.contains("$ref") && !text.contains("nullable"), "{}", tool.tool.name);
            let answer = tool.tool.output_schema.as_ref().expect("it answers JSON");
            assert_eq!(answer["type"], "object", "{}", tool.tool.name);
        }
        let health = &tools[0].tool;
        assert_eq!((health.name.as_ref(), health.title.as_deref()), ("get_health", Some("Get the verdict")));
        assert!(health.input_schema["properties"].as_object().is_some_and(Map::is_empty));
        let update = named("update_read").tool;
        assert_eq!(update.input_schema["required"], json!(["read", "paused"]));
        assert!(update.input_schema["properties"]["paused"]["description"].is_string());
        let start = named("start_bulk_operation").tool.description.expect("a description");
        assert!(start.contains("`dry_run` of `resend_deliveries`"), "{start}");
    }

    #[test]
    fn hints_say_what_changes_something_and_what_comes_of_a_repeat() {
        for (name, role, reads, again) in [
            ("get_health", OperatorRole::Metadata, true, true),
            ("list_bulk_operations", OperatorRole::Read, true, true),
            ("cancel_job", OperatorRole::Act, false, true),
            ("resend_delivery", OperatorRole::Act, false, false),
            ("update_webhook", OperatorRole::Act, false, false),
        ] {
            let tool = named(name);
            let hints = tool.tool.annotations.expect("hints");
            let told = (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint);
            assert_eq!((tool.role, told), (role, (Some(reads), Some(!reads), Some(again))), "{name}");
        }
    }

    #[test]
    fn arguments_go_to_the_path_the_query_and_the_body_of_the_operation() -> anyhow::Result<()> {
        let (line, body) = asked("update_webhook", json!({ "id": "whe_1", "enabled": true }))?;
        assert_eq!((line.as_str(), body.as_str()), ("PATCH /operator/webhooks/whe_1", r#"{"enabled":true}"#));
        let filters = json!({ "status": ["failed", "queued"], "limit": 5, "error_code": "a&b", "kind": null });
        let (line, body) = asked("list_jobs", filters)?;
        let wanted = "GET /operator/jobs?status=failed&status=queued&error_code=a%26b&limit=5";
        assert_eq!((line.as_str(), body.as_str()), (wanted, ""));
        let (line, _) = asked("retry_job", json!({ "id": "../accounts/x?y" }))?;
        assert_eq!(line, "POST /operator/jobs/..%2Faccounts%2Fx%3Fy/retry");
        for (name, arguments) in [
            ("get_health", json!({ "more": 1 })),
            ("retry_job", json!({})),
            ("retry_job", json!({ "id": "" })),
            ("retry_job", json!({ "id": ["job_1"] })),
            ("list_jobs", json!({ "status": { "is": "failed" } })),
        ] {
            let refusal = asked(name, arguments).err().map(|refusal| refusal.code());
            assert_eq!(refusal, Some(Code::InvalidRequest), "{name}");
        }
        Ok(())
    }
}
