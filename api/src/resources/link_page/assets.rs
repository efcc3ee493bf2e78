//! The style and the script of the pages, which stand in them, and the policy that lets only these in.

use crate::http::pages::only;
use std::sync::LazyLock;

/// The style.
pub(super) const STYLE: &str = include_str!("page.css");
/// The script: it follows the media in the transcript, and seeks. The page works without it.
pub(super) const SCRIPT: &str = include_str!("page.js");

static ONLY_THESE: LazyLock<String> = LazyLock::new(|| only(STYLE, SCRIPT));

/// The pages' content security policy. `media` is where media may come from.
pub(super) fn policy(media: &str) -> String {
    let only_these = &*ONLY_THESE;
    format!("{only_these}; img-src 'self' data:; media-src {media}; form-action 'self'")
}
