//! What each operation needs of its caller and what comes of a repeat, in one table (contract §4.7, §5, §5.6).
//!
//! The needs are checked before the handler, where the caller becomes known: no handler can forget them. An operation
//! without a row is refused to everyone, and a test here names it. Handlers check what depends on more than the
//! operation, such as whether an item is within reach.

use super::access::Needs::{self, Account, AccountWithoutSession, Nothing, Operator, OwnerWithoutSession, Workspace};
use super::idempotency::Repeat::{self, Harmless, Kept, Refused};
use domain::operator::OperatorRole::{Act, Metadata, Read};
use domain::role::Role;

/// What the service promises of an operation.
#[derive(Debug)]
pub struct Row {
    /// Its method and path: `"POST /keys"`.
    pub operation: &'static str,
    /// What it needs of its caller.
    pub needs: Needs,
    /// What comes of a repeat with the same Idempotency-Key; none when it is not a POST.
    pub repeat: Option<Repeat>,
}

const fn row(operation: &'static str, needs: Needs) -> Row {
    Row { operation, needs, repeat: None }
}

const fn post(operation: &'static str, needs: Needs, repeat: Repeat) -> Row {
    Row { operation, needs, repeat: Some(repeat) }
}

const VIEWER: Needs = Workspace(Role::Viewer);
const EDITOR: Needs = Workspace(Role::Editor);

/// Every operation.
pub const TABLE: &[Row] = &[
    row("GET /tools", Account),
    post("POST /tools/prepare_media", EDITOR, Kept),
    post("POST /tools/get_jobs", VIEWER, Harmless),
    post("POST /tools/cancel_jobs", EDITOR, Harmless),
    // A repeat makes another code, which is good for minutes.
    post("POST /tools/get_api_session", AccountWithoutSession, Refused),
    post("POST /tools/list_items", VIEWER, Harmless),
    post("POST /tools/get_item", VIEWER, Harmless),
    post("POST /tools/import_media", EDITOR, Kept),
    post("POST /tools/update_item", EDITOR, Harmless),
    post("POST /tools/delete_item", EDITOR, Harmless),
    post("POST /tools/add_comment", EDITOR, Kept),
    post("POST /tools/list_comments", VIEWER, Harmless),
    post("POST /tools/update_comment", EDITOR, Harmless),
    post("POST /tools/delete_comment", EDITOR, Harmless),
    post("POST /tools/create_board", EDITOR, Kept),
    post("POST /tools/list_boards", VIEWER, Harmless),
    post("POST /tools/get_board", VIEWER, Harmless),
    post("POST /tools/edit_board", EDITOR, Kept),
    post("POST /tools/undo_board", EDITOR, Kept),
    post("POST /tools/delete_board", EDITOR, Harmless),
    post("POST /tools/get_brand_kit", VIEWER, Harmless),
    post("POST /tools/update_brand_kit", EDITOR, Kept),
    post("POST /tools/undo_brand_kit", EDITOR, Kept),
    post("POST /tools/add_calendar_entry", EDITOR, Kept),
    post("POST /tools/list_calendar", VIEWER, Harmless),
    post("POST /tools/update_calendar_entry", EDITOR, Harmless),
    post("POST /tools/delete_calendar_entry", EDITOR, Harmless),
    post("POST /tools/create_calendar_feed", EDITOR, Kept),
    post("POST /tools/list_calendar_feeds", VIEWER, Harmless),
    post("POST /tools/revoke_calendar_feed", EDITOR, Harmless),
    post("POST /tools/get_settings", VIEWER, Harmless),
    post("POST /tools/update_settings", EDITOR, Kept),
    post("POST /tools/undo_settings", EDITOR, Kept),
    post("POST /tools/save_skill", EDITOR, Kept),
    post("POST /tools/list_skills", VIEWER, Harmless),
    post("POST /tools/get_skill", VIEWER, Harmless),
    post("POST /tools/undo_skill", EDITOR, Kept),
    post("POST /tools/delete_skill", EDITOR, Harmless),
    post("POST /tools/save_template", EDITOR, Kept),
    post("POST /tools/list_templates", VIEWER, Harmless),
    // The tool that it calls checks its own needs, and takes the key.
    post("POST /tools/run_template", VIEWER, Kept),
    post("POST /tools/undo_template", EDITOR, Kept),
    post("POST /tools/delete_template", EDITOR, Harmless),
    post("POST /tools/create_timeline", EDITOR, Kept),
    post("POST /tools/list_timelines", VIEWER, Harmless),
    post("POST /tools/get_timeline", VIEWER, Harmless),
    post("POST /tools/edit_timeline", EDITOR, Kept),
    post("POST /tools/undo_timeline", EDITOR, Kept),
    post("POST /tools/delete_timeline", EDITOR, Harmless),
    post("POST /tools/render_timeline", EDITOR, Kept),
    post("POST /tools/export_timeline", VIEWER, Harmless),
    post("POST /tools/import_timeline", EDITOR, Kept),
    post("POST /tools/create_canvas", EDITOR, Kept),
    post("POST /tools/list_canvases", VIEWER, Harmless),
    post("POST /tools/get_canvas", VIEWER, Harmless),
    post("POST /tools/edit_canvas", EDITOR, Kept),
    post("POST /tools/undo_canvas", EDITOR, Kept),
    post("POST /tools/delete_canvas", EDITOR, Harmless),
    post("POST /tools/render_canvas", EDITOR, Kept),
    post("POST /tools/create_public_link", EDITOR, Kept),
    post("POST /tools/list_public_links", VIEWER, Harmless),
    post("POST /tools/revoke_public_link", EDITOR, Harmless),
    // A post is stored once, by its URL.
    post("POST /tools/pull_posts", EDITOR, Harmless),
    post("POST /tools/list_posts", VIEWER, Harmless),
    post("POST /tools/keep_post", EDITOR, Kept),
    post("POST /tools/delete_post", EDITOR, Harmless),
    // A viewer may have a stored read; starting one needs more, which is checked where it starts.
    post("POST /tools/transcribe_media", VIEWER, Kept),
    post("POST /tools/speakers", VIEWER, Kept),
    post("POST /tools/detect_beats", VIEWER, Kept),
    post("POST /tools/search_footage", VIEWER, Harmless),
    post("POST /tools/remove_silence", VIEWER, Kept),
    post("POST /tools/duck_music", VIEWER, Kept),
    post("POST /tools/generate_image", EDITOR, Kept),
    post("POST /tools/generate_video", EDITOR, Kept),
    post("POST /tools/generate_audio", EDITOR, Kept),
    post("POST /tools/upscale_media", EDITOR, Kept),
    post("POST /tools/cut_out", EDITOR, Kept),
    post("POST /tools/dub", EDITOR, Kept),
    post("POST /tools/list_dubs", VIEWER, Harmless),
    post("POST /tools/get_dub", VIEWER, Harmless),
    post("POST /tools/edit_dub", EDITOR, Kept),
    post("POST /tools/undo_dub", EDITOR, Kept),
    post("POST /tools/render_dub", EDITOR, Kept),
    post("POST /tools/delete_dub", EDITOR, Harmless),
    post("POST /tools/list_models", Account, Harmless),
    // The tool whose cost is estimated checks its own needs.
    post("POST /tools/estimate_cost", VIEWER, Harmless),
    post("POST /tools/get_balances", Account, Harmless),
    row("GET /models", Account),
    row("GET /balances", Account),
    row("GET /statement", Account),
    row("GET /overview", VIEWER),
    post("POST /tools/get_overview", VIEWER, Harmless),
    post("POST /keys", AccountWithoutSession, Kept),
    row("GET /keys", AccountWithoutSession),
    row("GET /keys/{keyId}", AccountWithoutSession),
    row("DELETE /keys/{keyId}", AccountWithoutSession),
    row("GET /audit", AccountWithoutSession),
    row("GET /workspaces", Account),
    post("POST /workspaces", OwnerWithoutSession, Kept),
    row("PATCH /workspaces/{id}", OwnerWithoutSession),
    row("GET /workspaces/{id}/members", OwnerWithoutSession),
    row("PUT /workspaces/{id}/members/{userId}", OwnerWithoutSession),
    row("DELETE /workspaces/{id}/members/{userId}", OwnerWithoutSession),
    // A code is good once.
    post("POST /sessions/redeem", Nothing, Harmless),
    post("POST /portal-sessions", AccountWithoutSession, Refused),
    post("POST /uploads", EDITOR, Kept),
    row("GET /uploads/{id}", VIEWER),
    row("PUT /uploads/{id}/content", Nothing),
    row("HEAD /uploads/{id}/content", Nothing),
    row("PATCH /uploads/{id}/content", Nothing),
    row("OPTIONS /uploads/{id}/content", Nothing),
    post("POST /uploads/{id}/complete", EDITOR, Harmless),
    // The signed link proves enough.
    row("GET /thumbnails/{item_id}/{picture}", Nothing),
    row("GET /media/{item_id}", Nothing),
    row("GET /library/items", VIEWER),
    row("GET /library/items/{id}", VIEWER),
    row("PATCH /library/items/{id}", EDITOR),
    row("DELETE /library/items/{id}", EDITOR),
    row("GET /library/items/{id}/reads/{read}", VIEWER),
    post("POST /library/items/{id}/lease", EDITOR, Harmless),
    row("DELETE /library/items/{id}/lease", EDITOR),
    post("POST /webhooks", Account, Kept),
    row("GET /webhooks", Account),
    row("GET /webhooks/{id}", Account),
    row("PATCH /webhooks/{id}", Account),
    row("DELETE /webhooks/{id}", Account),
    row("GET /webhooks/{id}/deliveries", Account),
    row("GET /webhooks/{id}/deliveries/{delivery_id}", Account),
    // With `since` it takes many transactions, none of which could keep the answer.
    post("POST /webhooks/{id}/deliveries", Account, Refused),
    row("GET /webhook-secret", AccountWithoutSession),
    // The first secret is made once; a second rotation is refused while the first is under way.
    post("POST /webhook-secret", AccountWithoutSession, Harmless),
    row("DELETE /webhook-secret", AccountWithoutSession),
    post("POST /projects", EDITOR, Kept),
    row("GET /projects", VIEWER),
    row("GET /projects/{id}", VIEWER),
    row("PATCH /projects/{id}/settings", EDITOR),
    // A repeat is not a legal change of status.
    post("POST /projects/{id}/status", EDITOR, Harmless),
    post("POST /projects/{id}/cancel", EDITOR, Harmless),
    row("DELETE /projects/{id}", EDITOR),
    row("GET /projects/{id}/deliveries", VIEWER),
    post("POST /projects/{id}/messages", EDITOR, Kept),
    row("GET /projects/{id}/log", VIEWER),
    row("GET /events", Account),
    row("GET /events/{id}", Account),
    row("GET /events/stream", Account),
    // Idempotency-Keys are kept by account, and an operator's token belongs to none.
    post("POST /operator/accounts", Operator(Act), Refused),
    row("GET /operator/accounts", Operator(Metadata)),
    row("GET /operator/accounts/{id}", Operator(Metadata)),
    row("PATCH /operator/accounts/{id}", Operator(Act)),
    row("DELETE /operator/accounts/{id}/unpaid-processor-time", Operator(Act)),
    // What was suspended, resumed or erased once stays so.
    post("POST /operator/accounts/{id}/suspend", Operator(Act), Harmless),
    post("POST /operator/accounts/{id}/resume", Operator(Act), Harmless),
    post("POST /operator/accounts/{id}/erase", Operator(Act), Harmless),
    post("POST /operator/workspaces/{id}/erase", Operator(Act), Harmless),
    post("POST /operator/items/{id}/erase", Operator(Act), Harmless),
    row("GET /operator/keys", Operator(Read)),
    row("DELETE /operator/keys/{id}", Operator(Act)),
    post("POST /operator/accounts/{id}/keys", Operator(Act), Refused),
    post("POST /operator/accounts/{id}/minutes", Operator(Act), Refused),
    post("POST /operator/accounts/{id}/credits", Operator(Act), Refused),
    post("POST /operator/users", Operator(Act), Refused),
    row("GET /operator/users", Operator(Read)),
    row("PATCH /operator/users/{id}", Operator(Act)),
    post("POST /operator/workspaces", Operator(Act), Refused),
    row("GET /operator/workspaces", Operator(Read)),
    row("PATCH /operator/workspaces/{id}", Operator(Act)),
    post("POST /operator/members", Operator(Act), Harmless),
    row("GET /operator/members", Operator(Read)),
    row("DELETE /operator/members/{workspaceId}/{userId}", Operator(Act)),
    row("GET /operator/reads", Operator(Metadata)),
    row("PATCH /operator/reads/{read}", Operator(Act)),
    row("GET /operator/jobs", Operator(Metadata)),
    row("GET /operator/jobs/{id}", Operator(Metadata)),
    post("POST /operator/jobs/{id}/retry", Operator(Act), Harmless),
    post("POST /operator/jobs/{id}/cancel", Operator(Act), Harmless),
    row("GET /operator/deliveries", Operator(Metadata)),
    row("GET /operator/deliveries/{id}", Operator(Metadata)),
    post("POST /operator/deliveries/resend", Operator(Act), Harmless),
    // A repeat sends once more.
    post("POST /operator/deliveries/{id}/resend", Operator(Act), Refused),
    // A name is given once: a repeat returns the operation that has it.
    post("POST /operator/bulk-operations", Operator(Act), Harmless),
    row("GET /operator/failed-reads", Operator(Read)),
    row("GET /operator/bulk-operations", Operator(Read)),
    row("GET /operator/bulk-operations/{id}", Operator(Read)),
    post("POST /operator/bulk-operations/{id}/stop", Operator(Act), Harmless),
    row("GET /operator/webhooks", Operator(Metadata)),
    row("PATCH /operator/webhooks/{id}", Operator(Act)),
    row("GET /operator/audit", Operator(Read)),
    row("GET /operator/accounts/{id}/statement", Operator(Read)),
    row("GET /operator/report", Operator(Metadata)),
    row("GET /operator/errors", Operator(Read)),
    row("GET /operator/retention", Operator(Metadata)),
    post("POST /operator/console-links", Operator(Metadata), Refused),
    post("POST /operator/accounts/{id}/portal-sessions", Operator(Act), Refused),
];

/// Returns the row of this operation, if it has one.
pub fn find(operation: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.operation == operation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::document;
    use poem::http::Method;
    use std::collections::BTreeSet;

    #[test]
    fn every_operation_says_what_it_needs_and_every_row_is_an_operation() {
        let operations: BTreeSet<String> = document().operations().iter().map(|operation| operation.name()).collect();
        let rows: BTreeSet<String> = TABLE.iter().map(|row| row.operation.to_owned()).collect();
        assert_eq!(operations, rows);
        assert_eq!(rows.len(), TABLE.len(), "an operation has two rows");
    }

    #[test]
    fn every_post_says_what_comes_of_a_repeat_and_what_starts_jobs_keeps_its_answer() {
        for operation in document().operations() {
            assert_eq!(operation.repeat.is_some(), operation.method == Method::POST, "{}", operation.name());
            assert!(!operation.uses_minutes() || operation.repeat == Some(Kept), "{}", operation.name());
        }
    }
}
