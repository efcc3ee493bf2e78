//! A delivery beside the one that it repeats: what was sent both times, and how the answer changed, line by line. Pure.

use super::differences::answers;
use super::shell::{self, Fit};
use super::words::{exact, link, or_dash, state};
use domain::ids::DeliveryId;
use maud::{Markup, html};
use store::deliveries::SentRow;

const COLUMNS: [(&str, Fit); 3] = [("What", Fit::Any), ("Before", Fit::Any), ("This time", Fit::Any)];

/// Shows the last attempts of both, side by side. `first` is the delivery that is repeated, `before` and `now` are the
/// attempts of both in the order in which they were made, and `body` is what each of them sends.
pub(super) fn compared(first: DeliveryId, before: &[SentRow], now: &[SentRow], body: Option<&str>) -> Markup {
    let pair = [before.last(), now.last()];
    let rows = html! {
        (row("Last attempt", pair, |sent| html! {
            (state(if sent.attempt.error.is_none() { "succeeded" } else { "failed" }))
            " " (or_dash(sent.attempt.response_status)) " " (shell::code_or_dash(sent.attempt.error.as_deref()))
        }))
        (row("Took", pair, |sent| html! { span.number { (exact(f64::from(sent.attempt.duration_ms) / 1_000.0)) } }))
        (row("Sent to", pair, |sent| html! {
            (sent.url_host.as_deref().unwrap_or("?")) (sent.url_path.as_deref().unwrap_or_default())
        }))
        (row("Answered", pair, |sent| html! {
            @match sent.attempt.response_excerpt.as_deref().filter(|excerpt| !excerpt.is_empty()) {
                Some(excerpt) => { pre { code { (excerpt) } } }
                None => { span.soft { "nothing" } }
            }
        }))
    };
    html! {
        p { b { (sentence(pair)) } " It repeats " (link("deliveries", first)) "." }
        (shell::fitted_table("Before and this time", &COLUMNS, &rows))
        @if let [Some(before), Some(now)] = pair { @if let Some(changed) = answers(before, now) { (changed) } }
        (same_body(body))
    }
}

/// Says what both send.
fn same_body(body: Option<&str>) -> Markup {
    html! {
        p.soft {
            @match body {
                Some(body) => { "Both send the same " (body.len()) " bytes as their body; the signature is made anew for each attempt." }
                None => { "Their body is no longer kept." }
            }
        }
    }
}

fn row(title: &str, pair: [Option<&SentRow>; 2], shown: impl Fn(&SentRow) -> Markup) -> Markup {
    html! {
        tr {
            td { (title) }
            @for sent in pair {
                td.long { @match sent { Some(sent) => { (shown(sent)) } None => { span.soft { "not tried" } } } }
            }
        }
    }
}

/// Says how it went this time, compared with the time before.
fn sentence([before, now]: [Option<&SentRow>; 2]) -> &'static str {
    let has_failed = |sent: Option<&SentRow>| sent.map(|sent| sent.attempt.error.is_some());
    match (has_failed(before), has_failed(now)) {
        (_, None) => "It was not tried yet this time: what comes of it will stand beside the time before.",
        (None, Some(false)) => "It was not tried before, and arrived this time.",
        (None, Some(true)) => "It was not tried before, and failed this time.",
        (Some(true), Some(false)) => "It failed before, and arrived this time.",
        (Some(true), Some(true)) => "It failed both times.",
        (Some(false), Some(false)) => "It arrived both times.",
        (Some(false), Some(true)) => "It arrived before, and failed this time.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use store::deliveries::AttemptRow;

    fn sent(status: i16, error: Option<&str>, excerpt: &str) -> SentRow {
        let attempt = AttemptRow {
            delivery_id: DeliveryId::mint(),
            attempt: 1,
            at: DateTime::UNIX_EPOCH,
            duration_ms: 120,
            response_status: Some(status),
            error: error.map(str::to_owned),
            response_excerpt: Some(excerpt.to_owned()),
            dns_ms: None,
            connect_ms: None,
            tls_ms: None,
            first_byte_ms: None,
            clock_ahead_seconds: None,
            response_headers: None,
        };
        let (url_host, url_path) = (Some("example.com:8443".to_owned()), Some("/hook".to_owned()));
        SentRow { attempt, url_host, url_path, request_headers: None }
    }

    #[test]
    fn the_last_attempts_of_both_stand_side_by_side_with_a_sentence() {
        let first = DeliveryId::mint();
        let before = [sent(404, Some("http_status"), "gone"), sent(500, Some("http_status"), "<b>broken</b>")];
        let shown = compared(first, &before, &[sent(200, None, "thanks")], Some("12345")).0;
        for words in [
            "It failed before, and arrived this time.",
            "500",
            "200",
            "thanks",
            "example.com:8443/hook",
            "same 5 bytes",
        ] {
            assert!(shown.contains(words), "{words}: {shown}");
        }
        assert!(shown.contains("&lt;b&gt;broken") && !shown.contains("gone"), "the last one of before: {shown}");
        assert!(shown.contains("<del>− &lt;b&gt;broken") && shown.contains("<ins>+ thanks"), "line by line: {shown}");
        let same = compared(first, &before, &[sent(200, None, "<b>broken</b>")], None).0;
        assert!(!same.contains("<del>") && !same.contains("How the answer changed"), "{same}");
        let waits = compared(first, &before, &[], None).0;
        assert!(waits.contains("not tried yet this time") && waits.contains("no longer kept"), "{waits}");
    }

    #[test]
    fn each_pair_of_results_has_its_sentence() {
        let (good, bad) = (sent(200, None, ""), sent(500, Some("http_status"), ""));
        let told = |before: Option<&SentRow>, now: Option<&SentRow>| sentence([before, now]);
        assert_eq!(told(Some(&bad), Some(&bad)), "It failed both times.");
        assert_eq!(told(Some(&good), Some(&good)), "It arrived both times.");
        assert_eq!(told(Some(&good), Some(&bad)), "It arrived before, and failed this time.");
        assert_eq!(told(None, Some(&good)), "It was not tried before, and arrived this time.");
        assert_eq!(told(None, Some(&bad)), "It was not tried before, and failed this time.");
    }
}
