//! What texts may look like where a rule of the handlers says so, for clients that generate or check what they send.
//!
//! Nothing is refused by what stands here: each line repeats a rule that is enforced elsewhere, so that the document
//! does not promise more than the service takes.

use serde_json::Value;
use std::collections::BTreeSet;

/// A name that holds something, and no control characters.
const NAME: &str = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$";
/// The same, but nothing that begins as the id of an item or a job does.
const REF: &str = r"^(?!itm_|job_)[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$";
/// Any text at all: Postgres keeps no NUL (`text::Text`).
const ANY: &str = r"^[^\x00]*$";
/// The fields of request schemas that take less than any text.
const FIELDS: &[(&str, &str, &str)] = &[
    ("AddUser", "name", NAME),
    ("ChangeAccount", "name", NAME),
    ("ChangeUser", "name", NAME),
    ("ChangeWorkspace", "name", NAME),
    ("CreateUpload", "filename", NAME),
    ("CreateUpload", "ref", REF),
    ("CreateUpload", "sha256", "^[0-9A-Fa-f]{64}$"),
    ("ImportMedia", "name", NAME),
    ("ImportMedia", "ref", REF),
    ("OpenAccount", "name", NAME),
    ("OpenAccount", "workspace_name", NAME),
    ("OpenWorkspace", "name", NAME),
    ("SuspendAccount", "reason", NAME),
    ("SaveSkill", "name", NAME),
    ("SaveTemplate", "name", NAME),
    ("WorkspaceName", "name", NAME),
    ("RedeemCode", "code", "^esx_[0-9a-f]{32}$"),
];
/// The parameters in headers that do.
const HEADERS: &[(&str, &str)] =
    &[("WorkspaceId", "^wsp_[0-9A-HJKMNP-TV-Z]{26}$"), ("IdempotencyKey", r"^[\x20-\x7e]+$")];

/// Puts a pattern on every text that clients send. `sent` are the names of the schemas that bodies are made of.
pub fn add(document: &mut Value, sent: &BTreeSet<String>) {
    for (schema, field, pattern) in FIELDS {
        let at = format!("/components/schemas/{schema}/properties/{field}");
        if let Some(property) = document.pointer_mut(&at) {
            property["pattern"] = (*pattern).into();
        }
    }
    for (parameter, pattern) in HEADERS {
        if let Some(schema) = document.pointer_mut(&format!("/components/parameters/{parameter}/schema")) {
            schema["pattern"] = (*pattern).into();
        }
    }
    for name in sent {
        let fields = document["components"]["schemas"][name].get_mut("properties").and_then(Value::as_object_mut);
        fields.into_iter().flatten().for_each(|(_, schema)| any_text(schema));
    }
    let operations = document["paths"].as_object_mut().into_iter().flatten();
    let operations = operations.flat_map(|(_, methods)| methods.as_object_mut().into_iter().flatten());
    for (_, operation) in operations {
        for parameter in operation["parameters"].as_array_mut().into_iter().flatten() {
            if let Some(schema) = parameter.get_mut("schema") {
                any_text(schema);
            }
        }
    }
}

/// A plain text, or a list of them.
fn any_text(schema: &mut Value) {
    if let Some(items) = schema.get_mut("items") {
        any_text(items);
    }
    let plain = ["pattern", "enum", "format"].iter().all(|keyword| schema[keyword].is_null());
    if schema["type"] == "string" && plain {
        schema["pattern"] = ANY.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::document;

    #[test]
    fn every_pattern_is_of_a_field_or_a_header_that_is_there() {
        for (schema, field, pattern) in FIELDS {
            let found = &document().json["components"]["schemas"][schema]["properties"][field]["pattern"];
            assert_eq!(found, pattern, "{schema}.{field}");
        }
        for (parameter, pattern) in HEADERS {
            assert_eq!(&document().json["components"]["parameters"][parameter]["schema"]["pattern"], pattern);
        }
    }
}
