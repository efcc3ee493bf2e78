//! Puts into the document what poem-openapi can't say of the routes.
//!
//! OpenAPI 3.0 as generators read it: plain media types, closed request objects, nullable fields, each operation's
//! error answers, and the headers that every request may carry and every answer does.

use super::{cloud, examples, pagination, patterns, refusals, shared, webhooks};
use crate::contract::idempotency::{Repeat, repeat};
use crate::http::error::Code;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Patches the document as poem-openapi made it.
pub fn apply(document: &mut Value) {
    document["openapi"] = "3.0.3".into();
    plain_media_types(document);
    unwrap_descriptions(document);
    lift_descriptions(document);
    let sent = request_schemas(document);
    for name in &sent {
        let schema = &mut document["components"]["schemas"][name];
        schema["additionalProperties"] = false.into();
        leave_defaults_out(schema);
    }
    let schemas = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
    for schema in schemas.into_iter().flatten().map(|(_, schema)| schema) {
        optional_fields_take_null(schema);
    }
    // The only field that is required and may be null, which the framework documents as optional.
    document["components"]["schemas"]["ChangeProjectSettings"]["required"] = json!(["webhook_url"]);
    add_components(document);
    cloud::require(document);
    patterns::add(document, &sent);
    describe_operations(document);
    pagination::add(document);
    webhooks::add(document);
    shared::share_refusals(document);
}

fn describe_operations(document: &mut Value) {
    let schemas = document["components"]["schemas"].clone();
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    for (path, methods) in paths {
        for (method, operation) in methods.as_object_mut().into_iter().flatten() {
            describe(operation, &method.to_uppercase(), path);
            examples::add(&schemas, operation);
        }
    }
}

/// Strips `; charset=utf-8`: generators look for plain `application/json`.
fn plain_media_types(value: &mut Value) {
    match value {
        Value::Object(object) => {
            if let Some(content) = object.get_mut("content").and_then(Value::as_object_mut) {
                *content = std::mem::take(content)
                    .into_iter()
                    .map(|(media, schema)| (media.split(';').next().unwrap_or_default().to_owned(), schema))
                    .collect();
            }
            object.values_mut().for_each(plain_media_types);
        }
        Value::Array(values) => values.iter_mut().for_each(plain_media_types),
        _ => {}
    }
}

/// Joins the lines of a description, which come from wrapped comments, and keeps its paragraphs.
fn unwrap_descriptions(value: &mut Value) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = text.split("\n\n").map(|part| part.replace('\n', " ")).collect::<Vec<_>>().join("\n\n");
            }
            object.values_mut().for_each(unwrap_descriptions);
        }
        Value::Array(values) => values.iter_mut().for_each(unwrap_descriptions),
        _ => {}
    }
}

/// Moves the description out of an `allOf` part that has nothing else: generators take each part for a schema.
fn lift_descriptions(value: &mut Value) {
    match value {
        Value::Object(object) => {
            if let Some(parts) = object.get_mut("allOf").and_then(Value::as_array_mut)
                && let Some(at) = parts.iter().position(|part| !part["description"].is_null() && part["$ref"].is_null())
                && parts[at].as_object().is_some_and(|part| part.len() == 1)
            {
                let part = parts.remove(at);
                object.insert("description".to_owned(), part["description"].clone());
            }
            object.values_mut().for_each(lift_descriptions);
        }
        Value::Array(values) => values.iter_mut().for_each(lift_descriptions),
        _ => {}
    }
}

/// The names of the schemas that requests' bodies are made of.
fn request_schemas(document: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let paths = document["paths"].as_object().into_iter().flatten();
    for operation in paths.flat_map(|(_, methods)| methods.as_object().into_iter().flatten()) {
        reached(document, &operation.1["requestBody"], &mut found);
    }
    found
}

fn reached(document: &Value, value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            let name = object.get("$ref").and_then(Value::as_str).and_then(|name| name.rsplit('/').next());
            if let Some(name) = name.filter(|name| !found.contains(*name)) {
                let schema = &document["components"]["schemas"][name];
                if schema["type"] == "object" && schema["additionalProperties"].is_null() {
                    found.insert(name.to_owned());
                }
                reached(document, schema, found);
            }
            object.values().for_each(|value| reached(document, value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| reached(document, value, found)),
        _ => {}
    }
}

/// Removes the default: generated clients would send it as if it had been chosen. Descriptions say what it is.
fn leave_defaults_out(schema: &mut Value) {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flatten().filter_map(|(_, property)| property.as_object_mut()) {
        property.remove("default");
    }
}

/// A field that is not required may be absent or null, in requests and in answers.
fn optional_fields_take_null(schema: &mut Value) {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        if required.iter().any(|field| field == name) {
            continue;
        }
        if let Some(named) = property.get("$ref").cloned() {
            *property = json!({ "allOf": [{ "$ref": named }] });
        }
        property["nullable"] = true.into();
        if let Some(values) = property.get_mut("enum").and_then(Value::as_array_mut) {
            values.push(Value::Null);
        }
    }
}

fn add_components(document: &mut Value) {
    let names: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    document["components"]["schemas"]["ErrorCode"] =
        json!({ "type": "string", "title": "ErrorCode", "description": "Why a request is refused.", "enum": names });
    let codes = json!({ "$ref": "#/components/schemas/ErrorCode" });
    let message = json!({ "type": "string", "description": "What went wrong, in words to act on." });
    document["components"]["schemas"]["ToolError"] = json!({
        "type": "object",
        "title": "ToolError",
        "description": "What a tool answers with any status but 200 (contract §7).",
        "required": ["ok", "error"],
        "properties": {
            "ok": { "type": "boolean", "enum": [false] },
            "error": {
                "type": "object",
                "required": ["code", "message", "retryable"],
                "properties": {
                    "code": codes.clone(),
                    "message": message.clone(),
                    "retryable": {
                        "type": "boolean", "description": "Whether the same request may succeed later.",
                    },
                    "suggested_action": { "type": "string", "description": "The next step that works." },
                    "cloud_processing": { "$ref": "#/components/schemas/CloudProcessing" },
                    "cost": { "$ref": "#/components/schemas/Cost" },
                    "revision": {
                        "type": "integer", "format": "int32",
                        "description": "Of `revision_conflict`: the document's present revision, 0 where there is none.",
                    },
                },
            },
        },
    });
    document["components"]["schemas"]["RouteError"] = json!({
        "type": "object",
        "title": "RouteError",
        "description": "What a route answers with any status but 2xx (contract §7).",
        "required": ["error"],
        "properties": { "error": {
            "type": "object",
            "required": ["code", "message", "status"],
            "properties": {
                "code": codes,
                "message": message,
                "status": { "type": "integer", "description": "The HTTP status." },
            },
        }},
    });
    document["components"]["headers"] = headers();
    document["components"]["parameters"] = parameters();
}

fn headers() -> Value {
    let integer = |description: &str, example: i64| {
        let schema = json!({ "type": "integer", "minimum": 0 });
        json!({ "description": description, "schema": schema, "example": example })
    };
    json!({
        "X-Request-Id": {
            "description": "Identifies the request; a plain one of up to 128 characters that you send is kept.",
            "required": true,
            "schema": { "type": "string", "minLength": 1, "maxLength": 128 },
            "example": "req_01JD3M5N7P9Q1R3S5T7V9W1X3Y",
        },
        "X-RateLimit-Limit": integer("Requests that may be sent at once when none were lately. On answers to a known caller, as are the next three.", 60),
        "X-RateLimit-Remaining": integer("How many of them are left now.", 59),
        "X-RateLimit-Reset": integer("When Remaining is whole again, in unix seconds.", 1_795_080_600),
        "RateLimit-Policy": {
            "description": "The rate in one line: `q` requests within `w` seconds, which come back evenly.",
            "schema": { "type": "string" },
            "example": "\"account\";q=60;w=6",
        },
        "Retry-After": integer("Seconds until the request may succeed.", 1),
        "WWW-Authenticate": {
            "description": "How to authenticate: `Bearer`, perhaps with parameters.",
            "required": true,
            "schema": { "type": "string" },
            "example": "Bearer",
        },
        "Allow": { "description": "The methods that the route has.", "schema": { "type": "string" } },
    })
}

fn parameters() -> Value {
    json!({
        "WorkspaceId": {
            "name": "x-workspace-id", "in": "header", "required": false, "schema": { "type": "string" },
            "description": "The workspace this one call acts in when not the default (contract §4.1).",
        },
        "RequestId": {
            "name": "X-Request-Id", "in": "header", "required": false,
            "schema": { "type": "string" },
            "description": "What to call the request in answers and logs. One that is not 1 to 128 letters, digits and \
                `-_.:` is replaced.",
        },
        "IdempotencyKey": {
            "name": "Idempotency-Key", "in": "header", "required": false,
            "schema": { "type": "string", "minLength": 1, "maxLength": 255 },
            "description": "The same key answers the first call again, and starts, charges and makes nothing twice (contract §4.1). It lives as long as \
                the jobs that it started, or a day.",
        },
    })
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
    if let Some(repeat) = repeat(&format!("{method} {path}")) {
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
