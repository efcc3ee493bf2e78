//! What stands for deliveries that failed or were skipped: lists of the console mark these.

use domain::ids::DeliveryId;
use domain::series::DeliveryStatus;
use sqlx::PgConnection;

/// A delivery that failed or was skipped, and one that stands for it: of the same event to the same endpoint.
#[derive(Debug, Clone, Copy)]
pub struct SentAgain {
    /// The one that failed or was skipped.
    pub failed: DeliveryId,
    /// The one that stands for it: one that arrived, else one that is pending, else the newest.
    pub stands_in: DeliveryId,
    /// The state of that one.
    pub status: DeliveryStatus,
}

/// Returns those of these deliveries that are not unsent any more, with what stands for them. Of several of one event
/// the oldest is looked up, for all of them.
pub async fn sent_again(conn: &mut PgConnection, shown: &[DeliveryId]) -> sqlx::Result<Vec<SentAgain>> {
    sqlx::query_as!(
        SentAgain,
        r#"WITH shown AS MATERIALIZED (
               SELECT id, event_id, endpoint_id,
                   row_number() OVER (PARTITION BY event_id, endpoint_id ORDER BY id) = 1 AS is_oldest
               FROM deliveries WHERE id = ANY ($1) AND status IN ('failed', 'skipped')
           )
           SELECT shown.id AS "failed!: DeliveryId", again.id AS "stands_in!: DeliveryId",
               again.status AS "status!: DeliveryStatus"
           FROM shown AS oldest
           CROSS JOIN LATERAL (
               SELECT later.id, later.status FROM deliveries AS later
               WHERE later.event_id = oldest.event_id AND later.endpoint_id = oldest.endpoint_id
                   AND mws_stands_for(later.status, later.id, oldest.id)
               ORDER BY array_position(ARRAY['succeeded', 'pending'], later.status), later.id DESC LIMIT 1
           ) AS again
           JOIN shown ON shown.event_id = oldest.event_id AND shown.endpoint_id = oldest.endpoint_id
               AND shown.id <> again.id
           WHERE oldest.is_oldest"#,
        shown as &[DeliveryId]
    )
    .fetch_all(conn)
    .await
}
