//! What operators scale by: how much waits in a queue and for how long, told by the scheduler. And what the whole
//! service holds, and who works for it.

use anyhow::Context;
use mws_tests::world::{Media, World, runners, until};
use scheduler::measure_queues;
use std::time::Duration;
use store::fleet::{self, Member, Service};
use store::totals;

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
    // Other tests end jobs too. The engine is whichever ran it.
    let speeds = "mws_read_speed_ratio_count{queue=\"read:levels\",engine=\"";
    for (series, least) in [
        ("mws_jobs_ended_total{queue=\"read:levels\",status=\"succeeded\",error_code=\"\"}", 25.0),
        ("mws_job_wait_seconds_count{queue=\"read:levels\"}", 25.0),
        ("mws_job_run_seconds_count{queue=\"read:levels\",status=\"succeeded\"}", 25.0),
        ("mws_claims_total{result=\"won\"}", 25.0),
        ("mws_charged_hundredths_total", 1.0),
    ] {
        // The worker counts what it has written, a moment after others see it.
        let counted = async || Ok(told(series).is_some_and(|many| many >= least).then_some(()));
        until(&format!("{series} is {least} at least"), counted).await?;
    }
    let has_speed = async || {
        let page = runtime::measure::recorder()?.render();
        Ok(page.lines().any(|line| line.starts_with(speeds)).then_some(()))
    };
    until("the speed is told", has_speed).await?;
    assert!(told("mws_media_store_free_ratio").is_none_or(|free| (0.0..=1.0).contains(&free)));
    drop(conn);
    world.end().await
}

#[tokio::test]
async fn what_the_service_holds_is_counted_with_the_ledger_and_told_by_each_scheduler() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    runtime::measure::recorder()?;
    let mut conn = world.pool().acquire().await?;
    assert_eq!(totals::last(&mut conn).await?, None, "nobody has counted");
    let item = world.item(&tenant, Media::audio(60)).await?;
    sqlx::query("UPDATE items SET bytes = 1000").execute(world.pool()).await?;
    let job = tenant.client.prepare(&[item], &["speech"]).await?.job_ids()?;
    scheduler::check_ledger::run_once(&world.process).await?;
    let counted = totals::last(&mut conn).await?.context("nothing was counted")?;
    let kept = store::usage::of(&mut conn, tenant.account).await?;
    assert!((counted.held_hundredths - 25.0).abs() < 1e-9, "a quarter of a minute for a minute of speech: {counted:?}");
    assert_eq!(format!("{:.0}", counted.media_bytes), kept.media_bytes.to_string());
    assert!(kept.media_bytes >= 1_000);
    // Other services of this process tell theirs under the same names.
    assert!(told("mws_held_hundredths").is_some() && told("mws_media_stored_bytes").is_some());

    world.work(runners::instant()).await?;
    tenant.client.ended(&job).await?;
    scheduler::check_ledger::run_once(&world.process).await?;
    let counted = totals::last(&mut conn).await?.context("nothing was counted")?;
    assert!(counted.held_hundredths.abs() < 1e-9, "what was freed counts before it is folded: {counted:?}");
    drop(conn);
    world.end().await
}

#[tokio::test]
async fn live_workers_are_counted_and_the_clocks_are_compared() -> anyhow::Result<()> {
    let world = World::new().await?;
    runtime::measure::recorder()?;
    let mut conn = world.pool().acquire().await?;
    assert_eq!(fleet::live_workers(&mut conn).await?, 0);
    for (name, service) in [("one", Service::Worker), ("another", Service::Scheduler)] {
        fleet::beat(&mut conn, Member { name, host: "here", service, clock_ahead_ms: None }).await?;
    }
    assert_eq!(fleet::live_workers(&mut conn).await?, 1);
    measure_queues::run_once(&world.process).await?;
    assert!(told("mws_workers_live").is_some());
    // One that has been silent for half a minute counts as dead.
    sqlx::query("UPDATE workers SET beat_at = mws_now() - interval '31 seconds'").execute(&mut *conn).await?;
    assert_eq!(fleet::live_workers(&mut conn).await?, 0);
    // Both clocks are of this host. A busy machine may let a second pass between looks at them.
    until("the clocks agree", async || {
        world.process.look_at_clock().await?;
        Ok(told("mws_db_clock_skew_seconds").is_some_and(|skew| skew.abs() < 1.0).then_some(()))
    })
    .await?;
    drop(conn);
    world.end().await
}
