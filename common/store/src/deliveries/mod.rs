//! Delivery series: one event to one endpoint, from its first attempt to its end (contract §6.1.8–11).
//!
//! It owns the rows of `deliveries`: how they begin (here), are claimed (`claim`), have their tickets delayed
//! (`tickets`), are found when due (`due`), rescued after a crash (`rescue`), ended without an attempt (`end`) and
//! shown (`log`, `sent`, `search`, `clock`, `failures`, `again`) and found once more to be resent (`unsent`,
//! `unsent_page`).
//! `attempts` records what happened at an attempt, and with it the end of a claim.
//! Code that changes several deliveries skips rows that another transaction has locked. Only `attempts::record`, whose
//! rows are its own by their leases, waits for a locked one.

mod again;
mod claim;
mod clock;
mod due;
mod end;
mod failures;
mod log;
mod pings;
mod rescue;
mod search;
mod sent;
mod tickets;
mod unsent;
mod unsent_page;

pub use again::{SentAgain, sent_again};
pub use claim::{
    Claim, CurrentTarget, Deferred, HandedBackClaim, Wanted, claim, defer, failing, hand_back, revalidate,
};
pub use clock::{ReceiverClock, newest_clock};
pub use due::{Due, ScanStart, due_with_dead_ticket, due_without_ticket, set_tickets};
pub use end::{end_silent, note_emptied, prune, replace};
pub use failures::{DeliveryFailureGroup, failures};
pub use log::{DeliveryFilter, DeliveryRow, by_ids, repeats};
pub use pings::{LatelyPinged, pings_lately};
pub use rescue::{LostClaim, free_interrupted, lost_for_good};
pub use search::{DeliverySearchFilter, SearchScope, search};
pub use sent::{AttemptRow, SentRow, attempts_of, body_of, sent_of};
pub use tickets::{Delay, delay_tickets};
pub use unsent::{Unsent, UnsentFilter, not_arrived, still_unsent, unsent, unsent_among};
pub use unsent_page::{UNSENT_LOOKED_AT, UnsentOf, UnsentPage, named, unsent_of, unsent_page};

use domain::event::{EventId, EventIdError, EventType};
use domain::ids::{AccountId, DeliveryId, EndpointId, JobId, WorkspaceId};
use domain::series::Trigger;
use sqlx::PgConnection;

/// How a new series begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opening {
    /// Due now, with this ticket.
    Pending {
        /// The ticket that the caller pushes in the same transaction.
        ticket_id: String,
    },
    /// Due after a while; it gets its ticket then.
    Later {
        /// Milliseconds until it is due.
        after_ms: i64,
    },
    /// Claimed by the process that brings it about, for its first attempt, which needs no ticket.
    Claimed {
        /// The process's name.
        by: String,
        /// Milliseconds until the lease ends.
        lease_ms: i64,
    },
    /// Ended already, because its endpoint is disabled; it is stored so that it can be seen and resent.
    Skipped,
}

/// A series to insert.
#[derive(Debug, Clone)]
pub struct NewDelivery {
    /// Its id.
    pub id: DeliveryId,
    /// The endpoint that it goes to.
    pub endpoint_id: EndpointId,
    /// The endpoint's account.
    pub account_id: AccountId,
    /// The workspace of the job; none for a ping.
    pub workspace_id: Option<WorkspaceId>,
    /// The id of the event that it delivers.
    pub event_id: EventId,
    /// The event's type.
    pub event_type: EventType,
    /// The job; none for a ping.
    pub job_id: Option<JobId>,
    /// Why it is sent.
    pub trigger: Trigger,
    /// The series that it repeats; none for one that is no resend.
    pub resend_of: Option<DeliveryId>,
    /// The trace that it belongs to.
    pub traceparent: Option<String>,
    /// How it begins.
    pub opening: Opening,
}

/// Inserts all of these series in one statement. One that is claimed is like one that [`claim()`] has claimed: its
/// attempt is counted, and it is due when its lease ends.
pub async fn insert(conn: &mut PgConnection, series: &[NewDelivery]) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO deliveries (id, endpoint_id, account_id, workspace_id, event_id, event_type, job_id, trigger,
             resend_of, traceparent, ticket_id, status, error, finished_at, due_at, attempt_count, claim_no,
             claimed_at, claimed_by, lease_until)
         SELECT new.id, new.endpoint_id, new.account_id, new.workspace_id, new.event_id, new.event_type, new.job_id,
             new.trigger, new.resend_of, new.traceparent, new.ticket_id,
             CASE WHEN skipped THEN 'skipped' ELSE 'pending' END,
             CASE WHEN skipped THEN 'endpoint_disabled' END,
             CASE WHEN skipped THEN mws_now() END,
             mws_now() + new.after_ms * interval '1 ms',
             (new.claimed_by IS NOT NULL)::int,
             (new.claimed_by IS NOT NULL)::int,
             CASE WHEN new.claimed_by IS NOT NULL THEN mws_now() END,
             new.claimed_by,
             CASE WHEN new.claimed_by IS NOT NULL THEN mws_now() + new.after_ms * interval '1 ms' END
         FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::uuid[], $8::text[],
             $9::uuid[], $10::text[], $11::text[], $12::boolean[], $13::bigint[], $14::text[])
             AS new (id, endpoint_id, account_id, workspace_id, event_id, event_type, job_id, trigger, resend_of,
                 traceparent, ticket_id, skipped, after_ms, claimed_by)",
        &series.iter().map(|new| new.id).collect::<Vec<_>>() as _,
        &series.iter().map(|new| new.endpoint_id).collect::<Vec<_>>() as _,
        &series.iter().map(|new| new.account_id).collect::<Vec<_>>() as _,
        &series.iter().map(|new| new.workspace_id).collect::<Vec<_>>() as _,
        &series.iter().map(|new| new.event_id.to_string()).collect::<Vec<_>>(),
        &series.iter().map(|new| new.event_type.to_string()).collect::<Vec<_>>(),
        &series.iter().map(|new| new.job_id).collect::<Vec<_>>() as _,
        &series.iter().map(|new| new.trigger.name().to_owned()).collect::<Vec<_>>(),
        &series.iter().map(|new| new.resend_of).collect::<Vec<_>>() as _,
        &series.iter().map(|new| new.traceparent.clone()).collect::<Vec<_>>() as _,
        &series.iter().map(|new| new.opening.ticket_id()).collect::<Vec<_>>() as _,
        &series.iter().map(|new| new.opening == Opening::Skipped).collect::<Vec<_>>(),
        &series.iter().map(|new| new.opening.after_ms()).collect::<Vec<_>>(),
        &series.iter().map(|new| new.opening.claimed_by()).collect::<Vec<_>>() as _
    )
    .execute(conn)
    .await?;
    Ok(())
}

impl Unsent {
    /// Returns the series that sends it again to this endpoint of this account, with the new id.
    ///
    /// # Errors
    /// [`EventIdError`] if what is stored as the id of its event is none.
    pub fn again(
        &self,
        id: DeliveryId,
        account_id: AccountId,
        endpoint_id: EndpointId,
        trigger: Trigger,
        opening: Opening,
    ) -> Result<NewDelivery, EventIdError> {
        Ok(NewDelivery {
            id,
            endpoint_id,
            account_id,
            workspace_id: self.workspace_id,
            event_id: self.event_id.parse()?,
            event_type: self.event_type,
            job_id: self.job_id,
            trigger,
            resend_of: Some(self.id),
            traceparent: self.traceparent.clone(),
            opening,
        })
    }
}

impl Opening {
    fn ticket_id(&self) -> Option<String> {
        match self {
            Self::Pending { ticket_id } => Some(ticket_id.clone()),
            Self::Later { .. } | Self::Claimed { .. } | Self::Skipped => None,
        }
    }

    fn claimed_by(&self) -> Option<String> {
        match self {
            Self::Claimed { by, .. } => Some(by.clone()),
            Self::Pending { .. } | Self::Later { .. } | Self::Skipped => None,
        }
    }

    /// Milliseconds until it is due; of one that is claimed, until its lease ends.
    const fn after_ms(&self) -> i64 {
        match self {
            Self::Later { after_ms } => *after_ms,
            Self::Claimed { lease_ms, .. } => *lease_ms,
            Self::Pending { .. } | Self::Skipped => 0,
        }
    }
}
