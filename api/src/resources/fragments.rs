//! What the operators' and the customers' pages show alike: times, durations, amounts, states, tables and facts. No
//! state is shown by colour alone.

use chrono::{DateTime, Utc};
use domain::verdict::span;
use maud::{Markup, html};
use std::fmt::Display;

/// Shows a time, to the second, and how long ago it was.
pub fn time(at: DateTime<Utc>, now: DateTime<Utc>) -> Markup {
    let seconds = seconds(now - at);
    let away = if seconds < 0.0 { format!("in {}", span(-seconds)) } else { format!("{} ago", span(seconds)) };
    html! {
        time datetime=(at.format("%Y-%m-%dT%H:%M:%S%.3fZ")) { (at.format("%Y-%m-%d %H:%M:%S")) }
        " " span.soft { (away) }
    }
}

/// Shows a time, or this word if there is none.
pub fn time_or(at: Option<DateTime<Utc>>, now: DateTime<Utc>, none: &str) -> Markup {
    at.map_or_else(|| html! { span.soft { (none) } }, |at| time(at, now))
}

/// Returns a duration in seconds.
#[expect(clippy::cast_precision_loss, reason = "milliseconds of years are far below 2^52")]
pub fn seconds(span: chrono::TimeDelta) -> f64 {
    span.num_milliseconds() as f64 / 1_000.0
}

/// Returns a short duration, with milliseconds if it is below a minute.
pub fn exact(seconds: f64) -> String {
    if seconds < 60.0 { format!("{seconds:.3} s") } else { span(seconds) }
}

/// Shows an amount.
pub fn amount(amount: impl Display) -> Markup {
    html! { span.number { (amount) } }
}

/// Shows a change of an amount, with its sign.
pub fn change<T: Copy + Display + Default + PartialOrd>(change: T) -> Markup {
    let sign = if change > T::default() { "+" } else { "" };
    html! { span.number { (sign) (change) } }
}

/// Shows a state, by its word and a mark.
pub fn state(word: &str) -> Markup {
    let (class, mark) = match word {
        "succeeded" | "healthy" | "ready" | "enabled" | "active" | "live" | "genuine" => ("good", "✓"),
        "failed" | "failing" | "disabled" | "lost" | "suspended" | "dead" => ("bad", "✗"),
        "degraded" | "paused" | "skipped" | "handed_back" | "silent" => ("warn", "!"),
        "running" | "pending" | "queued" | "processing" => ("going", "…"),
        _ => ("plain", "·"),
    };
    html! { span class={ "state " (class) } { span aria-hidden="true" { (mark) } " " (word.replace('_', " ")) } }
}

/// Shows a text, or a dash if there is none.
pub fn or_dash(text: Option<impl Display>) -> Markup {
    text.map_or_else(|| html! { span.soft { "–" } }, |text| html! { (text) })
}

/// Shows a table that scrolls on its own in a narrow window.
pub fn table(label: &str, columns: &[&str], rows: &Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label=(label) {
            table {
                thead { tr { @for column in columns { th scope="col" { (column) } } } }
                tbody { (rows) }
            }
        }
    }
}

/// Shows named facts about one thing.
pub fn facts(facts: &[(&str, Markup)]) -> Markup {
    html! { dl.facts { @for (name, value) in facts { div { dt { (name) } dd { (value) } } } } }
}

/// Shows a part of a page that is not kept up to date, since its lookup is expensive.
pub fn still(id: &str, title: &str, body: &Markup) -> Markup {
    html! { section id=(id) aria-labelledby={ "h-" (id) } { h2 id={ "h-" (id) } { (title) } (body) } }
}
