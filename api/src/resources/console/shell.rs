//! What all pages share: their frame with the navigation and the search box, filters, lists and facts.

use super::Visit;
use super::assets::{SCRIPT, STYLE};
use crate::app::doors::CONSOLE_PATH;
use crate::http::error::ApiError;
pub(super) use crate::resources::fragments::{Fit, facts, fitted_table, still, table};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use poem::http::StatusCode;

/// The pages in the navigation.
const PAGES: [(&str, &str); 9] = [
    ("", "Overview"),
    ("/jobs", "Jobs"),
    ("/errors", "Errors"),
    ("/deliveries", "Deliveries"),
    ("/endpoints", "Endpoints"),
    ("/accounts", "Accounts"),
    ("/items", "Library"),
    ("/fleet", "Fleet"),
    ("/audit", "Audit"),
];

/// Returns a whole page, with the navigation if somebody is signed in.
pub(super) fn whole(visit: Option<&Visit>, title: &str, main: &Markup) -> Markup {
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
                @if let Some(visit) = visit { (head(visit)) }
                main #main tabindex="-1" { (main) }
                @if visit.is_some() { script { (PreEscaped(SCRIPT)) } }
            }
        }
    }
}

/// Returns a page for somebody who is not signed in, or with a refusal.
pub(super) fn alone(title: &str, said: &Markup) -> Markup {
    whole(None, title, &html! { section.alone { h1 { (title) } (said) } })
}

fn head(visit: &Visit) -> Markup {
    html! {
        header.top {
            nav aria-label="Pages" {
                ul {
                    @for (page, name) in PAGES {
                        li { a href={ (CONSOLE_PATH) (page) } aria-current=[is_here(visit, page).then_some("page")] { (name) } }
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
                span.soft { (visit.caller.name()) " (" (visit.role.name()) ")" }
                form method="post" action={ (CONSOLE_PATH) "/out" } { button.plain { "Sign out" } }
            }
        }
    }
}

/// Whether the visit is of this page, or of one below it.
fn is_here(visit: &Visit, page: &str) -> bool {
    let path = visit.url.split('?').next().unwrap_or_default();
    match path.strip_prefix(CONSOLE_PATH) {
        Some("" | "/") => page.is_empty(),
        Some(rest) => {
            !page.is_empty() && rest.strip_prefix(page).is_some_and(|more| more.is_empty() || more.starts_with('/'))
        }
        None => false,
    }
}

/// Returns the page of a refusal, with the next step that helps.
pub(super) fn refusal(refusal: &ApiError) -> Markup {
    let title = match refusal.code().status() {
        StatusCode::NOT_FOUND => "There is no such thing",
        StatusCode::FORBIDDEN => "That is not yours to do",
        StatusCode::CONFLICT => "That can't be done now",
        status if status.is_server_error() => "This does not work at the moment",
        _ => "That is not possible",
    };
    alone(
        title,
        &html! {
            p role="alert" { (refusal.message()) }
            p.soft { "Code " code { (refusal.code().name()) } ". " (refusal.suggested_action()) }
            p { a href=(CONSOLE_PATH) { "Overview" } }
        },
    )
}

/// Shows that one panel failed; the others are shown.
pub(super) fn broken(refusal: &ApiError) -> Markup {
    html! { p.fault role="alert" { (refusal.message()) " (" (refusal.code().name()) ") " a href="" { "Try again" } } }
}

/// Shows a filter's text field.
pub(super) fn text_field(visit: &Visit, name: &str, label: &str) -> Markup {
    html! {
        div { label for={ "f-" (name) } { (label) }
            input id={ "f-" (name) } name=(name) value=(visit.asked(name).unwrap_or_default()) autocomplete="off" spellcheck="false"; }
    }
}

/// Shows a filter's field with a choice of words.
pub(super) fn choice<'a>(visit: &Visit, name: &str, label: &str, words: impl IntoIterator<Item = &'a str>) -> Markup {
    let asked = visit.asked(name).unwrap_or_default();
    html! {
        div { label for={ "f-" (name) } { (label) }
            select id={ "f-" (name) } name=(name) {
                option value="" { "any" }
                @for word in words { option value=(word) selected[word == asked] { (word) } }
            }
        }
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

/// Shows the command that shows the same.
pub(super) fn command(line: &str) -> Markup {
    html! { p.cli { span.soft { "The same in a terminal: " } code data-copy="" { (line) } } }
}

/// Shows the links to a list's first and next page, and says so if the page has no rows.
pub(super) fn pages(visit: &Visit, rows: usize, next: Option<&str>, what: &str) -> Markup {
    let is_first = visit.asked("cursor").is_none();
    let kept = || {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(visit.query.iter().filter(|(name, value)| name != "cursor" && !value.is_empty()));
        query
    };
    let path = visit.url.split('?').next().unwrap_or_default();
    html! {
        @if rows == 0 {
            p.empty {
                @match next {
                    None => { "There are no " (what) " like this." }
                    Some(_) => { "None among the newest 2,000 " (what) " that were looked at; there are older ones." }
                }
            }
        }
        nav.pages aria-label="Pages of the list" {
            @if !is_first { a href={ (path) "?" (kept().finish()) } rel="first" { "Newest" } }
            @if let Some(next) = next {
                a href={ (path) "?" (kept().append_pair("cursor", next).finish()) } rel="next" { "Older" }
            }
        }
    }
}
