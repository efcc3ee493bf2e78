//! The page of failures. Jobs that failed alike are one row: when they first and last failed, how many in each hour,
//! and a link to one of them. New kinds of failures come first, then those that came with the present release.

use super::shell::Fit;
use super::spark::{Colour, bars};
use super::words::{link, time};
use super::{Visit, delivery_errors, json, shell};
use crate::http::error::Answer;
use crate::http::json::json_of;
use crate::resources::operator::errors::OperatorErrorList;
use crate::usecases::operator::errors::{FailureKind, Failures, RELEASE, shown_failures};
use chrono::{DateTime, Utc};
use domain::read::Read;
use maud::{Markup, html};
use poem::Response;
use store::jobs::FailureGroup;

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
    let found = shown_failures(&visit.app).await?;
    if visit.wants_json()? {
        return Ok(json(&json_of(&OperatorErrorList::from(&found))));
    }
    let main = html! {
        h1 { "Errors" }
        (shell::section("rows", "Jobs that failed within a day, by what failed and how", &html! {
            (table(&found))
            p.soft {
                "Only the newest 20,000 failed jobs are looked through. Numbers in messages are taken as equal. A kind "
                "of failure is new if it was first seen within the last hour."
            }
            @if found.more { p.soft { "There are more kinds: the 100 that failed last are shown." } }
            @if let Some(upgraded) = found.upgraded {
                p.soft {
                    "Workers of the release " (RELEASE) " have run since " (time(upgraded, found.now))
                    ". Failures that were not seen before then are marked."
                }
            }
            p { (shell::as_json(&visit)) }
        }))
        (shell::section("sent", "Deliveries that failed, by host and by what it answered", &delivery_errors::shown(&found.deliveries, found.now)))
        (shell::command("mws errors"))
    };
    Ok(visit.whole("Errors", &main))
}

fn table(found: &Failures) -> Markup {
    if found.kinds.is_empty() {
        return html! { p.empty { "No job failed within a day." } };
    }
    shell::fitted_table("Errors", &COLUMNS, &html! { @for kind in &found.kinds { (row(kind, found.now)) } })
}

fn row(kind: &FailureKind, now: DateTime<Utc>) -> Markup {
    let group = &kind.group;
    let work = group.read.map_or_else(|| group.kind.name(), Read::name);
    html! {
        tr {
            td { (work) }
            td.long {
                @if kind.is_new { span.state.warn { "! new" } " " }
                @if kind.came_with_release { span.state.warn { "! since " (RELEASE) } " " }
                code { (shell::code(&group.code)) } " " span.soft { (group.words) }
            }
            td.number { a href={ "/console/jobs?" (jobs_query(group)) } { (group.jobs) } }
            td.number.wide { (group.payers) }
            td.medium { (bars(&kind.by_hour, Colour::Bad, "job", "jobs")) }
            td.wide { (time(group.first_at, now)) }
            td.medium { (time(group.last_at, now)) }
            td.wide { (link("jobs", group.sample)) }
            td.medium { @if let Some(read) = group.read {
                a href={ "/console/rerun?read=" (read) "&error_code=" (group.code) } { "Run again…" }
            } }
        }
    }
}

/// Returns the query of the list that shows these jobs.
fn jobs_query(group: &FailureGroup) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("status", "failed").append_pair("error_code", &group.code);
    match group.read {
        Some(read) => query.append_pair("read", read.name()),
        None => query.append_pair("kind", group.kind.name()),
    };
    query.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::JobId;
    use domain::job::JobKind;

    #[test]
    fn a_row_leads_to_its_jobs_by_read_or_else_by_kind() {
        let group = |kind, read| FailureGroup {
            kind,
            read,
            code: "internal".to_owned(),
            words: String::new(),
            jobs: 1,
            payers: 1,
            first_at: DateTime::UNIX_EPOCH,
            last_at: DateTime::UNIX_EPOCH,
            sample: JobId::mint(),
            hours_ago: Vec::new(),
            looked_from: DateTime::UNIX_EPOCH,
        };
        let of_a_read = jobs_query(&group(JobKind::Read, Some(Read::Levels)));
        assert_eq!(of_a_read, "status=failed&error_code=internal&read=levels");
        assert_eq!(jobs_query(&group(JobKind::Render, None)), "status=failed&error_code=internal&kind=render");
    }
}
