//! The page of one job: its facts, why it waits, its life on one time axis, its minutes, and forms to run it again and
//! to cancel it.

use super::deliveries::{Listed, listed, rows};
use super::find::trace_of;
use super::life::{self, JobRecords, Step, WaitFacts};
use super::priced::priced;
use super::words::{amount, hidden, link, link_if_open, minutes, or_dash, state, theirs, time, time_or};
use super::{Visit, axis, changed, json, leads_to, shell};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::json::json_of;
use crate::resources::tools::jobs::{JobAnswer, add_waits};
use crate::resources::tools::prepare_media::PreparedRead;
use crate::usecases::operator::jobs::{cancel_job, refuse_rerun, run_again};
use domain::ids::{DeliveryId, JobId};
use domain::job::{Job, JobStatus};
use domain::plan::Answer as ReadAnswer;
use domain::task::Task;
use domain::verdict::thresholds::SILENT_SECONDS;
use maud::{Markup, html};
use poem::Response;
use sqlx::PgConnection;
use std::collections::HashMap;
use store::deliveries::{self, AttemptRow, DeliverySearchFilter, SearchScope};
use store::jobs::{self, Origin};
use store::{items, journal, reads, verdict};

/// The most deliveries of a job that are shown.
const MOST_DELIVERIES: i64 = 50;

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&["done", "format"])?;
    let id: JobId = visit.own_id(Code::JobNotFound)?;
    let now = visit.now().await?;
    let (job, origin) = find(&visit, id).await?;
    let mut conn = visit.conn().await?;
    let standing = jobs::standing(&mut conn, id).await?.ok_or_else(|| missing(id))?;
    let mut claims = jobs::claims_of(&mut conn, id).await?;
    if !visit.sees_payloads() {
        for claim in &mut claims {
            claim.error_message = None;
        }
    }
    let entries = journal::of_job(&mut conn, id).await?;
    let event = jobs::event_of(&mut conn, id).await?;
    let reruns = jobs::reruns(&mut conn, id).await?;
    let seen =
        deliveries::search(&mut conn, &SearchScope::Job(id), &DeliverySearchFilter::default(), None, MOST_DELIVERIES)
            .await?;
    let sent = listed(&mut conn, &seen.rows).await?;
    let mut attempts: HashMap<DeliveryId, Vec<AttemptRow>> = HashMap::new();
    for attempt in deliveries::attempts_of(&mut conn, &seen.rows).await? {
        attempts.entry(attempt.delivery_id).or_default().push(attempt);
    }
    let can_run = can_run(&verdict::processes(&mut conn).await?, &job);
    let bar = why_not_again(&mut conn, &job, &origin).await?;
    let media_ms = media_ms(&mut conn, &job, &origin).await?;
    drop(conn);
    let found = JobRecords {
        job: &job,
        standing: &standing,
        claims: &claims,
        entries: &entries,
        event: event.as_ref(),
        deliveries: &sent.rows,
        attempts: &attempts,
        now,
    };
    let steps = life::steps(&found);
    if visit.wants_json()? {
        return Ok(json(&life::document(&job, &steps, life::sums(&job, &entries))));
    }
    let waiting = WaitFacts { standing: &standing, last: claims.last(), can_run };
    let main = html! {
        h1 { "Job " span.id { (id) } }
        @match visit.asked("done") {
            Some("changed") => { p.done role="status" { "This is the job that does what was asked for." } }
            Some("retried") => { p.done role="status" { "This is the job that was started for it." } }
            Some("cancelled") => { p.done role="status" { "It is cancelled, or stops as soon as its worker notices." } }
            _ => {}
        }
        (shell::section("state", "State", &facts(&visit, &origin, &found, &waiting, &reruns)))
        (acts(&visit, &job, bar.as_ref(), standing.tool.as_deref()))
        (shell::section("life", "Its life", &html! {
            (lived(&steps, &job, &found))
            (priced(&job, media_ms, &visit.app.process.settings.rates))
            p { (shell::as_json(&visit)) }
        }))
        (shell::section("deliveries", "Deliveries", &deliveries_of(&sent, now)))
        (shell::section("document", "As its account sees it", &document(&visit, &job)))
        (shell::command(&format!("mws admin jobs get {id}")))
    };
    Ok(visit.whole(&format!("Job {id}"), &main))
}

/// Returns the length of the item that a read is computed of; none for other work, and once the item is deleted.
async fn media_ms(conn: &mut PgConnection, job: &Job, origin: &Origin) -> Answer<Option<i64>> {
    let Some(item) = origin.item.filter(|_| job.read.is_some()) else { return Ok(None) };
    Ok(items::find(conn, item).await?.and_then(|item| item.duration_ms))
}

fn document(visit: &Visit, job: &Job) -> Markup {
    html! {
        @if !visit.sees_payloads() { p { "Its result, its context and its item's ref: " (hidden()) } }
        (shell::document(&json_of(&JobAnswer::from(job.clone()))))
    }
}

async fn find(visit: &Visit, id: JobId) -> Answer<(Job, Origin)> {
    let mut conn = visit.conn().await?;
    let origin = jobs::origin(&mut conn, id).await?.ok_or_else(|| missing(id))?;
    let mut found = jobs::by_ids(&mut conn, &[id], None).await?;
    add_waits(&mut conn, &mut found, Some(origin.payer)).await?;
    let job = found.pop().ok_or_else(|| missing(id))?;
    Ok((super::jobs::shown(visit, job), origin))
}

fn missing(id: JobId) -> ApiError {
    ApiError::new(
        Code::JobNotFound,
        format!("Nothing has the id `{id}`. Jobs are kept for as long as the deployment says."),
    )
}

fn can_run(processes: &[verdict::ProcessRow], job: &Job) -> bool {
    let Some(task) = Task::of(job.kind, job.read) else { return false };
    let lives = |one: &&verdict::ProcessRow| one.service == "worker" && one.silent_seconds < SILENT_SECONDS;
    processes.iter().filter(lives).any(|one| one.tasks.iter().any(|own| own == task.name()))
}

fn facts(visit: &Visit, origin: &Origin, found: &JobRecords<'_>, waiting: &WaitFacts<'_>, reruns: &[JobId]) -> Markup {
    let job = found.job;
    let waits = life::why_it_waits(job, waiting);
    let now = found.now;
    html! {
        @if let Some(why) = &waits {
            p { b { "Why it waits: " } (why)
                @if waiting.is_put_off() { " To let it go on now: " code data-copy="" { "mws admin accounts forgive " (origin.payer) } }
                @if waiting.has_no_worker() { " What is missing: " code data-copy="" { "mws doctor --only engines" } }
                @if let Some(read) = job.read.filter(|_| waiting.standing.paused_at.is_some()) {
                    " To let it go on: " code data-copy="" { "mws admin reads resume " (read) }
                }
            }
        }
        @if let Some(error) = &job.error {
            p.fault { (error.code) ": " (error.message) @if error.retryable { " It may succeed when it is asked for again." } }
        }
        (shell::facts(&[
            ("Status", html! { (state(job.status.name())) " " span.number { (job.progress) " %" } }),
            ("Work", html! { (super::jobs::work(job)) }),
            ("Attempt", html! { (job.attempt) " of " (job.max_attempts) }),
            ("Created", time(job.created_at, now)),
            ("First claimed", time_or(job.started_at, now, "not yet")),
            ("Ended", time_or(job.finished_at, now, "not yet")),
            ("Due", time(found.standing.due_at, now)),
            ("Payer", link("accounts", origin.payer)),
            ("Owner", link("accounts", origin.owner)),
            ("Workspace", html! { a.id href={ "/console/jobs?workspace_id=" (origin.workspace) } { (origin.workspace) } }),
            ("Item", html! { @match origin.item { Some(item) => { (link_if_open(visit, item)) } None => { "–" } } }),
            ("Its other runs", other_runs(job, origin)),
            ("Runs again", html! { @match found.standing.rerun_of { Some(first) => { (link("jobs", first)) } None => { "–" } } }),
            ("Run again as", html! { @if reruns.is_empty() { "–" } @for rerun in reruns { (link("jobs", rerun)) " " } }),
            ("Request", html! { code { (or_dash(job.request_id.as_ref())) } }),
            ("Trace", trace(found.standing.traceparent.as_deref())),
            ("Context", theirs(visit, job.context.as_ref())),
        ]))
    }
}

/// The trace that the job was started within, with the way to all jobs of it.
fn trace(parent: Option<&str>) -> Markup {
    html! {
        code { (or_dash(parent)) }
        @if let Some(id) = parent.and_then(trace_of) { " " a href={ "/console/find?id=" (id) } { "All jobs of it" } }
    }
}

/// The jobs that computed the same read of the same item, this one among them.
fn other_runs(job: &Job, origin: &Origin) -> Markup {
    html! {
        @match (origin.item, job.read) {
            (Some(item), Some(read)) => {
                a href={ "/console/jobs?item_id=" (item) "&read=" (read) } { "All of this read of the item" }
            }
            _ => { "–" }
        }
    }
}

/// Shows what can be done to the job. `bar`: why it can't be run again as it was; `called`: the tool that started it.
fn acts(visit: &Visit, job: &Job, bar: Option<&Markup>, called: Option<&str>) -> Markup {
    html! {
        @if !is_live(job) && visit.may_act() {
            @match bar {
                None => { p.acts { a.button data-key="r" href={ "/console/jobs/" (job.id) "/retry" } { "Run again…" } } }
                Some(why) => { p.soft { "It can't be run again as it was. " (why) } }
            }
            @if changed::tool_of(job.read, called).is_some() {
                p.acts { a.button href={ "/console/jobs/" (job.id) "/change" } { "Run again with another input…" } }
            }
        }
        @if is_live(job) && visit.may_act() {
            p.acts { a.button href={ "/console/jobs/" (job.id) "/cancel" } { "Cancel…" } }
        }
    }
}

/// Returns why a job can't be run again, and what to do instead; none if it can.
async fn why_not_again(conn: &mut PgConnection, job: &Job, origin: &Origin) -> Answer<Option<Markup>> {
    if is_live(job) {
        return Ok(Some(html! { "It has not ended: wait for its end, or cancel it first." }));
    }
    let (Some(read), Some(item)) = (origin.read, origin.item) else {
        return Ok(Some(html! { "It is no read: whoever asked for it asks again, by the tool that started it." }));
    };
    if items::find(conn, item).await?.is_none() {
        return Ok(Some(html! { "Its item was deleted: there is nothing to read." }));
    }
    if reads::is_stored(conn, item, read).await? {
        return Ok(Some(html! {
            "What it computes is stored: each read of an item is computed once, and whoever asks for it gets that. The item "
            (link("items", item)) " has it. To have it computed anew, its account uploads the media as another item."
        }));
    }
    let is_over = job.status == JobStatus::Succeeded;
    Ok(is_over.then(|| html! { "It succeeded, and what it stored is gone: its account asks for the read again." }))
}

fn is_live(job: &Job) -> bool {
    matches!(job.status, JobStatus::Queued | JobStatus::Running)
}

fn lived(steps: &[Step], job: &Job, found: &JobRecords<'_>) -> Markup {
    let sums = life::sums(job, found.entries);
    let first = steps.first().map_or(job.created_at, |step| step.at);
    html! {
        div.scroll tabindex="0" role="group" aria-label="The job's life on one axis" { (axis::drawn(steps)) }
        p.sums {
            span { "held " (amount(sums.held)) }
            span { "charged " (or_dash(sums.charged)) }
            span { "freed " (or_dash(sums.freed)) }
            @if sums.adds_up { span.state.good { "✓ adds up" } } @else { span.state.bad { "✗ does not add up" } }
        }
        details {
            summary { "The same as a list" }
            ol.steps {
                @for step in steps {
                    li { span.number { (life::offset(first, step.at)) } " " (step.name)
                        @if let Some(until) = step.until {
                            ", for " span.number { (super::words::exact(super::words::seconds(until - step.at))) }
                        }
                    }
                }
            }
        }
    }
}

fn deliveries_of(sent: &Listed, now: chrono::DateTime<chrono::Utc>) -> Markup {
    if sent.rows.is_empty() {
        return html! { p.soft { "None: the job lives, or no endpoint is told of it." } };
    }
    rows(sent, now)
}

/// The page that asks before a job's read is run again.
pub(super) async fn confirm(visit: Visit) -> Answer<Response> {
    let id: JobId = visit.own_id(Code::JobNotFound)?;
    let (job, origin) = find(&visit, id).await?;
    if let Some(why) = why_not_again(&mut *visit.conn().await?, &job, &origin).await? {
        return Ok(not_again(&visit, "It can't be run again", id, &html! { p { (why) } }));
    }
    refuse_rerun(&visit.app, &origin).await?;
    let main = html! {
        h1 { "Run it again?" }
        p { "The read " b { (super::jobs::work(&job)) } " of the job " (link("jobs", id)) " is started anew, as a job of its own." }
        p { "Up to " (minutes(job.estimated_minutes)) " of " (link("accounts", origin.payer)) " are held for it, and what it takes is charged." }
        form method="post" { div.acts { button { "Run again" } a href={ "/console/jobs/" (id) } { "Leave it" } } }
        (shell::command(&format!("mws admin jobs retry {id}")))
    };
    Ok(visit.whole("Run it again?", &main))
}

/// Returns the page of a job that was not run again.
fn not_again(visit: &Visit, title: &str, id: JobId, why: &Markup) -> Response {
    visit.whole(title, &html! { h1 { (title) } (why) p { "The job " (link("jobs", id)) } })
}

/// Runs a job's read again.
pub(super) async fn retry(visit: Visit) -> Answer<Response> {
    let id: JobId = visit.own_id(Code::JobNotFound)?;
    let (read, answer) = run_again(&visit.app, &visit.caller, id).await?;
    if let ReadAnswer::Queued { job, .. } = answer {
        return Ok(leads_to(&format!("/console/jobs/{job}?done=retried")));
    }
    let (job, origin) = find(&visit, id).await?;
    let why = why_not_again(&mut *visit.conn().await?, &job, &origin).await?;
    let shown = json_of(&PreparedRead::of(read, &answer));
    let main = html! {
        @if let Some(why) = &why { p { (why) } }
        @else { p { "The answer was:" } pre { code { (format!("{shown:#}")) } } }
    };
    Ok(not_again(&visit, "Nothing was started", id, &main))
}

/// The page that asks before a job is cancelled.
pub(super) async fn confirm_cancel(visit: Visit) -> Answer<Response> {
    let id: JobId = visit.own_id(Code::JobNotFound)?;
    let (job, origin) = find(&visit, id).await?;
    let main = html! {
        h1 { "Cancel it?" }
        p { "The job " (link("jobs", id)) " (" (super::jobs::work(&job)) ") of " (link("accounts", origin.payer)) " is " (job.status.name()) "." }
        @if is_live(&job) {
            p {
                "It ends as cancelled: at once, or as soon as its worker notices. What is held for it, "
                (minutes(job.estimated_minutes)) ", is freed, nothing is charged, and its account is told."
            }
            form method="post" { div.acts { button { "Cancel the job" } a href={ "/console/jobs/" (id) } { "Leave it" } } }
        } @else {
            p { "It has ended, and stays as it is." }
        }
        (shell::command(&format!("mws admin jobs cancel {id}")))
    };
    Ok(visit.whole("Cancel it?", &main))
}

/// Cancels a job.
pub(super) async fn cancel(visit: Visit) -> Answer<Response> {
    let id: JobId = visit.own_id(Code::JobNotFound)?;
    cancel_job(&visit.app, &visit.caller, id).await?;
    Ok(leads_to(&format!("/console/jobs/{id}?done=cancelled")))
}
