//! Explains why a JSON body is refused: which field is wrong, and what it takes (contract §7, `error.message`).
//!
//! A body is checked against the operation's schema in the OpenAPI document before the framework reads it into a type:
//! the framework accepts more than the document (`false` for a string) and explains little. Pure: a schema and a value
//! give a sentence.

use chrono::DateTime;
use serde_json::{Map, Number, Value};
use std::fmt;

/// The schema of a value that may be anything, whose texts are looked at all the same.
static ANYTHING: Value = Value::Null;

/// Where a value is in a body. It is put into words for a refusal alone: a body may have a hundred thousand values, and
/// the way to each may have kilobytes of names.
enum Place<'a> {
    /// The body, without a name, or the query parameter of this name.
    Whole(&'a str),
    /// The field of this name of the object there.
    Field(&'a Place<'a>, &'a str),
    /// The entry at this index, from 0, of the list there.
    Entry(&'a Place<'a>, usize),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(name) => f.write_str(name),
            Self::Field(Self::Whole(""), name) => f.write_str(&clipped(name)),
            Self::Field(of, name) => write!(f, "{of}.{}", clipped(name)),
            Self::Entry(of, index) => write!(f, "{of}[{index}]"),
        }
    }
}

/// Returns what is wrong in `body` first, if anything is. `schema` has its references inlined.
pub fn explain(schema: &Value, body: &Value) -> Option<String> {
    difference(schema, body, &Place::Whole(""))
}

/// Returns why the query parameter `name` does not take this text, if it does not.
pub fn explain_query(schema: &Value, name: &str, text: &str) -> Option<String> {
    let schema = if schema["type"] == "array" { &schema["items"] } else { schema };
    let kind = schema["allOf"].get(0).unwrap_or(schema)["type"].as_str();
    let value = match kind {
        Some("integer") => text.parse::<i64>().map(Value::from).ok(),
        Some("number") => text.parse::<f64>().map(Value::from).ok(),
        Some("boolean") => text.parse::<bool>().map(Value::from).ok(),
        _ => None,
    };
    difference(schema, &value.unwrap_or_else(|| text.into()), &Place::Whole(name))
}

fn difference(schema: &Value, value: &Value, at: &Place<'_>) -> Option<String> {
    if value.is_null() && schema["nullable"] == true {
        return None;
    }
    let parts = schema["allOf"].as_array().into_iter().flatten();
    if let Some(found) = parts.map(|part| difference(part, value, at)).find(Option::is_some) {
        return found;
    }
    if !has_type(schema, value) || !is_listed(schema, value) {
        return Some(format!("{}: expected {}, found {}.", location(at), expected(schema), described(value)));
    }
    match value {
        Value::Object(object) => fields(schema, object, at),
        Value::Array(entries) => list(schema, entries, at),
        // Postgres stores no NUL in a text.
        Value::String(text) if text.contains('\0') => {
            Some(format!("{}: expected a string without NUL characters.", location(at)))
        }
        Value::String(text) => within(schema, "minLength", "maxLength", text.chars().count(), at, "characters")
            .or_else(|| time(schema, text, at)),
        Value::Number(number) => range(schema, number, at),
        _ => None,
    }
}

fn has_type(schema: &Value, value: &Value) -> bool {
    match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        _ => true,
    }
}

fn is_listed(schema: &Value, value: &Value) -> bool {
    schema["enum"].as_array().is_none_or(|values| values.contains(value))
}

fn fields(schema: &Value, object: &Map<String, Value>, at: &Place<'_>) -> Option<String> {
    let empty = Map::new();
    let known = schema["properties"].as_object().unwrap_or(&empty);
    let missing = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    if let Some(name) = missing.into_iter().find(|name| !object.contains_key(*name)) {
        return Some(format!(
            "{} is required: expected {}.",
            location(&Place::Field(at, name)),
            expected(&known[name])
        ));
    }
    let closed = schema["additionalProperties"] == false;
    if let Some(name) = object.keys().find(|name| closed && !known.contains_key(*name)) {
        let names: Vec<String> = known.keys().map(|name| format!("`{name}`")).collect();
        let takes = if names.is_empty() { "no fields".to_owned() } else { names.join(", ") };
        return Some(format!("{} is not known here, which takes {takes}.", location(&Place::Field(at, name))));
    }
    // `additionalProperties` says which values fields of other names take; where it is no object, anything goes. A
    // schema with `allOf` has its fields in its parts.
    let others = Some(&schema["additionalProperties"]).filter(|others| others.is_object());
    let others = others.or(schema["allOf"].is_null().then_some(&ANYTHING));
    object.iter().find_map(|(name, value)| {
        let schema = known.get(name).or(others)?;
        difference(schema, value, &Place::Field(at, name))
    })
}

fn list(schema: &Value, entries: &[Value], at: &Place<'_>) -> Option<String> {
    let each = || {
        let entries = entries.iter().enumerate();
        entries.into_iter().find_map(|(index, entry)| difference(&schema["items"], entry, &Place::Entry(at, index)))
    };
    within(schema, "minItems", "maxItems", entries.len(), at, "entries").or_else(each)
}

fn within(schema: &Value, least: &str, most: &str, count: usize, at: &Place<'_>, unit: &str) -> Option<String> {
    let (least, most) = (schema[least].as_u64(), schema[most].as_u64());
    let count = count as u64;
    let fits = least.is_none_or(|least| count >= least) && most.is_none_or(|most| count <= most);
    (!fits).then(|| format!("{}: expected {} {unit}, found {count}.", location(at), bounds(least, most)))
}

fn time(schema: &Value, text: &str, at: &Place<'_>) -> Option<String> {
    let is_wrong = schema["format"] == "date-time" && DateTime::parse_from_rfc3339(text).is_err();
    is_wrong.then(|| {
        let found = described(&text.into());
        format!("{}: expected a time such as 2026-11-20T09:30:00.000Z, found {found}.", location(at))
    })
}

fn range(schema: &Value, found: &Number, at: &Place<'_>) -> Option<String> {
    let number = found.as_f64().unwrap_or_default();
    let (holds_least, holds_most) = held(schema);
    let (least, most) = (schema["minimum"].as_f64().or(holds_least), schema["maximum"].as_f64().or(holds_most));
    let fits = least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most);
    // As JSON has it: 1e300 would be three hundred digits otherwise.
    (!fits).then(|| format!("{}: expected {}, found {found}.", location(at), bounds(least, most)))
}

/// Returns the least and the greatest number of this format.
fn held(schema: &Value) -> (Option<f64>, Option<f64>) {
    match schema["format"].as_str() {
        Some("uint32") => (Some(0.0), Some(u32::MAX.into())),
        Some("uint64") => (Some(0.0), None),
        Some("int32") => (Some(i32::MIN.into()), Some(i32::MAX.into())),
        _ => (None, None),
    }
}

fn bounds<T: fmt::Display>(least: Option<T>, most: Option<T>) -> String {
    match (least, most) {
        (Some(least), Some(most)) => format!("{least} to {most}"),
        (Some(least), None) => format!("at least {least}"),
        (None, Some(most)) => format!("at most {most}"),
        (None, None) => "another number of".to_owned(),
    }
}

fn expected(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        let values = values.iter().filter(|value| !value.is_null());
        let names: Vec<String> =
            values.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect();
        return if names.len() == 1 { names.concat() } else { format!("one of {}", names.join(", ")) };
    }
    if let Some(part) = schema["allOf"].as_array().and_then(|parts| parts.first()) {
        return expected(part);
    }
    match schema["type"].as_str() {
        Some("array") => format!("a list, each entry {}", expected(&schema["items"])),
        Some("object") => "an object".to_owned(),
        Some("integer") => "a whole number".to_owned(),
        Some(name) => format!("a {name}"),
        None => "another value".to_owned(),
    }
}

fn described(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        plain => clipped(&plain.to_string()),
    }
}

fn clipped(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST { text.to_owned() } else { text.chars().take(MOST).chain(['…']).collect() }
}

fn location(at: &Place<'_>) -> String {
    let place = at.to_string();
    if place.is_empty() { "The body".to_owned() } else { format!("`{place}`") }
}

#[cfg(test)]
mod tests;
