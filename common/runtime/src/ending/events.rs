//! The events of ended jobs: which jobs have one, and what it says.

use domain::event::{EventId, EventType, JobEvent};
use domain::job::{JobKind, JobStatus};
use sqlx::PgConnection;
use store::events::{self, EndedEvent, OwnAttempts, Recorded, Spread};
use store::jobs::EndedJob;

/// Records the events of jobs that have ended, of the kinds in `told`. Each shows its job as `get_jobs` does from now
/// on. Returns the tickets of the deliveries that are due, and those that this process has claimed.
pub(super) async fn record_events(
    conn: &mut PgConnection,
    finals: &[&EndedJob],
    told: &[JobKind],
    spread: Option<Spread>,
    own: Option<OwnAttempts<'_>>,
) -> sqlx::Result<Recorded> {
    let told = finals.iter().filter(|ended| told.contains(&ended.shown.kind));
    let recorded = told.filter_map(|ended| event(ended).transpose()).collect::<sqlx::Result<Vec<EndedEvent>>>()?;
    events::record_own(conn, &recorded, spread, own).await
}

fn event(ended: &EndedJob) -> sqlx::Result<Option<EndedEvent>> {
    let job = &ended.shown;
    let event_type = match job.status {
        JobStatus::Succeeded => EventType::JobSucceeded,
        JobStatus::Failed => EventType::JobFailed,
        JobStatus::Cancelled => EventType::JobCancelled,
        JobStatus::Queued | JobStatus::Running => return Ok(None),
    };
    let event_id = EventId::of_job(job.id, event_type);
    let created_at = job.finished_at.unwrap_or(job.created_at);
    let workspace_id = job.workspace_id;
    let timeline_id = job.result.as_ref().filter(|_| job.kind == JobKind::Dub);
    let timeline_id = timeline_id.and_then(|result| result["timeline_id"].as_str());
    let body = JobEvent { id: &event_id, event_type, created_at, workspace_id, timeline_id, job };
    let body = serde_json::to_string(&body).map_err(|error| sqlx::Error::Encode(Box::new(error)))?;
    Ok(Some(EndedEvent {
        event_id,
        event_type,
        job_id: job.id,
        kind: job.kind,
        workspace_id,
        account_id: ended.owner,
        body,
        traceparent: ended.traceparent.clone(),
    }))
}
