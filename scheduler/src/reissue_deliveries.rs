//! Gives due deliveries without a live ticket a new one: retries that are due, deliveries beyond a cap, and those whose
//! ticket was lost with a worker (glossary.md).
//!
//! The rows stay locked until their new tickets are stored in them, so that two schedulers, or a long backlog, never
//! multiply the tickets of one delivery.

use domain::ids::DeliveryId;
use runtime::process::Process;
use runtime::queue::{self, Queue, Subject, Ticket};
use sqlx::PgConnection;
use store::deliveries::{self, Due, ScanStart};

/// Tickets that are issued in one transaction.
const BATCH: i64 = 1_000;
/// Due deliveries with a ticket that are checked in one run, of the oldest and of others.
const LOOKED_AT: i64 = 1_000;

/// Reissues until nothing due is without a ticket. Returns how many tickets it pushed.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let mut pushed = 0;
    loop {
        let mut tx = process.pool.begin().await?;
        let due = deliveries::due_without_ticket(&mut tx, BATCH).await?;
        let tickets = issue(&mut tx, &due).await?;
        tx.commit().await?;
        process.wakes.tickets(&tickets);
        pushed += tickets.len() as u64;
        if due.len() < usize::try_from(BATCH).unwrap_or(usize::MAX) || process.shutdown.is_cancelled() {
            break;
        }
    }
    for from in [ScanStart(0.0), ScanStart(rand::random())] {
        let mut tx = process.pool.begin().await?;
        let lost = deliveries::due_with_dead_ticket(&mut tx, from, LOOKED_AT).await?;
        let tickets = issue(&mut tx, &lost).await?;
        tx.commit().await?;
        process.wakes.tickets(&tickets);
        pushed += tickets.len() as u64;
    }
    Ok(pushed)
}

/// Stores a new ticket with each of these rows, which the transaction has locked, and pushes it to its lane.
async fn issue(conn: &mut PgConnection, due: &[Due]) -> sqlx::Result<Vec<Ticket>> {
    if due.is_empty() {
        return Ok(Vec::new());
    }
    let lane = |row: &Due| Queue::of_attempt(row.attempt_count, row.healthy);
    let subject = |row: &Due| Subject::Delivery { id: row.id, endpoint: row.endpoint };
    let tickets: Vec<Ticket> = due.iter().map(|row| Ticket::new(lane(row), subject(row))).collect();
    let rows: Vec<DeliveryId> = due.iter().map(|row| row.id).collect();
    let ids: Vec<String> = tickets.iter().map(|ticket| ticket.id.clone()).collect();
    deliveries::set_tickets(conn, &rows, &ids).await?;
    queue::push(conn, &tickets).await?;
    Ok(tickets)
}
