//! The page of failures: jobs that failed alike are one row, with when that was first and last seen, how many in each
//! hour, and one of them to look at. Kinds of failures that are new stand on top, and below them those that
//! came with the present release.

use super::shell::Fit;
use super::spark::{Colour, HOURS, bars};
use super::words::{link, time};
use super::{Visit, listed, shell};
use crate::http::error::Answer;
use crate::http::json::json_of;
use crate::http::text::Time;
use chrono::{DateTime, TimeDelta, Utc};
use domain::read::Read;
use domain::verdict::thresholds::NEW_KIND_HOURS;
use maud::{Markup, html};
use poem::Response;
use serde_json::{Value, json};
use std::cmp::Reverse;
use store::jobs::{self, FailureGroup};
use store::verdict::{self, ProcessRow};

/// The newest jobs that are looked through.
const WINDOW: i64 = 20_000;
/// The most groups that are shown.
const MOST: i64 = 100;
/// The release of this process.
const RELEASE: &str = env!("CARGO_PKG_VERSION");

const COLUMNS: [(&str, Fit); 9] = [
    ("Work", Fit::Any),
    ("Error", Fit::Any),
    ("Jobs", Fit::Any),
    ("Accounts", Fit::Wide),
    ("By hour", Fit::Medium),
    ("First seen", Fit::Wide),
    ("Last seen", Fit::Medium),
    ("One of them", Fit::Wide),
    ("All of them", Fit::Medium),
];

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&["format"])?;
    let now = visit.now().await?;
    let hours = i32::try_from(HOURS).unwrap_or(i32::MAX);
    let mut conn = visit.conn().await?;
    let mut groups = jobs::failures(&mut conn, hours, WINDOW, MOST).await?;
    let processes = verdict::processes(&mut conn).await?;
    let upgraded = groups.first().and_then(|group| upgraded_at(&processes, group.looked_from, now));
    groups.sort_by_key(|group| {
        let marks = (is_new(group, now), came_with_release(group, upgraded));
        (Reverse(marks), Reverse(by_hour(group)[HOURS - 1]), Reverse(group.jobs))
    });
    if visit.wants_json()? {
        return Ok(listed(groups.iter().map(|group| document(group, now, upgraded)).collect(), None));
    }
    let main = html! {
        h1 { "Errors" }
        (shell::section("rows", "Jobs that failed within a day, by what failed and how", &html! {
            (table(&groups, now, upgraded))
            p.soft { "Looked through are the newest 20,000 jobs. Numbers in messages are taken as equal. A kind of failure is new if it was first seen within the last hour." }
            @if let Some(upgraded) = upgraded {
                p.soft { "Workers of the release " (RELEASE) " have run since " (time(upgraded, now)) ". What was not seen before them says so." }
            }
            p { (shell::as_json(&visit)) }
        }))
        (shell::command("mws admin jobs list --status failed"))
    };
    Ok(visit.whole("Errors", &main))
}

fn table(groups: &[FailureGroup], now: DateTime<Utc>, upgraded: Option<DateTime<Utc>>) -> Markup {
    if groups.is_empty() {
        return html! { p.empty { "No job failed within a day, among the newest 20,000." } };
    }
    shell::fitted_table("Errors", &COLUMNS, &html! { @for group in groups { (row(group, now, upgraded)) } })
}

fn row(group: &FailureGroup, now: DateTime<Utc>, upgraded: Option<DateTime<Utc>>) -> Markup {
    let work = group.read.map_or_else(|| group.kind.name(), Read::name);
    html! {
        tr {
            td { (work) }
            td.long {
                @if is_new(group, now) { span.state.warn { "! new" } " " }
                @if came_with_release(group, upgraded) { span.state.warn { "! since " (RELEASE) } " " }
                code { (shell::code(&group.code)) } " " span.soft { (group.words) }
            }
            td.number { a href={ "/console/jobs?" (jobs_query(group)) } { (group.jobs) } }
            td.number.wide { (group.payers) }
            td.medium { (bars(&by_hour(group), Colour::Bad, "job", "jobs")) }
            td.wide { (time(group.first_at, now)) }
            td.medium { (time(group.last_at, now)) }
            td.wide { (link("jobs", group.sample)) }
            td.medium { @if let Some(read) = group.read {
                a href={ "/console/rerun?read=" (read) "&error_code=" (group.code) } { "Run again…" }
            } }
        }
    }
}

/// Returns a group as JSON. `by_hour` is how many failed in each of the last 24 hours, the last one at the end.
fn document(group: &FailureGroup, now: DateTime<Utc>, upgraded: Option<DateTime<Utc>>) -> Value {
    json!({
        "kind": group.kind.name(),
        "read": group.read.map(Read::name),
        "error_code": group.code,
        "message": group.words,
        "jobs": group.jobs,
        "accounts": group.payers,
        "is_new": is_new(group, now),
        "came_with_release": came_with_release(group, upgraded),
        "by_hour": by_hour(group),
        "first_at": json_of(&Time(group.first_at)),
        "last_at": json_of(&Time(group.last_at)),
        "newest_job_id": group.sample,
    })
}

/// The query of the list of such jobs.
fn jobs_query(group: &FailureGroup) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("status", "failed").append_pair("error_code", &group.code);
    match group.read {
        Some(read) => query.append_pair("read", read.name()),
        None => query.append_pair("kind", group.kind.name()),
    };
    query.finish()
}

fn is_new(group: &FailureGroup, now: DateTime<Utc>) -> bool {
    now - group.first_at < TimeDelta::hours(NEW_KIND_HOURS.into())
}

/// Returns when the first of the running workers of this release began. None if that is a day ago or more, or if no job
/// from before was looked through: then nothing tells what failed before.
fn upgraded_at(processes: &[ProcessRow], looked_from: DateTime<Utc>, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let own = processes.iter().filter(|one| one.service == "worker" && one.version == RELEASE);
    let began = own.map(|one| one.started_at).min()?;
    (now - began < TimeDelta::hours(24) && looked_from < began).then_some(began)
}

/// Whether a kind of failure was first seen after that time.
fn came_with_release(group: &FailureGroup, upgraded: Option<DateTime<Utc>>) -> bool {
    upgraded.is_some_and(|upgraded| group.first_at >= upgraded)
}

/// How many failed in each hour, the last one at the end.
fn by_hour(group: &FailureGroup) -> [u32; HOURS] {
    let mut hours = [0; HOURS];
    for ago in &group.hours_ago {
        let ago = usize::try_from(*ago).unwrap_or(0).min(HOURS - 1);
        hours[HOURS - 1 - ago] += 1;
    }
    hours
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::JobId;
    use domain::job::JobKind;

    #[test]
    fn failures_stand_in_their_hours_and_a_kind_that_was_not_seen_before_is_new() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).expect("a time");
        let group = |first_hours_ago: i64, hours_ago: &[i32]| FailureGroup {
            kind: JobKind::Read,
            read: Some(Read::Levels),
            code: "internal".to_owned(),
            words: String::new(),
            jobs: 1,
            payers: 1,
            first_at: now - TimeDelta::hours(first_hours_ago),
            last_at: now,
            sample: JobId::mint(),
            hours_ago: hours_ago.to_vec(),
            looked_from: now - TimeDelta::hours(30),
        };
        let old = group(3, &[0, 0, 3, 23, 24]);
        let hours = by_hour(&old);
        assert_eq!((hours[HOURS - 1], hours[HOURS - 4], hours[0], hours.iter().sum::<u32>()), (2, 1, 2, 5));
        assert!(is_new(&group(0, &[0]), now) && !is_new(&old, now));
        let upgraded = |hours_ago: i64| Some(now - TimeDelta::hours(hours_ago));
        assert!(came_with_release(&old, upgraded(4)) && !came_with_release(&old, upgraded(2)));
        assert!(!came_with_release(&old, None));
        assert_eq!(jobs_query(&old), "status=failed&error_code=internal&read=levels");
    }

    #[test]
    fn a_release_counts_from_the_first_of_its_workers_where_older_jobs_were_looked_through() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).expect("a time");
        let ago = |hours: i64| now - TimeDelta::hours(hours);
        let process = |service: &str, version: &str, hours_ago: i64| ProcessRow {
            name: service.to_owned(),
            service: service.to_owned(),
            host: "h".to_owned(),
            version: version.to_owned(),
            tasks: Vec::new(),
            slots: 1,
            busy: 0,
            started_at: ago(hours_ago),
            beat_at: now,
            lives_seconds: 1.0,
            silent_seconds: 1.0,
            successor_left: false,
        };
        let own = [process("worker", RELEASE, 2), process("worker", RELEASE, 5), process("scheduler", RELEASE, 9)];
        assert_eq!(upgraded_at(&own, ago(6), now), Some(ago(5)));
        assert_eq!(upgraded_at(&own, ago(5), now), None, "nothing from before it was looked through");
        assert_eq!(upgraded_at(&[process("worker", RELEASE, 24)], ago(40), now), None, "a day ago");
        assert_eq!(upgraded_at(&[process("worker", "0.0.0-other", 2)], ago(6), now), None, "another release");
    }
}
