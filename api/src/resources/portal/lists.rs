//! Shows parts of the interface's answers: texts, times, rows, and the links to a list's next page.

use super::Visit;
use crate::http::error::{Answer, ApiError, Code};
use chrono::{DateTime, Utc};
use maud::{Markup, html};
use serde_json::Value;

/// The parameters that tell what became of a form, and select nothing.
const RESULTS: [&str; 2] = ["resent", "more"];
/// The most letters of what was given that a refusal repeats.
const LONGEST_SHOWN: usize = 60;

/// Returns a text of an answer; empty if it has none.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// Shows a time of an answer, to the second in UTC; a dash if it has none.
pub(super) fn when(value: &Value) -> Markup {
    let said = value.as_str();
    let read = said.and_then(|text| text.parse::<DateTime<Utc>>().ok());
    html! {
        @match read {
            Some(at) => { time datetime=(said.unwrap_or_default()) { (at.format("%Y-%m-%d %H:%M:%S")) " UTC" } }
            None => { span.soft { "–" } }
        }
    }
}

/// Refuses a filter whose word is none of `words`, and names those.
///
/// # Errors
/// `invalid_request`.
pub(super) fn refuse_odd_word(visit: &Visit, name: &str, words: &[&str]) -> Answer<()> {
    match visit.asked(name) {
        Some(asked) if !words.contains(&asked) => {
            let (asked, known) = (shown(asked), words.join(", "));
            let message = format!("`{name}` can't be “{asked}”. Choose one of these: {known}.");
            Err(ApiError::new(Code::InvalidRequest, message))
        }
        _ => Ok(()),
    }
}

/// Refuses a query parameter that its page does not take or that is there twice, as the interface does: a filter that
/// is passed over without a word misleads.
///
/// # Errors
/// `invalid_request`.
pub(super) fn refuse_odd_queries(visit: &Visit, taken: &[&str]) -> Answer<()> {
    for (place, (name, _)) in visit.query.iter().enumerate() {
        let refused = if !taken.contains(&name.as_str()) {
            format!("This page has no filter “{}”, and nothing was looked for. Leave it out.", shown(name))
        } else if visit.query.iter().take(place).any(|(before, _)| before == name) {
            format!("`{name}` is there twice. Leave one out.")
        } else {
            continue;
        };
        return Err(ApiError::new(Code::InvalidRequest, refused));
    }
    Ok(())
}

/// Returns what a refusal repeats of a text: its start, without the marks that stand around names of fields.
fn shown(text: &str) -> String {
    text.chars().filter(|letter| *letter != '`').take(LONGEST_SHOWN).collect()
}

/// Returns the rows of a list.
pub(super) fn rows(list: &Value) -> &[Value] {
    list["data"].as_array().map_or(&[], Vec::as_slice)
}

/// Shows the links to a list's first and next page. If the page has no rows it says so: where filters are set, with the
/// way to the list without them, otherwise with what makes the first one (`begins`, a sentence).
pub(super) fn pages(visit: &Visit, list: &Value, what: &str, begins: &str) -> Markup {
    let next = list["next_cursor"].as_str();
    let asked = visit.query.iter().filter(|(name, value)| !RESULTS.contains(&name.as_str()) && !value.is_empty());
    let query = |cursor: Option<&str>| {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(asked.clone().filter(|(name, _)| name != "cursor"));
        query.extend_pairs(cursor.map(|cursor| ("cursor", cursor)));
        query.finish()
    };
    let is_empty = list["data"].as_array().or_else(|| list["jobs"].as_array()).is_none_or(Vec::is_empty);
    html! {
        @if is_empty && asked.clone().any(|(name, _)| name != "month") {
            p.empty { "There are no " (what) " like this. " a href=(visit.path) { "Show all" } }
        } @else if is_empty {
            p.empty { "There are no " (what) " yet. " (begins) }
        }
        @if next.is_some() || visit.asked("cursor").is_some() {
            nav.pages aria-label="Pages of the list" {
                @if visit.asked("cursor").is_some() { a href={ (visit.path) "?" (query(None)) } rel="first" { "Newest" } }
                @if let Some(next) = next { a href={ (visit.path) "?" (query(Some(next))) } rel="next" { "Older" } }
            }
        }
    }
}
