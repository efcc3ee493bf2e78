//! How values are shown on all pages: times, spans, ids as links, amounts, states. No state is told by its colour
//! alone.

use super::Visit;
use chrono::{DateTime, Utc};
use domain::verdict::span;
use maud::{Markup, html};
use std::fmt::Display;

/// A time, to the second, and how long ago that was.
pub(super) fn time(at: DateTime<Utc>, now: DateTime<Utc>) -> Markup {
    let seconds = seconds(now - at);
    let away = if seconds < 0.0 { format!("in {}", span(-seconds)) } else { format!("{} ago", span(seconds)) };
    html! {
        time datetime=(at.format("%Y-%m-%dT%H:%M:%S%.3fZ")) { (at.format("%Y-%m-%d %H:%M:%S")) }
        " " span.soft { (away) }
    }
}

/// The same, or a word where there is none.
pub(super) fn time_or(at: Option<DateTime<Utc>>, now: DateTime<Utc>, none: &str) -> Markup {
    at.map_or_else(|| html! { span.soft { (none) } }, |at| time(at, now))
}

/// A span in seconds.
#[expect(clippy::cast_precision_loss, reason = "milliseconds of years are far below 2^52")]
pub(super) fn seconds(span: chrono::TimeDelta) -> f64 {
    span.num_milliseconds() as f64 / 1_000.0
}

/// A short span, to the millisecond where that says something.
pub(super) fn exact(seconds: f64) -> String {
    if seconds < 60.0 { format!("{seconds:.3} s") } else { span(seconds) }
}

/// An id that leads to its page.
pub(super) fn link(kind: &str, id: impl Display) -> Markup {
    html! { a.id href={ "/console/" (kind) "/" (id) } { (id) } }
}

/// An amount.
pub(super) fn amount(amount: impl Display) -> Markup {
    html! { span.number { (amount) } }
}

/// A change of an amount, with its sign.
pub(super) fn change<T: Copy + Display + Default + PartialOrd>(change: T) -> Markup {
    let sign = if change > T::default() { "+" } else { "" };
    html! { span.number { (sign) (change) } }
}

/// A state, by its word and a mark.
pub(super) fn state(word: &str) -> Markup {
    let (class, mark) = match word {
        "succeeded" | "healthy" | "ready" | "enabled" | "active" | "live" | "genuine" => ("good", "✓"),
        "failed" | "failing" | "disabled" | "lost" | "suspended" | "dead" => ("bad", "✗"),
        "degraded" | "paused" | "skipped" | "handed_back" | "silent" => ("warn", "!"),
        "running" | "pending" | "queued" | "processing" => ("going", "…"),
        _ => ("plain", "·"),
    };
    html! { span class={ "state " (class) } { span aria-hidden="true" { (mark) } " " (word.replace('_', " ")) } }
}

/// A text, or a dash where there is none.
pub(super) fn or_dash(text: Option<impl Display>) -> Markup {
    text.map_or_else(|| html! { span.soft { "–" } }, |text| html! { (text) })
}

/// A URL without what may be secret in it: its query, and who signs in by it.
pub(super) fn shown_url(url: &str) -> String {
    let Ok(mut parsed) = url::Url::parse(url) else { return "not a URL".to_owned() };
    let has_query = parsed.query().is_some();
    parsed.set_query(None);
    parsed.set_fragment(None);
    if parsed.set_username("").is_err() || parsed.set_password(None).is_err() {
        return "not shown".to_owned();
    }
    if has_query { format!("{parsed}?…") } else { parsed.to_string() }
}

/// A command with the flags of what is asked for, safe to paste into a shell.
pub(super) fn command(command: &str, visit: &Visit, flags: &[(&str, &str)]) -> String {
    let given = flags.iter().filter_map(|(name, flag)| Some(format!(" {flag} {}", quoted(visit.asked(name)?))));
    format!("{command}{}", given.collect::<String>())
}

fn quoted(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte));
    if is_plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_secret_in_a_url_is_not_shown() {
        assert_eq!(shown_url("https://a:b@example.com/hook?key=s#t"), "https://example.com/hook?…");
        assert_eq!(shown_url("http://127.0.0.1:9/a"), "http://127.0.0.1:9/a");
        assert_eq!(shown_url("x"), "not a URL");
    }

    #[test]
    fn what_is_shown_to_be_pasted_into_a_shell_is_one_word_there() {
        assert_eq!(quoted("job_01"), "job_01");
        assert_eq!(quoted("a b'; rm -rf"), r"'a b'\''; rm -rf'");
    }
}
