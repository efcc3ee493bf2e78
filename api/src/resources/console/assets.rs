//! The pages' inline style and script, and the policy that allows only these.

use crate::http::pages::only;
use poem::http::HeaderValue;
use std::sync::LazyLock;

/// The style.
pub(super) const STYLE: &str = include_str!("console.css");
/// The script, which keeps a page up to date, and handles keys and copying. The pages work without it.
pub(super) const SCRIPT: &str = include_str!("console.js");

static ONLY_THESE: LazyLock<String> = LazyLock::new(|| only(STYLE, SCRIPT));

/// The pages' content security policy. `media` is the list of sources that media may come from.
pub(super) fn policy(media: &str) -> HeaderValue {
    let only_these = &*ONLY_THESE;
    let policy =
        format!("{only_these}; img-src 'self' data:; media-src {media}; connect-src 'self'; form-action 'self'");
    // It consists of hashes and constants, so that it is always a valid header.
    HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}
