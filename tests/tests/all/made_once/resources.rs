//! What is made that is neither a document nor a job.

use super::bench::{Case, case};

const UPLOADS: &str = "SELECT count(*) FROM uploads";

/// The cases.
pub const CASES: &[Case] = &[
    case(
        "POST /uploads",
        r#"{"filename":"a.wav","content_type":"audio/wav","bytes":4}"#,
        r#"{"ref":"another"}"#,
        UPLOADS,
    ),
    case("POST /uploads", r#"{"url":"https://93.184.216.34/a.wav"}"#, r#"{"ref":"another"}"#, UPLOADS),
    case("POST /tools/import_media", r#"{"url":"https://93.184.216.34/b.wav"}"#, r#"{"ref":"another"}"#, UPLOADS),
    // It imports what the post shows, which is not imported twice even without a key; the tags would be set again.
    case(
        "POST /tools/keep_post",
        r#"{"post_id":"{post}","tags":["x"],"import_media":true}"#,
        r#"{"tags":["y"]}"#,
        "SELECT count(*) FROM posts p JOIN items i ON i.id = p.item_id WHERE p.tags = '{x}'",
    )
    .meanwhile("/tools/keep_post", r#"{"post_id":"{post}","tags":["z"]}"#),
    case(
        "POST /tools/add_comment",
        r#"{"ref":"{item}","text":"x"}"#,
        r#"{"text":"y"}"#,
        "SELECT count(*) FROM comments",
    ),
    case(
        "POST /tools/create_public_link",
        r#"{"ref":"{item}"}"#,
        r#"{"expires_in":3600}"#,
        "SELECT count(*) FROM public_links",
    ),
    case(
        "POST /tools/add_calendar_entry",
        r#"{"title":"x","starts_at":"2026-12-01T09:00:00Z"}"#,
        r#"{"title":"y"}"#,
        "SELECT count(*) FROM calendar_entries",
    ),
    case("POST /tools/create_calendar_feed", "{}", "", "SELECT count(*) FROM calendar_feeds"),
    case("POST /projects", r#"{"brief":"a film"}"#, r#"{"brief":"another"}"#, "SELECT count(*) FROM projects"),
    case(
        "POST /projects/{id}/messages",
        r#"{"text":"shorter"}"#,
        r#"{"text":"longer"}"#,
        "SELECT count(*) FROM project_runs",
    )
    .meanwhile("/projects/{project}/status", r#"{"status":"idle"}"#),
    case(
        "POST /webhooks",
        r#"{"url":"https://93.184.216.34/"}"#,
        r#"{"description":"another"}"#,
        "SELECT count(*) FROM webhook_endpoints",
    ),
    case("POST /keys", r#"{"name":"ci"}"#, r#"{"name":"another"}"#, "SELECT count(*) FROM api_keys"),
    case("POST /workspaces", r#"{"name":"x"}"#, r#"{"name":"y"}"#, "SELECT count(*) FROM workspaces"),
];
