//! What a refused body is told, and that a body that fits is told nothing.

use super::*;
use serde_json::json;

fn said(body: &Value) -> Option<String> {
    let schema = json!({
        "type": "object",
        "required": ["refs"],
        "additionalProperties": false,
        "properties": {
            "refs": { "type": "array", "minItems": 1, "maxItems": 2, "items": { "type": "string" } },
            "read": { "allOf": [{ "type": "string", "enum": ["speech", "beats"] }], "nullable": true },
            "limit": { "type": "integer", "minimum": 1.0, "maximum": 50.0, "nullable": true },
            "minutes": { "type": "number", "minimum": 0, "maximum": 1_000_000 },
            "context": { "type": "string", "maxLength": 3 },
            "values": { "type": "object", "additionalProperties": { "type": "string" } },
            "free": { "type": "object" },
        },
    });
    explain(&schema, body)
}

#[test]
fn a_difference_names_the_field_what_it_takes_and_what_was_found() {
    for (body, words) in [
        (json!({ "refs": [false] }), "`refs[0]`: expected a string, found false."),
        (json!({}), "`refs` is required: expected a list, each entry a string."),
        (json!({ "refs": [] }), "`refs`: expected 1 to 2 entries, found 0."),
        (json!({ "refs": ["a"], "read": "x" }), "`read`: expected one of speech, beats, found \"x\"."),
        (json!({ "refs": ["a"], "limit": 51 }), "`limit`: expected 1 to 50, found 51."),
        (json!({ "refs": ["a"], "minutes": 1e300 }), "`minutes`: expected 0 to 1000000, found 1e+300."),
        (json!({ "refs": ["a"], "minutes": -0.5 }), "`minutes`: expected 0 to 1000000, found -0.5."),
        (json!({ "refs": ["a"], "limit": 1.5 }), "`limit`: expected a whole number, found 1.5."),
        (json!({ "refs": ["a"], "context": "ключ" }), "`context`: expected at most 3 characters, found 4."),
        (
            json!({ "refs": ["a"], "x": 1 }),
            "`x` is not known here, which takes `refs`, `read`, `limit`, `minutes`, `context`, `values`, `free`.",
        ),
        (json!({ "refs": ["a\0b"] }), "`refs[0]`: expected a string without NUL characters."),
        (
            json!({ "refs": ["a"], "free": { "x": [1, { "y": "\0" }] } }),
            "`free.x[1].y`: expected a string without NUL characters.",
        ),
        (json!({ "refs": ["a"], "values": { "y": 1 } }), "`values.y`: expected a string, found 1."),
        (json!([]), "The body: expected an object, found a list."),
    ] {
        assert_eq!(said(&body).as_deref(), Some(words));
    }
}

#[test]
fn the_way_to_a_value_is_put_together_for_a_refusal_alone() {
    // A million values, the way to each of which is 60 KB long.
    let name = "𐍈".repeat(60);
    let wrong = 1_000_000;
    let mut free = Value::Array(std::iter::repeat_n(Value::Null, wrong).chain([json!("\0")]).collect());
    for _ in 0..250 {
        let mut outer = Map::new();
        outer.insert(name.clone(), free);
        free = Value::Object(outer);
    }
    let began = std::time::Instant::now();
    let words = said(&json!({ "refs": ["a"], "free": free })).expect("a refusal");
    let took = began.elapsed();
    let place = format!("`free.{name}.{name}");
    assert!(words.starts_with(&place) && words.len() > 250 * name.len());
    assert!(words.ends_with(&format!(".{name}[{wrong}]`: expected a string without NUL characters.")));
    assert!(took < std::time::Duration::from_secs(10), "{took:?}");
}

#[test]
fn a_query_is_held_against_what_its_text_may_mean() {
    let limit = json!({ "type": "integer", "minimum": 1, "maximum": 100 });
    let kind = json!({ "allOf": [{ "type": "string", "enum": ["a", "b"] }] });
    let time = json!({ "type": "string", "format": "date-time" });
    for (schema, text, words) in [
        (&limit, "7", None),
        (&limit, "", Some("`q`: expected a whole number, found \"\".")),
        (&limit, "101", Some("`q`: expected 1 to 100, found 101.")),
        (&kind, "b", None),
        (&kind, "c", Some("`q`: expected one of a, b, found \"c\".")),
        (&json!({ "type": "array", "items": kind }), "c", Some("`q`: expected one of a, b, found \"c\".")),
        (&time, "2026-11-20T09:30:00Z", None),
        (&time, "noon", Some("`q`: expected a time such as 2026-11-20T09:30:00.000Z, found \"noon\".")),
    ] {
        assert_eq!(explain_query(schema, "q", text).as_deref(), words, "{text}");
    }
}

#[test]
fn what_fits_is_not_explained_and_null_fits_an_optional_field() {
    assert_eq!(said(&json!({ "refs": ["a"], "read": null, "limit": null, "context": "abc" })), None);
}
