//! The pages of the workspace's jobs and of one job.

use super::fields::choice;
use super::lists::{pages, refuse_odd_word, text, when};
use super::refusals::Wrong;
use super::{PORTAL_PATH, Visit};
use crate::http::error::{Answer, ApiError, Code};
use crate::resources::fragments::{Fit, facts, fitted_table, instead, or_dash, short, state};
use domain::job::{JobKind, JobStatus};
use maud::{Markup, html};
use poem::Response;
use poem::http::Method;
use serde_json::{Value, json};

const GET_JOBS: &str = "/tools/get_jobs";

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    refuse_odd_word(&visit, "status", &JobStatus::ALL.map(JobStatus::name))?;
    refuse_odd_word(&visit, "kind", &JobKind::ALL.map(JobKind::name))?;
    let mut asked = json!({ "limit": 25 });
    for (name, many) in [("status", true), ("kind", true), ("cursor", false)] {
        if let Some(value) = visit.asked(name) {
            asked[name] = if many { json!([value]) } else { json!(value) };
        }
    }
    let answer = visit.ask(Method::POST, GET_JOBS, Some(&asked)).await?;
    let data = &answer["data"];
    let jobs = data["jobs"].as_array().map_or(&[][..], Vec::as_slice);

    let main = html! {
        h1 { "Jobs" }
        (asking(&visit.query, None))
        @if !jobs.is_empty() { (rows(jobs)) }
        (pages(&visit, data, "jobs", "Each piece of work that your programs ask for is one."))
    };
    Ok(visit.whole("Jobs", &main))
}

/// Jobs as a table.
fn rows(jobs: &[Value]) -> Markup {
    let body = html! {
        @for job in jobs {
            tr {
                @let id = text(job, "id");
                td { a.id href={ (PORTAL_PATH) "/jobs/" (id) } title=(id) { (short(id)) } }
                td {
                    (what(job))
                    (instead(Fit::Medium, "Item", &or_dash(job["ref"].as_str())))
                    (instead(Fit::Medium, "Created", &when(&job["created_at"])))
                }
                td.long.medium { (or_dash(job["ref"].as_str())) }
                td {
                    (state(text(job, "status")))
                    (instead(Fit::Medium, "Minutes", &html! { (charged(job)) }))
                    @if let Some(error) = job["error"]["message"].as_str() { div.soft { (error) } }
                    @if let Some(why) = job["waits"]["message"].as_str() { div.soft { (why) } }
                }
                td.medium { (when(&job["created_at"])) }
                td.number.medium { (charged(job)) }
            }
        }
    };
    let columns = [
        ("Job", Fit::Any),
        ("What", Fit::Any),
        ("Item", Fit::Medium),
        ("Status", Fit::Any),
        ("Created", Fit::Medium),
        ("Minutes", Fit::Medium),
    ];
    fitted_table("Jobs", &columns, &body)
}

/// Shows the filters, with what was asked for.
pub(super) fn asking(query: &[(String, String)], wrong: Option<&Wrong>) -> Markup {
    html! {
        form.filters aria-label="Filter" {
            (choice(query, wrong, "status", "Status", JobStatus::ALL.iter().map(|one| one.name())))
            (choice(query, wrong, "kind", "Kind", JobKind::ALL.iter().map(|one| one.name())))
            button { "Show" }
        }
    }
}

/// Returns the job's read, or its kind if it computes none, in plain words.
fn what(job: &Value) -> String {
    job["read"].as_str().unwrap_or_else(|| text(job, "kind")).replace('_', " ")
}

/// Returns the minutes that it was charged, or that are held for it.
fn charged(job: &Value) -> String {
    match (&job["cloud_minutes"], text(job, "status")) {
        (_, "queued" | "running") => format!("{} held", job["estimated_minutes"]),
        (Value::Null, _) => "0".to_owned(),
        (charged, _) => charged.to_string(),
    }
}

/// How a job stands, when it was worked on, and what it cost.
fn standing(job: &Value) -> Markup {
    facts(&[
        ("Status", state(text(job, "status"))),
        ("Item", or_dash(job["ref"].as_str())),
        ("Attempt", html! { (job["attempt"]) " of " (job["max_attempts"]) }),
        ("Created", when(&job["created_at"])),
        ("Started", when(&job["started_at"])),
        ("Ended", when(&job["finished_at"])),
        ("Minutes", html! { (charged(job)) }),
        (
            "Credits",
            html! { @if job["credits"].is_null() { (job["estimated_credits"]) " held" } @else { (job["credits"]) } },
        ),
        ("Request", or_dash(job["request_id"].as_str())),
    ])
}

pub(super) async fn one(visit: Visit) -> Answer<Response> {
    let id = visit.id(0)?;
    let answer = visit.ask(Method::POST, GET_JOBS, Some(&json!({ "job_ids": [id] }))).await?;
    let job = &answer["data"]["jobs"][0];
    if job.is_null() {
        return Err(ApiError::new(Code::RouteNotFound, "There is no such job in this workspace."));
    }
    let main = html! {
        h1 { (what(job)) " " span.id { (id) } }
        (standing(job))
        @if let Some(why) = job["waits"]["message"].as_str() { p { b { "Why it waits: " } (why) } }
        @if let Some(error) = job["error"].as_object() {
            h2 { "Why it failed" }
            p role="alert" { (error["message"].as_str().unwrap_or_default()) }
            p.soft { "Code " code { (error["code"].as_str().unwrap_or_default()) } }
        }
        h2 { "What came of it" }
        @if job["result"].is_null() {
            p.empty { (without_result(text(job, "status"))) }
        } @else {
            pre tabindex="0" { (format!("{:#}", job["result"])) }
        }
        p { a href={ (PORTAL_PATH) "/jobs" } { "Back to the jobs" } }
    };
    Ok(visit.whole("Job", &main))
}

/// Says why a job has no result, and what is awaited.
fn without_result(status: &str) -> &'static str {
    match status {
        "queued" => "Nothing yet: it waits. Its result stands here once it has succeeded: load this page again then.",
        "running" => "Nothing yet: it runs. Its result stands here once it has succeeded: load this page again then.",
        "failed" => "Nothing: it failed, for the reason above, and costs nothing.",
        "cancelled" => "Nothing: it was cancelled, and costs nothing.",
        _ => "It succeeded, and its result is not kept here.",
    }
}
