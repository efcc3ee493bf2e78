//! The pages' inline style and script, and the policy that allows only these.

use crate::http::pages::only;
use poem::http::HeaderValue;
use std::sync::LazyLock;

/// The style.
pub(super) const STYLE: &str = include_str!("console.css");
/// The script, which keeps a page up to date, and handles keys and copying. The pages work without it.
pub(super) const SCRIPT: &str = include_str!("console.js");

static POLICY: LazyLock<String> =
    LazyLock::new(|| format!("{}; img-src 'self' data:; connect-src 'self'; form-action 'self'", only(STYLE, SCRIPT)));

/// The pages' content security policy.
pub(super) fn policy() -> HeaderValue {
    // It consists of hashes and constants, so that it is always a valid header.
    HeaderValue::from_str(&POLICY).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}
