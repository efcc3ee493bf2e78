//! How all pages of the console show values: ids as links, URLs without their secrets, commands. `fragments` has what
//! the portal shows too.

use super::Visit;
use crate::http::urls;
pub(super) use crate::http::urls::shown_url;
pub(super) use crate::resources::fragments::{
    amount, change, clock, exact, minutes, or_dash, seconds, short, state, time, time_or, word,
};
use domain::job::HIDDEN;
use domain::operator::OperatorRole::{self, Metadata, Read};
use maud::{Markup, html};
use std::fmt::Display;

/// The characters of an id behind its kind.
const ULID_LENGTH: usize = 26;

/// Shows an id as a link to its page.
pub(super) fn link(kind: &str, id: impl Display) -> Markup {
    let id = id.to_string();
    html! { a.id href={ "/console/" (kind) "/" (id) } title=(id) { (short(&id)) } }
}

/// The kinds of ids that have a page, each with where it is and the role that it opens for.
const PAGES: [(&str, &str, OperatorRole); 6] = [
    ("job_", "jobs", Metadata),
    ("dlv_", "deliveries", Metadata),
    ("whe_", "endpoints", Metadata),
    ("itm_", "items", Read),
    ("acc_", "accounts", Metadata),
    ("blk_", "bulk", Read),
];

/// Returns where the pages of this kind of id are; none if it has none, or none that opens for this role.
pub(super) fn page_of(id: &str, role: OperatorRole) -> Option<&'static str> {
    let found = PAGES.iter().find(|(prefix, ..)| id.starts_with(prefix));
    found.filter(|(.., needs)| role >= *needs).map(|(_, page, _)| *page)
}

/// Shows an id as a link to its page, or as it is if that does not open for whoever is signed in.
pub(super) fn link_if_open(visit: &Visit, id: impl Display) -> Markup {
    let id = id.to_string();
    if let Some(page) = page_of(&id, visit.seat.role) {
        link(page, id)
    } else {
        html! { span.id title=(id) { (short(&id)) } }
    }
}

/// Shows a sentence with links to the pages of the ids in it that open for this role, and what stands in backticks as
/// code.
pub(super) fn linked(sentence: &str, role: OperatorRole) -> Markup {
    with_code(sentence, |part| with_links(part, role, |_| false))
}

/// Shows a sentence as `linked` does, for a table's cell: the middle of ids is out of sight. Names stand whole, and
/// wrap where they must: processes of one host would look the same without their middle.
pub(super) fn linked_in_cell(sentence: &str, role: OperatorRole) -> Markup {
    with_code(sentence, |part| with_links(part, role, is_id))
}

/// Whether a word is an id, of any kind: some letters, and a ULID.
fn is_id(word: &str) -> bool {
    word.split_once('_').is_some_and(|(kind, ulid)| {
        kind.bytes().all(|byte| byte.is_ascii_lowercase())
            && ulid.len() == ULID_LENGTH
            && ulid.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    })
}

/// Shows a sentence with what stands in backticks as code, and what stands between as `shown` has it.
fn with_code(sentence: &str, shown: impl Fn(&str) -> Markup) -> Markup {
    let parts: Vec<&str> = sentence.split('`').collect();
    html! {
        @for (place, part) in parts.iter().enumerate() {
            @if place % 2 == 0 { (shown(part)) }
            @else if place + 1 < parts.len() { code { (part) } }
            @else { "`" (shown(part)) }
        }
    }
}

/// Shows a text with links to the pages of its ids. Of a word that is to be `shortened` the middle is out of sight.
fn with_links(text: &str, role: OperatorRole, shortened: impl Fn(&str) -> bool) -> Markup {
    html! {
        @for (place, word) in text.split(' ').enumerate() {
            @if place > 0 { " " }
            @let id = word.trim_end_matches(['.', ',', ';', ':']);
            @let rest = word.strip_prefix(id).unwrap_or_default();
            @let is_short = shortened(id);
            @let shown = if is_short { short(id) } else { html! { (id) } };
            @match page_of(id, role) {
                Some(page) => { a.id href={ "/console/" (page) "/" (id) } title=[is_short.then_some(id)] { (shown) } (rest) }
                None if is_short => { span.id title=(id) { (shown) } (rest) }
                None => { (word) }
            }
        }
    }
}

/// Shows the state of a task that is not paused: whether a worker that lives can run it.
pub(super) fn taken_by(a_worker: bool) -> Markup {
    state(if a_worker { "live" } else { "no_worker" })
}

/// Shows what stands in place of something that the operator's role hides.
pub(super) fn hidden() -> Markup {
    html! { span.soft { (HIDDEN) } }
}

/// Shows a text of a customer's, or a dash if there is none; to operators who may see it.
pub(super) fn theirs(visit: &Visit, text: Option<impl Display>) -> Markup {
    if visit.sees_payloads() { or_dash(text) } else { hidden() }
}

/// Returns the URL of an endpoint as this operator may see it.
pub(super) fn endpoint_url(visit: &Visit, url: &str) -> String {
    urls::endpoint_url(url, visit.sees_payloads())
}

/// Returns a command with flags for the query's parameters, safe to paste into a shell.
pub(super) fn command(command: &str, visit: &Visit, flags: &[(&str, &str)]) -> String {
    let given = flags.iter().filter_map(|(name, flag)| Some(format!(" {flag} {}", quoted(visit.asked(name)?))));
    format!("{command}{}", given.collect::<String>())
}

/// Returns a text as one word of a shell.
pub(super) fn quoted(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte));
    if is_plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ids_in_a_sentence_lead_to_their_pages() {
        let shown = linked("It was whe_01 of acc_02. <All> is well.", Metadata).0;
        let endpoint = "<a class=\"id\" href=\"/console/endpoints/whe_01\">whe_01</a>";
        let account = "<a class=\"id\" href=\"/console/accounts/acc_02\">acc_02</a>";
        assert_eq!(shown, format!("It was {endpoint} of {account}. &lt;All&gt; is well."));
        // The pages of items open for whoever may read all.
        assert!(linked("It was itm_01.", Read).0.contains("href=\"/console/items/itm_01\""));
        assert_eq!(linked("It was itm_01.", Metadata).0, "It was itm_01.");
    }

    #[test]
    fn in_a_cell_ids_are_shortened_and_names_of_processes_stand_whole() {
        let (endpoint, event) = ("whe_01JD3M5N7P9Q1R3S5T7V9W1X3Y", "evt_01JD3M5N7P9Q1R3S5T7V9W1X3Y");
        let processes = "host-42-01JD3M5N7P9Q1R3S5T7V9W1X3Y-worker, mws_host-7-01JD3M5N7P9Q1R3S5T7V9W1X3Y-worker";
        let shown = linked_in_cell(&format!("It was {endpoint} of `levels`, {event} and {processes}."), Metadata).0;
        let link = format!(
            "<a class=\"id\" href=\"/console/endpoints/{endpoint}\" title=\"{endpoint}\">{}</a>",
            short(endpoint).0
        );
        let pageless = format!("<span class=\"id\" title=\"{event}\">{}</span>", short(event).0);
        assert_eq!(shown, format!("It was {link} of <code>levels</code>, {pageless} and {processes}."));
    }

    #[test]
    fn what_stands_in_backticks_is_code() {
        let shown = linked("The read `levels` is paused, of job_1. Paused too: `beats`, `pitch`.", Metadata).0;
        let job = "<a class=\"id\" href=\"/console/jobs/job_1\">job_1</a>";
        let is = format!(
            "The read <code>levels</code> is paused, of {job}. Paused too: <code>beats</code>, <code>pitch</code>."
        );
        assert_eq!(shown, is);
        assert_eq!(linked("`<a>` of ` alone", Metadata).0, "<code>&lt;a&gt;</code> of ` alone", "one without its end");
    }

    #[test]
    fn what_is_shown_to_be_pasted_into_a_shell_is_one_word_there() {
        assert_eq!(quoted("job_01"), "job_01");
        assert_eq!(quoted("a b'; rm -rf"), r"'a b'\''; rm -rf'");
    }
}
