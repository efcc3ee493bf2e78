//! An example of each JSON body and each 2xx answer, made from its schema, so that no operation is without one.
//! Refusals have none: they all look alike, as their schemas say.
//!
//! Pure. A schema's own example is used; otherwise the field's name and type decide: ids have their prefix, times and
//! URLs look real. Requests show the required fields and the few that are usually wanted; answers show all.

use serde_json::{Map, Value, json};

/// The time that examples show.
const MOMENT: &str = "2026-11-20T09:30:00.000Z";
/// Fields of a request that are shown although they are not required.
const SHOWN_OPTIONAL: &[&str] = &[
    "bytes",
    "content_type",
    "context",
    "delivery_id",
    "event_types",
    "filename",
    "job_ids",
    "wait_seconds",
    "webhook_url",
];
/// Prefixes of ids, by the field they stand in.
const ID_PREFIXES: &[(&str, &str)] = &[
    ("board_id", "brd_"),
    ("canvas_id", "cnv_"),
    ("delivery_id", "dlv_"),
    ("entry_id", "cal_"),
    ("endpoint_id", "whe_"),
    ("event_id", "evt_"),
    ("feed_id", "cfd_"),
    ("item_id", "itm_"),
    ("job_id", "job_"),
    ("job_ids", "job_"),
    ("missing", "job_"),
    ("post_id", "pst_"),
    ("project_id", "prj_"),
    ("ref", "itm_"),
    ("refs", "itm_"),
    ("request_id", "req_"),
    ("resend_of", "dlv_"),
    ("timeline_id", "tml_"),
    ("workspace_id", "wsp_"),
];
/// Prefixes of plain `id` fields, by a word in the schema's name.
const OWN_ID_PREFIXES: &[(&str, &str)] = &[
    ("Board", "brd_"),
    ("BulkOperation", "blk_"),
    ("CalendarEntry", "cal_"),
    ("CalendarFeed", "cfd_"),
    ("Canvas", "cnv_"),
    ("Key", "key_"),
    ("Webhook", "whe_"),
    ("Delivery", "dlv_"),
    ("Item", "itm_"),
    ("Job", "job_"),
    ("Timeline", "tml_"),
    ("Upload", "upl_"),
    ("Received", "upl_"),
    ("Workspace", "wsp_"),
    ("Post", "pst_"),
    ("Project", "prj_"),
    ("Event", "evt_"),
    ("Account", "acc_"),
    ("User", "usr_"),
];
/// Texts by the field they stand in.
const TEXTS: &[(&str, &str)] = &[
    ("aspect_ratio", "16:9"),
    ("brief", "A one-minute film about lighthouses."),
    ("code", "esx_0123456789abcdef0123456789abcdef"),
    ("content_type", "video/mp4"),
    ("context", "Reading the interview before it is cut."),
    ("filename", "interview.mp4"),
    ("key", "es_live_0123456789abcdef0123456789abcdef"),
    ("method", "PUT"),
    ("month", "2026-11"),
    ("name", "interview.mp4"),
    ("prefix", "es_live_0123"),
    ("query", "somebody laughs"),
    ("role", "editor"),
    ("secret", "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="),
    ("sha256", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
    ("token", "ess_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"),
];

/// Which fields of an object are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Sent,
    Answered,
}

/// Puts an example beside each JSON body and each 2xx answer of an operation.
pub fn add(schemas: &Value, operation: &mut Value) {
    if let Some(content) = operation.pointer_mut("/requestBody/content/application~1json") {
        content["example"] = example(schemas, &content["schema"], Direction::Sent);
    }
    let responses = operation["responses"].as_object_mut().into_iter().flatten();
    for (_, response) in responses.filter(|(status, _)| status.starts_with('2')) {
        if let Some(content) = response.pointer_mut("/content/application~1json") {
            content["example"] = example(schemas, &content["schema"], Direction::Answered);
        }
    }
}

/// An example of what a webhook sends, by its schema's name.
pub fn sent_by_us(schemas: &Value, schema: &str) -> Value {
    example(schemas, &schemas[schema], Direction::Answered)
}

fn example(schemas: &Value, schema: &Value, direction: Direction) -> Value {
    Maker { schemas, direction }.value(schema, "", "")
}

struct Maker<'a> {
    schemas: &'a Value,
    direction: Direction,
}

impl Maker<'_> {
    /// An example of the schema, for the field `field` of the schema named `owner`.
    fn value(&self, schema: &Value, field: &str, owner: &str) -> Value {
        if let Some(name) = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
            return self.value(&self.schemas[name], field, name);
        }
        if let Some(example) = schema.get("example") {
            return example.clone();
        }
        if let Some(part) = schema["allOf"].get(0) {
            return self.value(part, field, owner);
        }
        if let Some(first) = schema["enum"].get(0) {
            return first.clone();
        }
        match schema["type"].as_str() {
            Some("object") => self.object(schema, owner),
            Some("array") => self.list(schema, field, owner),
            Some("string") => text(schema, field, owner).into(),
            Some("integer") => whole(schema, field).into(),
            Some("number") => number(schema, field),
            Some("boolean") => {
                (!matches!(field, "already_queued" | "cancel_requested" | "retryable" | "rotate")).into()
            }
            // Anything at all.
            _ => json!({}),
        }
    }

    fn object(&self, schema: &Value, owner: &str) -> Value {
        let required = schema["required"].as_array();
        let is_shown = |name: &str| {
            let needed = required.is_some_and(|names| names.iter().any(|one| one == name));
            needed || self.direction == Direction::Answered || SHOWN_OPTIONAL.contains(&name)
        };
        let fields = schema["properties"].as_object().into_iter().flatten();
        let fields = fields.filter(|(name, _)| is_shown(name));
        let shown: Map<String, Value> =
            fields.map(|(name, field)| (name.clone(), self.value(field, name, owner))).collect();
        shown.into()
    }

    fn list(&self, schema: &Value, field: &str, owner: &str) -> Value {
        match field {
            // Which items, tracks or skills there are is the caller's choice: the example leaves these lists empty.
            "media" | "tracks" | "overlays" | "skills" => json!([]),
            _ => json!([self.value(&schema["items"], field, owner)]),
        }
    }
}

fn text(schema: &Value, field: &str, owner: &str) -> String {
    if schema["format"] == "date-time" {
        return MOMENT.to_owned();
    }
    let id = |prefix: &str| format!("{prefix}01JD3M5N7P9Q1R3S5T7V9W1X3Y");
    let own = || OWN_ID_PREFIXES.iter().find(|(word, _)| owner.contains(word)).map(|(_, prefix)| id(prefix));
    let named =
        |table: &[(&str, &str)]| table.iter().find(|(name, _)| *name == field).map(|(_, text)| (*text).to_owned());
    if field == "id" {
        return own().unwrap_or_else(|| id("mdl_"));
    }
    if let Some(prefix) = named(ID_PREFIXES) {
        return id(&prefix);
    }
    if owner.contains("Reason") || owner.contains("Error") {
        return if field == "code" { "internal".to_owned() } else { "What went wrong, in words.".to_owned() };
    }
    if field == "url" || field.ends_with("_url") {
        return "https://example.com/interview.mp4".to_owned();
    }
    named(TEXTS).unwrap_or_else(|| format!("a {}", field.replace('_', " ")).trim_end().to_owned())
}

fn whole(schema: &Value, field: &str) -> i64 {
    let usual = match field {
        "bytes" | "received_bytes" => 1_048_576,
        "expires_in" => 600,
        "width" => 1_920,
        "height" => 1_080,
        "wait_seconds" => 30,
        "response_status" => 200,
        "credits" | "consecutive_failures" => 0,
        _ => 1,
    };
    #[expect(clippy::cast_possible_truncation, reason = "bounds of whole numbers are whole and small")]
    let bound = |name: &str| schema[name].as_f64().map(|bound| bound as i64);
    usual.max(bound("minimum").unwrap_or(i64::MIN)).min(bound("maximum").unwrap_or(i64::MAX))
}

fn number(schema: &Value, field: &str) -> Value {
    match field {
        _ if schema["minimum"].as_f64().is_some_and(|least| least > 1.0) => schema["minimum"].clone(),
        _ if field.starts_with("duration") => json!(61.5),
        "allowance_minutes" => json!(1000),
        "left_minutes" => json!(998.75),
        _ => json!(1.25),
    }
}

#[cfg(test)]
mod tests {
    use crate::contract::schema_errors::explain;
    use crate::openapi::document;
    use serde_json::Value;

    #[test]
    fn every_body_and_every_answer_has_an_example_that_fits_its_schema() {
        let json = &document().json;
        for operation in document().operations() {
            let name = operation.name();
            let described = &json["paths"][&operation.path][operation.method.as_str().to_lowercase()];
            if let Some(schema) = &operation.body {
                let example = &described["requestBody"]["content"]["application/json"]["example"];
                assert_eq!(explain(schema, example), None, "{name}: {example}");
            }
            let responses = described["responses"].as_object().expect("responses");
            for (status, response) in responses.iter().filter(|(status, _)| status.starts_with('2')) {
                let Some(content) = response.pointer("/content/application~1json") else { continue };
                let reference = content["schema"]["$ref"].as_str().and_then(|name| name.rsplit('/').next());
                let schema = reference.map_or_else(|| content["schema"].clone(), |name| document().inlined(name));
                assert_eq!(explain(&schema, &content["example"]), None, "{name} {status}: {}", content["example"]);
            }
        }
    }

    #[test]
    fn an_example_of_what_a_client_sends_is_short_and_one_of_an_answer_is_whole() {
        let at = |pointer: &str| document().json.pointer(pointer).cloned().unwrap_or(Value::Null);
        let sent = at("/paths/~1tools~1prepare_media/post/requestBody/content/application~1json/example");
        assert_eq!(sent["refs"][0], "itm_01JD3M5N7P9Q1R3S5T7V9W1X3Y");
        assert_eq!(sent["reads"][0], "transcript");
        let upload = at("/paths/~1uploads/post/requestBody/content/application~1json/example");
        assert!(upload.get("url").is_none() && upload["bytes"] == 1_048_576, "{upload}");
        let key = at("/paths/~1keys/post/responses/201/content/application~1json/example");
        assert!(key["id"].as_str().is_some_and(|id| id.starts_with("key_")), "{key}");
    }
}
