//! The page of what the account has left of its minutes and credits, and of what each kind of work costs.

use super::lists::{text, when};
use super::{PORTAL_PATH, Visit};
use crate::http::error::Answer;
use crate::resources::fragments::{facts, table};
use maud::{Markup, html};
use poem::Response;
use poem::http::Method;
use serde_json::Value;

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    let balances = visit.ask(Method::GET, "/balances", None).await?;

    let rates = balances["rates"].as_object();
    let body = html! {
        @for (name, rate) in rates.into_iter().flatten() {
            tr { td { (name.replace('_', " ")) } td.number { (rate) } }
        }
    };
    let main = html! {
        h1 { "Usage" }
        h2 { "Minutes of " (text(&balances, "month")) }
        (meter(&balances))
        (minutes(&balances))
        @if is_used_up(&balances) {
            p.fault {
                "No minutes are left. Jobs that cost some are refused until the next month begins, or until whoever "
                "runs this service gives you more."
            }
        }
        p { a href={ (PORTAL_PATH) "/usage/statement" } { "The statement: each entry of a month, and what it adds up to" } }
        h2 { "AI credits" }
        (credits(&balances["credits"]))
        h2 { "What a minute of media costs" }
        (table("Rates", &["Work", "Minutes"], &body))
    };
    Ok(visit.whole("Usage", &main))
}

/// Whether nothing is left, neither of the month's minutes nor of those that were bought.
fn is_used_up(balances: &Value) -> bool {
    ["left_minutes", "bought_minutes"].iter().all(|name| balances[name].as_f64().is_some_and(|left| left <= 0.0))
}

/// The month's minutes, a line each.
fn minutes(balances: &Value) -> Markup {
    let number = |name: &str| html! { span.number { (balances[name]) } };
    facts(&[
        ("Allowance", number("allowance_minutes")),
        ("Used", number("used_minutes")),
        ("Held for jobs that run", number("held_minutes")),
        ("Left", number("left_minutes")),
        ("Bought, and left of it", number("bought_minutes")),
        ("The month ends", when(&balances["resets_at"])),
    ])
}

/// The credits, a line each.
fn credits(credits: &Value) -> Markup {
    let number = |name: &str| html! { span.number { (credits[name]) } };
    facts(&[("Left", number("left")), ("Held", number("held")), ("Used", number("used"))])
}

/// Draws the used and the held part of the allowance. The figures stand beside it.
fn meter(balances: &Value) -> Markup {
    let part = |name: &str| balances[name].as_f64().unwrap_or(0.0).max(0.0);
    let all = part("allowance_minutes").max(0.01);
    let share = |minutes: f64| (minutes / all * 1_000.0).clamp(0.0, 1_000.0);
    let (used, held) = (share(part("used_minutes")), share(part("held_minutes")));
    let used = used.round();
    let held = held.min(1_000.0 - used).round();
    html! {
        div.meter aria-hidden="true" {
            svg viewBox="0 0 1000 10" preserveAspectRatio="none" {
                rect.used width=(used) height="10" {}
                rect.held x=(used) width=(held) height="10" {}
            }
        }
    }
}
