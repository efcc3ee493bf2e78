//! What each operation needs of its caller, in one table that is checked for every request (contract §5, §5.6).
//!
//! The check runs before the handler, where the caller becomes known: no handler can forget it. An operation without a
//! row is refused to everyone, and a test here names it. Handlers check what depends on more than the operation, such
//! as whether an item is within reach.

use crate::http::error::Code;
use Needs::{Account, AccountWithoutSession, Nothing, Operator, OwnerWithoutSession, Workspace};
use domain::operator::OperatorRole::{self, Act, Metadata, Read};
use domain::role::Role;

/// What an operation needs of its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// No credential: the request itself proves enough, such as by a signed link.
    Nothing,
    /// A credential of the account that it acts on; a role in a workspace is not looked at.
    Account,
    /// As `Account`, but no script session's token (contract §5.3.4).
    AccountWithoutSession,
    /// An owner of the workspace that the call acts in, and no script session's token.
    OwnerWithoutSession,
    /// At least this role in the workspace that the call acts in.
    Workspace(Role),
    /// An operator's token that allows this.
    Operator(OperatorRole),
}

const VIEWER: Needs = Workspace(Role::Viewer);
const EDITOR: Needs = Workspace(Role::Editor);

/// Every operation, by method and path.
pub const ACCESS: &[(&str, Needs)] = &[
    ("GET /tools", Account),
    ("POST /tools/prepare_media", EDITOR),
    ("POST /tools/get_jobs", VIEWER),
    ("POST /tools/cancel_jobs", EDITOR),
    ("POST /tools/get_api_session", AccountWithoutSession),
    ("POST /tools/list_items", VIEWER),
    ("POST /tools/get_item", VIEWER),
    ("POST /tools/import_media", EDITOR),
    ("POST /tools/update_item", EDITOR),
    ("POST /tools/delete_item", EDITOR),
    ("POST /tools/add_comment", EDITOR),
    ("POST /tools/list_comments", VIEWER),
    ("POST /tools/update_comment", EDITOR),
    ("POST /tools/delete_comment", EDITOR),
    ("POST /tools/create_board", EDITOR),
    ("POST /tools/list_boards", VIEWER),
    ("POST /tools/get_board", VIEWER),
    ("POST /tools/edit_board", EDITOR),
    ("POST /tools/undo_board", EDITOR),
    ("POST /tools/delete_board", EDITOR),
    ("POST /tools/get_brand_kit", VIEWER),
    ("POST /tools/update_brand_kit", EDITOR),
    ("POST /tools/undo_brand_kit", EDITOR),
    ("POST /tools/add_calendar_entry", EDITOR),
    ("POST /tools/list_calendar", VIEWER),
    ("POST /tools/update_calendar_entry", EDITOR),
    ("POST /tools/delete_calendar_entry", EDITOR),
    ("POST /tools/create_calendar_feed", EDITOR),
    ("POST /tools/list_calendar_feeds", VIEWER),
    ("POST /tools/revoke_calendar_feed", EDITOR),
    ("POST /tools/get_settings", VIEWER),
    ("POST /tools/update_settings", EDITOR),
    ("POST /tools/undo_settings", EDITOR),
    ("POST /tools/save_skill", EDITOR),
    ("POST /tools/list_skills", VIEWER),
    ("POST /tools/get_skill", VIEWER),
    ("POST /tools/undo_skill", EDITOR),
    ("POST /tools/delete_skill", EDITOR),
    ("POST /tools/save_template", EDITOR),
    ("POST /tools/list_templates", VIEWER),
    // The tool that it calls checks its own needs.
    ("POST /tools/run_template", VIEWER),
    ("POST /tools/undo_template", EDITOR),
    ("POST /tools/delete_template", EDITOR),
    ("POST /tools/create_timeline", EDITOR),
    ("POST /tools/list_timelines", VIEWER),
    ("POST /tools/get_timeline", VIEWER),
    ("POST /tools/edit_timeline", EDITOR),
    ("POST /tools/undo_timeline", EDITOR),
    ("POST /tools/delete_timeline", EDITOR),
    ("POST /tools/render_timeline", EDITOR),
    ("POST /tools/export_timeline", VIEWER),
    ("POST /tools/import_timeline", EDITOR),
    ("POST /tools/create_canvas", EDITOR),
    ("POST /tools/list_canvases", VIEWER),
    ("POST /tools/get_canvas", VIEWER),
    ("POST /tools/edit_canvas", EDITOR),
    ("POST /tools/undo_canvas", EDITOR),
    ("POST /tools/delete_canvas", EDITOR),
    ("POST /tools/render_canvas", EDITOR),
    ("POST /tools/create_public_link", EDITOR),
    ("POST /tools/list_public_links", VIEWER),
    ("POST /tools/revoke_public_link", EDITOR),
    ("POST /tools/pull_posts", EDITOR),
    ("POST /tools/list_posts", VIEWER),
    ("POST /tools/keep_post", EDITOR),
    ("POST /tools/delete_post", EDITOR),
    // A viewer may have a stored read; starting one needs more, which is checked where it starts.
    ("POST /tools/transcribe_media", VIEWER),
    ("POST /tools/speakers", VIEWER),
    ("POST /tools/detect_beats", VIEWER),
    ("POST /tools/search_footage", VIEWER),
    ("POST /tools/remove_silence", VIEWER),
    ("POST /tools/duck_music", VIEWER),
    ("POST /tools/generate_image", EDITOR),
    ("POST /tools/generate_video", EDITOR),
    ("POST /tools/generate_audio", EDITOR),
    ("POST /tools/upscale_media", EDITOR),
    ("POST /tools/cut_out", EDITOR),
    ("POST /tools/dub", EDITOR),
    ("POST /tools/list_dubs", VIEWER),
    ("POST /tools/get_dub", VIEWER),
    ("POST /tools/edit_dub", EDITOR),
    ("POST /tools/undo_dub", EDITOR),
    ("POST /tools/render_dub", EDITOR),
    ("POST /tools/delete_dub", EDITOR),
    ("POST /tools/list_models", Account),
    // The tool whose cost is estimated checks its own needs.
    ("POST /tools/estimate_cost", VIEWER),
    ("POST /tools/get_balances", Account),
    ("GET /models", Account),
    ("GET /balances", Account),
    ("GET /statement", Account),
    ("GET /overview", VIEWER),
    ("POST /tools/get_overview", VIEWER),
    ("POST /keys", AccountWithoutSession),
    ("GET /keys", AccountWithoutSession),
    ("GET /keys/{keyId}", AccountWithoutSession),
    ("DELETE /keys/{keyId}", AccountWithoutSession),
    ("GET /audit", AccountWithoutSession),
    ("GET /workspaces", Account),
    ("POST /workspaces", OwnerWithoutSession),
    ("PATCH /workspaces/{id}", OwnerWithoutSession),
    ("GET /workspaces/{id}/members", OwnerWithoutSession),
    ("PUT /workspaces/{id}/members/{userId}", OwnerWithoutSession),
    ("DELETE /workspaces/{id}/members/{userId}", OwnerWithoutSession),
    ("POST /sessions/redeem", Nothing),
    ("POST /portal-sessions", AccountWithoutSession),
    ("POST /uploads", EDITOR),
    ("GET /uploads/{id}", VIEWER),
    ("PUT /uploads/{id}/content", Nothing),
    ("HEAD /uploads/{id}/content", Nothing),
    ("PATCH /uploads/{id}/content", Nothing),
    ("OPTIONS /uploads/{id}/content", Nothing),
    ("POST /uploads/{id}/complete", EDITOR),
    // The signed link proves enough.
    ("GET /thumbnails/{item_id}/{picture}", Nothing),
    ("GET /media/{item_id}", Nothing),
    ("GET /library/items", VIEWER),
    ("GET /library/items/{id}", VIEWER),
    ("PATCH /library/items/{id}", EDITOR),
    ("DELETE /library/items/{id}", EDITOR),
    ("GET /library/items/{id}/reads/{read}", VIEWER),
    ("POST /library/items/{id}/lease", EDITOR),
    ("DELETE /library/items/{id}/lease", EDITOR),
    ("POST /webhooks", Account),
    ("GET /webhooks", Account),
    ("GET /webhooks/{id}", Account),
    ("PATCH /webhooks/{id}", Account),
    ("DELETE /webhooks/{id}", Account),
    ("GET /webhooks/{id}/deliveries", Account),
    ("GET /webhooks/{id}/deliveries/{delivery_id}", Account),
    ("POST /webhooks/{id}/deliveries", Account),
    ("GET /webhook-secret", AccountWithoutSession),
    ("POST /webhook-secret", AccountWithoutSession),
    ("DELETE /webhook-secret", AccountWithoutSession),
    ("POST /projects", EDITOR),
    ("GET /projects", VIEWER),
    ("GET /projects/{id}", VIEWER),
    ("PATCH /projects/{id}/settings", EDITOR),
    ("POST /projects/{id}/status", EDITOR),
    ("POST /projects/{id}/cancel", EDITOR),
    ("DELETE /projects/{id}", EDITOR),
    ("GET /projects/{id}/deliveries", VIEWER),
    ("POST /projects/{id}/messages", EDITOR),
    ("GET /projects/{id}/log", VIEWER),
    ("GET /events", Account),
    ("GET /events/{id}", Account),
    ("GET /events/stream", Account),
    ("POST /operator/accounts", Operator(Act)),
    ("GET /operator/accounts", Operator(Metadata)),
    ("GET /operator/accounts/{id}", Operator(Metadata)),
    ("PATCH /operator/accounts/{id}", Operator(Act)),
    ("DELETE /operator/accounts/{id}/unpaid-processor-time", Operator(Act)),
    ("POST /operator/accounts/{id}/suspend", Operator(Act)),
    ("POST /operator/accounts/{id}/resume", Operator(Act)),
    ("POST /operator/accounts/{id}/erase", Operator(Act)),
    ("POST /operator/workspaces/{id}/erase", Operator(Act)),
    ("POST /operator/items/{id}/erase", Operator(Act)),
    ("GET /operator/keys", Operator(Read)),
    ("DELETE /operator/keys/{id}", Operator(Act)),
    ("POST /operator/accounts/{id}/keys", Operator(Act)),
    ("POST /operator/accounts/{id}/minutes", Operator(Act)),
    ("POST /operator/accounts/{id}/credits", Operator(Act)),
    ("POST /operator/users", Operator(Act)),
    ("GET /operator/users", Operator(Read)),
    ("PATCH /operator/users/{id}", Operator(Act)),
    ("POST /operator/workspaces", Operator(Act)),
    ("GET /operator/workspaces", Operator(Read)),
    ("PATCH /operator/workspaces/{id}", Operator(Act)),
    ("POST /operator/members", Operator(Act)),
    ("GET /operator/members", Operator(Read)),
    ("DELETE /operator/members/{workspaceId}/{userId}", Operator(Act)),
    ("GET /operator/reads", Operator(Metadata)),
    ("PATCH /operator/reads/{read}", Operator(Act)),
    ("GET /operator/jobs", Operator(Metadata)),
    ("GET /operator/jobs/{id}", Operator(Metadata)),
    ("POST /operator/jobs/{id}/retry", Operator(Act)),
    ("POST /operator/jobs/{id}/cancel", Operator(Act)),
    ("GET /operator/deliveries", Operator(Metadata)),
    ("GET /operator/deliveries/{id}", Operator(Metadata)),
    ("POST /operator/deliveries/resend", Operator(Act)),
    ("POST /operator/deliveries/{id}/resend", Operator(Act)),
    ("POST /operator/bulk-operations", Operator(Act)),
    ("GET /operator/failed-reads", Operator(Read)),
    ("GET /operator/bulk-operations", Operator(Read)),
    ("GET /operator/bulk-operations/{id}", Operator(Read)),
    ("POST /operator/bulk-operations/{id}/stop", Operator(Act)),
    ("GET /operator/webhooks", Operator(Metadata)),
    ("PATCH /operator/webhooks/{id}", Operator(Act)),
    ("GET /operator/audit", Operator(Read)),
    ("GET /operator/accounts/{id}/statement", Operator(Read)),
    ("GET /operator/report", Operator(Metadata)),
    ("GET /operator/errors", Operator(Read)),
    ("GET /operator/retention", Operator(Metadata)),
    ("POST /operator/console-links", Operator(Metadata)),
    ("POST /operator/accounts/{id}/portal-sessions", Operator(Act)),
];

/// Returns what this operation needs; none when it has no row.
pub fn needs(operation: &str) -> Option<Needs> {
    ACCESS.iter().find(|(named, _)| *named == operation).map(|(_, needs)| *needs)
}

impl Needs {
    /// The codes of the refusals that these needs lead to, beside those of every credential.
    pub const fn refusals(self) -> &'static [Code] {
        match self {
            Nothing | Account | Workspace(Role::Viewer) | Operator(Metadata) => &[],
            AccountWithoutSession => &[Code::SessionNotAllowed],
            OwnerWithoutSession => &[Code::SessionNotAllowed, Code::RoleForbidden],
            Workspace(Role::Editor | Role::Owner) | Operator(Read | Act) => &[Code::RoleForbidden],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::document;
    use std::collections::BTreeSet;

    #[test]
    fn every_operation_says_what_it_needs_and_every_row_is_an_operation() {
        let operations: BTreeSet<String> = document().operations().iter().map(|operation| operation.name()).collect();
        let rows: BTreeSet<String> = ACCESS.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(operations, rows);
        assert_eq!(rows.len(), ACCESS.len(), "an operation has two rows");
    }

    #[test]
    fn an_operation_takes_the_credential_that_it_needs() {
        for operation in document().operations() {
            let needs = operation.needs.expect("a row");
            let taken = document().json["paths"][&operation.path][operation.method.as_str().to_lowercase()]
                .pointer("/security/0")
                .and_then(|scheme| scheme.as_object()?.keys().next().cloned());
            let wanted = match needs {
                Nothing => None,
                Operator(_) => Some("operator"),
                Account | AccountWithoutSession | OwnerWithoutSession | Workspace(_) => Some("bearer"),
            };
            assert_eq!(taken.as_deref(), wanted, "{}", operation.name());
        }
    }
}
