//! The registry's tools that a model is given: those that find, read, cut, make and render.
//!
//! Each tool of the registry stands in one of two lists, so that whoever adds a tool must decide. A model is not given
//! tools that delete, cancel or publish, that change existing settings, canvases or dubs, or that fetch an address
//! which it names, since words in the footage may tell it to. It changes only its own timelines and those that people
//! have named to it (`domain::agent::chat`).

use crate::contract::Contract;
use crate::resources::mcp::json_schema;
use crate::resources::tools::list;
use domain::agent::chat::{Known, pseudo_tools};
use serde_json::{Value, json};

/// The tools that a model may call.
const GIVEN: &[&str] = &[
    "create_canvas",
    "create_timeline",
    "cut_out",
    "detect_beats",
    "dub",
    "duck_music",
    "edit_timeline",
    "estimate_cost",
    "generate_audio",
    "generate_image",
    "generate_video",
    "get_balances",
    "get_board",
    "get_brand_kit",
    "get_canvas",
    "get_dub",
    "get_item",
    "get_jobs",
    "get_skill",
    "get_timeline",
    "list_boards",
    "list_canvases",
    "list_comments",
    "list_dubs",
    "list_items",
    "list_models",
    "list_skills",
    "list_timelines",
    "prepare_media",
    "remove_silence",
    "render_canvas",
    "render_dub",
    "render_timeline",
    "search_footage",
    "speakers",
    "transcribe_media",
    "undo_timeline",
    "upscale_media",
];

/// A model's tools: the definitions that it gets, and what its calls are checked against.
pub(super) struct Toolbox {
    /// The definitions that the model gets.
    pub(super) told: Vec<Value>,
    /// The same tools, in the form that calls are checked with.
    pub(super) known: Vec<Known>,
}

impl Toolbox {
    /// Returns the toolbox of this registry.
    pub(super) fn of(contract: &Contract) -> Self {
        let given = list::all(contract).into_iter().filter(|tool| GIVEN.contains(&tool.name.as_ref()));
        let (mut told, mut known) = (Vec::new(), Vec::new());
        for tool in given {
            let schema = json_schema(&tool.input_schema.0);
            let has_price = schema["properties"].get("dry_run").is_some();
            let name = tool.name.0;
            told.push(json!({ "type": "function", "function": {
                "name": name, "description": tool.description.0, "parameters": schema,
            } }));
            known.push(Known { name, has_price });
        }
        told.extend(pseudo_tools());
        Self { told, known }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::document;
    use std::collections::BTreeSet;

    /// The tools that a model may not call.
    const KEPT_BACK: &[&str] = &[
        "add_calendar_entry",
        "add_comment",
        "cancel_jobs",
        "create_board",
        "create_calendar_feed",
        "create_public_link",
        "delete_board",
        "delete_calendar_entry",
        "delete_canvas",
        "delete_comment",
        "delete_dub",
        "delete_item",
        "delete_post",
        "delete_skill",
        "delete_template",
        "delete_timeline",
        "edit_board",
        "edit_canvas",
        "edit_dub",
        "export_timeline",
        "get_api_session",
        "get_overview",
        "get_settings",
        "import_media",
        "import_timeline",
        "keep_post",
        "list_calendar",
        "list_calendar_feeds",
        "list_posts",
        "list_public_links",
        "list_templates",
        "pull_posts",
        "revoke_calendar_feed",
        "revoke_public_link",
        "run_template",
        "save_skill",
        "save_template",
        "undo_board",
        "undo_brand_kit",
        "undo_canvas",
        "undo_dub",
        "undo_settings",
        "undo_skill",
        "undo_template",
        "update_brand_kit",
        "update_calendar_entry",
        "update_comment",
        "update_item",
        "update_settings",
    ];

    #[test]
    fn a_model_is_given_what_makes_films_and_every_tool_is_decided_upon() {
        let all: BTreeSet<String> = list::all(document()).into_iter().map(|tool| tool.name.0).collect();
        let decided: Vec<&str> = GIVEN.iter().chain(KEPT_BACK).copied().collect();
        let listed: BTreeSet<String> = decided.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!((&listed, decided.len()), (&all, all.len()));
        let toolbox = Toolbox::of(document());
        assert_eq!((toolbox.known.len(), toolbox.told.len()), (GIVEN.len(), GIVEN.len() + 2));
        let takes_away = |name: &str| ["delete_", "cancel_", "revoke_"].iter().any(|prefix| name.starts_with(prefix));
        assert!(!toolbox.known.iter().any(|tool| takes_away(&tool.name)));
        let has_price = |name: &str| toolbox.known.iter().any(|tool| tool.name == name && tool.has_price);
        assert!(has_price("prepare_media") && has_price("generate_image") && !has_price("list_items"));
        let text = Value::from(toolbox.told).to_string();
        assert!(!text.contains("nullable") && !text.contains("$ref") && text.len() < 96 << 10, "{}", text.len());
    }
}
