//! Patterns of texts, for clients that generate or check what they send.
//!
//! Nothing is refused by these: each line repeats a rule that handlers enforce, so that the document does not promise
//! more than the service takes.

use crate::resources::library;
use domain::{board, brand_kit, calendar, canvas, comment, document, item, portal, post, settings, skill};
use serde_json::Value;
use std::collections::BTreeSet;

/// A name: some character that is not blank, and no control characters.
const NAME: &str = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$";
/// A ref: a name that does not begin as an item's or a job's id does.
const REF: &str = r"^(?!itm_|job_)[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$";
/// Any text: Postgres stores no NUL (`text::Text`).
const ANY: &str = r"^[^\x00]*$";
/// A text of one or more lines, not all blank.
const SAID: &str = r"^[^\x00]*[^\s\x00][^\x00]*$";
/// A text whose only control characters are line feeds.
const CUE: &str = r"^[^\x00-\x09\x0b-\x1f\x7f-\x9f]+$";
/// A text on one line, which may be empty.
const LINE: &str = r"^[^\x00-\x1f\x7f-\x9f]*$";
/// `public_link::PASSPHRASE_CHARACTERS` on one line.
const PASSPHRASE: &str = r"^[^\x00-\x1f\x7f-\x9f]{4,200}$";
/// A tag of BCP 47.
const LANGUAGE: &str = "^[A-Za-z]{2,8}(-[0-9A-Za-z]{1,8})*$";
/// A day, or none.
const DAY: &str = "^([0-9]{4}-[0-9]{2}-[0-9]{2})?$";
/// A month.
const MONTH: &str = "^[0-9]{4}-(0[1-9]|1[0-2])$";
/// The one version of tus.
const TUS: &str = r"^1\.0\.0$";
/// The id of a part of a document: `document::MOST_ID_CHARACTERS`.
const ID: &str = "^[0-9A-Za-z_-]{1,64}$";
/// A colour.
const HEX: &str = "^#[0-9A-Fa-f]{6}$";
/// Fields of requests that don't take every text (of a list: its texts): schema, field, pattern, most characters. Those
/// are 0 where the field's type has the limit, or where clients were promised a document without one.
const FIELDS: &[(&str, &str, &str, usize)] = &[
    ("AddCalendarEntry", "title", NAME, calendar::MOST_TITLE_CHARACTERS),
    ("AddCalendarEntry", "channel", LINE, calendar::MOST_CHANNEL_CHARACTERS),
    ("AddCalendarEntry", "note", ANY, calendar::MOST_NOTE_CHARACTERS),
    ("AddComment", "text", SAID, comment::MOST_CHARACTERS),
    ("AddUser", "name", NAME, 0),
    ("BoardOp", "assignee", LINE, board::MOST_LINE_CHARACTERS),
    ("BoardOp", "due", DAY, 0),
    ("BoardOp", "name", NAME, board::MOST_LINE_CHARACTERS),
    ("BoardOp", "note", ANY, board::MOST_TEXT_CHARACTERS),
    ("BoardOp", "text", ANY, board::MOST_TEXT_CHARACTERS),
    ("BrandColor", "hex", HEX, 0),
    ("BrandColor", "name", NAME, brand_kit::MOST_NAME_CHARACTERS),
    ("BrandFont", "name", NAME, brand_kit::MOST_NAME_CHARACTERS),
    ("CaptionStyle", "background", HEX, 0),
    ("CaptionStyle", "color", HEX, 0),
    ("ChangeAccount", "name", NAME, 0),
    ("ChangeUser", "name", NAME, 0),
    ("ChangeWorkspace", "name", NAME, 0),
    ("CreateBoard", "name", NAME, document::MOST_NAME_CHARACTERS),
    ("CreateCanvas", "background", NAME, brand_kit::MOST_NAME_CHARACTERS),
    ("CreateCanvas", "name", NAME, document::MOST_NAME_CHARACTERS),
    ("CreatePublicLink", "passphrase", PASSPHRASE, 0),
    ("CreateTimeline", "name", NAME, document::MOST_NAME_CHARACTERS),
    ("CreateUpload", "filename", NAME, 0),
    ("CreatePortalSession", "refresh_url", r"^https?://[^\s\x00]+$", portal::URL_CHARS),
    ("CreatePortalSession", "return_url", r"^https?://[^\s\x00]+$", portal::URL_CHARS),
    ("CreateUpload", "ref", REF, 0),
    ("CreateUpload", "sha256", "^[0-9A-Fa-f]{64}$", 0),
    ("CueText", "text", CUE, 0),
    ("EditBoard", "name", NAME, document::MOST_NAME_CHARACTERS),
    ("EditCanvas", "name", NAME, document::MOST_NAME_CHARACTERS),
    ("EditDub", "name", NAME, document::MOST_NAME_CHARACTERS),
    ("EditTimeline", "name", NAME, document::MOST_NAME_CHARACTERS),
    ("ImportMedia", "name", NAME, 0),
    ("ImportMedia", "ref", REF, 0),
    ("ImportTimeline", "name", NAME, document::MOST_NAME_CHARACTERS),
    ("KeepPost", "tags", NAME, item::TAG_CHARS),
    ("LayerShadow", "color", NAME, brand_kit::MOST_NAME_CHARACTERS),
    ("ListItems", "query", SAID, library::LONGEST_QUERY),
    ("ListItems", "tag", SAID, library::LONGEST_QUERY),
    ("ListPosts", "query", ANY, post::MOST_QUERY_CHARACTERS),
    ("LogoToSet", "name", NAME, brand_kit::MOST_NAME_CHARACTERS),
    ("NewLayer", "color", NAME, brand_kit::MOST_NAME_CHARACTERS),
    ("NewLayer", "layer_id", ID, 0),
    ("NewLayer", "text", SAID, canvas::MOST_TEXT_CHARACTERS),
    ("OpenAccount", "name", NAME, 0),
    ("OpenAccount", "workspace_name", NAME, 0),
    ("OpenWorkspace", "name", NAME, 0),
    ("PortalTheme", "name", LINE, portal::NAME_CHARS),
    ("PortalTheme", "accent", HEX, 0),
    ("PortalTheme", "logo", "^data:image/(png|jpeg|webp);base64,[A-Za-z0-9+/]+=*$", 0),
    ("RedeemCode", "code", "^esx_[0-9a-f]{32}$", 0),
    ("SaveSkill", "description", LINE, skill::MOST_DESCRIPTION_CHARACTERS),
    ("SaveSkill", "name", NAME, document::MOST_NAME_CHARACTERS),
    // Its length is limited in bytes.
    ("SaveSkill", "text", SAID, 0),
    ("SaveTemplate", "name", NAME, document::MOST_NAME_CHARACTERS),
    ("StartBulkOperation", "name", NAME, 0),
    ("SuspendAccount", "reason", NAME, 0),
    ("UpdateBrandKit", "voice", ANY, brand_kit::MOST_VOICE_CHARACTERS),
    ("UpdateCalendarEntry", "title", NAME, calendar::MOST_TITLE_CHARACTERS),
    ("UpdateCalendarEntry", "channel", LINE, calendar::MOST_CHANNEL_CHARACTERS),
    ("UpdateCalendarEntry", "note", ANY, calendar::MOST_NOTE_CHARACTERS),
    ("UpdateComment", "text", SAID, comment::MOST_CHARACTERS),
    ("UpdateItem", "name", NAME, item::NAME_CHARS),
    ("UpdateItem", "ref", REF, item::NAME_CHARS),
    ("UpdateItem", "tags", NAME, item::TAG_CHARS),
    ("UpdateItemArguments", "name", NAME, item::NAME_CHARS),
    ("UpdateItemArguments", "new_ref", REF, item::NAME_CHARS),
    ("UpdateItemArguments", "tags", NAME, item::TAG_CHARS),
    ("UpdateSettings", "default_language", LANGUAGE, settings::MOST_LANGUAGE_CHARACTERS),
    ("UpdateSettings", "name", NAME, document::MOST_NAME_CHARACTERS),
    ("WorkspaceName", "name", NAME, document::MOST_NAME_CHARACTERS),
];
/// Parameters of operations that don't take every text, in the same form.
const PARAMETERS: &[(&str, &str, &str, usize)] = &[
    ("append_upload_content", "Tus-Resumable", TUS, 0),
    ("get_statement", "month", MONTH, 0),
    ("get_upload_offset", "Tus-Resumable", TUS, 0),
    ("list_library_items", "query", SAID, library::LONGEST_QUERY),
    ("list_library_items", "tag", SAID, library::LONGEST_QUERY),
];
/// The parameters in headers that all of them share.
const HEADERS: &[(&str, &str)] =
    &[("WorkspaceId", "^wsp_[0-9A-HJKMNP-TV-Z]{26}$"), ("IdempotencyKey", r"^[\x20-\x7e]+$")];

/// Puts a pattern on every text that clients send. `sent` are the names of the schemas that bodies are made of.
pub fn add(document: &mut Value, sent: &BTreeSet<String>) {
    for (schema, field, pattern, most) in FIELDS {
        let Some(property) = document.pointer_mut(&at(schema, field)) else { continue };
        limit(if property["items"].is_object() { &mut property["items"] } else { property }, pattern, *most);
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
    limit_parameters(document);
}

/// Puts a pattern on every parameter that is a text: its own, or else the one of any text.
fn limit_parameters(document: &mut Value) {
    let operations = document["paths"].as_object_mut().into_iter().flatten();
    let operations = operations.flat_map(|(_, methods)| methods.as_object_mut().into_iter().flatten());
    for (_, operation) in operations {
        let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
        for parameter in operation["parameters"].as_array_mut().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap_or_default();
            let own = PARAMETERS.iter().find(|own| own.0 == id && own.1 == name);
            if let Some(schema) = parameter.get_mut("schema") {
                if let Some((_, _, pattern, most)) = own {
                    limit(schema, pattern, *most);
                }
                any_text(schema);
            }
        }
    }
}

fn at(schema: &str, field: &str) -> String {
    format!("/components/schemas/{schema}/properties/{field}")
}

fn limit(text: &mut Value, pattern: &str, most: usize) {
    text["pattern"] = pattern.into();
    if most > 0 {
        text["maxLength"] = most.into();
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
        for (schema, field, pattern, most) in FIELDS {
            let found = document().json.pointer(&at(schema, field)).unwrap_or(&Value::Null);
            let text = if found["items"].is_object() { &found["items"] } else { found };
            assert_eq!(&text["pattern"], pattern, "{schema}.{field}");
            assert!(*most == 0 || text["maxLength"] == *most, "{schema}.{field}");
        }
        for (id, name, pattern, _) in PARAMETERS {
            let operations = document().json["paths"].as_object().into_iter().flatten();
            let operations = operations.flat_map(|(_, methods)| methods.as_object().into_iter().flatten());
            let operation = operations.map(|(_, operation)| operation).find(|one| one["operationId"] == *id);
            let operation = operation.unwrap_or(&Value::Null);
            let mut parameters = operation["parameters"].as_array().into_iter().flatten();
            assert!(parameters.any(|one| one["name"] == *name && one["schema"]["pattern"] == *pattern), "{id} {name}");
        }
        for (parameter, pattern) in HEADERS {
            assert_eq!(&document().json["components"]["parameters"][parameter]["schema"]["pattern"], pattern);
        }
    }
}
