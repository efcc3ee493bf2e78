//! What tests of commands ask: which parameters a tool has, and which of them a command sends.

use serde_json::Value;
use std::collections::BTreeSet;

/// The names of a tool's parameters, as the API's document has them.
pub(super) fn parameters(tool: &str) -> BTreeSet<String> {
    let document: Value = serde_json::from_str(include_str!("../../../openapi.json")).expect("the document is JSON");
    let content = &document["paths"][format!("/tools/{tool}")]["post"]["requestBody"]["content"];
    let schema = content.as_object().and_then(|all| all.values().next()).expect("a tool takes a body");
    let name = schema["schema"]["$ref"].as_str().and_then(|path| path.rsplit('/').next()).expect("it has a name");
    keys(&document["components"]["schemas"][name]["properties"])
}

/// The names in an object.
pub(super) fn keys(object: &Value) -> BTreeSet<String> {
    object.as_object().expect("an object").keys().cloned().collect()
}
