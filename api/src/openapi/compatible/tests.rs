//! What is a break and what is none, on a document with one operation.

use super::*;
use serde_json::json;

/// A document with one operation, whose body and answer are this schema.
fn document(schema: &Value) -> Value {
    let content = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/It" } } });
    json!({
        "paths": { "/it": { "post": {
            "operationId": "it",
            "security": [{ "bearer": [] }],
            "parameters": [{ "name": "limit", "in": "query", "schema": { "type": "integer", "maximum": 100 } }],
            "requestBody": { "content": content },
            "responses": { "200": { "headers": { "X-Id": {} }, "content": content } },
        }}},
        "components": { "schemas": { "It": schema } },
    })
}

fn it() -> Value {
    json!({
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": { "type": "string", "maxLength": 9 },
            "kind": { "type": "string", "enum": ["a", "b"], "nullable": true },
            "tags": { "type": "array", "items": { "type": "string" } },
        },
    })
}

/// What is said of a change to the schema, whichever way it travels.
fn said(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let (old, mut new) = (document(&it()), document(&it()));
    change(&mut new["components"]["schemas"]["It"]);
    breaks(&old, &new)
}

#[test]
fn what_is_added_breaks_nobody() {
    assert_eq!(said(|_| ()), [""; 0]);
    assert_eq!(said(|it| it["properties"]["more"] = json!({ "type": "string" })), [""; 0]);
    assert_eq!(said(|it| it["properties"]["kind"]["enum"] = json!(["a", "b", "c"])), [""; 0]);
    assert_eq!(said(|it| it["properties"]["name"]["maxLength"] = 10.into()), [""; 0]);
    let mut more = document(&it());
    more["paths"]["/other"] = json!({ "get": { "responses": {} } });
    assert_eq!(breaks(&document(&it()), &more), [""; 0]);
}

#[test]
fn what_is_taken_away_is_named_with_its_place() {
    let (old, mut new) = (document(&it()), document(&it()));
    new["paths"] = json!({});
    assert_eq!(breaks(&old, &new), ["POST /it is gone."]);

    let both = |what: &str| [format!("POST /it: its body{what}."), format!("POST /it: 200{what}.")];
    let gone = said(|it| _ = it["properties"].as_object_mut().and_then(|all| all.remove("tags")));
    assert_eq!(gone, both(".tags is gone"));
    assert_eq!(said(|it| it["properties"]["kind"]["enum"] = json!(["a"])), both(".kind has no value b any more"));
    let number = said(|it| it["properties"]["tags"]["items"]["type"] = "integer".into());
    assert_eq!(number, both(".tags[] was \"string\" and is \"integer\""));
}

#[test]
fn a_request_may_not_grow_stricter_nor_an_answer_vaguer() {
    let sent = |what: &str| [format!("POST /it: its body{what}.")];
    let answered = |what: &str| [format!("POST /it: 200{what}.")];
    assert_eq!(said(|it| it["required"] = json!(["name", "tags"])), sent(".tags is required now"));
    assert_eq!(said(|it| it["required"] = json!([])), answered(".name may be absent now"));
    assert_eq!(said(|it| it["properties"]["name"]["maxLength"] = 8.into()), sent(".name has a lower maxLength"));
    assert_eq!(said(|it| it["properties"]["name"]["minLength"] = 1.into()), sent(".name has a higher minLength"));
    assert_eq!(said(|it| it["properties"]["name"]["pattern"] = "a".into()), sent(".name has another pattern"));
    let null = |it: &mut Value| it["properties"]["kind"]["nullable"] = false.into();
    assert_eq!(said(null), sent(".kind takes no null any more"));
    let null = |it: &mut Value| it["properties"]["name"]["nullable"] = true.into();
    assert_eq!(said(null), answered(".name may be null now"));
    assert_eq!(said(|it| it["additionalProperties"] = false.into()), sent(" takes no further fields any more"));
}

#[test]
fn what_a_schema_leaves_to_choose_from_counts_as_itself() {
    let either = |kinds: &[&str]| {
        let kinds: Vec<Value> = kinds.iter().map(|kind| json!({ "type": kind })).collect();
        let schema = json!({ "anyOf": kinds, "additionalProperties": { "type": "string" } });
        document(&schema)
    };
    let both = either(&["string", "integer"]);
    assert_eq!(breaks(&both, &both), [""; 0]);
    assert_eq!(breaks(&both, &either(&["string"])), ["POST /it: its body takes fewer kinds by anyOf."]);
    assert_eq!(breaks(&either(&["string"]), &both), ["POST /it: 200 answers other kinds by anyOf."]);
    let other = breaks(&both, &either(&["string", "boolean"]));
    assert_eq!(other.first().map(String::as_str), Some("POST /it: its body|1 was \"integer\" and is \"boolean\"."));
    let mut further = both.clone();
    further["components"]["schemas"]["It"]["additionalProperties"]["type"] = "integer".into();
    let found = breaks(&both, &further);
    assert_eq!(found.first().map(String::as_str), Some("POST /it: its body.* was \"string\" and is \"integer\"."));
}

#[test]
fn parameters_headers_and_statuses_count_too() {
    let changed = |change: fn(&mut Value)| {
        let (old, mut new) = (document(&it()), document(&it()));
        change(&mut new["paths"]["/it"]["post"]);
        breaks(&old, &new)
    };
    let parameter = |what: &str| [format!("POST /it: parameter \"limit\" {what}.")];
    assert_eq!(changed(|it| it["parameters"] = json!([])), parameter("is gone"));
    assert_eq!(changed(|it| it["parameters"][0]["required"] = true.into()), parameter("is required now"));
    assert_eq!(changed(|it| it["parameters"][0]["schema"]["maximum"] = 50.into()), parameter("has a lower maximum"));
    assert_eq!(
        changed(|it| it["responses"]["200"]["headers"] = json!({})),
        ["POST /it: 200 has no header X-Id any more."]
    );
    assert_eq!(changed(|it| it["responses"] = json!({})), ["POST /it: 200 is gone."]);
    assert_eq!(changed(|it| it["requestBody"]["required"] = true.into()), ["POST /it needs a body now."]);
    assert_eq!(
        changed(|it| it["operationId"] = "other".into()),
        ["POST /it was called \"it\" and is called \"other\"."]
    );
    let key = |it: &mut Value| it["security"] = json!([{ "operator": [] }]);
    assert_eq!(changed(key), ["POST /it is not open to {\"bearer\":[]} any more."]);
    assert_eq!(changed(|it| it["security"] = json!([])), [""; 0]);
}

#[test]
fn a_type_that_is_called_something_else_is_another_to_who_generated_a_client() {
    let place = "/paths/~1it/post/responses/200/content/application~1json/schema";
    let answered = |schema: &Value| {
        let (old, mut new) = (document(&it()), document(&it()));
        new["components"]["schemas"]["Other"] = it();
        if let Some(at) = new.pointer_mut(place) {
            *at = schema.clone();
        }
        breaks(&old, &new)
    };
    let (same, other) = (json!({ "$ref": "#/components/schemas/It" }), json!({ "$ref": "#/components/schemas/Other" }));
    assert_eq!(answered(&same), [""; 0]);
    assert_eq!(answered(&json!({ "allOf": [same, { "description": "It, with words." }] })), [""; 0]);
    for renamed in [other.clone(), json!({ "allOf": [other] }), it()] {
        assert_eq!(answered(&renamed), ["POST /it: 200 is no It any more."], "{renamed}");
    }
    // One that nothing names is nobody's type.
    let mut unused = document(&it());
    unused["components"]["schemas"]["Other"] = it();
    assert_eq!(breaks(&unused, &document(&it())), [""; 0]);
}

#[test]
fn what_was_anything_may_become_something_in_an_answer_and_in_no_request() {
    let open = json!({ "type": "object", "properties": { "shown": { "type": "array", "items": {} } } });
    let mut closed = open.clone();
    closed["properties"]["shown"]["items"] = json!({ "type": "object" });
    let found = breaks(&document(&open), &document(&closed));
    assert_eq!(found, ["POST /it: its body.shown[] was null and is \"object\"."]);
}
