//! What the operators' and the customers' pages show alike: times, durations, amounts, states, tables and facts. No
//! state is shown by colour alone.

use chrono::{DateTime, Utc};
use domain::minutes::Minutes;
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

/// Returns how far a receiver's clock is from ours, as what follows "the clock is". `ahead_seconds` is negative if it
/// is behind.
pub fn clock(ahead_seconds: i32) -> String {
    let apart = span(f64::from(ahead_seconds).abs());
    match ahead_seconds {
        0 => "the same as ours".to_owned(),
        1.. => format!("{apart} ahead of ours"),
        _ => format!("{apart} behind ours"),
    }
}

/// Returns a word for one of something, or that for none and several.
pub const fn word<'a>(is_one: bool, one: &'a str, several: &'a str) -> &'a str {
    if is_one { one } else { several }
}

/// Shows minutes, with their word.
pub fn minutes(minutes: Minutes) -> Markup {
    html! { (amount(minutes)) " " (word(minutes.hundredths() == 100, "minute", "minutes")) }
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
        "succeeded" | "passed" | "healthy" | "ready" | "enabled" | "active" | "live" | "genuine" => ("good", "✓"),
        "failed" | "failing" | "disabled" | "lost" | "suspended" | "dead" => ("bad", "✗"),
        "degraded" | "paused" | "skipped" | "handed_back" | "silent" | "unfinished" | "no_worker" => ("warn", "!"),
        "running" | "pending" | "queued" | "processing" => ("going", "…"),
        _ => ("plain", "·"),
    };
    html! { span class={ "state " (class) } { span aria-hidden="true" { (mark) } " " (word.replace('_', " ")) } }
}

/// Shows a text, or a dash if there is none.
pub fn or_dash(text: Option<impl Display>) -> Markup {
    text.map_or_else(|| html! { span.soft { "–" } }, |text| html! { (text) })
}

/// Shows a code, such as `endpoint_disabled`, that breaks at its underscores only, where it has to.
pub fn code(code: &str) -> Markup {
    html! {
        span.word {
            @for (place, part) in code.split('_').enumerate() {
                @if place > 0 { "_" wbr; }
                (part)
            }
        }
    }
}

/// Shows a code, or a dash if there is none.
pub fn code_or_dash(text: Option<&str>) -> Markup {
    text.map_or_else(|| or_dash(None::<&str>), code)
}

/// How wide a window has to be to show a column of a table. The column's cells have the class of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// Any window.
    Any,
    /// One of 52 rem, which a phone is not. Class `medium`.
    Medium,
    /// One of 80 rem, 1280 pixels. Class `wide`.
    Wide,
}

impl Fit {
    /// Returns the class of the column's title and cells; none for a column that is always shown.
    const fn class(self) -> Option<&'static str> {
        match self {
            Self::Any => None,
            Self::Medium => Some("medium"),
            Self::Wide => Some("wide"),
        }
    }
}

/// Shows a table whose less important columns are left out of narrow windows. If it is still too wide for one, it
/// scrolls on its own.
pub fn fitted_table(label: &str, columns: &[(&str, Fit)], rows: &Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label=(label) {
            table {
                thead { tr { @for (title, fit) in columns { th scope="col" class=[fit.class()] { (title) } } } }
                tbody { (rows) }
            }
        }
    }
}

/// Shows a column's value below another one's, in windows that leave the column out: a row whose page has no more tells
/// on a phone what it tells elsewhere.
pub fn instead(fit: Fit, title: &str, value: &Markup) -> Markup {
    html! { div class={ "instead " (fit.class().unwrap_or_default()) } { span.soft { (title) ": " } (value) } }
}

/// Shows a table with all of its columns in any window.
pub fn table(label: &str, columns: &[&str], rows: &Markup) -> Markup {
    let columns: Vec<(&str, Fit)> = columns.iter().map(|title| (*title, Fit::Any)).collect();
    fitted_table(label, &columns, rows)
}

/// The characters of an id's end that a table shows.
const END: usize = 6;

/// Shows an id whose middle is out of sight where it stands in a table: as text it is whole, to be found and copied.
pub fn short(id: &str) -> Markup {
    let at = id.char_indices().rev().nth(END - 1).map_or(0, |(at, _)| at);
    let (start, end) = id.split_at(at);
    html! { span.start { (start) } (end) }
}

/// Shows named facts about one thing.
pub fn facts(facts: &[(&str, Markup)]) -> Markup {
    html! { dl.facts { @for (name, value) in facts { div { dt { (name) } dd { (value) } } } } }
}

/// Shows a part of a page that is not kept up to date, since its lookup is expensive.
pub fn still(id: &str, title: &str, body: &Markup) -> Markup {
    html! { section id=(id) aria-labelledby={ "h-" (id) } { h2 id={ "h-" (id) } { (title) } (body) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_whole_as_text_and_begins_with_what_a_table_cuts_off() {
        let text = |markup: Markup| markup.0.replace("<span class=\"start\">", "").replace("</span>", "");
        for id in ["job_01JD3M5N7P9Q1R3S5T7V9W1X3Y", "short", "", "größer_als_sechs"] {
            assert_eq!(text(short(id)), id);
        }
        assert_eq!(short("whe_0123456789").0, "<span class=\"start\">whe_0123</span>456789");
    }

    #[test]
    fn a_code_breaks_at_its_underscores_and_is_plain_text() {
        assert_eq!(code("endpoint_disabled").0, "<span class=\"word\">endpoint_<wbr>disabled</span>");
        assert_eq!(code("timeout").0, "<span class=\"word\">timeout</span>");
        assert_eq!(code("<b>").0, "<span class=\"word\">&lt;b&gt;</span>");
        assert_eq!(code_or_dash(None).0, or_dash(None::<&str>).0);
    }

    #[test]
    fn a_clock_is_ahead_behind_or_the_same() {
        assert_eq!([0, 1, -420].map(clock), ["the same as ours", "1 s ahead of ours", "7 min behind ours"]);
        assert!(clock(i32::MIN).ends_with(" days behind ours"), "{}", clock(i32::MIN));
    }

    #[test]
    fn what_is_counted_is_one_or_several() {
        let said = |many: usize| format!("{many} {}", word(many == 1, "endpoint", "endpoints"));
        assert_eq!([0, 1, 2].map(said), ["0 endpoints", "1 endpoint", "2 endpoints"]);
        let shown = |hundredths| minutes(Minutes::from_hundredths(hundredths)).0;
        assert!(shown(100).ends_with("> minute") && shown(110).ends_with("> minutes"), "{}", shown(100));
    }

    #[test]
    fn the_title_of_a_column_says_in_which_windows_it_is() {
        let shown = fitted_table("a", &[("A", Fit::Any), ("B", Fit::Medium), ("C", Fit::Wide)], &html! {}).0;
        let titles =
            "<th scope=\"col\">A</th><th scope=\"col\" class=\"medium\">B</th><th scope=\"col\" class=\"wide\">C</th>";
        assert!(shown.contains(titles), "{shown}");
        let below = instead(Fit::Medium, "B", &html! { "b" }).0;
        assert_eq!(below, "<div class=\"instead medium\"><span class=\"soft\">B: </span>b</div>");
    }
}
