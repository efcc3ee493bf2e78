//! Tells operators at an endpoint of their own what is about to do harm, what gets worse, and what is over.
//!
//! One scheduler at a time does it, apart from the customers' deliveries, which may be what fails. What stands now is
//! recorded, then one message with what is not told yet is posted, with no transaction open. What is not accepted is
//! sent again in a later turn, so a receiver gets each notice at least once, under the same id.

use domain::ids::{AccountId, EndpointId, NoticeId, NoticeMessageId};
use domain::notice::{Matter, NoticeKind, message};
use domain::verdict::report;
use runtime::operator_webhook::OperatorWebhook;
use runtime::process::Process;
use sqlx::PgConnection;
use std::str::FromStr;
use store::fleet::Service;
use store::{inspect, notices, operator_notices, verdict};

/// Seconds from one turn to the next; a little less than the duty's fifteen, so that none of its runs is too early.
const TURN_SECONDS: f64 = 14.0;
/// The most new matters of a kind that one look finds, and as many more of endpoints that were disabled; the next look
/// finds others. Those that stand already are not counted: otherwise a few accounts with many of them would keep those
/// of others from being told.
const MOST_NEW: i64 = 200;
/// The most notices of one message; the next turn tells more.
const MOST_NOTICES: i64 = 50;

/// Takes a turn, if an endpoint is set. Returns 0, since it puts no rows right.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let Some(endpoint) = &process.operator_webhook else { return Ok(0) };
    let is_ours = operator_notices::take_turn(&mut *process.pool.acquire().await?, TURN_SECONDS).await?;
    if is_ours {
        look(process).await?;
        tell(process, endpoint).await?;
    }
    Ok(0)
}

/// Records what stands now.
async fn look(process: &Process) -> sqlx::Result<()> {
    let mut conn = process.pool.acquire().await?;
    let mut matters = failing_endpoints(&mut conn).await?;
    matters.extend(used_minutes(&mut conn).await?);
    let own = process.own_clock(&mut conn, Service::Scheduler).await?;
    let snapshot = verdict::snapshot(&mut conn, Some(own), process.media.free_ratio()).await?;
    matters.extend(report(&snapshot).axes.iter().filter_map(Matter::axis));
    drop(conn);
    let mut tx = process.pool.begin().await?;
    operator_notices::record(&mut tx, &matters).await?;
    tx.commit().await
}

async fn failing_endpoints(conn: &mut PgConnection) -> sqlx::Result<Vec<Matter>> {
    let known = before::<EndpointId>(&mut *conn, NoticeKind::EndpointFailures).await?;
    let failing = notices::failing_endpoints(&mut *conn, &known, MOST_NEW).await?;
    let failing =
        failing.iter().map(|one| Matter::endpoint_failures(one.id, one.account_id, one.enabled, one.failures));
    let mut matters: Vec<Matter> = failing.collect();
    let known = before::<EndpointId>(&mut *conn, NoticeKind::EndpointRate).await?;
    let rates = notices::wavering_endpoints(conn, &known, MOST_NEW).await?;
    matters.extend(rates.iter().map(|one| Matter::endpoint_rate(one.id, one.account_id, one.failed, one.tried)));
    Ok(matters)
}

async fn used_minutes(conn: &mut PgConnection) -> sqlx::Result<Vec<Matter>> {
    let known = before::<AccountId>(&mut *conn, NoticeKind::Minutes).await?;
    let used = notices::used_minutes(conn, &known, MOST_NEW).await?;
    Ok(used.iter().map(|one| Matter::minutes(one.id, one.left, one.allowance)).collect())
}

/// Returns the ids that matters of this kind were found of before.
async fn before<Id: FromStr>(conn: &mut PgConnection, kind: NoticeKind) -> sqlx::Result<Vec<Id>> {
    let subjects = operator_notices::subjects(conn, kind).await?;
    Ok(subjects.iter().filter_map(|subject| subject.parse().ok()).collect())
}

/// Posts one message with what is not told yet.
async fn tell(process: &Process, endpoint: &OperatorWebhook) -> sqlx::Result<()> {
    let mut conn = process.pool.acquire().await?;
    let (notices, more) = operator_notices::untold(&mut conn, MOST_NOTICES).await?;
    if notices.is_empty() {
        return Ok(());
    }
    let now = inspect::now(&mut conn).await?;
    // No connection is held while somebody else's server answers.
    drop(conn);
    let id = NoticeMessageId::mint();
    let posted = endpoint.post(&id.to_string(), message(id, now, &notices, more), now.timestamp()).await;
    let mut tx = process.pool.begin().await?;
    match posted {
        Ok(()) => {
            let told: Vec<NoticeId> = notices.iter().map(|notice| notice.id).collect();
            operator_notices::accepted(&mut tx, &told).await?;
        }
        Err(why) => note_refusal(&mut tx, &why, notices.len()).await?,
    }
    tx.commit().await
}

/// Notes why the endpoint does not take a message of so many notices, and warns of it where that is new.
async fn note_refusal(conn: &mut PgConnection, why: &str, notices: usize) -> sqlx::Result<()> {
    if operator_notices::refused(conn, why).await? {
        tracing::warn!(
            why,
            notices,
            "The operators' endpoint does not take a message: it is sent again every 15 seconds."
        );
    }
    Ok(())
}
