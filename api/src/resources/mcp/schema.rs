//! Translates schemas of OpenAPI 3.0 to JSON Schema, which MCP's clients read. Pure.
//!
//! The two differ in a few keywords: `nullable`, the boolean bounds, `example`. References are inlined before.

use serde_json::{Map, Value, json};

/// Keywords that JSON Schema lacks and that are not translated either.
const DROPPED: [&str; 4] = ["nullable", "discriminator", "xml", "externalDocs"];

/// Returns the schema as JSON Schema (2020-12).
pub fn json_schema(schema: &Value) -> Value {
    let Value::Object(object) = schema else { return schema.clone() };
    let mut translated = Map::new();
    for (key, value) in object {
        match key.as_str() {
            key if DROPPED.contains(&key) => {}
            "example" => _ = translated.insert("examples".to_owned(), json!([value])),
            "properties" => _ = translated.insert(key.clone(), each(value)),
            "items" | "not" | "additionalProperties" => _ = translated.insert(key.clone(), json_schema(value)),
            // `allOf` with one part is a reference with a description; inlined, it is one schema.
            "allOf" if value.as_array().is_some_and(|parts| parts.len() == 1) => {
                for (name, inner) in json_schema(&value[0]).as_object().cloned().unwrap_or_default() {
                    translated.entry(name).or_insert(inner);
                }
            }
            "allOf" | "anyOf" | "oneOf" => {
                let parts = value.as_array().into_iter().flatten().map(json_schema).collect();
                translated.insert(key.clone(), parts);
            }
            _ => _ = translated.insert(key.clone(), value.clone()),
        }
    }
    exclusive(&mut translated, "exclusiveMinimum", "minimum");
    exclusive(&mut translated, "exclusiveMaximum", "maximum");
    if object.get("nullable") == Some(&Value::Bool(true)) { or_null(translated) } else { translated.into() }
}

fn each(properties: &Value) -> Value {
    let properties = properties.as_object().into_iter().flatten();
    properties.map(|(name, schema)| (name.clone(), json_schema(schema))).collect()
}

/// In JSON Schema, an exclusive bound is its own number.
fn exclusive(schema: &mut Map<String, Value>, flag: &str, bound: &str) {
    match schema.get(flag) {
        Some(Value::Bool(true)) => {
            if let Some(number) = schema.remove(bound) {
                schema.insert(flag.to_owned(), number);
            }
        }
        Some(Value::Bool(false)) => _ = schema.remove(flag),
        _ => {}
    }
}

/// Returns the schema of such a value or null.
fn or_null(mut schema: Map<String, Value>) -> Value {
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    if let Some(Value::String(name)) = schema.get("type").cloned() {
        schema.insert("type".to_owned(), json!([name, "null"]));
        return schema.into();
    }
    let description = schema.remove("description");
    let mut either = json!({ "anyOf": [schema, { "type": "null" }] });
    if let Some(description) = description {
        either["description"] = description;
    }
    either
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_null_says_so_in_its_type_and_among_its_values() {
        let translated = json_schema(&json!({
            "type": "object",
            "properties": {
                "a": { "type": "string", "nullable": true, "description": "An a." },
                "b": { "type": "string", "enum": ["x"], "nullable": true, "example": "x" },
                "c": { "allOf": [{ "type": "integer", "minimum": 0, "exclusiveMinimum": true }], "nullable": true },
                "d": { "oneOf": [{ "type": "integer" }, { "type": "string" }], "nullable": true },
                "nullable": { "type": "array", "items": { "type": "number", "nullable": true } },
            },
        }));
        let wanted = json!({
            "type": "object",
            "properties": {
                "a": { "type": ["string", "null"], "description": "An a." },
                "b": { "type": ["string", "null"], "enum": ["x", null], "examples": ["x"] },
                "c": { "type": ["integer", "null"], "exclusiveMinimum": 0 },
                "d": { "anyOf": [{ "oneOf": [{ "type": "integer" }, { "type": "string" }] }, { "type": "null" }] },
                "nullable": { "type": "array", "items": { "type": ["number", "null"] } },
            },
        });
        assert_eq!(translated, wanted);
    }
}
