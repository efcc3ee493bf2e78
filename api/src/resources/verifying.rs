//! The few lines with which a receiver verifies a signature, in five languages. They stand in `docs/webhooks.md` and
//! nowhere else: the pages of deliveries show what stands there, and a test runs it.

use super::fragments::still;
use domain::signature::DEFAULT_TOLERANCE_S;
use maud::{Markup, html};

const PAGE: &str = include_str!("../../../docs/webhooks.md");

/// The languages, and how the document marks each.
const LANGUAGES: [(&str, &str); 5] =
    [("Python", "python"), ("Node", "node"), ("Go", "go"), ("Ruby", "ruby"), ("Rust", "rust")];

/// Shows the lines, to be folded open by language.
pub fn verifying() -> Markup {
    let body = html! {
        p {
            "Hand it the header " code { "Service-Signature" } ", the raw bytes of the body before anything parses "
            "them, the secret, and the time in unix seconds. It refuses a time more than " (DEFAULT_TOLERANCE_S / 60)
            " minutes off, and compares in constant time. While a secret is changed there are two " code { "v1" }
            ", of which one is enough."
        }
        @for (name, mark) in LANGUAGES {
            details { summary { (name) } pre tabindex="0" { code data-copy="" { (lines(mark)) } } }
        }
    };
    still("verifying", "How a receiver verifies it", &body)
}

/// Returns the lines of the language that the document marks so.
fn lines(mark: &str) -> &'static str {
    let begin = format!("<!-- short: {mark} -->\n```");
    let block = PAGE.split_once(&*begin).and_then(|(_, behind)| behind.split_once('\n'));
    block.and_then(|(_, behind)| behind.split_once("\n```\n")).map_or("", |(lines, _)| lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_each_language_once_and_a_page_shows_it_escaped() {
        for (name, mark) in LANGUAGES {
            assert_eq!(PAGE.matches(&format!("<!-- short: {mark} -->")).count(), 1, "{name}");
            let lines = lines(mark);
            assert!(lines.contains(&DEFAULT_TOLERANCE_S.to_string()) && !lines.contains("```"), "{name}: {lines}");
        }
        assert_eq!(PAGE.matches("<!-- short: ").count(), LANGUAGES.len());
        let shown = verifying().0;
        for part in ["hmac.compare_digest(", "timingSafeEqual(", "hmac.Equal(", "OpenSSL.secure_compare(", "&amp;[u8]"]
        {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }
}
