//! A job's life as steps in time and amounts that add up, which the page of a job draws and lists. Pure: it works on
//! what was found, and reads nothing itself.

use super::words::exact;
use chrono::{DateTime, TimeDelta, Utc};
use domain::job::{Job, JobStatus};
use domain::minutes::Minutes;
use std::collections::HashMap;
use store::deliveries::{AttemptRow, DeliveryRow};
use store::jobs::{ClaimRow, EndEvent, Standing};
use store::statement::EntryRow;

/// The kinds of steps, which decide how a step is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// A moment without duration.
    Mark,
    /// Waiting.
    Wait,
    /// Work that is under way, or that ended in another way than the two below.
    Work,
    /// Work that succeeded.
    Good,
    /// Work that failed.
    Bad,
}

/// One step.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// The name of what happened.
    pub name: String,
    /// When it began.
    pub at: DateTime<Utc>,
    /// When it ended; none for a moment, and for a step that goes on.
    pub until: Option<DateTime<Utc>>,
    /// The kind of step.
    pub sort: Sort,
}

/// Everything that was found about a job.
pub(super) struct Found<'a> {
    pub job: &'a Job,
    pub standing: &'a Standing,
    pub claims: &'a [ClaimRow],
    pub entries: &'a [EntryRow],
    pub event: Option<&'a EndEvent>,
    pub deliveries: &'a [DeliveryRow],
    pub attempts: &'a HashMap<domain::ids::DeliveryId, Vec<AttemptRow>>,
    pub now: DateTime<Utc>,
}

/// Returns the steps, ordered by their starts.
pub(super) fn steps(found: &Found<'_>) -> Vec<Step> {
    let Found { job, standing, .. } = *found;
    let tool = standing.tool.as_deref().unwrap_or("a call");
    let mark = |name: String, at| Step { name, at, until: None, sort: Sort::Mark };
    let mut steps = vec![mark(format!("asked for by {tool}"), job.created_at)];
    for entry in found.entries {
        let sum = entry.month_amount + entry.bought_amount;
        steps.push(match entry.kind.as_str() {
            "hold" => mark(format!("{sum} minutes held"), entry.at),
            "settle" => mark(format!("{sum} minutes charged"), entry.at),
            _ => mark(format!("{sum} minutes freed", sum = job.estimated_minutes), entry.at),
        });
    }
    let first = found.claims.first().map(|claim| claim.claimed_at);
    let begun = first.or(job.finished_at);
    steps.push(Step {
        name: "waits for a worker".to_owned(),
        at: job.created_at,
        until: begun.or(Some(found.now)),
        sort: Sort::Wait,
    });
    steps.extend(found.claims.iter().map(|claim| worked(claim, found.now)));
    if let Some(event) = found.event {
        steps.push(mark(format!("event {} stored, {} bytes", event.event_type, event.bytes), event.created_at));
    }
    for delivery in found.deliveries {
        let of = found.attempts.get(&delivery.id).map(Vec::as_slice).unwrap_or_default();
        steps.extend(of.iter().map(|attempt| sent(delivery, attempt)));
        if let Some(next) = delivery.next_attempt_at {
            steps.push(mark(format!("next attempt to {} is due", delivery.endpoint_id), next));
        }
    }
    steps.sort_by_key(|step| step.at);
    steps
}

fn worked(claim: &ClaimRow, now: DateTime<Utc>) -> Step {
    let (outcome, sort) = match claim.outcome.as_deref() {
        None => ("runs", Sort::Work),
        Some("succeeded") => ("succeeded", Sort::Good),
        Some("handed_back") => ("handed back", Sort::Work),
        Some(other) => (other, Sort::Bad),
    };
    let why = claim.error_code.as_deref().map(|code| format!(" ({code})")).unwrap_or_default();
    let name = format!("claim {}: {outcome}{why}, by {}", claim.claim_no, claim.worker);
    Step { name, at: claim.claimed_at, until: Some(claim.ended_at.unwrap_or(now)), sort }
}

fn sent(delivery: &DeliveryRow, attempt: &AttemptRow) -> Step {
    let answer = match (attempt.response_status, &attempt.error) {
        (Some(status), _) => status.to_string(),
        (None, Some(error)) => error.clone(),
        (None, None) => "no answer".to_owned(),
    };
    let name = format!("attempt {} to {}: {answer}", attempt.attempt, delivery.endpoint_id);
    let until = attempt.at + TimeDelta::milliseconds(attempt.duration_ms.into());
    Step {
        name,
        at: attempt.at,
        until: Some(until),
        sort: if attempt.error.is_none() { Sort::Good } else { Sort::Bad },
    }
}

/// The minutes of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sums {
    /// The minutes that its hold set aside.
    pub held: Minutes,
    /// The minutes of the hold that were charged; none while the job is live.
    pub charged: Option<Minutes>,
    /// The minutes of the hold that were released; none while the job is live.
    pub freed: Option<Minutes>,
    /// Whether the journal agrees with the job, and its amounts add up.
    pub adds_up: bool,
}

/// Returns the amounts of the journal, compared with the job.
pub(super) fn sums(job: &Job, entries: &[EntryRow]) -> Sums {
    let of = |kind: &str| {
        let mut found = entries.iter().filter(|entry| entry.kind == kind);
        found.next().map(|entry| entry.month_amount + entry.bought_amount)
    };
    let held = of("hold").unwrap_or_default();
    let change: Minutes = entries.iter().map(|entry| entry.month_change + entry.bought_change).sum();
    let charged = of("settle").or_else(|| entries.iter().any(|entry| entry.kind == "release").then_some(Minutes::ZERO));
    let freed = charged.map(|charged| held - charged);
    // A hold and its end together change the balance by minus the charge.
    let whole = charged.is_none_or(|charged| change + charged == Minutes::ZERO);
    let ended = matches!(job.status, JobStatus::Succeeded | JobStatus::Failed | JobStatus::Cancelled);
    let adds_up = whole && held == job.estimated_minutes && charged == job.cloud_minutes && ended == charged.is_some();
    Sums { held, charged, freed, adds_up }
}

/// Returns the reason why a queued job waits; none for any other.
pub(super) fn why_it_waits(job: &Job, standing: &Standing, can_run: bool) -> Option<String> {
    if job.status != JobStatus::Queued {
        return None;
    }
    Some(if standing.paused_at.is_some() {
        "Its read is paused: it goes on once the read is resumed.".to_owned()
    } else if standing.is_delayed {
        "An attempt failed, and the next one is due later.".to_owned()
    } else if !standing.admitted {
        let line = if standing.before >= 1_000 { "1,000 or more".to_owned() } else { standing.before.to_string() };
        format!("Its account has all its places in use; {line} of its jobs are before it.")
    } else if !can_run {
        "No worker that lives has an engine for it.".to_owned()
    } else {
        "It is due, and waits for a free slot of a worker.".to_owned()
    })
}

/// Returns the time from the first step to this one.
pub(super) fn offset(first: DateTime<Utc>, at: DateTime<Utc>) -> String {
    format!("+{}", exact(super::words::seconds(at - first)))
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn a_job_that_waits_is_told_why() {
        let standing = Standing {
            tool: None,
            traceparent: None,
            admitted: true,
            due_at: at(0),
            is_delayed: false,
            before: 3,
            paused_at: None,
        };
        let queued = job(JobStatus::Queued, None);
        let why = |standing: &Standing, can_run| why_it_waits(&queued, standing, can_run).unwrap_or_default();
        assert!(why(&standing, true).contains("free slot"));
        assert!(why(&standing, false).contains("No worker"));
        assert!(why(&Standing { admitted: false, ..standing.clone() }, true).contains("3 of its jobs"));
        assert!(why(&Standing { paused_at: Some(at(0)), ..standing.clone() }, true).contains("paused"));
        assert_eq!(why_it_waits(&job(JobStatus::Running, None), &standing, true), None);
    }
}
