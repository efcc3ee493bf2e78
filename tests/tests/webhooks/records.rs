//! What the record of an attempt says of its endpoint, whichever of the two statements writes it.

use crate::bench::{Bench, late};
use domain::attempt::AttemptError;
use domain::ids::{DeliveryId, EndpointId};
use domain::series::{DeliveryStatus, Next};
use store::PoolSize;
use store::attempts::{self, EndedAttempt};

/// Claims so many new deliveries of the only endpoint, and answers the successes of their attempts.
async fn successes(bench: &Bench, endpoint: EndpointId, many: usize) -> Vec<EndedAttempt> {
    bench.end_jobs(many).await;
    let rows = bench.deliveries(endpoint).await;
    let mut ended = Vec::new();
    for row in rows.iter().rev().take(many) {
        ended.push(late(&bench.claim_and_die(row.id).await));
    }
    ended
}

fn failure(attempt: EndedAttempt) -> EndedAttempt {
    let next = Next::Retry { after_ms: 60_000 };
    EndedAttempt { response_status: Some(500), error: Some(AttemptError::HttpStatus), next, ..attempt }
}

/// Records a batch as a worker does. Returns how many went by either statement.
async fn record(bench: &Bench, ended: Vec<EndedAttempt>) -> anyhow::Result<(usize, usize)> {
    let pool = store::generic_plan_pool(&bench.process.pool, PoolSize(1));
    let (succeeded, others) = attempts::parted(ended);
    let parts = (succeeded.len(), others.len());
    attempts::record_succeeded(&mut *pool.acquire().await?, &succeeded).await?;
    attempts::record(&mut *bench.conn().await, &others).await?;
    pool.close().await;
    Ok(parts)
}

/// Whether it is enabled, its failures in a row, and how many times five seconds ago it had a success.
async fn seen(bench: &Bench, endpoint: EndpointId) -> anyhow::Result<(bool, i32, Option<f64>)> {
    let row = "SELECT enabled, consecutive_failures, floor(extract(epoch FROM mws_now() - last_success_at) / 5)::float8
        FROM webhook_endpoints WHERE id = $1";
    Ok(sqlx::query_as(row).bind(endpoint.uuid()).fetch_one(&bench.process.pool).await?)
}

async fn status(bench: &Bench, endpoint: EndpointId, id: DeliveryId) -> DeliveryStatus {
    bench.deliveries(endpoint).await.into_iter().find(|row| row.id == id).expect("it is there").status
}

#[tokio::test]
async fn a_batch_of_successes_ends_its_series_and_writes_its_endpoint_once_in_ten_seconds() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.world.stop_clock().await?;
    let endpoint = bench.endpoint().await;
    let ended = successes(&bench, endpoint, 3).await;
    assert_eq!(record(&bench, ended.clone()).await?, (3, 0));
    let rows = bench.deliveries(endpoint).await;
    assert!(rows.iter().all(|row| row.status == DeliveryStatus::Succeeded && row.response_status == Some(200)));
    assert!(rows.iter().all(|row| row.finished_at.is_some() && row.error.is_none()));
    for row in &rows {
        assert_eq!(bench.attempts(row.id).await.len(), 1);
    }
    assert_eq!(seen(&bench, endpoint).await?, (true, 0, Some(0.0)));
    for (advanced, is_written) in [(9, false), (2, true)] {
        bench.advance(advanced).await;
        let ended = successes(&bench, endpoint, 1).await;
        record(&bench, ended).await?;
        let ago = seen(&bench, endpoint).await?.2.expect("it had a success");
        assert_eq!(ago < 1.0, is_written, "{ago} s ago");
    }
    assert_eq!(record(&bench, ended).await?, (3, 0), "again");
    assert_eq!(bench.attempts(rows[0].id).await.len(), 1, "one attempt is logged once");
    bench.end().await
}

#[tokio::test]
async fn a_success_sets_failures_to_0_unless_it_comes_late_or_the_endpoint_is_disabled() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.world.stop_clock().await?;
    let endpoint = bench.endpoint().await;
    let fails = async |times: i32| {
        let fails = "UPDATE webhook_endpoints SET consecutive_failures = $1";
        sqlx::query(fails).bind(times).execute(&bench.process.pool).await.expect("set");
    };
    let interrupted = successes(&bench, endpoint, 1).await;
    bench.advance(31).await;
    scheduler::rescue_deliveries::run_once(&bench.process).await?;
    fails(7).await;
    let id = interrupted[0].delivery_id;
    record(&bench, interrupted).await?;
    assert_eq!(seen(&bench, endpoint).await?, (true, 7, None), "the rescue came first");
    assert_eq!(status(&bench, endpoint, id).await, DeliveryStatus::Pending);

    let ended = successes(&bench, endpoint, 1).await;
    record(&bench, ended).await?;
    assert_eq!(seen(&bench, endpoint).await?, (true, 0, Some(0.0)));

    let ended = successes(&bench, endpoint, 1).await;
    fails(20).await;
    let disabled = "UPDATE webhook_endpoints
        SET enabled = false, disabled_at = mws_now(), disabled_reason = 'too_many_failures'";
    sqlx::query(disabled).execute(&bench.process.pool).await?;
    let id = ended[0].delivery_id;
    record(&bench, ended).await?;
    assert_eq!(seen(&bench, endpoint).await?, (false, 20, Some(0.0)), "a late success undoes nothing");
    assert_eq!(status(&bench, endpoint, id).await, DeliveryStatus::Succeeded);
    bench.end().await
}

#[tokio::test]
async fn failures_among_successes_are_counted_in_the_order_in_which_they_came() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.world.stop_clock().await?;
    let endpoint = bench.endpoint().await;
    sqlx::query("UPDATE webhook_endpoints SET consecutive_failures = 5").execute(&bench.process.pool).await?;
    let mut ended = successes(&bench, endpoint, 4).await;
    ended[2] = failure(ended[2].clone());
    ended[3] = failure(ended[3].clone());
    assert_eq!(record(&bench, ended).await?, (0, 4), "its successes are not parted from its failures");
    assert_eq!(seen(&bench, endpoint).await?, (true, 2, Some(0.0)), "those after the last success");
    let mut ended = successes(&bench, endpoint, 19).await;
    for one in &mut ended[..18] {
        *one = failure(one.clone());
    }
    record(&bench, ended).await?;
    assert!(!seen(&bench, endpoint).await?.0, "twenty in a row, though a success came after them");
    bench.end().await
}

#[tokio::test]
async fn when_an_attempt_last_failed_is_written_once_an_hour_and_by_no_success() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.world.stop_clock().await?;
    let endpoint = bench.endpoint().await;
    let ended = successes(&bench, endpoint, 1).await;
    record(&bench, ended).await?;
    let minutes_ago =
        "SELECT (extract(epoch FROM mws_now() - failed_at) / 60)::int FROM webhook_endpoints WHERE id = $1";
    let ago = async || -> anyhow::Result<Option<i32>> {
        Ok(sqlx::query_scalar(minutes_ago).bind(endpoint.uuid()).fetch_one(&bench.process.pool).await?)
    };
    assert_eq!(ago().await?, None, "none has failed");
    for (advanced, told) in [(0, 0), (50, 50), (20, 0)] {
        bench.advance(advanced * 60).await;
        let ended = successes(&bench, endpoint, 1).await;
        record(&bench, ended.into_iter().map(failure).collect()).await?;
        assert_eq!(ago().await?, Some(told), "minutes after {advanced} more");
    }
    bench.end().await
}
