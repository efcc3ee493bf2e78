//! What operators scale by: how much waits in a queue and for how long, told by the scheduler.

use mws_tests::world::{Media, World, runners};
use scheduler::measure_queues;
use std::time::Duration;

/// The value of a series on this process's page of metrics, which other tests write to as well.
fn told(series: &str) -> Option<f64> {
    let page = runtime::measure::recorder().ok()?.render();
    page.lines().find_map(|line| line.strip_prefix(series)?.trim().parse().ok())
}

#[tokio::test]
async fn what_waits_is_told_with_its_age_and_nothing_once_it_is_done() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    runtime::measure::recorder()?;
    let mut conn = world.pool().acquire().await?;
    assert_eq!(store::queues::waiting(&mut conn).await?, []);
    let items = world.items(&tenant, 25, Media::video(60)).await?;
    let mut jobs = Vec::new();
    for twenty in items.chunks(20) {
        jobs.extend(tenant.client.prepare(twenty, &["levels"]).await?.job_ids()?);
    }
    world.advance(Duration::from_mins(2)).await?;

    // Twenty have a place and wait for workers; five wait for those.
    let waiting = store::queues::waiting(&mut conn).await?;
    assert_eq!(waiting.len(), 1, "{waiting:?}");
    assert_eq!((waiting[0].queue.as_str(), waiting[0].due, waiting[0].delayed), ("read:levels", 20, 0));
    assert!((120.0..180.0).contains(&waiting[0].oldest_due_seconds), "{waiting:?}");
    measure_queues::run_once(&world.process).await?;
    assert!(told("mws_queue_oldest_due_age_seconds{queue=\"read:levels\"}").is_some());
    assert!(told("mws_queue_depth{queue=\"webhook:first\",state=\"due\"}").is_some());

    world.work(runners::instant()).await?;
    for job in &jobs {
        tenant.client.reaches(job, "succeeded").await?;
    }
    assert_eq!(store::queues::waiting(&mut conn).await?, []);
    // Other tests end jobs too.
    let ended = told("mws_jobs_ended_total{queue=\"read:levels\",status=\"succeeded\",error_code=\"\"}");
    assert!(ended.is_some_and(|ended| ended >= 25.0), "{ended:?}");
    assert!(told("mws_job_wait_seconds_count{queue=\"read:levels\"}").is_some_and(|waited| waited >= 25.0));
    assert!(
        told("mws_job_run_seconds_count{queue=\"read:levels\",status=\"succeeded\"}").is_some_and(|ran| ran >= 25.0)
    );
    assert!(told("mws_claims_total{result=\"won\"}").is_some_and(|won| won >= 25.0));
    assert!(told("mws_charged_hundredths_total").is_some_and(|settled| settled > 0.0));
    assert!(told("mws_media_store_free_ratio").is_none_or(|free| (0.0..=1.0).contains(&free)));
    drop(conn);
    world.end().await
}
