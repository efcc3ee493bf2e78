//! The list of jobs of all accounts, with the filters that the operators' route has.

use super::filtered::or_refused;
use super::shell::{Fit, instead};
use super::words::{amount, link, link_if_open, state, time};
use super::{Visit, json, shell};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::json::json_of;
use crate::http::paging::Page;
use crate::http::text::Time;
use crate::resources::operator::jobs::operator_jobs;
use crate::resources::tools::jobs::add_waits;
use chrono::{DateTime, Utc};
use domain::ids::{AccountId, ItemId, JobId, WorkspaceId};
use domain::job::{Job, JobKind, JobStatus};
use domain::read::Read;
use maud::{Markup, html};
use poem::Response;
use poem_openapi::types::ParseFromParameter;
use sqlx::PgConnection;
use std::collections::HashMap;
use store::jobs::{self, FoundJob, JobSearchFilter, SearchScope};
use store::{Seen, workspaces};

const FILTERS: [&str; 11] = [
    "status",
    "kind",
    "read",
    "error_code",
    "account_id",
    "workspace_id",
    "item_id",
    "since",
    "until",
    "cursor",
    "format",
];

const COLUMNS: [(&str, Fit); 9] = [
    ("Job", Fit::Any),
    ("Work", Fit::Any),
    ("Status", Fit::Any),
    ("Created", Fit::Medium),
    ("Payer", Fit::Wide),
    ("Item", Fit::Medium),
    ("Attempt", Fit::Wide),
    ("Minutes", Fit::Wide),
    ("Error", Fit::Medium),
];

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&FILTERS)?;
    let shown = list(&visit).await;
    or_refused(visit, shown, "Jobs", "/jobs", fields)
}

async fn list(visit: &Visit) -> Answer<Response> {
    let page = visit.page("operator jobs")?;
    let filter = search_filter(visit)?;
    let now = visit.now().await?;
    let mut conn = visit.conn().await?;
    let scope = search_scope(visit, &mut conn).await?;
    let seen = jobs::search(&mut conn, &scope, &filter, page.after.map(JobId::from), page.fetch()).await?;
    if visit.wants_json()? {
        return as_json(visit, &mut conn, &page, seen).await;
    }
    let (found, next) = page.cut(seen, |found| found.job.uuid());
    let table = table(visit, &mut conn, &found, now).await?;
    let main = html! {
        h1 { "Jobs" }
        (shell::filters("/jobs", &fields(visit)))
        (shell::newest(visit, &html! {
            @if !found.is_empty() { (table) }
            (shell::pages(visit, found.len(), next.as_deref(), "jobs"))
        }))
        @if visit.may_read() { p { a href="/console/rerun" { "Run failed reads again…" } } }
        (shell::command(&command(visit)))
    };
    Ok(visit.whole("Jobs", &main))
}

/// Returns a page of jobs that were found, in this order, as the operators' route answers it.
pub(super) async fn as_json(
    visit: &Visit,
    conn: &mut PgConnection,
    page: &Page,
    seen: Seen<FoundJob>,
) -> Answer<Response> {
    let mut shown = operator_jobs(conn, &seen.rows, &visit.caller).await?;
    Ok(json(&json_of(&page.window(seen, |found| found.job.uuid(), |found| shown.remove(&found.job)))))
}

/// Returns the jobs that were found as a table, in this order.
pub(super) async fn table(
    visit: &Visit,
    conn: &mut PgConnection,
    found: &[FoundJob],
    now: DateTime<Utc>,
) -> Answer<Markup> {
    let ids: Vec<JobId> = found.iter().map(|one| one.job).collect();
    let mut jobs = jobs::by_ids(conn, &ids, None).await?;
    add_waits(conn, &mut jobs, None).await?;
    let by_id: HashMap<JobId, Job> = jobs.into_iter().map(|job| (job.id, shown(visit, job))).collect();
    let rows = html! { @for one in found { @if let Some(job) = by_id.get(&one.job) { (row(visit, one, job, now)) } } };
    Ok(shell::fitted_table("Jobs", &COLUMNS, &rows))
}

/// Returns a job as this operator may see it.
pub(super) fn shown(visit: &Visit, job: Job) -> Job {
    if visit.sees_payloads() { job } else { job.without_payloads() }
}

fn search_filter(visit: &Visit) -> Answer<JobSearchFilter> {
    Ok(JobSearchFilter {
        statuses: visit.word("status", JobStatus::from_name)?.into_iter().collect(),
        kinds: visit.word("kind", JobKind::from_name)?.into_iter().collect(),
        reads: visit.word("read", Read::from_name)?.into_iter().collect(),
        error_code: visit.asked("error_code").map(str::to_owned),
        since: moment(visit, "since")?,
        until: moment(visit, "until")?,
    })
}

fn row(visit: &Visit, found: &FoundJob, job: &Job, now: DateTime<Utc>) -> Markup {
    html! {
        tr {
            td { (link("jobs", job.id)) }
            td { (work(job)) }
            td {
                (state(job.status.name()))
                @if job.status == JobStatus::Running { " " span.number { (job.progress) " %" } }
                @if let Some(waits) = &job.waits { div.soft { (waits.message) } }
                @if let Some(error) = &job.error { (instead(Fit::Medium, "Error", &shell::code(&error.code))) }
            }
            td.medium { (time(job.created_at, now)) }
            td.wide { (link("accounts", found.payer)) }
            td.medium { @match job.item_id {
                Some(item) => { (link_if_open(visit, item)) }
                None => { span.soft { "–" } }
            } }
            td.number.wide { (job.attempt) }
            td.wide { (amount(job.cloud_minutes.unwrap_or(job.estimated_minutes))) }
            td.long.medium { (shell::code_or_dash(job.error.as_ref().map(|error| error.code.as_str()))) }
        }
    }
}

/// Returns the read or the kind of a job.
pub(super) fn work(job: &Job) -> &'static str {
    job.read.map_or_else(|| job.kind.name(), Read::name)
}

fn fields(visit: &Visit) -> Markup {
    html! {
        (shell::choice(visit, "status", "Status", JobStatus::ALL.map(JobStatus::name)))
        (shell::choice(visit, "read", "Read", Read::ALL.map(Read::name)))
        (shell::choice(visit, "kind", "Kind", JobKind::ALL.map(JobKind::name)))
        (shell::text_field(visit, "error_code", "Error code"))
        (shell::text_field(visit, "account_id", "Account"))
        (shell::text_field(visit, "workspace_id", "Workspace"))
        (shell::text_field(visit, "item_id", "Item"))
        (shell::moment_field(visit, "since", "Since (RFC 3339)", visit.asked("since").unwrap_or_default()))
        (shell::moment_field(visit, "until", "Until", visit.asked("until").unwrap_or_default()))
    }
}

/// Returns the time in this query parameter, if there is one.
pub(super) fn moment(visit: &Visit, name: &str) -> Answer<Option<DateTime<Utc>>> {
    let Some(asked) = visit.asked(name) else { return Ok(None) };
    let read = Time::parse_from_parameter(asked);
    let wrong =
        |_| ApiError::new(Code::InvalidRequest, format!("`{name}`: expected a time such as 2026-11-20T09:30:00Z."));
    read.map(|time| Some(time.0)).map_err(wrong)
}

pub(super) async fn search_scope(visit: &Visit, conn: &mut PgConnection) -> Answer<SearchScope> {
    let account = visit.id_in::<AccountId>("account_id")?;
    let workspace = visit.id_in::<WorkspaceId>("workspace_id")?;
    match (account, workspace, visit.id_in::<ItemId>("item_id")?) {
        (None, None, None) => Ok(SearchScope::All),
        (Some(account), None, None) => Ok(SearchScope::Workspaces(workspaces::owned_by(conn, account).await?)),
        (None, Some(workspace), None) => Ok(SearchScope::Workspaces(vec![workspace])),
        (None, None, Some(item)) => Ok(SearchScope::Item(item)),
        _ => Err(ApiError::new(Code::InvalidRequest, "Give one of account, workspace and item.")),
    }
}

/// Returns the command that lists the same jobs.
fn command(visit: &Visit) -> String {
    let flags = [
        ("status", "--status"),
        ("kind", "--kind"),
        ("read", "--read"),
        ("error_code", "--error"),
        ("account_id", "--account"),
        ("workspace_id", "--workspace"),
        ("item_id", "--item"),
    ];
    super::words::command("mws admin jobs list", visit, &flags)
}
