//! The style and the script of the pages, which stand in them, and the policy that lets only these in.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// The style.
pub(super) const STYLE: &str = include_str!("page.css");
/// The script: it follows the media in the transcript, and seeks. The page works without it.
pub(super) const SCRIPT: &str = include_str!("page.js");

static HASHES: LazyLock<[String; 2]> =
    LazyLock::new(|| [STYLE, SCRIPT].map(|text| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))));

/// The pages' content security policy. `media` is where media may come from.
pub(super) fn policy(media: &str) -> String {
    let [style, script] = &*HASHES;
    format!(
        "default-src 'none'; style-src {style}; script-src {script}; img-src 'self' data:; media-src {media}; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}
