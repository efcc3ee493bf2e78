//! Puts into the document what poem-openapi can't say of the routes.
//!
//! OpenAPI 3.0 as generators read it: plain media types, closed request objects and nullable fields. `components` and
//! `operations` add the error answers, and the headers that every request may carry and every answer does.

use super::{cloud, components, operations, pagination, patterns, shared, webhooks};
use serde_json::{Value, json};
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
    components::add(document);
    cloud::require(document);
    patterns::add(document, &sent);
    operations::describe_all(document);
    pagination::add(document);
    webhooks::add(document);
    shared::share_refusals(document);
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
