//! Takes operators' bulk operations forward: each run sends some deliveries of each operation again.
//!
//! A run takes a *turn* at each operation, and a turn is some *steps*. A step looks for deliveries to send. Then it
//! locks the operation, so that two schedulers never take the same step, and the endpoint, as every resend does. It
//! commits what it sends together with how far the operation is. So a scheduler that is killed leaves the operation
//! where its last step ended. An operation sends as many deliveries a second as its pace, or `A_TURN`
//! without one, however many schedulers there are, because only one of them gets each turn.

use crate::each::Each;
use domain::bulk::BulkKind;
use domain::ids::{BulkOperationId, DeliveryId};
use domain::series::Trigger;
use runtime::process::Process;
use runtime::queue::{self, Queue, Subject, Ticket};
use serde_json::json;
use sqlx::{Connection, PgConnection};
use store::audit::{self, Entry};
use store::bulk_operations::{self, BulkEndpoint, BulkOperation};
use store::deliveries::{self, Opening, Unsent};
use store::endpoints;

/// The most deliveries that one turn sends again for an operation without a pace.
const A_TURN: i64 = 500;
/// The most deliveries that one step looks at, among them those that need no resend any more.
const LOOKED_AT_A_STEP: i64 = 5_000;
/// The most steps of one turn. Many endpoints with a few deliveries each take a step each, and so do many deliveries
/// that need no resend any more.
const MOST_STEPS: usize = 50;
/// Milliseconds from one turn to the next: a little less than the second between two runs of the duty, so that no run
/// comes too early for its turn.
const NEXT_TURN_MS: i64 = 900;

/// Takes a turn at each operation that runs. Returns a sum: the deliveries that were sent again, the steps that sent
/// none, and the operations that ended. It is 0 if no operation was taken forward.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let due = bulk_operations::due(&mut *process.pool.acquire().await?, BulkKind::ResendDeliveries).await?;
    let mut each = Each::default();
    for id in due {
        if process.shutdown.is_cancelled() {
            break;
        }
        // If one fails, the others are taken forward all the same.
        each = each.and(turn(process, id).await);
    }
    each.result()
}

/// Takes the turn at an operation: up to [`MOST_STEPS`] steps, which send as many deliveries as its pace, or up to
/// `A_TURN`. Returns how many it sent, plus one for each step that sent none, since the duty rests after a run that
/// returned 0.
async fn turn(process: &Process, id: BulkOperationId) -> sqlx::Result<u64> {
    let taken = bulk_operations::take_turn(&mut *process.pool.acquire().await?, id, NEXT_TURN_MS).await?;
    let Some(turn) = taken else { return Ok(0) };
    let (mut done, mut left) = (0_u64, turn.pace.map_or(A_TURN, i64::from));
    for _ in 0..MOST_STEPS {
        match step(process, id, left).await? {
            Step::Sent(sent) => {
                // A step that sent nothing has finished an endpoint or a part of it, and more may follow.
                done += sent.unsigned_abs().max(1);
                left -= sent;
            }
            Step::Finished => return Ok(done + 1),
            Step::NotOurs => return Ok(done),
        }
        if left <= 0 || process.shutdown.is_cancelled() {
            break;
        }
    }
    Ok(done)
}

/// What became of a step.
enum Step {
    /// It sent so many deliveries again, perhaps none.
    Sent(i64),
    /// Nothing was left: the operation has ended.
    Finished,
    /// The operation does not run any more, or another scheduler takes a step of it.
    NotOurs,
}

/// Sends up to `most` deliveries of the operation's first endpoint again: the oldest of those that it has not passed.
async fn step(process: &Process, id: BulkOperationId, most: i64) -> sqlx::Result<Step> {
    let mut conn = process.pool.acquire().await?;
    let Some(target) = bulk_operations::next_endpoint(&mut conn, id).await? else { return end(&mut conn, id).await };
    let Some(operation) = bulk_operations::by_id(&mut conn, id).await? else { return Ok(Step::NotOurs) };
    // This takes some time, so nothing is locked yet: those who record attempts would wait for the endpoint, and those
    // who stop the operation would wait for the operation.
    let found = look(&mut conn, target, &operation, most).await?;
    let mut tx = conn.begin().await?;
    if !bulk_operations::lock_running(&mut tx, id).await? {
        return Ok(Step::NotOurs);
    }
    let next = bulk_operations::next_endpoint(&mut tx, id).await?;
    if next.is_none_or(|next| (next.endpoint_id, next.after_id) != (target.endpoint_id, target.after_id)) {
        return Ok(Step::NotOurs);
    }
    // An endpoint that was disabled or removed meanwhile gets nothing: what was counted for it counts as skipped.
    let is_open = endpoints::lock(&mut tx, target.account_id, target.endpoint_id).await? == Some(true);
    let old =
        if is_open { deliveries::still_unsent(&mut tx, target.endpoint_id, &found.unsent).await? } else { Vec::new() };
    let tickets = begin_again(&mut tx, target, &old).await?;
    let sent = i64::try_from(old.len()).unwrap_or(i64::MAX);
    let is_last = !is_open || found.is_end;
    bulk_operations::advance(&mut tx, id, target.endpoint_id, sent, found.after, is_last).await?;
    tx.commit().await?;
    process.wakes.tickets(&tickets);
    Ok(Step::Sent(sent))
}

/// What a step found.
struct Found {
    /// What is to be sent again.
    unsent: Vec<DeliveryId>,
    /// The last delivery that the operation has passed once these are sent.
    after: Option<DeliveryId>,
    /// Whether the endpoint has no delivery after that one.
    is_end: bool,
}

/// Looks through the next deliveries of an endpoint and returns up to `most` that are to be sent again.
async fn look(
    conn: &mut PgConnection,
    target: BulkEndpoint,
    operation: &BulkOperation,
    most: i64,
) -> sqlx::Result<Found> {
    let window = deliveries::not_arrived(conn, target.endpoint_id, target.after_id, LOOKED_AT_A_STEP).await?;
    let found = deliveries::unsent_among(conn, target.endpoint_id, &window, &operation.filter()).await?;
    let mut unsent: Vec<DeliveryId> = found.iter().map(|one| one.id).collect();
    let most = usize::try_from(most).unwrap_or_default();
    if unsent.len() > most {
        unsent.truncate(most);
        let after = unsent.last().copied();
        return Ok(Found { unsent, after, is_end: false });
    }
    let is_end = i64::try_from(window.len()).unwrap_or(i64::MAX) < LOOKED_AT_A_STEP;
    Ok(Found { unsent, after: window.last().copied(), is_end })
}

/// Ends an operation that has finished all its endpoints.
async fn end(conn: &mut PgConnection, id: BulkOperationId) -> sqlx::Result<Step> {
    let mut tx = conn.begin().await?;
    if !bulk_operations::lock_running(&mut tx, id).await? {
        return Ok(Step::NotOurs);
    }
    let Some(operation) = bulk_operations::by_id(&mut tx, id).await? else { return Ok(Step::NotOurs) };
    if bulk_operations::finish(&mut tx, id).await? {
        audit::record(&mut tx, &ended(&operation)).await?;
    }
    tx.commit().await?;
    Ok(Step::Finished)
}

/// Begins new series of these deliveries at once, in the lane for resends, as an operator's resend does. Returns their
/// tickets.
async fn begin_again(conn: &mut PgConnection, target: BulkEndpoint, old: &[Unsent]) -> sqlx::Result<Vec<Ticket>> {
    if old.is_empty() {
        return Ok(Vec::new());
    }
    let mut series = Vec::with_capacity(old.len());
    let mut tickets = Vec::with_capacity(old.len());
    for unsent in old {
        let id = DeliveryId::mint();
        let ticket = Ticket::new(Queue::WebhookSlow, Subject::Delivery { id, endpoint: target.endpoint_id });
        let opening = Opening::Pending { ticket_id: ticket.id.clone() };
        let again = unsent.again(id, target.account_id, target.endpoint_id, Trigger::Resend, opening);
        series.push(again.map_err(|wrong| sqlx::Error::Decode(Box::new(wrong)))?);
        tickets.push(ticket);
    }
    deliveries::insert(conn, &series).await?;
    queue::push(conn, &tickets).await?;
    Ok(tickets)
}

/// The row of the audit log for an operation that has come to its end, by whoever started it.
fn ended(operation: &BulkOperation) -> Entry {
    Entry {
        operator: operation.operator.clone(),
        address: operation.address.clone(),
        action: "bulk.finish",
        target: operation.id.to_string(),
        before: None,
        after: Some(json!({ "total": operation.total, "done": operation.done, "skipped": operation.skipped })),
        request_id: operation.request_id.clone(),
    }
}
