//! Notices before harm, on the first page: endpoints that are about to be disabled, accounts whose minutes run out,
//! secrets that are about to end, and undelivered events that are about to be deleted.

use super::Visit;
use super::words::{amount, link, time, word};
use crate::http::error::Answer;
use crate::http::text::Time;
use chrono::{DateTime, TimeDelta, Utc};
use domain::series::FAILURES_THAT_DISABLE;
use domain::verdict::{LOOKED_AT, span};
use maud::{Markup, html};
use store::notices::{self, EndingSecret, FailingEndpoint, ShortAccount, Unsaved, WaveringEndpoint};

/// The most endpoints, accounts and secrets that are named.
const MOST: i64 = 10;
/// The hours before the end of a secret in which it is told of.
const SECRET_HOURS: i32 = 3;
/// The most seconds before undelivered events are deleted in which they are told of.
const DAY_SECONDS: f64 = 86_400.0;
/// The part of the days that deliveries are kept in which they are told of, if that is less.
const PART_OF_RETENTION: f64 = 0.1;

/// Returns a list item for each kind of harm that is near; nothing if there is none.
pub(super) async fn items(visit: &Visit) -> Answer<Markup> {
    let now = visit.now().await?;
    let days = i32::try_from(visit.app.process.settings.retention_days).unwrap_or(i32::MAX);
    let ahead = (f64::from(days) * DAY_SECONDS * PART_OF_RETENTION).min(DAY_SECONDS);
    let mut conn = visit.conn().await?;
    let failing = notices::failing_endpoints(&mut conn, MOST).await?;
    let wavering = notices::wavering_endpoints(&mut conn, MOST).await?;
    let short = notices::short_accounts(&mut conn, MOST).await?;
    let ending = notices::ending_secrets(&mut conn, SECRET_HOURS, MOST).await?;
    let unsaved = notices::unsaved(&mut conn, days, ahead).await?;
    Ok(html! {
        @if !failing.is_empty() { (endpoints(&failing)) }
        @if !wavering.is_empty() { (half_failed(&wavering)) }
        @if !short.is_empty() { (accounts(&short)) }
        @if !ending.is_empty() { (secrets(&ending, now)) }
        @if let Some(unsaved) = &unsaved { (events(unsaved, days, ahead)) }
    })
}

/// Shows one notice: what it is about, its sentence, what it names, and what helps.
fn notice(about: &str, sentence: &str, named: &Markup, next: &str) -> Markup {
    html! {
        li {
            p { span.state.warn { span aria-hidden="true" { "!" } " soon" } " " span.soft { (about) } }
            p { (sentence) }
            (named)
            p { span.soft { "Next: " } code { (next) } }
        }
    }
}

fn endpoints(failing: &[FailingEndpoint]) -> Markup {
    let what = word(failing.len() == 1, "This endpoint keeps failing", "These endpoints keep failing");
    let sentence = format!("{what}; at {FAILURES_THAT_DISABLE} failures in a row an endpoint is disabled.");
    let named = html! {
        ul { @for one in failing {
            li { (link("endpoints", one.id)) " of " (link("accounts", one.account_id)) ": "
                span.number { (one.failures) " of " (FAILURES_THAT_DISABLE) } " (" (share(one.failures)) " %)" }
        } }
    };
    let first = failing.first().map(|one| format!("mws admin webhooks ping {}", one.id)).unwrap_or_default();
    notice("delivery", &sentence, &named, &first)
}

fn half_failed(wavering: &[WaveringEndpoint]) -> Markup {
    let what = word(wavering.len() == 1, "this endpoint", "these endpoints");
    let sentence = format!(
        "Of the newest deliveries of a day to {what} half or more failed. What arrives in between keeps them from being disabled."
    );
    let named = html! {
        ul { @for one in wavering {
            li { (link("endpoints", one.id)) " of " (link("accounts", one.account_id)) ": "
                span.number { (one.failed) " of " (one.tried) } " failed" }
        } }
    };
    let first = wavering.first().map(|one| format!("mws admin deliveries list --endpoint {} --status failed", one.id));
    notice("delivery", &sentence, &named, &first.unwrap_or_default())
}

/// Returns how much of the failures that disable an endpoint there are, in percent.
const fn share(failures: i32) -> i32 {
    failures * 100 / FAILURES_THAT_DISABLE
}

fn accounts(short: &[ShortAccount]) -> Markup {
    let several = "These accounts, which work today, have a tenth of their month's minutes left or less.";
    let one = "This account, which works today, has a tenth of its month's minutes left or less.";
    let sentence = word(short.len() == 1, one, several);
    let named = html! {
        ul { @for one in short {
            li { (link("accounts", one.id)) ": " (amount(one.left)) " left of " (amount(one.allowance)) " a month" }
        } }
    };
    let first = short.first().map(|one| format!("mws admin accounts get {}", one.id)).unwrap_or_default();
    notice("money", sentence, &named, &first)
}

fn secrets(ending: &[EndingSecret], now: DateTime<Utc>) -> Markup {
    let several = "The signing secrets before the current ones of these accounts end: receivers that still check with \
        them refuse what is sent then.";
    let one = "The signing secret before the current one of this account ends: receivers that still check with it \
        refuse what is sent then.";
    let sentence = word(ending.len() == 1, one, several);
    let named = html! {
        ul { @for one in ending { li { (link("accounts", one.account_id)) ": " (time(one.ends_at, now)) } } }
    };
    let first = ending.first().map(|one| format!("mws admin deliveries list --account {}", one.account_id));
    notice("delivery", sentence, &named, &first.unwrap_or_default())
}

fn events(unsaved: &Unsaved, days: i32, ahead: f64) -> Markup {
    let many = if unsaved.many >= LOOKED_AT { format!("{LOOKED_AT} or more") } else { unsaved.many.to_string() };
    let sentence = format!(
        "Deliveries that failed or were skipped, and that are deleted within {} for their age: {many}, to endpoints: {}.",
        span(ahead),
        unsaved.endpoints
    );
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    // What is sent again is what began before the second of these.
    let until = unsaved.last_at + TimeDelta::milliseconds(1);
    query.append_pair("since", &Time(unsaved.first_at).to_string()).append_pair("until", &Time(until).to_string());
    let query = query.finish();
    let named = html! { p { a href={ "/console/unsent?" (query) } { "See them, and send them again" } } };
    let next = format!("mws admin deliveries resend --since {days}d --dry-run");
    notice("delivery", &sentence, &named, &next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::{AccountId, EndpointId};

    #[test]
    fn a_notice_names_what_it_is_about_and_what_helps() {
        let (id, account_id) = (EndpointId::mint(), AccountId::mint());
        let told = endpoints(&[FailingEndpoint { id, account_id, failures: 14 }]).0;
        for words in [format!("/console/endpoints/{id}"), "(70 %)".into(), format!("mws admin webhooks ping {id}")] {
            assert!(told.contains(&words), "{words}: {told}");
        }
        let told = half_failed(&[WaveringEndpoint { id, account_id, tried: 40, failed: 25 }]).0;
        for words in ["to this endpoint half or more", "25 of 40", &format!("--endpoint {id} --status failed")] {
            assert!(told.contains(words), "{words}: {told}");
        }
        let at = DateTime::from_timestamp_micros(1_800_000_000_000_900).expect("a time");
        let unsaved = Unsaved { many: LOOKED_AT, endpoints: 3, first_at: at, last_at: at };
        let told = events(&unsaved, 30, DAY_SECONDS).0;
        assert!(told.contains("2000 or more") && told.contains("--since 30d"), "{told}");
        assert!(told.contains("00.000Z") && told.contains("00.001Z"), "the end is behind the last one: {told}");
    }
}
