//! First attempts that wait for their endpoint, found by the endpoint and not by their tickets.
//!
//! So a worker whose line to an endpoint grows short takes the next of a backlog by itself, and few of a burst go through the
//! queue. What is claimed takes its ticket along.

use crate::ids::{DeliveryId, EndpointId};
use sqlx::PgConnection;

/// What may be sent to some endpoints next.
#[derive(Debug, Clone, Default)]
pub struct NextUp {
    /// Deliveries to claim, each with its endpoint.
    pub waiting: Vec<(DeliveryId, EndpointId)>,
    /// The endpoints that fail or are disabled: nothing is sent to them for the first time.
    pub failing: Vec<EndpointId>,
}

impl NextUp {
    /// How many were found for an endpoint.
    pub fn count_of(&self, endpoint: EndpointId) -> i64 {
        let of_it = self.waiting.iter().filter(|(_, its)| *its == endpoint);
        i64::try_from(of_it.count()).unwrap_or(i64::MAX)
    }

    /// The last that was found for an endpoint.
    pub fn last_of(&self, endpoint: EndpointId) -> Option<DeliveryId> {
        self.waiting.iter().filter(|(_, its)| *its == endpoint).map(|(id, _)| *id).max()
    }

    /// Adds what was found at a second look.
    pub fn join(&mut self, other: Self) {
        let new: Vec<_> = other.waiting.into_iter().filter(|one| !self.waiting.contains(one)).collect();
        self.waiting.extend(new);
        self.failing.extend(other.failing);
    }
}

/// What is asked for an endpoint.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// Which.
    pub endpoint: EndpointId,
    /// How many, at most.
    pub many: i64,
    /// Only those after this one: what was before it is known to be taken, and its entries of the index are passed over.
    pub after: Option<DeliveryId>,
}

/// The first attempts that each of these endpoints is to get next, the oldest first. Nothing is locked.
///
/// The due time is asked for in a way that no index serves: that of all that is due would lead through what waits for others.
pub async fn next_up(conn: &mut PgConnection, wanted: &[Wanted]) -> sqlx::Result<NextUp> {
    let rows = sqlx::query!(
        r#"SELECT w.id AS "endpoint: EndpointId", d.id AS "id?: DeliveryId",
               w.enabled AND w.consecutive_failures = 0 AS "healthy!"
           FROM unnest($1::uuid[], $2::bigint[], $3::uuid[]) AS wanted (endpoint_id, many, after)
           JOIN webhook_endpoints AS w ON w.id = wanted.endpoint_id
           LEFT JOIN LATERAL (
               SELECT id FROM deliveries
               WHERE endpoint_id = w.id AND status = 'pending' AND finished_at IS NULL AND lease_until IS NULL
                   AND attempt_count = 0 AND id > wanted.after AND due_at + interval '0' <= mws_now()
                   AND w.enabled AND w.consecutive_failures = 0
               ORDER BY id
               LIMIT wanted.many
           ) AS d ON true"#,
        &wanted.iter().map(|one| one.endpoint).collect::<Vec<_>>() as _,
        &wanted.iter().map(|one| one.many).collect::<Vec<_>>(),
        &wanted.iter().map(|one| one.after.map_or(uuid::Uuid::nil(), DeliveryId::uuid)).collect::<Vec<_>>()
    )
    .fetch_all(conn)
    .await?;
    let mut next = NextUp::default();
    for row in rows {
        if !row.healthy {
            next.failing.push(row.endpoint);
        } else if let Some(id) = row.id {
            next.waiting.push((id, row.endpoint));
        }
    }
    Ok(next)
}
