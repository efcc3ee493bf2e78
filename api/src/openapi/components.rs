//! The components that poem-openapi knows nothing of: the schemas of refusals, and the headers and parameters that
//! operations share.

use crate::http::error::Code;
use serde_json::{Value, json};

/// Adds them to the document.
pub fn add(document: &mut Value) {
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
        "X-RateLimit-Limit": integer(
            "Requests that may be sent at once when none were lately. On answers to a known caller, as are the next \
             three.",
            60,
        ),
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
            "description": "The same key answers the first call again, and starts, charges and makes nothing twice \
                (contract §4.1). It lives as long as the jobs that it started, or a day.",
        },
    })
}
