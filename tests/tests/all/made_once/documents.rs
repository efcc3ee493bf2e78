//! Documents that are made, changed or taken back a step.

use super::bench::{Case, case};

/// How often documents were written: one that is new has the revision 1, and each change and each undo is one more.
const WRITES: &str = "SELECT coalesce(sum(revision), 0) FROM documents";

/// The cases.
pub const CASES: &[Case] = &[
    case("POST /tools/create_board", r#"{"name":"x"}"#, r#"{"name":"y"}"#, WRITES),
    case(
        "POST /tools/edit_board",
        r#"{"board_id":"{board}","ops":[{"op":"add_column","name":"x"}]}"#,
        r#"{"name":"y"}"#,
        WRITES,
    ),
    case("POST /tools/undo_board", r#"{"board_id":"{board}"}"#, r#"{"if_revision":3}"#, WRITES),
    case("POST /tools/create_timeline", r#"{"name":"x"}"#, r#"{"name":"y"}"#, WRITES),
    case(
        "POST /tools/edit_timeline",
        r##"{"timeline_id":"{timeline}","ops":[{"op":"add_scene","color":"#000000"}]}"##,
        r#"{"name":"y"}"#,
        WRITES,
    ),
    case("POST /tools/undo_timeline", r#"{"timeline_id":"{timeline}"}"#, r#"{"if_revision":3}"#, WRITES),
    case("POST /tools/import_timeline", r#"{"content":"{\"OTIO_SCHEMA\":\"Timeline.1\"}"}"#, r#"{"name":"y"}"#, WRITES),
    case("POST /tools/create_canvas", r#"{"width":64,"height":64}"#, r#"{"width":32}"#, WRITES),
    case(
        "POST /tools/edit_canvas",
        r#"{"canvas_id":"{canvas}","ops":[{"op":"add_layer","type":"rect"}]}"#,
        r#"{"name":"y"}"#,
        WRITES,
    ),
    case("POST /tools/undo_canvas", r#"{"canvas_id":"{canvas}"}"#, r#"{"if_revision":3}"#, WRITES),
    case(
        "POST /tools/edit_dub",
        r#"{"dub_id":"{dub}","ops":[{"op":"set_background","keep":true}]}"#,
        r#"{"name":"y"}"#,
        WRITES,
    ),
    case("POST /tools/undo_dub", r#"{"dub_id":"{dub}"}"#, r#"{"if_revision":3}"#, WRITES),
    case("POST /tools/update_settings", r#"{"padding_ms":50}"#, r#"{"padding_ms":70}"#, WRITES)
        .meanwhile("/tools/update_settings", r#"{"padding_ms":60}"#),
    case("POST /tools/undo_settings", "{}", r#"{"if_revision":3}"#, WRITES),
    case("POST /tools/update_brand_kit", r#"{"voice":"x"}"#, r#"{"voice":"y"}"#, WRITES)
        .meanwhile("/tools/update_brand_kit", r#"{"voice":"z"}"#),
    case("POST /tools/undo_brand_kit", "{}", r#"{"if_revision":3}"#, WRITES),
    case("POST /tools/save_skill", r#"{"name":"one","text":"x"}"#, r#"{"text":"y"}"#, WRITES)
        .meanwhile("/tools/save_skill", r#"{"name":"one","text":"z"}"#),
    case("POST /tools/undo_skill", r#"{"name":"{skill}"}"#, r#"{"if_revision":3}"#, WRITES),
    case(
        "POST /tools/save_template",
        r#"{"name":"one","tool":"list_items","arguments":{"limit":3}}"#,
        r#"{"tool":"list_boards"}"#,
        WRITES,
    )
    .meanwhile("/tools/save_template", r#"{"name":"one","tool":"list_items","arguments":{"limit":4}}"#),
    case("POST /tools/undo_template", r#"{"name":"{template}"}"#, r#"{"if_revision":3}"#, WRITES),
    // Its tool makes a board.
    case("POST /tools/run_template", r#"{"name":"{template}"}"#, r#"{"overrides":{"name":"y"}}"#, WRITES),
];
