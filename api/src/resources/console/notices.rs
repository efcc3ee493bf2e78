//! Notices before harm, on the first page: endpoints that are about to be disabled, accounts whose minutes run out,
//! secrets that are about to end, and undelivered events that are about to be deleted. An endpoint that the verdict
//! names already is in no notice.

use super::Visit;
use super::words::{amount, link, time, word};
use crate::http::error::Answer;
use crate::http::text::Time;
use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::EndpointId;
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

/// A kind of harm that is near.
pub(super) struct Notice {
    /// The axis that it is about.
    about: &'static str,
    /// What is near, in a sentence.
    sentence: String,
    /// What it names.
    named: Markup,
    /// The command that helps next.
    next: String,
}

/// The harm that is near, the gravest first.
pub(super) struct Notices {
    /// That of endpoints.
    pub endpoints: Vec<Notice>,
    /// Other harm.
    pub others: Vec<Notice>,
}

impl Notice {
    /// Shows it as an item of the list of what needs somebody.
    pub(super) fn card(&self) -> Markup {
        html! {
            li {
                p { span.state.warn { span aria-hidden="true" { "!" } " soon" } " " span.soft { (self.about) } }
                (self.told())
            }
        }
    }

    /// Shows what it says, without saying how urgent it is.
    pub(super) fn told(&self) -> Markup {
        html! {
            p { (self.sentence) }
            (self.named)
            p { span.soft { "Next: " } code { (self.next) } }
        }
    }
}

/// Returns the harm that is near, but for endpoints that are told of (`is_told`) already.
pub(super) async fn notices(visit: &Visit, is_told: impl Fn(EndpointId) -> bool) -> Answer<Notices> {
    let now = visit.now().await?;
    let days = i32::try_from(visit.app.process.settings.retention_days).unwrap_or(i32::MAX);
    let ahead = (f64::from(days) * DAY_SECONDS * PART_OF_RETENTION).min(DAY_SECONDS);
    let mut conn = visit.conn().await?;
    let mut failing = notices::failing_endpoints(&mut conn, &[], MOST).await?;
    // Those that are disabled already are the verdict's.
    failing.retain(|one| one.enabled && !is_told(one.id));
    let mut wavering = notices::wavering_endpoints(&mut conn, &[], MOST).await?;
    wavering.retain(|one| !is_told(one.id));
    let short = notices::short_accounts(&mut conn, MOST).await?;
    let ending = notices::ending_secrets(&mut conn, SECRET_HOURS, MOST).await?;
    let unsaved = notices::unsaved(&mut conn, days, ahead).await?;
    let of_failing = (!failing.is_empty()).then(|| endpoints(&failing));
    let of_wavering = (!wavering.is_empty()).then(|| half_failed(&wavering));
    let others = [
        unsaved.map(|unsaved| events(unsaved, days, ahead, visit.may_read())),
        (!ending.is_empty()).then(|| secrets(&ending, now)),
        (!short.is_empty()).then(|| accounts(&short)),
    ];
    Ok(Notices {
        endpoints: [of_failing, of_wavering].into_iter().flatten().collect(),
        others: others.into_iter().flatten().collect(),
    })
}

fn notice(about: &'static str, sentence: impl Into<String>, named: Markup, next: String) -> Notice {
    Notice { about, sentence: sentence.into(), named, next }
}

fn endpoints(failing: &[FailingEndpoint]) -> Notice {
    let what = word(failing.len() == 1, "This endpoint keeps failing", "These endpoints keep failing");
    let sentence = format!("{what}; at {FAILURES_THAT_DISABLE} failures in a row an endpoint is disabled.");
    let named = html! {
        ul { @for one in failing {
            li { (link("endpoints", one.id)) " of " (link("accounts", one.account_id)) ": "
                span.number { (one.failures) " of " (FAILURES_THAT_DISABLE) } " (" (share(one.failures)) " %)" }
        } }
    };
    let first = failing.first().map(|one| format!("mws admin webhooks ping {}", one.id)).unwrap_or_default();
    notice("delivery", sentence, named, first)
}

fn half_failed(wavering: &[WaveringEndpoint]) -> Notice {
    let is_one = wavering.len() == 1;
    let (what, them) = (word(is_one, "this endpoint", "these endpoints"), word(is_one, "it", "them"));
    let sentence = format!(
        "Of the newest deliveries of a day to {what} half or more failed. What arrives in between keeps {them} from being disabled."
    );
    let named = html! {
        ul { @for one in wavering {
            li { (link("endpoints", one.id)) " of " (link("accounts", one.account_id)) ": "
                span.number { (one.failed) " of " (one.tried) } " failed" }
        } }
    };
    let first = wavering.first().map(|one| format!("mws admin deliveries list --endpoint {} --status failed", one.id));
    notice("delivery", sentence, named, first.unwrap_or_default())
}

/// Returns how much of the failures that disable an endpoint there are, in percent.
const fn share(failures: i32) -> i32 {
    failures * 100 / FAILURES_THAT_DISABLE
}

fn accounts(short: &[ShortAccount]) -> Notice {
    let several = "These accounts, which work today, have a tenth of their month's minutes left or less.";
    let one = "This account, which works today, has a tenth of its month's minutes left or less.";
    let sentence = word(short.len() == 1, one, several);
    let named = html! {
        ul { @for one in short {
            li { (link("accounts", one.id)) ": " (amount(one.left)) " left of " (amount(one.allowance)) " a month" }
        } }
    };
    let first = short.first().map(|one| format!("mws admin accounts get {}", one.id)).unwrap_or_default();
    notice("money", sentence, named, first)
}

fn secrets(ending: &[EndingSecret], now: DateTime<Utc>) -> Notice {
    let several = "The signing secrets before the current ones of these accounts end: receivers that still check with \
        them refuse what is sent then.";
    let one = "The signing secret before the current one of this account ends: receivers that still check with it \
        refuse what is sent then.";
    let sentence = word(ending.len() == 1, one, several);
    let named = html! {
        ul { @for one in ending { li { (link("accounts", one.account_id)) ": " (time(one.ends_at, now)) } } }
    };
    let first = ending.first().map(|one| format!("mws admin deliveries list --account {}", one.account_id));
    notice("delivery", sentence, named, first.unwrap_or_default())
}

/// Tells of events that are about to be deleted. `may_read`: whether the page that sends them again opens.
fn events(unsaved: Unsaved, days: i32, ahead: f64, may_read: bool) -> Notice {
    let many = if unsaved.many >= LOOKED_AT { format!("{LOOKED_AT} or more") } else { unsaved.many.to_string() };
    let sentence = format!(
        "{many} {}, to {} {}, {} deleted within {} for {} age.",
        word(unsaved.many == 1, "delivery that failed or was skipped", "deliveries that failed or were skipped"),
        unsaved.endpoints,
        word(unsaved.endpoints == 1, "endpoint", "endpoints"),
        word(unsaved.many == 1, "is", "are"),
        span(ahead),
        word(unsaved.many == 1, "its", "their"),
    );
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    // What is sent again is what began before the second of these.
    let until = unsaved.last_at + TimeDelta::milliseconds(1);
    query.append_pair("since", &Time(unsaved.first_at).to_string()).append_pair("until", &Time(until).to_string());
    let query = query.finish();
    let see = word(unsaved.many == 1, "See it, and send it again", "See them, and send them again");
    let named = html! { @if may_read { p { a href={ "/console/unsent?" (query) } { (see) } } } };
    let next = format!("mws admin deliveries resend --since {days}d --dry-run");
    notice("delivery", sentence, named, next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::AccountId;

    #[test]
    fn a_notice_names_what_it_is_about_and_what_helps() {
        let (id, account_id) = (EndpointId::mint(), AccountId::mint());
        let told = endpoints(&[FailingEndpoint { id, account_id, enabled: true, failures: 14 }]).card().0;
        for words in [format!("/console/endpoints/{id}"), "(70 %)".into(), format!("mws admin webhooks ping {id}")] {
            assert!(told.contains(&words), "{words}: {told}");
        }
        let one = WaveringEndpoint { id, account_id, tried: 40, failed: 25 };
        let told = half_failed(std::slice::from_ref(&one)).card().0;
        for words in
            ["to this endpoint half or more", "keeps it from", "25 of 40", &format!("--endpoint {id} --status failed")]
        {
            assert!(told.contains(words), "{words}: {told}");
        }
        assert!(half_failed(&[one.clone(), one]).card().0.contains("to these endpoints half or more failed. What"));
        let at = DateTime::from_timestamp_micros(1_800_000_000_000_900).expect("a time");
        let unsaved = Unsaved { many: LOOKED_AT, endpoints: 3, first_at: at, last_at: at };
        let told = events(unsaved, 30, DAY_SECONDS, true).card().0;
        assert!(told.contains("2000 or more deliveries that failed or were skipped, to 3 endpoints, are"), "{told}");
        assert!(told.contains("--since 30d"), "{told}");
        assert!(told.contains("00.000Z") && told.contains("00.001Z"), "the end is behind the last one: {told}");
        let told = events(Unsaved { many: 1, endpoints: 1, ..unsaved }, 30, DAY_SECONDS, true).card().0;
        assert!(told.contains("1 delivery that failed or was skipped, to 1 endpoint, is deleted within"), "{told}");
        assert!(told.contains("for its age.") && told.contains("See it, and send it again"), "{told}");
        let told = events(unsaved, 30, DAY_SECONDS, false).card().0;
        assert!(told.contains("to 3 endpoints") && !told.contains("href"), "{told}");
    }
}
