//! Running failed reads again, many at once: what matches is counted with what is held for it, and then run. Each press
//! of the button takes the newest of what is left, and leads on to the rest.

use super::bulk::{BY_A_BUTTON, Bulk, Parts, Period, RefusedForm, done, is_wrong, none, refuse_untyped, why};
use super::jobs::search_scope;
use super::words::{minutes, word};
use super::{Visit, leads_to, shell};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::pages::field;
use crate::http::text::Time;
use crate::usecases::operator::bulk_operations::{self as acts, BulkAsked, BulkSelection};
use crate::usecases::operator::jobs::run_again;
use domain::bulk::MOST_NAME_CHARACTERS;
use domain::ids::JobId;
use domain::job::{Job, JobStatus};
use domain::minutes::Minutes;
use domain::plan::Answer as ReadAnswer;
use domain::read::Read;
use maud::{Markup, html};
use poem::Response;
use std::collections::HashSet;
use store::jobs::{self, JobSearchFilter, RerunFilter, RerunOf};

const PAGE: Bulk = Bulk {
    path: "/rerun",
    back: "/console/errors",
    title: "Run failed reads again",
    counted: "What would be run",
    verb: "Run",
    filters: &["read", "error_code", "account_id", "workspace_id", "item_id"],
    results: &["before", "started", "there", "refused"],
    fields,
};

/// How many jobs are run again by one press of the button.
const MOST: usize = 100;

/// Failed reads, one job of each item and read.
struct Matching {
    period: Period,
    jobs: Vec<Job>,
    payers: usize,
    /// The last job that was looked at, if there may be older ones that match.
    last: Option<JobId>,
}

async fn matching(visit: &Visit) -> Answer<Matching> {
    let period = PAGE.period(visit).await?;
    let read = visit.word("read", Read::from_name)?;
    let before: Option<JobId> = visit.id_in("before")?;
    let filter = JobSearchFilter {
        statuses: vec![JobStatus::Failed],
        reads: read.map_or_else(|| Read::ALL.to_vec(), |read| vec![read]),
        error_code: visit.asked("error_code").map(str::to_owned),
        since: Some(period.since),
        until: Some(period.until),
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
    Ok(Matching { period, jobs, payers: payers.len(), last })
}

impl Matching {
    fn many(&self) -> u64 {
        self.jobs.len() as u64
    }
}

/// Returns the parameter of the query for jobs that are older than this one; without one, for those that the query asks
/// for.
fn older_than(visit: &Visit, last: Option<JobId>) -> Vec<(&'static str, String)> {
    let before = last.map(|job| job.to_string()).or_else(|| visit.asked("before").map(str::to_owned));
    before.map(|job| ("before", job)).into_iter().collect()
}

/// The page that counts.
pub(super) async fn show(visit: Visit) -> Answer<Response> {
    PAGE.takes(&visit)?;
    let shown = page(&visit, None).await;
    PAGE.or_refused(visit, shown)
}

/// Returns the page. `refused`: why the form was refused, if it was; it then stands there as it was sent.
async fn page(visit: &Visit, refused: Option<RefusedForm>) -> Answer<Response> {
    let matching = matching(visit).await?;
    let more = html! {
        @if let Some(last) = matching.last {
            p { a href=(PAGE.link(visit, matching.period, &older_than(visit, Some(last)))) { "Older ones" } }
        }
    };
    let whole = whole(visit, matching.period).await?;
    let asked = match &whole {
        // These may be older than all that the page looked at.
        Some(whole) if whole.many() > 0 => in_the_background(visit, matching.period, whole, refused.as_ref()).await?,
        _ => Markup::default(),
    };
    let parts = Parts {
        many: matching.many(),
        has_more: false,
        done: ran(visit),
        refused,
        found: found(&matching),
        warning: Markup::default(),
        asked,
        more,
        command: command(visit),
    };
    let here = PAGE.link(visit, matching.period, &older_than(visit, None));
    Ok(PAGE.page(visit, matching.period, &here, &parts))
}

/// What became of the last press of the button.
fn ran(visit: &Visit) -> Markup {
    let counts = ["started", "there", "refused"].map(|name| visit.asked(name));
    let [Some(started), Some(there), Some(refused)] = counts else { return Markup::default() };
    let result = html! {
        (started) " " (word(started == "1", "was", "were")) " started, "
        (there) " " (word(there == "1", "is", "are")) " stored or under way already, " (refused) " could not start."
        @if refused != "0" { " The page of each such job says why." }
        @if started != "0" { " What comes of those that were started is awaited, and stands with " a href="/console/jobs" { "the newest jobs" } "." }
    };
    done(&result, "job.retry", "Who ran what")
}

fn found(matching: &Matching) -> Markup {
    let held: Minutes = matching.jobs.iter().map(|job| job.estimated_minutes).sum();
    html! {
        p {
            b { (matching.jobs.len()) } " " (word(matching.jobs.len() == 1, "read", "reads")) " of "
            b { (matching.payers) } " " (word(matching.payers == 1, "account", "accounts"))
            " failed, of jobs that were started between " (Time(matching.period.since)) " and " (Time(matching.period.until))
            ". Up to " (minutes(held)) " of their payers are held to run them again."
        }
        p.soft { "Each item and read is run once, as a job of its own. One that is stored meanwhile, or under way, is left." }
        @if matching.jobs.is_empty() { (none()) }
    }
}

/// All failed reads that match, which a bulk operation runs again.
struct Whole {
    filter: RerunFilter,
    payers: Vec<RerunOf>,
}

impl Whole {
    fn many(&self) -> u64 {
        self.payers.iter().map(|one| one.count.unsigned_abs()).sum()
    }
}

/// Counts all failed reads that match; none where a filter is asked for that a bulk operation does not have.
async fn whole(visit: &Visit, period: Period) -> Answer<Option<Whole>> {
    if visit.asked("workspace_id").is_some() || visit.asked("item_id").is_some() {
        return Ok(None);
    }
    let filter = RerunFilter {
        since: period.since,
        until: Some(period.until),
        account: visit.id_in("account_id")?,
        read: visit.word("read", Read::from_name)?,
        error_code: visit.asked("error_code").map(str::to_owned),
    };
    let payers = jobs::reruns_of(&mut *visit.conn().await?, &filter).await?;
    Ok(Some(Whole { filter, payers }))
}

/// The name of an operation that is given none.
fn usual_name(period: Period) -> String {
    format!("Failed reads from {} to {}", Time(period.since), Time(period.until))
}

/// Shows the part of the form that starts a bulk operation of all that match, with what it holds.
async fn in_the_background(
    visit: &Visit,
    period: Period,
    whole: &Whole,
    refused: Option<&RefusedForm>,
) -> Answer<Markup> {
    let free = acts::free_name(&mut *visit.conn().await?, &usual_name(period)).await?;
    let written = field(&visit.form, "name");
    let name = if written.trim().is_empty() { free.as_str() } else { written.as_str() };
    let held = Minutes::from_hundredths(whole.payers.iter().map(|one| one.minutes).sum());
    let many = whole.many();
    Ok(html! {
        p {
            "Or all that match and were not started again since, in the background: " (many) " "
            (word(many == 1, "read", "reads")) " of " (whole.payers.len()) " "
            (word(whole.payers.len() == 1, "account", "accounts")) ", for which " (minutes(held))
            " were held. The accounts that paid pay again; a read that can't be held is skipped, with the reason."
        }
        label for="name" { "Name of the operation: " }
        input.name #name name="name" value=(name) maxlength=(MOST_NAME_CHARACTERS) autocomplete="off"
            aria-invalid=[is_wrong(refused, "name").then_some("true")];
        (why(refused, "name"))
        @if many > BY_A_BUTTON {
            label for="count" { "To do so with so many, type their number: " }
            input #count name="count" inputmode="numeric" autocomplete="off" value=(field(&visit.form, "count"))
                aria-invalid=[is_wrong(refused, "count").then_some("true")];
            (why(refused, "count"))
        }
        button name="bulk" value="yes" { "Run all " (many) " in the background" }
    })
}

/// Starts the operation that runs all that match again.
async fn start_bulk(visit: &Visit) -> Answer<Response> {
    let period = PAGE.period(visit).await?;
    let Some(whole) = whole(visit, period).await? else {
        let words = "A bulk operation of failed reads has no filter by workspace or item.";
        return Err(ApiError::new(Code::InvalidRequest, words));
    };
    if let Err(refusal) = refuse_untyped(visit, whole.many()) {
        return page(visit, Some(RefusedForm { refusal, field: "count" })).await;
    }
    let named = field(&visit.form, "name");
    let name = if named.trim().is_empty() { usual_name(period) } else { named };
    let asked = BulkAsked { name, selection: BulkSelection::Failed(whole.filter), pace: None };
    let refusal = match acts::start(&visit.app, &visit.caller, &asked).await {
        Ok(started) => return Ok(leads_to(&format!("/console/bulk/{}", started.id))),
        Err(refusal) if refusal.code().status().is_client_error() => refusal,
        Err(fault) => return Err(fault),
    };
    let is_name = refusal.code() == Code::NameTaken || refusal.message().starts_with("`name`");
    page(visit, Some(RefusedForm { refusal, field: if is_name { "name" } else { "" } })).await
}

/// Runs again what matches: the newest at once, or all of it by a bulk operation.
pub(super) async fn run(visit: Visit) -> Answer<Response> {
    PAGE.takes(&visit)?;
    if field(&visit.form, "bulk") == "yes" {
        return start_bulk(&visit).await;
    }
    let matching = matching(&visit).await?;
    refuse_untyped(&visit, matching.many())?;
    let (mut started, mut there, mut refused) = (0_u32, 0_u32, 0_u32);
    for job in &matching.jobs {
        match run_again(&visit.app, &visit.caller, job.id).await {
            Ok((_, ReadAnswer::Queued { already: false, .. })) => started += 1,
            Ok((_, ReadAnswer::Queued { .. } | ReadAnswer::Ready)) => there += 1,
            Ok((_, ReadAnswer::Startable { .. } | ReadAnswer::Not(_))) => refused += 1,
            Err(refusal) if can_be_passed_over(refusal.code()) => refused += 1,
            Err(refusal) => return Err(refusal),
        }
    }
    let mut results = older_than(&visit, matching.last);
    results.extend(
        [("started", started), ("there", there), ("refused", refused)].map(|(name, many)| (name, many.to_string())),
    );
    Ok(leads_to(&PAGE.link(&visit, matching.period, &results)))
}

/// Whether a refusal is of one job or its account, and says nothing of the others.
fn can_be_passed_over(code: Code) -> bool {
    matches!(
        code,
        Code::JobNotFound
            | Code::IllegalTransition
            | Code::ReadNotApplicable
            | Code::AccountSuspended
            | Code::WorkspaceForbidden
    )
}

fn fields(visit: &Visit) -> Markup {
    html! {
        (shell::choice(visit, "read", "Read", Read::ALL.map(Read::name)))
        (shell::text_field(visit, "error_code", "Error code"))
        (shell::text_field(visit, "account_id", "Account"))
        (shell::text_field(visit, "workspace_id", "Workspace"))
        (shell::text_field(visit, "item_id", "Item"))
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
