//! The `Idempotency-Key` header (contract §4.1), and which operations take it. `dispatch` keeps the answers of calls
//! that start jobs, `once` those of calls that make something else.

use crate::http::error::{Answer, ApiError, Code};
use Repeat::{Harmless, Kept, Refused};
use poem::{FromRequest, Request, RequestBody};

/// The header's name.
pub const HEADER: &str = "Idempotency-Key";
const LONGEST: usize = 255;

/// The key of a call, if one was sent: 1 to 255 printable ASCII characters. Ask for it after `Auth`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey(pub Option<String>);

impl<'a> FromRequest<'a> for IdempotencyKey {
    async fn from_request(request: &'a Request, _body: &mut RequestBody) -> poem::Result<Self> {
        let Some(sent) = request.headers().get(HEADER) else { return Ok(Self(None)) };
        let printable =
            |text: &&str| (1..=LONGEST).contains(&text.len()) && text.bytes().all(|b| (0x20..0x7f).contains(&b));
        let key = sent.to_str().ok().filter(printable).ok_or_else(|| {
            ApiError::new(
                Code::InvalidRequest,
                format!("`{HEADER}`: expected 1 to {LONGEST} printable ASCII characters."),
            )
        })?;
        Ok(Self(Some(key.to_owned())))
    }
}

/// What happens to a POST that is sent again with the same Idempotency-Key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// The first answer, byte for byte.
    Kept,
    /// The same as without a key: a repeat makes nothing twice.
    Harmless,
    /// A refusal: the operation makes something, and its answer can't be kept.
    Refused,
}

impl Repeat {
    /// The word for it in the document (`x-repeat`), by which clients decide whether to send a POST again.
    pub fn word(self) -> &'static str {
        match self {
            Kept => "kept",
            Harmless => "harmless",
            Refused => "refused",
        }
    }
}

/// What happens to a repeat of each POST.
pub const REPEATS: &[(&str, Repeat)] = &[
    ("POST /tools/prepare_media", Kept),
    ("POST /tools/transcribe_media", Kept),
    ("POST /tools/speakers", Kept),
    ("POST /tools/detect_beats", Kept),
    ("POST /tools/remove_silence", Kept),
    ("POST /tools/duck_music", Kept),
    ("POST /tools/generate_image", Kept),
    ("POST /tools/generate_video", Kept),
    ("POST /tools/generate_audio", Kept),
    ("POST /tools/upscale_media", Kept),
    ("POST /tools/cut_out", Kept),
    ("POST /tools/dub", Kept),
    ("POST /tools/edit_dub", Kept),
    ("POST /tools/undo_dub", Kept),
    ("POST /tools/render_dub", Kept),
    ("POST /tools/import_media", Kept),
    ("POST /tools/add_comment", Kept),
    ("POST /tools/create_public_link", Kept),
    ("POST /tools/create_board", Kept),
    ("POST /tools/edit_board", Kept),
    ("POST /tools/undo_board", Kept),
    ("POST /tools/keep_post", Kept),
    ("POST /tools/update_brand_kit", Kept),
    ("POST /tools/undo_brand_kit", Kept),
    ("POST /tools/add_calendar_entry", Kept),
    ("POST /tools/create_calendar_feed", Kept),
    ("POST /tools/update_settings", Kept),
    ("POST /tools/undo_settings", Kept),
    ("POST /tools/save_skill", Kept),
    ("POST /tools/undo_skill", Kept),
    ("POST /tools/save_template", Kept),
    ("POST /tools/undo_template", Kept),
    // As for the tool that it calls.
    ("POST /tools/run_template", Kept),
    ("POST /tools/create_timeline", Kept),
    ("POST /tools/edit_timeline", Kept),
    ("POST /tools/undo_timeline", Kept),
    ("POST /tools/render_timeline", Kept),
    ("POST /tools/import_timeline", Kept),
    ("POST /tools/create_canvas", Kept),
    ("POST /tools/edit_canvas", Kept),
    ("POST /tools/undo_canvas", Kept),
    ("POST /tools/render_canvas", Kept),
    ("POST /uploads", Kept),
    ("POST /workspaces", Kept),
    ("POST /projects", Kept),
    ("POST /projects/{id}/messages", Kept),
    ("POST /keys", Kept),
    ("POST /webhooks", Kept),
    ("POST /tools/get_jobs", Harmless),
    ("POST /tools/cancel_jobs", Harmless),
    ("POST /tools/list_items", Harmless),
    ("POST /tools/get_item", Harmless),
    ("POST /tools/update_item", Harmless),
    ("POST /tools/delete_item", Harmless),
    ("POST /tools/list_comments", Harmless),
    ("POST /tools/update_comment", Harmless),
    ("POST /tools/delete_comment", Harmless),
    ("POST /tools/list_public_links", Harmless),
    ("POST /tools/list_boards", Harmless),
    ("POST /tools/get_board", Harmless),
    ("POST /tools/delete_board", Harmless),
    ("POST /tools/get_brand_kit", Harmless),
    ("POST /tools/list_calendar", Harmless),
    ("POST /tools/update_calendar_entry", Harmless),
    ("POST /tools/delete_calendar_entry", Harmless),
    ("POST /tools/list_calendar_feeds", Harmless),
    ("POST /tools/revoke_calendar_feed", Harmless),
    ("POST /tools/get_settings", Harmless),
    ("POST /tools/list_skills", Harmless),
    ("POST /tools/get_skill", Harmless),
    ("POST /tools/delete_skill", Harmless),
    ("POST /tools/list_templates", Harmless),
    ("POST /tools/delete_template", Harmless),
    ("POST /tools/list_timelines", Harmless),
    ("POST /tools/get_timeline", Harmless),
    ("POST /tools/export_timeline", Harmless),
    ("POST /tools/delete_timeline", Harmless),
    ("POST /tools/list_canvases", Harmless),
    ("POST /tools/get_canvas", Harmless),
    ("POST /tools/delete_canvas", Harmless),
    ("POST /tools/revoke_public_link", Harmless),
    // A post is stored once, by its URL.
    ("POST /tools/pull_posts", Harmless),
    ("POST /tools/list_posts", Harmless),
    ("POST /tools/delete_post", Harmless),
    ("POST /tools/search_footage", Harmless),
    ("POST /tools/list_dubs", Harmless),
    ("POST /tools/get_dub", Harmless),
    ("POST /tools/delete_dub", Harmless),
    ("POST /tools/list_models", Harmless),
    ("POST /tools/estimate_cost", Harmless),
    ("POST /tools/get_balances", Harmless),
    ("POST /tools/get_overview", Harmless),
    ("POST /uploads/{id}/complete", Harmless),
    ("POST /library/items/{id}/lease", Harmless),
    // The first secret is made once; a second rotation is refused while the first is under way.
    ("POST /webhook-secret", Harmless),
    // A repeat is not a legal change of status.
    ("POST /projects/{id}/status", Harmless),
    ("POST /projects/{id}/cancel", Harmless),
    // A code is good once.
    ("POST /sessions/redeem", Harmless),
    ("POST /operator/members", Harmless),
    // What was suspended, resumed or erased once stays so.
    ("POST /operator/accounts/{id}/suspend", Harmless),
    ("POST /operator/accounts/{id}/resume", Harmless),
    ("POST /operator/accounts/{id}/erase", Harmless),
    ("POST /operator/workspaces/{id}/erase", Harmless),
    ("POST /operator/items/{id}/erase", Harmless),
    ("POST /operator/jobs/{id}/retry", Harmless),
    ("POST /operator/jobs/{id}/cancel", Harmless),
    ("POST /operator/deliveries/resend", Harmless),
    // A name is given once: a repeat returns the operation that has it.
    ("POST /operator/bulk-operations", Harmless),
    ("POST /operator/bulk-operations/{id}/stop", Harmless),
    // Each call makes another code, which is good for minutes.
    ("POST /tools/get_api_session", Refused),
    ("POST /portal-sessions", Refused),
    // Each call sends once more.
    ("POST /operator/deliveries/{id}/resend", Refused),
    // With `since` it takes many transactions, none of which could keep the answer.
    ("POST /webhooks/{id}/deliveries", Refused),
    // Keys are kept by account, and an operator's token belongs to none.
    ("POST /operator/console-links", Refused),
    ("POST /operator/accounts/{id}/portal-sessions", Refused),
    ("POST /operator/accounts", Refused),
    ("POST /operator/accounts/{id}/keys", Refused),
    ("POST /operator/accounts/{id}/minutes", Refused),
    ("POST /operator/accounts/{id}/credits", Refused),
    ("POST /operator/users", Refused),
    ("POST /operator/workspaces", Refused),
];

/// Returns what happens to a repeat of this operation; none when it has no row, or is not a POST.
pub fn repeat(operation: &str) -> Option<Repeat> {
    REPEATS.iter().find(|(named, _)| *named == operation).map(|(_, repeat)| *repeat)
}

/// Refuses a key on an operation that would make something twice in spite of it.
///
/// # Errors
/// `invalid_request`.
pub fn refuse_useless_key(operation: &str, request: &Request) -> Answer<()> {
    if !request.headers().contains_key(HEADER) || repeat(operation) != Some(Refused) {
        return Ok(());
    }
    let message = format!("`{HEADER}` is not taken here: a repeat makes another. Leave it out.");
    Err(ApiError::new(Code::InvalidRequest, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::document;
    use poem::http::Method;
    use std::collections::BTreeSet;

    #[test]
    fn every_post_says_what_comes_of_a_repeat_and_what_starts_jobs_keeps_its_answer() {
        let posts = document().operations().iter().filter(|operation| operation.method == Method::POST);
        let posts: BTreeSet<String> = posts.map(|operation| operation.name()).collect();
        let rows: BTreeSet<String> = REPEATS.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(posts, rows);
        assert_eq!(rows.len(), REPEATS.len(), "an operation has two rows");
        for operation in document().operations().iter().filter(|operation| operation.uses_minutes()) {
            assert_eq!(repeat(&operation.name()), Some(Kept), "{}", operation.name());
        }
    }
}
