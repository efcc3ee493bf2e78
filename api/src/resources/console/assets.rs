//! The style and the script of the pages, which stand in them, and the policy that lets only these in.

use crate::http::pages::only;
use poem::http::HeaderValue;
use std::sync::LazyLock;

/// The style.
pub(super) const STYLE: &str = include_str!("console.css");
/// The script: it keeps a page up to date, and knows keys and copying. The pages work without it.
pub(super) const SCRIPT: &str = include_str!("console.js");

static POLICY: LazyLock<String> =
    LazyLock::new(|| format!("{}; img-src 'self' data:; connect-src 'self'; form-action 'self'", only(STYLE, SCRIPT)));

/// The pages' content security policy.
pub(super) fn policy() -> HeaderValue {
    // Of hashes and words, so that there is nothing in it that a header can't hold.
    HeaderValue::from_str(&POLICY).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}
