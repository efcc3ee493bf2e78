//! What all pages share: their frame with the navigation and the search box, filters, lists and facts.

use super::Visit;
use super::assets::{SCRIPT, STYLE};
use crate::app::doors::CONSOLE_PATH;
use crate::http::error::{ApiError, Code};
pub(super) use crate::resources::fragments::{Fit, code, code_or_dash, facts, fitted_table, instead, still, table};
use domain::operator::OperatorRole::{self, Metadata, Read};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use poem::http::StatusCode;
use serde_json::Value;
use std::fmt::Display;

/// The pages in the navigation, each with the key that leads there after `g`, and the role that it opens for.
const PAGES: [(&str, &str, char, OperatorRole); 10] = [
    ("", "Overview", 'o', Metadata),
    ("/jobs", "Jobs", 'j', Metadata),
    ("/errors", "Errors", 'x', Read),
    ("/deliveries", "Deliveries", 'd', Metadata),
    ("/bulk", "Bulk", 'b', Read),
    ("/endpoints", "Endpoints", 'e', Metadata),
    ("/accounts", "Accounts", 'a', Metadata),
    ("/items", "Library", 'l', Read),
    ("/fleet", "Fleet", 'f', Metadata),
    ("/audit", "Audit", 'u', Read),
];

/// The other keys, each with what it does. `console.js` does it.
const KEYS: [(&str, &str); 7] = [
    ("?", "this list"),
    ("/", "to the box that finds any id"),
    ("j", "the next row, which Enter opens"),
    ("k", "the row before"),
    ("c", "copies the id of the row, or of the page"),
    ("r", "runs the job again, or sends the delivery again: asks first"),
    ("p", "pauses what is refreshed, and goes on"),
];

/// Who is signed in, and what they asked for: what the head of a page shows.
#[derive(Debug, Clone)]
pub(super) struct Seat {
    /// The operator's name.
    pub name: String,
    /// Their role.
    pub role: OperatorRole,
    /// The path and the query of the request.
    pub url: String,
    /// Whether a form sent it.
    pub is_form: bool,
    /// The request's id, by which the log has it.
    pub request: String,
}

/// Returns a whole page, with the navigation if somebody is signed in.
pub(super) fn whole(seat: Option<&Seat>, title: &str, main: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex, nofollow";
                meta name="color-scheme" content="light dark";
                // Without this, browsers request an icon, and there is none.
                link rel="icon" href="data:,";
                title { (title) " · mws console" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { "To the content" }
                @if let Some(seat) = seat { (head(seat)) }
                main #main tabindex="-1" { (main) }
                @if seat.is_some() {
                    footer.foot.soft { span #times { "Times are UTC" } ", by the database's clock." }
                    script { (PreEscaped(SCRIPT)) }
                }
            }
        }
    }
}

/// Returns a page for somebody who is not signed in.
pub(super) fn alone(title: &str, said: &Markup) -> Markup {
    whole(None, title, &html! { section.alone { h1 { (title) } (said) } })
}

fn head(seat: &Seat) -> Markup {
    html! {
        header.top {
            nav aria-label="Pages" {
                ul {
                    @for (page, name, key) in pages_for(seat) {
                        li {
                            a href={ (CONSOLE_PATH) (page) } data-go=(key)
                                aria-current=[is_here(seat, page).then_some("page")] { (name) }
                        }
                    }
                }
            }
            form.find role="search" action={ (CONSOLE_PATH) "/find" } {
                label.hidden for="find" { "Find by id" }
                input #find name="id" placeholder="any id ( / )" autocomplete="off" spellcheck="false" required;
                button { "Open" }
            }
            div.who {
                span #live data-live-state="" hidden { "live" }
                button #pause type="button" hidden { "Pause" }
                button #zone.plain type="button" hidden { "Times: UTC" }
                button #keys.plain type="button" hidden { "Keys ( ? )" }
                span.soft { (seat.name) " (" (seat.role.name()) ")" }
                form method="post" action={ (CONSOLE_PATH) "/out" } { button.plain { "Sign out" } }
            }
        }
        (keys(seat))
    }
}

/// Returns the pages of the navigation that open for whoever is signed in, each with its name and its key.
fn pages_for(seat: &Seat) -> impl Iterator<Item = (&'static str, &'static str, char)> {
    let role = seat.role;
    PAGES.into_iter().filter(move |(.., needs)| role >= *needs).map(|(page, name, key, _)| (page, name, key))
}

/// The list of keys, which the script opens.
fn keys(seat: &Seat) -> Markup {
    html! {
        dialog #help aria-labelledby="h-help" {
            h2 #h-help { "Keys" }
            dl.keys {
                @for (key, does) in KEYS { div { dt { kbd { (key) } } dd { (does) } } }
                @for (_, name, key) in pages_for(seat) { div { dt { kbd { "g" } " " kbd { (key) } } dd { (name) } } }
            }
            p { label { input #single type="checkbox" checked; " Single keys work" } }
            button #close type="button" { "Close" }
        }
    }
}

/// Whether the request is for this page, or for one below it.
fn is_here(seat: &Seat, page: &str) -> bool {
    let path = seat.url.split('?').next().unwrap_or_default();
    match path.strip_prefix(CONSOLE_PATH) {
        Some("" | "/") => page.is_empty(),
        Some(rest) => {
            !page.is_empty() && rest.strip_prefix(page).is_some_and(|more| more.is_empty() || more.starts_with('/'))
        }
        None => false,
    }
}

/// Returns the page of a refusal, with what helps an operator; with the navigation if somebody is signed in.
pub(super) fn refusal(seat: Option<&Seat>, refusal: &ApiError) -> Markup {
    let title = match refusal.code().status() {
        StatusCode::NOT_FOUND => "There is no such thing",
        StatusCode::FORBIDDEN if matches!(refusal.code(), Code::AccountSuspended | Code::WorkspaceForbidden) => {
            "That can't be done now"
        }
        StatusCode::FORBIDDEN => "That is not yours to do",
        StatusCode::CONFLICT => "That can't be done now",
        status if status.is_server_error() => "This does not work at the moment",
        _ => "That is not possible",
    };
    let main = html! {
        section.alone {
            h1 { (title) }
            p role="alert" { (refusal.message()) }
            p { (helps(refusal.code())) }
            p.soft {
                "Code " code { (refusal.code().name()) }
                @if let Some(seat) = seat { ", request " code { (seat.request) } }
            }
            @if let Some((page, words)) = seat.and_then(|seat| way_back(seat, refusal.code())) {
                p { a href=(page) { (words) } }
            }
            p { a href=(CONSOLE_PATH) { "Overview" } }
        }
    };
    whole(seat, title, &main)
}

/// Returns the link to the form that was refused for something typed into it, which the page that it was sent to shows;
/// for filters that were refused, the link to the list without them.
fn way_back(seat: &Seat, code: Code) -> Option<(&str, &'static str)> {
    let (path, query) = seat.url.split_once('?').unwrap_or((seat.url.as_str(), ""));
    match code.status() {
        StatusCode::BAD_REQUEST if seat.is_form => Some((seat.url.as_str(), "Back to the form")),
        StatusCode::BAD_REQUEST if !query.is_empty() => Some((path, "The same without these filters")),
        _ => None,
    }
}

/// Returns what an operator can do about a refusal. The next steps of the codes themselves are for callers of the API.
fn helps(code: Code) -> &'static str {
    match (code, code.status()) {
        (Code::RoleForbidden, _) => {
            "Sign in by a link that was made with a token of that role: MWS_OPERATOR_TOKENS has the tokens."
        }
        (Code::AccountSuspended, _) => "`mws admin accounts resume` lets everything of it go on, if that is right.",
        (Code::OriginForbidden, _) => "Open the page here in the console, and press its own button.",
        (Code::RouteNotFound, _) => "The links above lead to every page there is.",
        (Code::InvalidCursor, _) => "Open the list anew: its pages follow from its first one.",
        (_, StatusCode::NOT_FOUND) => {
            "Look for the id in the box above. What was deleted, or is older than is kept, has no page any more."
        }
        (_, StatusCode::CONFLICT) => "Go back and load the page again: it shows how things stand now.",
        (_, StatusCode::TOO_MANY_REQUESTS) => "Wait for a minute, and do it again.",
        (_, status) if status.is_server_error() => "`mws health` says what is wrong, and the log has the request's id.",
        _ => "Go back and correct what the message names.",
    }
}

/// Shows that one panel failed; the others are shown.
pub(super) fn broken(refusal: &ApiError) -> Markup {
    html! { p.fault role="alert" { (refusal.message()) " (" (refusal.code().name()) ") " a href="" { "Try again" } } }
}

/// Shows a filter's text field.
pub(super) fn text_field(visit: &Visit, name: &str, label: &str) -> Markup {
    html! {
        div { (label_of(visit, name, label))
            input id={ "f-" (name) } name=(name) value=(visit.asked(name).unwrap_or_default())
                autocomplete="off" spellcheck="false" aria-invalid=[is_wrong(visit, name).then_some("true")]; }
    }
}

/// Shows a filter's field for a time, as wide as one is long.
pub(super) fn moment_field(visit: &Visit, name: &str, label: &str, value: impl Display) -> Markup {
    html! {
        div { (label_of(visit, name, label))
            input.moment id={ "f-" (name) } name=(name) value=(value) autocomplete="off" spellcheck="false"
                aria-invalid=[is_wrong(visit, name).then_some("true")]; }
    }
}

/// Shows a filter's field with a choice of words. A word that is none of them stays chosen, so that it is seen.
pub(super) fn choice<'a>(visit: &Visit, name: &str, label: &str, words: impl IntoIterator<Item = &'a str>) -> Markup {
    let asked = visit.asked(name).unwrap_or_default();
    let words: Vec<&str> = words.into_iter().collect();
    html! {
        div { (label_of(visit, name, label))
            select id={ "f-" (name) } name=(name) aria-invalid=[is_wrong(visit, name).then_some("true")] {
                option value="" { "any" }
                @if !asked.is_empty() && !words.contains(&asked) { option value=(asked) selected { (asked) } }
                @for word in &words { option value=(word) selected[*word == asked] { (word) } }
            }
        }
    }
}

/// Whether this is the filter that was refused.
fn is_wrong(visit: &Visit, name: &str) -> bool {
    visit.wrong.as_deref() == Some(name)
}

/// Shows the label of a filter, which says so if the filter was refused.
fn label_of(visit: &Visit, name: &str, label: &str) -> Markup {
    html! {
        label for={ "f-" (name) } { (label) @if is_wrong(visit, name) { " " span.fault { "✗ not understood" } } }
    }
}

/// The filters of a list.
pub(super) fn filters(path: &str, fields: &Markup) -> Markup {
    html! {
        form.filters action={ (CONSOLE_PATH) (path) } aria-label="Filter" {
            (fields)
            button { "Show" }
            a href={ (CONSOLE_PATH) (path) } { "Clear" }
        }
    }
}

/// Shows a part of a page that is kept up to date.
pub(super) fn section(id: &str, title: &str, body: &Markup) -> Markup {
    html! { section id=(id) data-live aria-labelledby={ "h-" (id) } { h2 id={ "h-" (id) } { (title) } (body) } }
}

/// Shows the rows of a list. On its first page the script tells how many are new, and puts none in by itself.
pub(super) fn newest(visit: &Visit, body: &Markup) -> Markup {
    let is_first = visit.asked("cursor").is_none();
    html! {
        section #rows data-live data-list[is_first] aria-labelledby="h-rows" { h2 #h-rows { "Newest first" } (body) }
    }
}

/// Shows the JSON that the API has of the same.
pub(super) fn document(shown: &Value) -> Markup {
    html! { details { summary { "JSON" } pre { code data-copy="" { (format!("{shown:#}")) } } } }
}

/// Shows the command that shows the same.
pub(super) fn command(line: &str) -> Markup {
    commands(&[line])
}

/// Shows the commands that together show the same.
pub(super) fn commands(lines: &[&str]) -> Markup {
    html! { p.cli { span.soft { "The same in a terminal: " } @for line in lines { code data-copy="" { (line) } " " } } }
}

/// The link to the same rows as JSON.
pub(super) fn as_json(visit: &Visit) -> Markup {
    let (path, query) = visit.seat.url.split_once('?').unwrap_or((visit.seat.url.as_str(), ""));
    let and = if query.is_empty() { "" } else { "&" };
    html! { a href={ (path) "?" (query) (and) "format=json" } type="application/json" { "As JSON" } }
}

/// Returns the link to this page with one of its lists from elsewhere on: the list is named as its parameter and its
/// section are.
pub(super) fn turned(visit: &Visit, list: &str, from: impl Display) -> String {
    let path = visit.seat.url.split('?').next().unwrap_or_default();
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(visit.query.iter().filter(|(name, _)| name != list));
    query.append_pair(list, &from.to_string());
    format!("{path}?{}#{list}", query.finish())
}

/// Shows the links to a list's first and next page and to its rows as JSON, and says so if the page has no rows.
pub(super) fn pages(visit: &Visit, rows: usize, next: Option<&str>, what: &str) -> Markup {
    pages_within(visit, rows, next, what, "2,000")
}

/// The same, for a list whose page looks through so many rows.
pub(super) fn pages_within(visit: &Visit, rows: usize, next: Option<&str>, what: &str, window: &str) -> Markup {
    let is_first = visit.asked("cursor").is_none();
    let kept = || {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(visit.query.iter().filter(|(name, value)| name != "cursor" && !value.is_empty()));
        query
    };
    let path = visit.seat.url.split('?').next().unwrap_or_default();
    html! {
        @if rows == 0 {
            p.empty {
                @match next {
                    None if is_first && kept().finish().is_empty() => { "There are none yet." }
                    None => { "There are no " (what) " like this. " a href=(path) { "Show all" } }
                    Some(_) => { "None among the newest " (window) " " (what) " that were looked at; there are older ones." }
                }
            }
        }
        nav.pages aria-label="Pages of the list" {
            @if !is_first { a href={ (path) "?" (kept().finish()) } rel="first" { "Newest" } }
            @if let Some(next) = next {
                a href={ (path) "?" (kept().append_pair("cursor", next).finish()) } rel="next" { "Older" }
            }
            (as_json(visit))
        }
    }
}
