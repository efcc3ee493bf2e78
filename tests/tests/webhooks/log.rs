//! "What did you send me, when, and what did I answer?": the delivery log's filters and pages (contract §6.3),
//! and a whole series at its real pace.

use crate::bench::{ATTEMPT_MS, Bench};
use crate::routes::call;
use domain::event::EventType;
use domain::ids::JobId;
use mws_tests::world::Receiver;
use mws_tests::world::{Media, World, runners, until};
use poem::http::Method;
use serde_json::{Value, json};

/// The ids that a query of the log answers with, newest first.
async fn listed(bench: &Bench, path: &str, query: &str) -> Vec<String> {
    let (status, page) = call(bench, Method::GET, &format!("{path}?{query}"), Value::Null).await;
    assert_eq!(status, 200, "{query}: {page}");
    let ids = page["data"].as_array().expect("rows").iter().map(|row| row["delivery_id"].as_str().expect("an id"));
    ids.map(str::to_owned).collect()
}

/// A time as a query has it.
async fn now(bench: &Bench) -> String {
    let now = "SELECT to_char(mws_now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')";
    sqlx::query_scalar(now).fetch_one(&bench.process.pool).await.expect("a time")
}

#[tokio::test]
async fn the_log_is_filtered_by_all_that_can_be_asked_and_paged_without_gaps_or_repeats() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    let path = format!("/webhooks/{endpoint}/deliveries");
    // One after the other, so that each is known by its turn: 200, 500, 503, a failed job's 200, and one that waits.
    let mut ids = Vec::new();
    for (answer, event_type) in [
        (Some(200), EventType::JobSucceeded),
        (Some(500), EventType::JobSucceeded),
        (Some(503), EventType::JobSucceeded),
        (Some(200), EventType::JobFailed),
        (None, EventType::JobCancelled),
    ] {
        bench.record(&[bench.ended_as(JobId::mint(), event_type)]).await;
        if let Some(answer) = answer {
            bench.receiver.answer_next([answer]);
            bench.work().await;
        }
        ids.push(bench.deliveries(endpoint).await.last().expect("there").id.to_string());
        bench.advance(60).await;
    }
    let of = |turns: &[usize]| turns.iter().rev().map(|turn| ids[*turn].clone()).collect::<Vec<_>>();
    for (query, turns) in [
        ("limit=100", &[0, 1, 2, 3, 4][..]),
        ("status=succeeded", &[0, 3]),
        ("status=pending", &[1, 2, 4]),
        ("status=failed", &[]),
        ("event_type=job.failed", &[3]),
        ("event_type=job.cancelled", &[4]),
        ("http_status=500", &[1]),
        ("http_status=200", &[0, 3]),
        ("status=pending&http_status=503", &[2]),
    ] {
        assert_eq!(listed(&bench, &path, query).await, of(turns), "{query}");
    }
    let created: Vec<String> = {
        let rows = call(&bench, Method::GET, &path, Value::Null).await.1;
        rows["data"]
            .as_array()
            .expect("rows")
            .iter()
            .rev()
            .map(|row| row["created_at"].as_str().expect("a time").into())
            .collect()
    };
    assert_eq!(listed(&bench, &path, &format!("since={}", created[3])).await, of(&[3, 4]), "at or after");
    assert_eq!(listed(&bench, &path, &format!("until={}", created[1])).await, of(&[0]), "before");
    assert_eq!(listed(&bench, &path, &format!("since={}&until={}", created[1], created[3])).await, of(&[1, 2]));
    assert_eq!(listed(&bench, &path, &format!("since={}", now(&bench).await)).await, of(&[]));

    let (mut paged, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = call(&bench, Method::GET, &format!("{path}?limit=2{cursor}"), Value::Null).await.1;
        paged.extend(
            page["data"]
                .as_array()
                .expect("rows")
                .iter()
                .map(|row| row["delivery_id"].as_str().expect("an id").to_owned()),
        );
        // What is new comes before what is being paged through, and shifts nothing.
        bench.end_jobs(1).await;
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(paged, of(&[0, 1, 2, 3, 4]));
    for wrong in ["status=lost", "event_type=job.started", "http_status=99", "since=yesterday", "cursor=x", "limit=0"] {
        let (status, refused) = call(&bench, Method::GET, &format!("{path}?{wrong}"), Value::Null).await;
        assert_eq!(status, 400, "{wrong}: {refused}");
    }
    bench.end().await
}

/// No clock is moved here: seven retries a second apart, sent by a worker and a scheduler.
#[tokio::test]
async fn a_whole_series_goes_by_the_schedule_that_is_set_and_ends_with_the_first_success() -> anyhow::Result<()> {
    let schedule = "1,1,1,1,1,1,1".parse()?;
    let world = World::with(|settings| {
        (settings.webhook_retry_seconds, settings.webhook_timeout_ms) = (schedule, ATTEMPT_MS);
    })
    .await?;
    let tenant = world.tenant("one").await?;
    let receiver = Receiver::start()?;
    receiver.answer_next([500, 404, 410, 429, 302, 503, 500]);
    world.endpoint(&tenant, &receiver.url).await?;
    world.work(runners::instant()).await?;
    let scheduler = world.scheduler().await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
    tenant.client.ended(&job).await?;
    until("the series has ended", async || {
        let left = world.count("SELECT count(*) FROM deliveries WHERE status = 'pending'").await?;
        Ok((left == 0).then_some(()))
    })
    .await?;
    // Another event goes through the same lanes: nothing of the first is left to be sent.
    let item = world.item(&tenant, Media::audio(60)).await?;
    tenant.client.prepare(&[item], &["levels"]).await?;
    until("the other event has come", async || Ok((receiver.received().len() >= 9).then_some(()))).await?;
    let numbers: Vec<String> = receiver.received().iter().map(|one| one.header("service-attempt").to_owned()).collect();
    assert_eq!(numbers, ["1", "2", "3", "4", "5", "6", "7", "8", "1"]);
    let early = world
        .count(
            "SELECT count(*) FROM (
                 SELECT at - lag(at + duration_ms * interval '1 ms') OVER (PARTITION BY delivery_id ORDER BY attempt) AS wait
                 FROM delivery_attempts) AS waits
             WHERE wait < interval '1 s'",
        )
        .await?;
    assert_eq!(early, 0, "no attempt came early");
    scheduler.stop().await?;
    world.end().await
}

#[tokio::test]
async fn what_is_resent_since_a_time_is_what_failed_or_was_skipped_after_it() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    let path = format!("/webhooks/{endpoint}/deliveries");
    call(&bench, Method::PATCH, &format!("/webhooks/{endpoint}"), json!({ "enabled": false })).await;
    bench.end_jobs(2).await;
    bench.advance(60).await;
    let since = now(&bench).await;
    bench.end_jobs(3).await;
    call(&bench, Method::PATCH, &format!("/webhooks/{endpoint}"), json!({ "enabled": true })).await;
    let resent = call(&bench, Method::POST, &path, json!({ "since": since })).await.1;
    assert_eq!(resent["resent"], 3);
    bench.work().await;
    let sent = bench.receiver.received();
    assert_eq!(sent.len(), 3);
    assert!(sent.iter().all(|one| one.header("service-attempt") == "1"));
    bench.end().await
}
