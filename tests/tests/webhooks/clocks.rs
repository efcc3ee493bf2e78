//! A host whose clock is off mints ids that are too old: what is limited or pruned by time goes by the database's all
//! the same.

use crate::bench::Bench;
use crate::routes::call;
use poem::http::{Method, StatusCode};
use serde_json::json;

/// Makes the ids of all deliveries look as if a host had minted them that is so many hours behind.
async fn mint_behind(bench: &Bench, hours: i32) -> anyhow::Result<()> {
    sqlx::query(
        "UPDATE deliveries AS d SET id = mws_first_id(mws_now() - make_interval(hours => $1) - n * interval '1 s')
         FROM (SELECT id, row_number() OVER (ORDER BY id)::int AS n FROM deliveries) AS numbered WHERE numbered.id = d.id",
    )
    .bind(hours)
    .execute(&bench.process.pool)
    .await?;
    Ok(())
}

#[tokio::test]
async fn pings_are_limited_by_the_databases_time() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let path = format!("/webhooks/{}", bench.endpoint().await);
    for _ in 0..10 {
        let (status, answer) = call(&bench, Method::PATCH, &path, json!({ "test": true })).await;
        assert!(status.is_success(), "{status}: {answer}");
    }
    mint_behind(&bench, 1).await?;
    let (status, answer) = call(&bench, Method::PATCH, &path, json!({ "test": true })).await;
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS, "{answer}");
    bench.end().await
}

#[tokio::test]
async fn a_delivery_is_kept_for_its_time_although_its_id_looks_old() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    bench.end_jobs(1).await;
    bench.work().await;
    mint_behind(&bench, 60 * 24).await?;
    scheduler::prune_deliveries::run_once(&bench.process).await?;
    assert_eq!(bench.deliveries(endpoint).await.len(), 1);
    bench.advance(31 * 86_400).await;
    scheduler::prune_deliveries::run_once(&bench.process).await?;
    assert_eq!(bench.deliveries(endpoint).await.len(), 0);
    bench.end().await
}
