//! Describes a refusal that several operations share word for word once, as a component to which they all refer.
//! Repeated at each operation, these refusals were most of the document.
//!
//! A component is named after the envelope and the codes that it may hold, so its name stays the same when other
//! components are added or removed.

use super::refusals;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Moves each refusal that occurs more than once into `components.responses`, and leaves a `$ref` in its place.
pub fn share_refusals(document: &mut Value) {
    let mut found: BTreeMap<String, (usize, Value)> = BTreeMap::new();
    each(document, |name, response| {
        found.entry(name).or_insert_with(|| (0, response.clone())).0 += 1;
    });
    found.retain(|_, (times, _)| *times > 1);
    each(document, |name, response| {
        if found.get(&name).is_some_and(|(_, shared)| shared == response) {
            *response = json!({ "$ref": format!("#/components/responses/{name}") });
        }
    });
    document["components"]["responses"] = found.into_iter().map(|(name, (_, response))| (name, response)).collect();
}

/// Calls `visit` with every refusal of every operation, and the name that it would have as a component.
fn each(document: &mut Value, mut visit: impl FnMut(String, &mut Value)) {
    for (path, methods) in document["paths"].as_object_mut().into_iter().flatten() {
        for (method, operation) in methods.as_object_mut().into_iter().flatten() {
            let takes_body = operation.get("requestBody").is_some();
            let codes = refusals::by_status(&format!("{} {path}", method.to_uppercase()), takes_body);
            let envelope = if path.starts_with("/tools/") { "Tool" } else { "Route" };
            for (status, codes) in codes {
                let names: Vec<&str> = codes.iter().map(|code| code.name()).collect();
                if let Some(response) = operation["responses"].get_mut(status.to_string()) {
                    visit(format!("{envelope}.{}", names.join(".")), response);
                }
            }
        }
    }
}
