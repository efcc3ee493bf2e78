//! The operations of `openapi.json` as requests: each with the document's own example of its body, aimed at ids that
//! exist.
//!
//! For tests that try every operation there is, those that are added tomorrow among them.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Which id a path's parameter is, by the segment before it.
const IN_PATHS: [(&str, &str); 10] = [
    ("deliveries", "dlv"),
    ("events", "evt"),
    ("keys", "key"),
    ("uploads", "upl"),
    ("items", "itm"),
    ("media", "itm"),
    ("webhooks", "whe"),
    ("projects", "prj"),
    ("jobs", "job"),
    ("workspaces", "wsp"),
];

/// A request of an operation.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// Its method and its path's template, as `api::contract::table` has it.
    pub operation: String,
    /// Its method.
    pub method: String,
    /// Its path below `/api/v1`.
    pub path: String,
    /// Its JSON body.
    pub body: Option<Value>,
    /// Whether the path itself names something by its id.
    pub names_in_path: bool,
    /// Whether it takes a customer's credential.
    pub signed: bool,
}

/// Every operation of the document, with these ids wherever one belongs. One that streams is left out: it has no end.
pub fn attempts(ids: &BTreeMap<String, String>) -> anyhow::Result<Vec<Attempt>> {
    let document = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi.json"))?;
    let document: Value = serde_json::from_str(&document)?;
    let mut attempts = Vec::new();
    for (template, methods) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            if !operation["responses"]["200"]["content"]["text/event-stream"].is_null() {
                continue;
            }
            let body = operation.pointer("/requestBody/content/application~1json/example");
            attempts.push(Attempt {
                operation: format!("{} {template}", method.to_uppercase()),
                method: method.to_uppercase(),
                path: aimed(template, ids),
                body: body.map(|example| replaced(example, ids)),
                names_in_path: template.contains('{'),
                signed: !operation["security"][0]["bearer"].is_null(),
            });
        }
    }
    Ok(attempts)
}

/// The path with the owner's ids for its parameters.
fn aimed(template: &str, ids: &BTreeMap<String, String>) -> String {
    let mut before = "";
    let mut path = String::new();
    for segment in template.split('/').skip(1) {
        let known = IN_PATHS.iter().find(|(word, _)| *word == before).map(|(_, prefix)| *prefix);
        let filled = match (segment, known) {
            ("{read}", _) => "levels",
            (parameter, Some(prefix)) if parameter.starts_with('{') => &ids[prefix],
            // An operator's: no customer's credential leads there.
            (parameter, None) if parameter.starts_with('{') => "acc_01JD3M5N7P9Q1R3S5T7V9W1X3Y",
            (plain, _) => plain,
        };
        path += "/";
        path += filled;
        before = segment;
    }
    path
}

/// The example with the owner's ids for those of the same kind.
fn replaced(example: &Value, ids: &BTreeMap<String, String>) -> Value {
    match example {
        Value::String(text) => {
            let prefix = text.split_once('_').map(|(prefix, _)| prefix).unwrap_or_default();
            ids.get(prefix).filter(|_| text.len() == 30).map_or_else(|| example.clone(), |id| json!(id))
        }
        Value::Array(values) => values.iter().map(|value| replaced(value, ids)).collect(),
        Value::Object(object) => object
            .iter()
            .map(|(key, value)| match key.as_str() {
                key if key == "ref" || key.ends_with("_ref") => (key.to_owned(), json!(ids["itm"])),
                "refs" => (key.clone(), json!([ids["itm"]])),
                // No job of such a test ends.
                "wait_seconds" => (key.clone(), json!(0)),
                _ => (key.clone(), replaced(value, ids)),
            })
            .collect(),
        plain => plain.clone(),
    }
}
