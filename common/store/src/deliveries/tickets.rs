//! Delays the tickets of first attempts whose endpoint has too many under way here, so that other endpoints' come
//! first.
//!
//! A delivery's row names its ticket, so no ticket's content is read. No delivery is changed.

use domain::ids::{DeliveryId, EndpointId};
use sqlx::PgConnection;
use std::collections::BTreeMap;
use std::time::Duration;
use uuid::Uuid;

/// How many tickets of an endpoint are delayed together with one of them.
const BEHIND: i64 = 2_000;
/// Milliseconds by which hosts' clocks may differ: ids sort by the time they were minted only up to this.
const CLOCKS_DIFFER_MS: u128 = 1_000;

/// A ticket to delay; the caller is working on it.
#[derive(Debug, Clone, Copy)]
pub struct Delay {
    /// The delivery that the ticket is for.
    pub id: DeliveryId,
    /// The endpoint whose later tickets are delayed too; none to delay this one alone.
    pub behind: Option<EndpointId>,
    /// How long to delay it, from now.
    pub by: Duration,
}

/// Delays the tickets of these deliveries, and those behind them. Of those behind, one that was fetched or delayed
/// before stays as it is. It waits for no ticket: one that another transaction has locked, to fetch or delete it, is
/// skipped. Returns how many were delayed.
pub async fn delay_tickets(conn: &mut PgConnection, delays: &[Delay]) -> sqlx::Result<u64> {
    let ms = |by: Duration| i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
    let mut endpoints: BTreeMap<EndpointId, (Uuid, i64)> = BTreeMap::new();
    for delay in delays {
        if let Some(endpoint) = delay.behind {
            let (from, by) = (about(delay.id), ms(delay.by));
            let asked = endpoints.entry(endpoint).or_insert((from, by));
            *asked = (asked.0.min(from), asked.1.max(by));
        }
    }
    let done = sqlx::query_file!(
        "src/deliveries/delay_tickets.sql",
        &delays.iter().map(|delay| delay.id).collect::<Vec<_>>() as _,
        &delays.iter().map(|delay| ms(delay.by)).collect::<Vec<_>>(),
        &endpoints.keys().copied().collect::<Vec<_>>() as _,
        &endpoints.values().map(|(from, _)| *from).collect::<Vec<_>>(),
        &endpoints.values().map(|(_, by)| *by).collect::<Vec<_>>(),
        BEHIND
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// Returns the lowest id that may have been minted at the same time as this one.
fn about(id: DeliveryId) -> Uuid {
    let minted_ms = id.uuid().as_u128() >> 80;
    Uuid::from_u128(minted_ms.saturating_sub(CLOCKS_DIFFER_MS) << 80)
}
