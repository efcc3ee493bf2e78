//! A job's life: what it cost, what it waits for, and when.

use super::*;
use chrono::NaiveDate;
use domain::credits::Credits;
use domain::ids::{JobId, WorkspaceId};
use domain::job::JobKind;

fn at(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000 + second, 0).expect("a time")
}

fn job(status: JobStatus, cloud: Option<i64>) -> Job {
    Job {
        id: JobId::mint(),
        workspace_id: WorkspaceId::mint(),
        kind: JobKind::Read,
        read: None,
        item_id: None,
        item_ref: None,
        status,
        progress: 0,
        attempt: 1,
        max_attempts: 3,
        cancel_requested: false,
        waits: None,
        estimated_minutes: Minutes::from_hundredths(250),
        cloud_minutes: cloud.map(Minutes::from_hundredths),
        estimated_credits: Credits::ZERO,
        credits: cloud.map(|_| Credits::ZERO),
        result: None,
        error: None,
        context: None,
        request_id: None,
        created_at: at(0),
        started_at: None,
        finished_at: None,
    }
}

fn entry(kind: &str, amount: i64, change: i64) -> EntryRow {
    EntryRow {
        id: 1,
        at: at(0),
        month: NaiveDate::from_ymd_opt(2026, 11, 1).expect("a day"),
        kind: kind.to_owned(),
        job_id: None,
        month_amount: Minutes::from_hundredths(amount),
        bought_amount: Minutes::ZERO,
        month_change: Minutes::from_hundredths(change),
        bought_change: Minutes::ZERO,
        credit_change: Credits::ZERO,
        note: None,
        reference: None,
    }
}

#[test]
fn amounts_add_up_or_it_is_told_that_they_do_not() {
    let held = entry("hold", 250, -250);
    let live = sums(&job(JobStatus::Running, None), std::slice::from_ref(&held));
    assert_eq!((live.charged, live.freed, live.adds_up), (None, None, true));
    let entries = [entry("settle", 231, 19), held.clone()];
    let ended = sums(&job(JobStatus::Succeeded, Some(231)), &entries);
    assert_eq!((ended.freed, ended.adds_up), (Some(Minutes::from_hundredths(19)), true));
    let released = [entry("release", 250, 250), held.clone()];
    assert!(sums(&job(JobStatus::Failed, Some(0)), &released).adds_up);
    assert!(!sums(&job(JobStatus::Succeeded, Some(230)), &entries).adds_up, "the job says otherwise");
    assert!(!sums(&job(JobStatus::Succeeded, Some(231)), &[held]).adds_up, "it ended, and the hold did not");
}

fn waiting(standing: &Standing, can_run: bool) -> WaitFacts<'_> {
    WaitFacts { standing, last: None, can_run }
}

fn due() -> Standing {
    Standing {
        tool: None,
        traceparent: None,
        rerun_of: None,
        admitted: true,
        due_at: at(0),
        is_delayed: false,
        before: 3,
        paused_at: None,
    }
}

#[test]
fn a_job_that_waits_is_told_why() {
    let (standing, queued) = (due(), job(JobStatus::Queued, None));
    let why = |standing: &Standing, can_run| why_it_waits(&queued, &waiting(standing, can_run)).unwrap_or_default();
    assert!(why(&standing, true).contains("free slot"));
    assert!(why(&standing, false).contains("No worker"));
    assert!(why(&Standing { admitted: false, ..standing.clone() }, true).contains("3 of its jobs"));
    assert!(why(&Standing { admitted: false, before: 1, ..standing.clone() }, true).contains("One of its jobs is"));
    assert!(why(&Standing { paused_at: Some(at(0)), ..standing.clone() }, true).contains("paused"));
    assert_eq!(why_it_waits(&job(JobStatus::Running, None), &waiting(&standing, true)), None);
}

#[test]
fn a_job_that_is_due_later_is_told_why_by_its_last_claim() {
    let standing = Standing { is_delayed: true, ..due() };
    let claim = |outcome: &str, code: Option<&str>, message: Option<&str>| ClaimRow {
        claim_no: 1,
        worker: "w".to_owned(),
        claimed_at: at(0),
        ended_at: Some(at(1)),
        outcome: Some(outcome.to_owned()),
        error_code: code.map(str::to_owned),
        error_message: message.map(str::to_owned),
    };
    let unpaid = "Its account has used up a day's unpaid processor time.";
    for (last, is_put_off, says) in [
        (claim("failed", Some("reader_timeout"), Some("It took too long.")), false, "attempt failed (reader_timeout)"),
        (claim("handed_back", None, None), false, "put back, uncounted"),
        (claim("handed_back", Some("rate_limited"), Some(unpaid)), true, "unpaid processor time."),
    ] {
        let waiting = WaitFacts { standing: &standing, last: Some(&last), can_run: true };
        let why = why_it_waits(&job(JobStatus::Queued, None), &waiting).unwrap_or_default();
        assert!(why.contains(says), "{why}");
        assert_eq!(waiting.is_put_off(), is_put_off, "{why}");
    }
}

#[test]
fn claims_that_are_left_out_are_told_of_where_they_would_stand() {
    let claim = |claim_no: i32| ClaimRow {
        claim_no,
        worker: "w".to_owned(),
        claimed_at: at(claim_no.into()),
        ended_at: Some(at(claim_no.into())),
        outcome: Some("handed_back".to_owned()),
        error_code: None,
        error_message: None,
    };
    let (job, standing, attempts) = (job(JobStatus::Queued, None), due(), HashMap::new());
    let told = |claims: &[ClaimRow]| {
        let (entries, deliveries) = (&[], &[]);
        let (job, standing, attempts) = (&job, &standing, &attempts);
        let now = at(1_000);
        steps(&JobRecords { job, standing, claims, entries, event: None, deliveries, attempts, now })
    };
    let names: Vec<String> = told(&[claim(1), claim(801), claim(802)]).into_iter().map(|step| step.name).collect();
    let wanted = ["claim 1: handed", "claims 2 to 800 are not shown", "claim 801: handed", "claim 802: handed"];
    assert!(names[names.len() - 4..].iter().zip(wanted).all(|(name, wanted)| name.starts_with(wanted)), "{names:?}");
    assert!(told(&[claim(1), claim(2)]).iter().all(|step| !step.name.contains("not shown")));
}
