//! Events of ended jobs, and the delivery series that each one starts (contract §6.1.1–4).
//!
//! The transaction that ends a job records its event here, with one delivery for each subscribed endpoint, so that
//! neither can be lost. Nothing is sent here. `domain::event` makes an event's bytes, `deliveries` does everything that
//! follows.

mod log;
mod prune;

pub use log::{About, EventFilter, EventRow, FoundEvent, about, find, page};
pub use prune::{Pruned, prune};

use super::credentials::Pace;
use super::deliveries::{self, Claim, NewDelivery, Opening};
use super::paces::{self, Paced};
use crate::tickets::{Queue, Subject, Ticket};
use chrono::{DateTime, Utc};
use domain::event::{EventId, EventType};
use domain::ids::{AccountId, DeliveryId, EndpointId, JobId, WorkspaceId};
use domain::job::JobKind;
use domain::series::Trigger;
use sqlx::PgConnection;
use std::collections::HashMap;

/// The event of a job that has just ended.
#[derive(Debug, Clone)]
pub struct EndedEvent {
    /// The id that [`EventId::of_job`] makes.
    pub event_id: EventId,
    /// Its type: one of the three that can be subscribed to.
    pub event_type: EventType,
    /// The job.
    pub job_id: JobId,
    /// The kind of work, by which endpoints may filter.
    pub kind: JobKind,
    /// The workspace that it ran in.
    pub workspace_id: WorkspaceId,
    /// The account that owns the workspace. Its endpoints receive the event, whoever paid (contract §5.5).
    pub account_id: AccountId,
    /// The exact bytes that every attempt sends. They are JSON, so a string.
    pub body: String,
    /// The trace that the job belongs to.
    pub traceparent: Option<String>,
}

/// The first attempts that the caller's process makes itself. Their deliveries are claimed as they begin: they need no
/// ticket, and nobody else finds them before their lease ends.
pub struct OwnAttempts<'a> {
    /// The process's name.
    pub worker: &'a str,
    /// How long its leases last, in milliseconds.
    pub lease_ms: i64,
    /// Whether it makes one more at this endpoint, which is healthy.
    pub takes: &'a mut (dyn FnMut(EndpointId) -> bool + Send),
}

/// The deliveries of recorded events that are due now.
#[derive(Debug, Default)]
pub struct Recorded {
    /// The tickets of those that anybody may send.
    pub tickets: Vec<Ticket>,
    /// Those that the caller's process sends once its transaction is committed.
    pub claimed: Vec<Claim>,
}

/// An endpoint that receives one of the events, with what an attempt needs of it.
struct Target {
    event_id: String,
    endpoint_id: EndpointId,
    enabled: bool,
    healthy: bool,
    url: String,
    sealed: Option<Vec<u8>>,
    previous_sealed: Option<Vec<u8>>,
    now: DateTime<Utc>,
}

/// Records the events, and one delivery for each subscribed endpoint of the owner, in two statements whatever their
/// number. Returns the tickets of the deliveries that are due now.
///
/// Pass the tickets to [`crate::tickets::push`] in the same transaction, and wake their queues after its commit. An
/// event that is recorded already starts nothing again. A disabled endpoint gets a `skipped` delivery, which can be
/// resent (contract §6.3).
pub async fn record(conn: &mut PgConnection, ended: &[EndedEvent]) -> sqlx::Result<Vec<Ticket>> {
    Ok(record_own(conn, ended, None, None).await?.tickets)
}

/// The account whose events are spread over time, because they cost it nothing.
#[derive(Debug, Clone, Copy)]
pub struct Spread {
    /// The account that causes the events.
    pub account: AccountId,
    /// The rate at which that account may cause events.
    pub pace: Pace,
    /// How many jobs it stopped whose events are still to come.
    pub to_come: usize,
}

/// Like [`record`]. Of events that an account causes at no cost (`spread`), deliveries beyond its burst are due later,
/// one after another at its pace, and get their tickets then. None is left out. Of the others, the caller's process
/// claims those whose first attempts it makes itself (`own`).
pub async fn record_own(
    conn: &mut PgConnection,
    ended: &[EndedEvent],
    spread: Option<Spread>,
    mut own: Option<OwnAttempts<'_>>,
) -> sqlx::Result<Recorded> {
    if ended.is_empty() && spread.is_none_or(|spread| spread.to_come == 0) {
        return Ok(Recorded::default());
    }
    let targets = if ended.is_empty() { Vec::new() } else { insert(conn, ended).await? };
    let waits_ms = waits(conn, spread, ended.len(), targets.len()).await?;
    if targets.is_empty() {
        return Ok(Recorded::default());
    }
    let by_id: HashMap<&str, &EndedEvent> = ended.iter().map(|event| (event.event_id.as_str(), event)).collect();
    let mut recorded = Recorded::default();
    let mut series = Vec::with_capacity(targets.len());
    for (target, after_ms) in targets.into_iter().zip(waits_ms) {
        let Some(event) = by_id.get(target.event_id.as_str()) else { continue };
        let (id, endpoint) = (DeliveryId::mint(), target.endpoint_id);
        let opening = if target.enabled && after_ms > 0 {
            Opening::Later { after_ms }
        } else if !target.enabled {
            Opening::Skipped
        } else if let Some(own) = own.as_mut().filter(|_| target.healthy)
            && (own.takes)(endpoint)
        {
            recorded.claimed.push(claim_of(event, id, target));
            Opening::Claimed { by: own.worker.to_owned(), lease_ms: own.lease_ms }
        } else {
            let ticket = Ticket::new(Queue::of_attempt(0, target.healthy), Subject::Delivery { id, endpoint });
            let ticket_id = ticket.id.clone();
            recorded.tickets.push(ticket);
            Opening::Pending { ticket_id }
        };
        series.push(delivery_of(event, id, endpoint, opening));
    }
    deliveries::insert(conn, &series).await?;
    Ok(recorded)
}

/// The claim of a first attempt that begins claimed, as `deliveries::claim` would return it.
fn claim_of(event: &EndedEvent, id: DeliveryId, target: Target) -> Claim {
    Claim {
        id,
        claim_no: 1,
        attempt: 1,
        trigger: Trigger::Event,
        endpoint_id: target.endpoint_id,
        account_id: event.account_id,
        event_id: target.event_id,
        event_type: event.event_type,
        claimed_at: target.now,
        traceparent: event.traceparent.clone(),
        url: target.url,
        healthy: target.healthy,
        body: event.body.clone(),
        sealed: target.sealed,
        previous_sealed: target.previous_sealed,
    }
}

/// The series that delivers a job's event to one endpoint.
fn delivery_of(event: &EndedEvent, id: DeliveryId, endpoint_id: EndpointId, opening: Opening) -> NewDelivery {
    NewDelivery {
        id,
        endpoint_id,
        account_id: event.account_id,
        workspace_id: Some(event.workspace_id),
        event_id: event.event_id.clone(),
        event_type: event.event_type,
        job_id: Some(event.job_id),
        trigger: Trigger::Event,
        resend_of: None,
        traceparent: event.traceparent.clone(),
        opening,
    }
}

/// Returns when each of these deliveries is due, in milliseconds from now. Ends of jobs count even if no endpoint
/// receives their events.
async fn waits(
    conn: &mut PgConnection,
    spread: Option<Spread>,
    ends: usize,
    deliveries: usize,
) -> sqlx::Result<Vec<i64>> {
    let Some(Spread { account, pace, to_come }) = spread else { return Ok(vec![0; deliveries]) };
    let many = i64::try_from(ends.max(deliveries) + to_come).unwrap_or(i64::MAX);
    let ahead_us = paces::advance(conn, account, Paced::StoppedJobs, many.saturating_mul(pace.interval_us)).await?;
    let stopped = i64::try_from(ends + to_come).unwrap_or(i64::MAX);
    let of_a_day = stopped.saturating_mul(paces::UNPAID_JOB_US);
    paces::advance(conn, account, Paced::UnpaidJobsADay, of_a_day).await?;
    Ok(pace.waits_ms(ahead_us).take(deliveries).collect())
}

/// Inserts the events that are not stored yet. Returns the endpoints that receive them.
async fn insert(conn: &mut PgConnection, ended: &[EndedEvent]) -> sqlx::Result<Vec<Target>> {
    let ids: Vec<String> = ended.iter().map(|event| event.event_id.to_string()).collect();
    let types: Vec<String> = ended.iter().map(|event| event.event_type.to_string()).collect();
    let jobs: Vec<JobId> = ended.iter().map(|event| event.job_id).collect();
    let workspaces: Vec<WorkspaceId> = ended.iter().map(|event| event.workspace_id).collect();
    let accounts: Vec<AccountId> = ended.iter().map(|event| event.account_id).collect();
    let bodies: Vec<String> = ended.iter().map(|event| event.body.clone()).collect();
    let kinds: Vec<String> = ended.iter().map(|event| event.kind.name().to_owned()).collect();
    sqlx::query_as!(
        Target,
        r#"WITH recorded AS (
             INSERT INTO events (id, type, job_id, workspace_id, account_id, body)
             SELECT * FROM unnest($1::text[], $2::text[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[])
             ON CONFLICT (id) DO NOTHING
             RETURNING id, type, account_id
           )
           SELECT recorded.id AS "event_id!", w.id AS "endpoint_id!: EndpointId", w.enabled AS "enabled!",
                  mws_is_healthy(w.enabled, w.consecutive_failures) AS "healthy!", w.url AS "url!",
                  s.sealed AS "sealed?",
                  CASE WHEN s.previous_expires_at > mws_now() THEN s.previous_sealed END AS previous_sealed,
                  mws_now() AS "now!"
           FROM recorded
           JOIN unnest($1::text[], $7::text[]) AS told (id, kind) ON told.id = recorded.id
           JOIN webhook_endpoints AS w ON w.account_id = recorded.account_id
           LEFT JOIN webhook_secrets AS s ON s.account_id = w.account_id
           WHERE w.deleted_at IS NULL AND recorded.type = ANY (w.event_types)
               AND (w.kinds IS NULL OR told.kind = ANY (w.kinds))"#,
        &ids,
        &types,
        &jobs as _,
        &workspaces as _,
        &accounts as _,
        &bodies,
        &kinds
    )
    .fetch_all(conn)
    .await
}

/// Records a ping's event, which belongs to no job and no workspace.
pub async fn record_ping(conn: &mut PgConnection, account: AccountId, id: &EventId, body: &str) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO events (id, type, account_id, body) VALUES ($1, 'ping', $2, $3)",
        id.as_str(),
        account as _,
        body
    )
    .execute(conn)
    .await?;
    Ok(())
}
