//! Running failed reads again, many at once: a page that counts what matches and what is held for it, and a form that
//! runs it. The page's link fixes the times; each press takes the newest of what is left, and leads on to the rest.

use super::jobs::{moment, search_scope};
use super::words::amount;
use super::{Visit, leads_to, shell};
use crate::http::error::{Answer, Code};
use crate::http::text::Time;
use crate::resources::operator::jobs::OperatorJobs;
use crate::resources::tools::prepare_media::ReadStatus;
use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::JobId;
use domain::job::{Job, JobStatus};
use domain::minutes::Minutes;
use domain::read::Read;
use maud::{Markup, html};
use poem::Response;
use std::collections::HashSet;
use store::jobs::{self, JobSearchFilter};

const FILTERS: [&str; 5] = ["read", "error_code", "account_id", "workspace_id", "item_id"];
/// How many jobs are run again by one press of the button.
const MOST: usize = 100;
/// How far back the page looks, unless it is told.
const USUAL_HOURS: i64 = 24;

/// Failed reads, one job of each item and read.
struct Matching {
    since: DateTime<Utc>,
    until: DateTime<Utc>,
    jobs: Vec<Job>,
    payers: usize,
    /// The last job that was looked at, if there may be older ones that match.
    last: Option<JobId>,
}

/// What the page is asked for.
struct Wanted {
    since: DateTime<Utc>,
    until: DateTime<Utc>,
    reads: Vec<Read>,
    error_code: Option<String>,
    /// Only jobs that are older than this one.
    before: Option<JobId>,
}

async fn wanted(visit: &Visit) -> Answer<Wanted> {
    let known: Vec<&str> =
        FILTERS.into_iter().chain(["since", "until", "before", "started", "there", "refused"]).collect();
    visit.takes(&known)?;
    let now = visit.now().await?;
    let until = moment(visit, "until")?.unwrap_or(now);
    let since = moment(visit, "since")?.unwrap_or(until - TimeDelta::hours(USUAL_HOURS));
    let read = visit.word("read", Read::from_name)?;
    let reads = read.map_or_else(|| Read::ALL.to_vec(), |read| vec![read]);
    let error_code = visit.asked("error_code").map(str::to_owned);
    Ok(Wanted { since, until, reads, error_code, before: visit.id_in("before")? })
}

async fn matching(visit: &Visit) -> Answer<Matching> {
    let Wanted { since, until, reads, error_code, before } = wanted(visit).await?;
    let filter = JobSearchFilter {
        statuses: vec![JobStatus::Failed],
        reads,
        error_code,
        since: Some(since),
        until: Some(until),
        ..JobSearchFilter::default()
    };
    let mut conn = visit.conn().await?;
    let scope = search_scope(visit, &mut conn).await?;
    let fetched = i64::try_from(MOST + 1).unwrap_or(i64::MAX);
    let mut seen = jobs::search(&mut conn, &scope, &filter, before, fetched).await?;
    let is_full = seen.rows.len() > MOST;
    seen.rows.truncate(MOST);
    let last = if is_full { seen.rows.last().map(|found| found.job) } else { seen.last_seen.map(JobId::from) };
    let payers: HashSet<_> = seen.rows.iter().map(|found| found.payer).collect();
    let ids: Vec<JobId> = seen.rows.iter().map(|found| found.job).collect();
    let mut jobs = jobs::by_ids(&mut conn, &ids, None).await?;
    let mut seen_reads = HashSet::new();
    jobs.retain(|job| seen_reads.insert((job.item_id, job.read)));
    Ok(Matching { since, until, jobs, payers: payers.len(), last })
}

/// The page that counts.
pub(super) async fn show(visit: Visit) -> Answer<Response> {
    let matching = matching(&visit).await?;
    let main = html! {
        h1 { "Run failed reads again" }
        (done(&visit))
        (shell::filters("/rerun", &fields(&visit, &matching)))
        (shell::still("found", "What would be run", &found(&matching)))
        @if visit.may_act() && !matching.jobs.is_empty() {
            form method="post" action={ "/console/rerun?" (kept(&visit, &matching, None)) } {
                div.acts { button { "Run " (matching.jobs.len()) " again" } a href="/console/errors" { "Leave it" } }
            }
        }
        @if let Some(last) = matching.last {
            p { a href={ "/console/rerun?" (kept(&visit, &matching, Some(last))) } { "Older ones" } }
        }
        (shell::command(&command(&visit)))
    };
    Ok(visit.whole("Run again", &main))
}

/// What became of the last press of the button.
fn done(visit: &Visit) -> Markup {
    let counts = ["started", "there", "refused"].map(|name| visit.asked(name));
    html! { @if let [Some(started), Some(there), Some(refused)] = counts {
        p.done role="status" {
            (started) " were started, " (there) " are stored or under way already, " (refused) " could not start. "
            a href="/console/audit?action=job.retry" { "Who ran what" }
        }
    } }
}

fn found(matching: &Matching) -> Markup {
    let minutes: Minutes = matching.jobs.iter().map(|job| job.estimated_minutes).sum();
    html! {
        p { b { (matching.jobs.len()) } " reads of " b { (matching.payers) } " accounts failed, of jobs that were started between "
            (Time(matching.since)) " and " (Time(matching.until)) ". Up to " (amount(minutes)) " minutes of their payers are held for them." }
        p.soft { "Each item and read is run once, as a job of its own. One that is stored meanwhile, or under way, is left." }
        @if matching.jobs.is_empty() { p.empty { "There are none. Look further back, or with fewer filters." } }
    }
}

/// The query that asks for the same, or for what is older than a job.
fn kept(visit: &Visit, matching: &Matching, before: Option<JobId>) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("since", &Time(matching.since).to_string());
    query.append_pair("until", &Time(matching.until).to_string());
    query.extend_pairs(FILTERS.iter().filter_map(|name| Some((*name, visit.asked(name)?))));
    let before = before.map(|job| job.to_string()).or_else(|| visit.asked("before").map(str::to_owned));
    query.extend_pairs(before.map(|job| ("before", job)));
    query.finish()
}

/// Runs again what matches.
pub(super) async fn run(visit: Visit) -> Answer<Response> {
    let matching = matching(&visit).await?;
    let (mut started, mut there, mut refused) = (0_u32, 0_u32, 0_u32);
    for job in &matching.jobs {
        let prepared = OperatorJobs(visit.app.clone()).run_again(&visit.caller, job.id).await;
        match prepared {
            Ok(prepared) if prepared.already_queued == Some(false) => started += 1,
            Ok(prepared) if matches!(prepared.status, ReadStatus::Ready | ReadStatus::Queued) => there += 1,
            Ok(_) => refused += 1,
            Err(refusal) if can_be_passed_over(refusal.code()) => refused += 1,
            Err(refusal) => return Err(refusal),
        }
    }
    let counts = format!("started={started}&there={there}&refused={refused}");
    Ok(leads_to(&format!("/console/rerun?{}&{counts}", kept(&visit, &matching, matching.last))))
}

/// Whether a refusal is of one job, and says nothing of the others.
fn can_be_passed_over(code: Code) -> bool {
    matches!(code, Code::JobNotFound | Code::IllegalTransition | Code::ReadNotApplicable)
}

fn fields(visit: &Visit, matching: &Matching) -> Markup {
    html! {
        (shell::choice(visit, "read", "Read", Read::ALL.map(Read::name)))
        (shell::text_field(visit, "error_code", "Error code"))
        (shell::text_field(visit, "account_id", "Account"))
        (shell::text_field(visit, "workspace_id", "Workspace"))
        (shell::text_field(visit, "item_id", "Item"))
        div { label for="f-since" { "Since (RFC 3339)" }
            input #f-since name="since" value=(Time(matching.since)) autocomplete="off" spellcheck="false"; }
        (shell::text_field(visit, "until", "Until"))
    }
}

fn command(visit: &Visit) -> String {
    let flags = [
        ("read", "--read"),
        ("error_code", "--error"),
        ("account_id", "--account"),
        ("workspace_id", "--workspace"),
        ("item_id", "--item"),
    ];
    let list = super::words::command("mws admin jobs list --status failed --since 24h --all --ids", visit, &flags);
    format!("{list} | xargs -n 1 mws admin jobs retry")
}
