//! Whether one document breaks the clients of another: what was there may not go, nor grow stricter (spec §9).
//!
//! Pure: two documents, sentences. A request may ask for no more than it did, and an answer may hold no less; what is
//! added to either is no break. Only tests use it: `api/openapi-baseline.json` is what clients were promised.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Which way a schema's values travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Clients send them: what was taken has to be taken still.
    Sent,
    /// Clients read them: what was there has to be there still.
    Answered,
}

/// References deeper than this are not followed; none here refer to themselves.
const DEEPEST: usize = 12;
const NONE: &Value = &Value::Null;

/// Every way in which `new` breaks a client of `old`, as a sentence that names the place.
pub fn breaks(old: &Value, new: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut compared = Comparison { old, new, found: &mut found };
    for (path, methods) in object(&old["paths"]) {
        for (method, before) in object(methods) {
            let name = format!("{} {path}", method.to_uppercase());
            match &new["paths"][path][method] {
                Value::Null => compared.found.push(format!("{name} is gone.")),
                after => compared.operation(&name, before, after),
            }
        }
    }
    found
}

struct Comparison<'a> {
    old: &'a Value,
    new: &'a Value,
    found: &'a mut Vec<String>,
}

fn object(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn named(values: &Value) -> BTreeSet<&str> {
    list(values).iter().filter_map(Value::as_str).collect()
}

/// What a reference names, or the value itself.
fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let target = value["$ref"].as_str().and_then(|name| name.strip_prefix('#'));
    target.and_then(|pointer| document.pointer(pointer)).unwrap_or(value)
}

/// A schema with the parts of its `allOf` beside its own keywords.
fn flat(document: &Value, schema: &Value) -> Map<String, Value> {
    let schema = resolved(document, schema);
    let mut all = Map::new();
    for part in list(&schema["allOf"]) {
        all.extend(flat(document, part));
    }
    all.extend(object(schema).filter(|(key, _)| *key != "allOf").map(|(key, value)| (key.clone(), value.clone())));
    all
}

impl Comparison<'_> {
    fn say(&mut self, place: &str, what: &str) {
        self.found.push(format!("{place} {what}."));
    }

    fn operation(&mut self, name: &str, before: &Value, after: &Value) {
        self.parameters(name, before, after);
        let (body, wanted) = (&before["requestBody"], &after["requestBody"]);
        if body["required"] != true && wanted["required"] == true {
            self.say(name, "needs a body now");
        }
        // What generated clients call it.
        if before["operationId"] != after["operationId"] {
            let (was, is) = (&before["operationId"], &after["operationId"]);
            self.say(name, &format!("was called {was} and is called {is}"));
        }
        self.security(name, before, after);
        for (media, content) in object(&body["content"]) {
            let now = wanted["content"].get(media).unwrap_or(NONE);
            self.content(&format!("{name}: its body"), Way::Sent, content, now);
        }
        for (status, response) in object(&before["responses"]) {
            let now = after["responses"].get(status).unwrap_or(NONE);
            let place = format!("{name}: {status}");
            if now.is_null() && status.starts_with('2') {
                self.say(&place, "is gone");
            }
            for header in object(&response["headers"]).map(|(header, _)| header) {
                if !now.is_null() && now["headers"].get(header).is_none() {
                    self.say(&place, &format!("has no header {header} any more"));
                }
            }
            for (media, content) in object(&response["content"]).filter(|_| !now.is_null()) {
                let now = now["content"].get(media).unwrap_or(NONE);
                self.content(&place, Way::Answered, content, now);
            }
        }
    }

    /// Each way that there was to be let in has to be one still; an operation's own ways stand for the document's.
    fn security(&mut self, name: &str, before: &Value, after: &Value) {
        let ways = |document: &Value, operation: &Value| -> BTreeSet<String> {
            let own = if operation["security"].is_null() { &document["security"] } else { &operation["security"] };
            let ways = list(own).iter().map(Value::to_string).collect::<BTreeSet<_>>();
            if ways.is_empty() { BTreeSet::from(["{}".to_owned()]) } else { ways }
        };
        let is = ways(self.new, after);
        for gone in ways(self.old, before).difference(&is).filter(|_| !is.contains("{}")) {
            self.say(name, &format!("is not open to {gone} any more"));
        }
    }

    fn parameters(&mut self, name: &str, before: &Value, after: &Value) {
        let (old, new) = (self.old, self.new);
        let before: Vec<&Value> = list(&before["parameters"]).iter().map(|one| resolved(old, one)).collect();
        let after: Vec<&Value> = list(&after["parameters"]).iter().map(|one| resolved(new, one)).collect();
        let same = |one: &Value, other: &Value| one["name"] == other["name"] && one["in"] == other["in"];
        for was in &before {
            let place = format!("{name}: parameter {}", was["name"]);
            match after.iter().find(|now| same(was, now)) {
                None => self.say(&place, "is gone"),
                Some(now) => {
                    if was["required"] != true && now["required"] == true {
                        self.say(&place, "is required now");
                    }
                    self.schema(&place, Way::Sent, (&was["schema"], &now["schema"]), 0);
                }
            }
        }
        for now in after.iter().filter(|now| now["required"] == true) {
            if !before.iter().any(|was| same(was, now)) {
                self.say(&format!("{name}: parameter {}", now["name"]), "is new and required");
            }
        }
    }

    fn content(&mut self, place: &str, way: Way, before: &Value, after: &Value) {
        if after.is_null() {
            return self.say(place, "has lost a media type");
        }
        self.schema(place, way, (&before["schema"], &after["schema"]), 0);
    }

    fn schema(&mut self, place: &str, way: Way, (before, after): (&Value, &Value), depth: usize) {
        if depth > DEEPEST {
            return;
        }
        let (before, after) = (Value::from(flat(self.old, before)), Value::from(flat(self.new, after)));
        if before["type"] != after["type"] {
            let (was, is) = (&before["type"], &after["type"]);
            return self.say(place, &format!("was {was} and is {is}"));
        }
        self.choices(place, way, (&before, &after), depth);
        self.values(place, way, &before, &after);
        self.limits(place, way, &before, &after);
        self.fields(place, way, (&before, &after), depth);
        if !before["items"].is_null() {
            self.schema(&format!("{place}[]"), way, (&before["items"], &after["items"]), depth + 1);
        }
        if before["additionalProperties"].is_object() && after["additionalProperties"].is_object() {
            let further = (&before["additionalProperties"], &after["additionalProperties"]);
            self.schema(&format!("{place}.*"), way, further, depth + 1);
        }
    }

    /// The alternatives of a schema, each against the one at its place: one that is sent may not go, and one that is answered
    /// may not come, for a client that reads it knows those that there were.
    fn choices(&mut self, place: &str, way: Way, (before, after): (&Value, &Value), depth: usize) {
        for keyword in ["anyOf", "oneOf"] {
            let (was, is) = (list(&before[keyword]), list(&after[keyword]));
            match way {
                Way::Sent if is.len() < was.len() || (was.is_empty() && !is.is_empty()) => {
                    self.say(place, &format!("takes fewer kinds by {keyword}"));
                }
                Way::Answered if is.len() > was.len() || (is.is_empty() && !was.is_empty()) => {
                    self.say(place, &format!("answers other kinds by {keyword}"));
                }
                _ => {}
            }
            for (number, pair) in was.iter().zip(is).enumerate() {
                self.schema(&format!("{place}|{number}"), way, pair, depth + 1);
            }
        }
    }

    fn values(&mut self, place: &str, way: Way, before: &Value, after: &Value) {
        for gone in named(&before["enum"]).difference(&named(&after["enum"])) {
            if !after["enum"].is_null() || way == Way::Answered {
                self.say(place, &format!("has no value {gone} any more"));
            }
        }
        if before["enum"].is_null() && !after["enum"].is_null() && way == Way::Sent {
            self.say(place, "takes listed values alone now");
        }
        let (was, is) = (before["nullable"] == true, after["nullable"] == true);
        match way {
            Way::Sent if was && !is => self.say(place, "takes no null any more"),
            Way::Answered if !was && is => self.say(place, "may be null now"),
            _ => {}
        }
    }

    /// What clients send may be held to no tighter limit. What they read is theirs to take.
    fn limits(&mut self, place: &str, way: Way, before: &Value, after: &Value) {
        if way == Way::Answered {
            return;
        }
        for keyword in ["minLength", "minItems", "minProperties", "minimum"] {
            let none = if keyword == "minimum" { f64::NEG_INFINITY } else { 0.0 };
            let floor = before[keyword].as_f64().unwrap_or(none);
            if after[keyword].as_f64().is_some_and(|now| now > floor) {
                self.say(place, &format!("has a higher {keyword}"));
            }
        }
        for keyword in ["maxLength", "maxItems", "maxProperties", "maximum"] {
            let ceiling = before[keyword].as_f64().unwrap_or(f64::INFINITY);
            if after[keyword].as_f64().is_some_and(|now| now < ceiling) {
                self.say(place, &format!("has a lower {keyword}"));
            }
        }
        for keyword in ["pattern", "format", "uniqueItems", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"] {
            if !after[keyword].is_null() && after[keyword] != before[keyword] {
                self.say(place, &format!("has another {keyword}"));
            }
        }
        if before["additionalProperties"] != false && after["additionalProperties"] == false {
            self.say(place, "takes no further fields any more");
        }
    }

    fn fields(&mut self, place: &str, way: Way, (before, after): (&Value, &Value), depth: usize) {
        for (field, was) in object(&before["properties"]) {
            let inner = format!("{place}.{field}");
            match after["properties"].get(field) {
                None => self.say(&inner, "is gone"),
                Some(now) => self.schema(&inner, way, (was, now), depth + 1),
            }
        }
        let (was, is) = (named(&before["required"]), named(&after["required"]));
        let (stricter, words) = match way {
            Way::Sent => (is.difference(&was), "is required now"),
            Way::Answered => (was.difference(&is), "may be absent now"),
        };
        for field in stricter {
            self.say(&format!("{place}.{field}"), words);
        }
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(
            changed(|it| it["parameters"][0]["schema"]["maximum"] = 50.into()),
            parameter("has a lower maximum")
        );
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
}
