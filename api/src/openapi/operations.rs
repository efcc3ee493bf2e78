//! What every operation of the document is given: its error answers, its headers and parameters, and its examples.

use super::{examples, refusals};
use crate::contract::idempotency::Repeat;
use crate::contract::table;
use serde_json::{Map, Value, json};

/// Describes all operations of the document.
pub fn describe_all(document: &mut Value) {
    let schemas = document["components"]["schemas"].clone();
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    for (path, methods) in paths {
        for (method, operation) in methods.as_object_mut().into_iter().flatten() {
            describe(operation, &method.to_uppercase(), path);
            examples::add(&schemas, operation);
        }
    }
}

fn describe(operation: &mut Value, method: &str, path: &str) {
    let tool = path.starts_with("/tools/");
    let acts_in_a_workspace =
        operation["security"].as_array().into_iter().flatten().any(|one| one.get("bearer").is_some());
    let takes_body = operation.get("requestBody").is_some();
    add_parameter(operation, "RequestId");
    if acts_in_a_workspace {
        add_parameter(operation, "WorkspaceId");
    }
    // `x-repeat` tells clients whether they may send a POST again.
    if let Some(repeat) = table::find(&format!("{method} {path}")).and_then(|row| row.repeat) {
        operation["x-repeat"] = repeat.word().into();
        if repeat == Repeat::Kept {
            add_parameter(operation, "IdempotencyKey");
        }
    }
    let mut all = Map::new();
    for (status, mut response) in operation["responses"].as_object_mut().map(std::mem::take).unwrap_or_default() {
        if response["description"].as_str().is_none_or(str::is_empty) {
            response["description"] = done(&status).into();
        }
        add_headers(&mut response, false);
        all.insert(status, response);
    }
    let schema = if tool { "ToolError" } else { "RouteError" };
    for (status, codes) in refusals::by_status(&format!("{method} {path}"), takes_body) {
        let meanings: Vec<String> = codes.iter().map(|code| format!("`{}`: {}", code.name(), code.meaning())).collect();
        let mut response = json!({
            "description": meanings.join("\n"),
            "content": { "application/json": { "schema": { "$ref": format!("#/components/schemas/{schema}") } } },
        });
        add_headers(&mut response, matches!(status, 429 | 503));
        if status == 401 {
            response["headers"]["WWW-Authenticate"] = json!({ "$ref": "#/components/headers/WWW-Authenticate" });
        }
        all.insert(status.to_string(), response);
    }
    operation["responses"] = Value::Object(all);
}

fn done(status: &str) -> &'static str {
    match status {
        "201" => "Created.",
        "202" => "Accepted.",
        _ => "Done, or a job started for longer work.",
    }
}

fn add_parameter(operation: &mut Value, name: &str) {
    let reference = json!({ "$ref": format!("#/components/parameters/{name}") });
    match operation["parameters"].as_array_mut() {
        Some(parameters) => parameters.push(reference),
        None => operation["parameters"] = json!([reference]),
    }
}

fn add_headers(response: &mut Value, waits: bool) {
    let names = ["X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit-Policy"];
    for name in names.into_iter().chain(waits.then_some("Retry-After")) {
        response["headers"][name] = json!({ "$ref": format!("#/components/headers/{name}") });
    }
}
