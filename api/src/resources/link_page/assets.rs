//! The pages' inline style and script, and the policy that allows only these.

use crate::http::pages::only;
use std::sync::LazyLock;

/// The style.
pub(super) const STYLE: &str = include_str!("page.css");
/// The script, which follows the media in the transcript and seeks. The page works without it.
pub(super) const SCRIPT: &str = include_str!("page.js");

static ONLY_THESE: LazyLock<String> = LazyLock::new(|| only(STYLE, SCRIPT));

/// Returns the pages' content security policy. `media` is the list of sources that media may come from.
pub(super) fn policy(media: &str) -> String {
    let only_these = &*ONLY_THESE;
    format!("{only_these}; img-src 'self' data:; media-src {media}; form-action 'self'")
}
