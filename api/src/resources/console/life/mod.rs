//! A job's life as steps in time and amounts that add up, which the page of a job draws and lists. Pure: it works on
//! what was found, and reads nothing itself.

use super::words::{exact, word};
use crate::http::json::json_of;
use crate::http::text::Time;
use chrono::{DateTime, TimeDelta, Utc};
use domain::job::{Job, JobStatus, Wait};
use domain::minutes::Minutes;
use serde_json::{Value, json};
use std::collections::HashMap;
use store::deliveries::{AttemptRow, DeliveryRow};
use store::jobs::{ClaimRow, EndEvent, Standing};
use store::journal::EntryRow;

/// The kinds of steps, which decide how a step is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepKind {
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

impl StepKind {
    /// Returns its name in the page's JSON.
    const fn name(self) -> &'static str {
        match self {
            Self::Mark => "moment",
            Self::Wait => "waits",
            Self::Work => "work",
            Self::Good => "succeeded",
            Self::Bad => "failed",
        }
    }
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
    pub kind: StepKind,
}

/// What is stored about a job, from which its life is told.
pub(super) struct JobRecords<'a> {
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
pub(super) fn steps(found: &JobRecords<'_>) -> Vec<Step> {
    let JobRecords { job, standing, .. } = *found;
    let tool = standing.tool.as_deref().unwrap_or("a call");
    let mark = |name: String, at| Step { name, at, until: None, kind: StepKind::Mark };
    let mut steps = vec![mark(format!("asked for by {tool}"), job.created_at)];
    for entry in found.entries {
        let sum = entry.month_amount + entry.bought_amount;
        steps.push(match entry.kind.as_str() {
            "hold" => mark(format!("{} held", in_minutes(sum)), entry.at),
            "settle" => mark(format!("{} charged", in_minutes(sum)), entry.at),
            _ => mark(format!("{} freed", in_minutes(job.estimated_minutes)), entry.at),
        });
    }
    let first = found.claims.first().map(|claim| claim.claimed_at);
    let begun = first.or(job.finished_at);
    steps.push(Step {
        name: "waits for a worker".to_owned(),
        at: job.created_at,
        until: begun.or(Some(found.now)),
        kind: StepKind::Wait,
    });
    steps.extend(found.claims.windows(2).filter_map(|pair| match pair {
        [before, after] if after.claim_no > before.claim_no + 1 => {
            let left_out = format!("claims {} to {} are not shown", before.claim_no + 1, after.claim_no - 1);
            Some(mark(left_out, after.claimed_at))
        }
        _ => None,
    }));
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

fn in_minutes(sum: Minutes) -> String {
    format!("{sum} {}", word(sum.hundredths() == 100, "minute", "minutes"))
}

fn worked(claim: &ClaimRow, now: DateTime<Utc>) -> Step {
    let (outcome, kind) = match claim.outcome.as_deref() {
        None => ("runs", StepKind::Work),
        Some("succeeded") => ("succeeded", StepKind::Good),
        Some("handed_back") => ("handed back", StepKind::Work),
        Some(other) => (other, StepKind::Bad),
    };
    let why = claim.error_code.as_deref().map(|code| format!(" ({code})")).unwrap_or_default();
    let name = format!("claim {}: {outcome}{why}, by {}", claim.claim_no, claim.worker);
    Step { name, at: claim.claimed_at, until: Some(claim.ended_at.unwrap_or(now)), kind }
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
        kind: if attempt.error.is_none() { StepKind::Good } else { StepKind::Bad },
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

/// Returns a job's life as JSON: its steps in time, and its amounts in minutes; of a live job none is charged or freed.
pub(super) fn document(job: &Job, steps: &[Step], sums: Sums) -> Value {
    let shown = |step: &Step| {
        json!({
            "name": step.name,
            "kind": step.kind.name(),
            "at": json_of(&Time(step.at)),
            "until": step.until.map(|until| json_of(&Time(until))),
        })
    };
    json!({
        "job_id": job.id.to_string(),
        "steps": steps.iter().map(shown).collect::<Vec<_>>(),
        "held_minutes": sums.held,
        "charged_minutes": sums.charged,
        "freed_minutes": sums.freed,
        "adds_up": sums.adds_up,
    })
}

/// What a job's waiting depends on beside the job itself.
pub(super) struct WaitFacts<'a> {
    /// Where it stands.
    pub standing: &'a Standing,
    /// Its last claim.
    pub last: Option<&'a ClaimRow>,
    /// Whether a worker that lives has an engine for it.
    pub can_run: bool,
}

impl WaitFacts<'_> {
    /// Returns what it waits for, by the same rule as its account is told by.
    fn wait(&self) -> Wait {
        let standing = self.standing;
        let depends = domain::job::Waiting {
            is_paused: standing.paused_at.is_some(),
            due_at: standing.is_delayed.then_some(standing.due_at),
            has_place: standing.admitted,
            can_run: self.can_run,
            outcome: self.last.and_then(|claim| claim.outcome.clone()),
            error_code: self.last.and_then(|claim| claim.error_code.clone()),
        };
        depends.wait()
    }

    /// Whether the job is put off since its payer has used up a day's unpaid processor time.
    pub(super) fn is_put_off(&self) -> bool {
        self.wait() == Wait::ProcessorTime
    }

    /// Whether the job waits for a worker that can run it.
    pub(super) fn has_no_worker(&self) -> bool {
        self.wait() == Wait::Engine
    }
}

/// Returns the reason why a queued job waits; none for any other. Operators are told more of it than its account.
pub(super) fn why_it_waits(job: &Job, waiting: &WaitFacts<'_>) -> Option<String> {
    if job.status != JobStatus::Queued {
        return None;
    }
    let wait = waiting.wait();
    let reason = waiting.last.and_then(|claim| claim.error_message.as_deref());
    Some(match (&wait, reason, waiting.standing.before) {
        (Wait::PutBack(_), Some(why), _) => {
            format!("It was put off, and is due later: {}.", why.trim_end_matches('.'))
        }
        (Wait::Place, _, 1_000..) => format!("{} 1,000 or more of its jobs are before it.", wait.message()),
        (Wait::Place, _, 1) => format!("{} One of its jobs is before it.", wait.message()),
        (Wait::Place, _, before) => format!("{} {before} of its jobs are before it.", wait.message()),
        _ => wait.message(),
    })
}

/// Returns the time from the first step to this one.
pub(super) fn offset(first: DateTime<Utc>, at: DateTime<Utc>) -> String {
    format!("+{}", exact(super::words::seconds(at - first)))
}

#[cfg(test)]
mod tests;
