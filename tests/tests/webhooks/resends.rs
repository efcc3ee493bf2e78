//! Sending again what is pending, and what an endpoint that is disabled half-way makes of it (contract §6.3).

use crate::bench::Bench;
use crate::routes::post;
use domain::series::DeliveryStatus;
use poem::http::StatusCode;
use serde_json::json;

#[tokio::test]
async fn a_second_resend_of_a_delivery_takes_the_place_of_the_first() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    bench.end_jobs(1).await;
    bench.work().await;
    let delivery = bench.only_delivery(endpoint).await.id.to_string();
    let path = format!("/webhooks/{endpoint}/deliveries");
    for _ in 0..3 {
        let (status, resent) = post(&bench, &path, json!({ "delivery_id": delivery })).await;
        assert_eq!(status, StatusCode::ACCEPTED, "{resent}");
    }
    let statuses: Vec<_> = bench.deliveries(endpoint).await.into_iter().map(|row| row.status).collect();
    let (ended, pending) = (DeliveryStatus::Cancelled, DeliveryStatus::Pending);
    assert_eq!(statuses, [DeliveryStatus::Succeeded, ended, ended, pending]);
    bench.work().await;
    assert_eq!(bench.receiver.received().len(), 2, "the event, and the last resend");
    bench.end().await
}

#[tokio::test]
async fn a_disabling_half_way_through_a_resend_does_not_hide_what_was_begun() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    let path = format!("/webhooks/{endpoint}/deliveries");
    let ended = bench.end_jobs(1_001).await;
    bench.tickets().await;
    let changes = "UPDATE deliveries SET status = 'failed', finished_at = mws_now();
        CREATE FUNCTION disable() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            UPDATE webhook_endpoints SET enabled = false, disabled_reason = 'user', disabled_at = mws_now();
            RETURN NULL;
        END $$;
        CREATE TRIGGER disable AFTER INSERT ON deliveries EXECUTE FUNCTION disable()";
    sqlx::raw_sql(changes).execute(&bench.process.pool).await?;
    let since = json!({ "since": "2020-01-01T00:00:00Z" });
    let (status, begun) = post(&bench, &path, since.clone()).await;
    assert_eq!((status, begun), (StatusCode::ACCEPTED, json!({ "resent": 1_000, "has_more": true })));
    let (status, refused) = post(&bench, &path, since).await;
    assert_eq!((status, &refused["error"]["code"]), (StatusCode::CONFLICT, &json!("endpoint_disabled")));
    assert_eq!(ended.len(), 1_001);
    bench.end().await
}
