//! Whether a new document breaks an old one's clients: nothing may be removed or grow stricter (contract §9).
//!
//! Pure: two documents in, sentences out. A request may require no more than before, and an answer may hold no less;
//! new fields break nothing unless they must be sent. Only tests use it. Clients were promised `openapi-baseline.json`.

mod values;

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Which way a schema's values travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Clients send them: what was accepted must be accepted still.
    Sent,
    /// Clients read them: what was there must be there still.
    Answered,
}

/// Breaks that were decided on before anybody outside this repository was promised the baseline; docs/decisions.md has
/// the reason for each. Nothing is added here for convenience.
pub const INTENDED: &[&str] = &[
    "POST /tools/prepare_media: 200.meta is no Meta any more.",
    "POST /tools/get_item: its body is no OneItem any more.",
    "POST /tools/transcribe_media: its body is no ReadOneItem any more.",
    "POST /tools/transcribe_media: 200.meta is no Meta any more.",
    "POST /tools/speakers: 200.meta is no Meta any more.",
    "POST /tools/detect_beats: 200.meta is no Meta any more.",
    "POST /tools/remove_silence: 200.meta is no Meta any more.",
    "POST /tools/duck_music: 200.meta is no Meta any more.",
    "POST /tools/list_models: 200 is no ToolAnswer_ModelList any more.",
    "POST /tools/list_models: 200.data is no ModelList any more.",
    "POST /tools/list_models: 200.data.data is gone.",
    "POST /tools/list_models: 200.data.data may be absent now.",
    "POST /projects: its body.mode takes listed values alone now.",
    "POST /projects: its body.output_type takes listed values alone now.",
    "POST /projects/{id}/status: its body.status is no ProjectEvent any more.",
];

/// How the sentences of more such breaks end, whatever place they name: credits have decimals, and a balance of them
/// says what is left, held and used (docs/decisions.md, 251).
pub const INTENDED_EVERYWHERE: [&str; 2] =
    [".cost.credits was \"integer\" and is \"number\".", ".credits was \"integer\" and is \"object\"."];

/// Schemas nested deeper than this are not compared; none here contains itself.
const DEEPEST: usize = 12;
const NONE: &Value = &Value::Null;

/// Returns every way in which `new` breaks a client of `old`, each as a sentence that names the place.
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

/// A value of the old document, and its counterpart in the new one.
#[derive(Clone, Copy)]
struct Versions<'a> {
    before: &'a Value,
    after: &'a Value,
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

/// The value that a reference names, or the value itself.
fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let target = value["$ref"].as_str().and_then(|name| name.strip_prefix('#'));
    target.and_then(|pointer| document.pointer(pointer)).unwrap_or(value)
}

/// Whether a schema does not restrict its values.
fn is_anything(schema: &Value) -> bool {
    object(schema).all(|(key, _)| ["description", "title", "nullable", "example"].contains(&key.as_str()))
}

/// The names of the components that a schema refers to: its types in generated clients.
fn component_names(schema: &Value) -> BTreeSet<&str> {
    let parts = list(&schema["allOf"]).iter().chain([schema]);
    let targets = parts.filter_map(|part| part["$ref"].as_str());
    targets.filter_map(|target| target.rsplit('/').next()).collect()
}

/// A schema's own keywords, merged with those of the parts of its `allOf`.
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
        // The name of its function in generated clients.
        if before["operationId"] != after["operationId"] {
            let (was, is) = (&before["operationId"], &after["operationId"]);
            self.say(name, &format!("was called {was} and is called {is}"));
        }
        self.security(name, before, after);
        for (media, content) in object(&body["content"]) {
            let now = wanted["content"].get(media).unwrap_or(NONE);
            self.content(&format!("{name}: its body"), Way::Sent, content, now);
        }
        let (old, new) = (self.old, self.new);
        for (status, response) in object(&before["responses"]) {
            let response = resolved(old, response);
            let now = after["responses"].get(status).map_or(NONE, |now| resolved(new, now));
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

    /// Each way to authenticate must still be there; an operation's own list replaces the document's.
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
                    let schemas = Versions { before: &was["schema"], after: &now["schema"] };
                    self.schema(&place, Way::Sent, schemas, 0);
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
        self.schema(place, way, Versions { before: &before["schema"], after: &after["schema"] }, 0);
    }

    fn schema(&mut self, place: &str, way: Way, schemas: Versions<'_>, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        let Versions { before, after } = schemas;
        for gone in component_names(before).difference(&component_names(after)) {
            self.say(place, &format!("is no {gone} any more"));
        }
        let (before, after) = (Value::from(flat(self.old, before)), Value::from(flat(self.new, after)));
        // A client that was promised nothing about the value can read any.
        if way == Way::Answered && is_anything(&before) {
            return;
        }
        if before["type"] != after["type"] {
            let (was, is) = (&before["type"], &after["type"]);
            return self.say(place, &format!("was {was} and is {is}"));
        }
        let flat = Versions { before: &before, after: &after };
        self.choices(place, way, flat, depth);
        self.values(place, way, &before, &after);
        self.limits(place, way, &before, &after);
        self.fields(place, way, flat, depth);
        if !before["items"].is_null() {
            let items = Versions { before: &before["items"], after: &after["items"] };
            self.schema(&format!("{place}[]"), way, items, depth + 1);
        }
        if before["additionalProperties"].is_object() && after["additionalProperties"].is_object() {
            let further = Versions { before: &before["additionalProperties"], after: &after["additionalProperties"] };
            self.schema(&format!("{place}.*"), way, further, depth + 1);
        }
    }

    /// Compares each alternative of a schema with the one at its position. A request may lose none, and an answer may
    /// gain none, since clients that read it know only those that there were.
    fn choices(&mut self, place: &str, way: Way, schemas: Versions<'_>, depth: usize) {
        let Versions { before, after } = schemas;
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
            for (number, (before, after)) in was.iter().zip(is).enumerate() {
                self.schema(&format!("{place}|{number}"), way, Versions { before, after }, depth + 1);
            }
        }
    }

    fn fields(&mut self, place: &str, way: Way, schemas: Versions<'_>, depth: usize) {
        let Versions { before, after } = schemas;
        for (field, was) in object(&before["properties"]) {
            let inner = format!("{place}.{field}");
            match after["properties"].get(field) {
                None => self.say(&inner, "is gone"),
                Some(now) => self.schema(&inner, way, Versions { before: was, after: now }, depth + 1),
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
mod tests;
