//! Delaying the tickets of first attempts whose endpoint has too many here already, so that those of others come first.
//!
//! They are found by their deliveries and never by what a ticket says. No delivery is changed.

use domain::ids::{DeliveryId, EndpointId};
use sqlx::PgConnection;
use std::collections::BTreeMap;
use std::time::Duration;
use uuid::Uuid;

/// How many tickets of an endpoint are delayed with one of them.
const BEHIND: i64 = 2_000;
/// Ids sort by the time they were minted, but for what the hosts' clocks differ.
const CLOCKS_DIFFER_MS: u128 = 1_000;

/// A ticket to delay, which the caller is working.
#[derive(Debug, Clone, Copy)]
pub struct Delay {
    /// The delivery that it is about.
    pub id: DeliveryId,
    /// The endpoint whose tickets behind it are delayed with it, if they are.
    pub behind: Option<EndpointId>,
    /// By how long, from now.
    pub by: Duration,
}

/// Delays tickets. None is waited for: one that another is about to fetch or to consume is left to it, as is what
/// another has fetched, which apalis counts. Returns how many were delayed.
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

/// The first id of the time at which this one was minted, about.
fn about(id: DeliveryId) -> Uuid {
    let minted_ms = id.uuid().as_u128() >> 80;
    Uuid::from_u128(minted_ms.saturating_sub(CLOCKS_DIFFER_MS) << 80)
}
