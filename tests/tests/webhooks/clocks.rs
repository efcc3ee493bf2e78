//! A host whose clock is off mints ids that are too old: what is limited or pruned by time goes by the database's all
//! the same. And a receiver whose clock is off refuses signatures: its attempts say so.

use crate::bench::Bench;
use crate::routes::call;
use poem::http::{Method, StatusCode};
use serde_json::{Value, json};

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
    // However long the pings take, all are of one minute.
    bench.world.stop_clock().await?;
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

/// By how many seconds a clock that is right may seem to be off, because an attempt takes long on a busy machine.
const SLOW: i64 = 60;

/// Sends an event that is answered with this status, and returns what the account's log says of the receiver's clock.
async fn clock_told(bench: &Bench, path: &str, status: u16) -> Value {
    bench.receiver.answer_next([status]);
    bench.end_jobs(1).await;
    assert_eq!(bench.work().await, 1);
    let listed = call(bench, Method::GET, path, Value::Null).await.1["data"][0].take();
    assert_eq!(listed["response_status"], status, "{listed}");
    let id = listed["delivery_id"].as_str().expect("an id");
    let alone = call(bench, Method::GET, &format!("{path}/{id}"), Value::Null).await.1["attempts"][0].take();
    assert_eq!(alone.get("clock_ahead_seconds"), listed["attempts"][0].get("clock_ahead_seconds"), "{alone}");
    alone["clock_ahead_seconds"].clone()
}

#[tokio::test]
async fn an_attempt_says_how_far_its_receivers_clock_is_off() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let path = format!("/webhooks/{}/deliveries", bench.endpoint().await);
    // Successes and failures are recorded by a statement each.
    for status in [200, 400] {
        bench.receiver.says_date(None);
        let told = clock_told(&bench, &path, status).await;
        assert!(told.as_i64().is_some_and(|ahead| ahead.abs() <= SLOW), "{status}: {told}");
        bench.receiver.says_date(Some("Sun, 06 Nov 1994 08:49:37 GMT"));
        let told = clock_told(&bench, &path, status).await;
        assert!(told.as_i64().is_some_and(|ahead| ahead < -900_000_000), "{status}: {told}");
        bench.receiver.says_date(Some("yesterday"));
        assert_eq!(clock_told(&bench, &path, status).await, Value::Null, "{status}");
    }
    // The signature's time is the database's: whoever goes by another one is off, whatever our hosts have.
    bench.receiver.says_date(None);
    bench.advance(420).await;
    for status in [200, 400] {
        let told = clock_told(&bench, &path, status).await;
        assert!(told.as_i64().is_some_and(|ahead| (ahead + 420).abs() <= SLOW), "{status}: {told}");
    }
    bench.end().await
}
