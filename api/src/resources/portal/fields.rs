//! The fields of filters and forms: with what was given in them, and a mark on the one that was refused.

use super::refusals::Wrong;
use crate::http::pages::field;
use maud::{Markup, html};

/// Returns the `aria-invalid` of a field: none unless it is the one that was refused.
pub(super) fn invalid(wrong: Option<&Wrong>, name: &str) -> Option<&'static str> {
    wrong.is_some_and(|wrong| wrong.field == name).then_some("true")
}

/// Returns the `aria-describedby` of a field: the id of the words that say why it was refused.
pub(super) fn described_by(wrong: Option<&Wrong>, name: &str) -> Option<String> {
    invalid(wrong, name).map(|_| format!("{name}-why"))
}

/// Shows why a field was refused, if it was.
pub(super) fn why(wrong: Option<&Wrong>, name: &str) -> Markup {
    html! {
        @if let Some(wrong) = wrong.filter(|wrong| wrong.field == name) {
            span.fault id={ (name) "-why" } { "✗ " (wrong.words) }
        }
    }
}

/// Shows a filter's choice of words. A word that is none of them stays chosen, so that it is seen.
pub(super) fn choice(
    query: &[(String, String)],
    wrong: Option<&Wrong>,
    name: &str,
    label: &str,
    words: impl Iterator<Item = &'static str>,
) -> Markup {
    let (asked, words) = (field(query, name), words.collect::<Vec<_>>());
    html! {
        div { label for=(name) { (label) }
            select id=(name) name=(name) aria-invalid=[invalid(wrong, name)]
                aria-describedby=[described_by(wrong, name)] {
                option value="" { "any" }
                @if !asked.is_empty() && !words.contains(&asked.as_str()) {
                    option value=(asked) selected { (asked) }
                }
                @for word in &words { option value=(word) selected[*word == asked] { (word) } }
            }
            (why(wrong, name))
        }
    }
}
