//! What an account makes us send for nothing: jobs that are started and stopped again tell their endpoints at the
//! account's own rate, nothing of it is lost, and no more are started meanwhile.

use mws_tests::world::{Media, Receiver, World, runners};
use serde_json::json;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starts_and_cancels_make_no_flood() -> anyhow::Result<()> {
    let world = World::with(|settings| (settings.rate_per_minute, settings.rate_burst) = (600, 60)).await?;
    let tenant = world.tenant("a").await?;
    let receiver = Receiver::start()?;
    for number in 0..10 {
        let endpoint = json!({ "url": format!("{}/{number}", receiver.url) });
        let made = tenant.client.send("POST", "/webhooks", &[], Some(endpoint.to_string())).await?;
        assert_eq!(made.status, 201, "{}", made.text);
    }
    let mut items = Vec::new();
    for _ in 0..20 {
        items.push(world.item(&tenant, Media::video(9)).await?);
    }
    let reads = ["transcript", "search_index", "speech", "speakers", "levels"];
    let started = tenant.client.prepare(&items, &reads).await?;
    assert_eq!(started.status, 200, "{}", started.text);
    let jobs = started.job_ids()?;
    assert_eq!(jobs.len(), 100);
    for some in jobs.chunks(50) {
        let cancelled = tenant.client.tool("cancel_jobs", &json!({ "job_ids": some })).await?;
        assert_eq!(cancelled.status, 200, "{}", cancelled.text);
    }
    let again = tenant.client.prepare(&items, &reads).await?;
    assert_eq!((again.status, again.code()), (429, "rate_limited"), "{}", again.text);
    let wait: u64 = again.header("retry-after").parse()?;
    assert!((60..=100).contains(&wait), "{wait} s for 1,000 at 600 a minute");

    // Every event and every delivery is there, and all but a burst are due later.
    assert_eq!(world.count("SELECT count(*) FROM events").await?, 100);
    assert_eq!(world.count("SELECT count(*) FROM deliveries WHERE status = 'pending'").await?, 1_000);
    let due = "SELECT count(*) FROM deliveries WHERE due_at <= mws_now() + interval '1 second'";
    let burst = world.count(due).await?;
    assert!((55..=90).contains(&burst), "{burst} at once");

    world.work(runners::instant()).await?;
    let scheduler = world.scheduler().await?;
    receiver.gets(60).await?;
    let sent = receiver.received().len();
    println!("{sent} of 1,000 requests were sent in the first seconds");
    assert!(sent < 200, "{sent} in the first seconds");
    world.advance(Duration::from_mins(5)).await?;
    let all = async || Ok((receiver.received().len() >= 1_000).then_some(()));
    World::within(Duration::from_mins(1), "all are sent in the end", all).await?;
    let started = tenant.client.prepare(&items, &["levels"]).await?;
    assert_eq!(started.status, 200, "{}", started.text);

    // A job that is stopped leaves rows that nothing deletes: 4.32 s of a day for each, and as if a day's worth had
    // been stopped.
    let reached = "SELECT count(*) FROM account_paces WHERE what = 'stopped_jobs_a_day'
        AND theoretical_arrival BETWEEN mws_now() + interval '1 minute' AND mws_now() + interval '432 seconds'";
    assert_eq!(world.count(reached).await?, 1);
    let spent = "UPDATE account_paces SET theoretical_arrival = mws_now() + interval '1 day 1 minute'
        WHERE what = 'stopped_jobs_a_day'";
    sqlx::query(spent).execute(world.pool()).await?;
    let refused = tenant.client.prepare(&items, &["speech"]).await?;
    assert_eq!((refused.status, refused.code()), (429, "rate_limited"), "{}", refused.text);
    assert!(refused.text.contains("within a day"), "{}", refused.text);
    scheduler.stop().await?;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_sent_again_leaves_at_the_accounts_rate_and_an_hour_of_it_is_the_most() -> anyhow::Result<()> {
    let world = World::with(|settings| (settings.rate_per_minute, settings.rate_burst) = (600, 60)).await?;
    let tenant = world.tenant("a").await?;
    let receiver = Receiver::start()?;
    let endpoint = world.endpoint(&tenant, &receiver.url).await?;
    let items = world.items(&tenant, 20, Media::video(9)).await?;
    let started = tenant.client.prepare(&items, &["transcript", "speech", "speakers", "beats", "levels"]).await?;
    tenant.client.tool("cancel_jobs", &json!({ "job_ids": started.job_ids()? })).await?.data()?;
    sqlx::query("UPDATE deliveries SET status = 'skipped', finished_at = mws_now(), ticket_id = NULL")
        .execute(world.pool())
        .await?;
    let path = format!("/webhooks/{endpoint}/deliveries");
    let since = json!({ "since": "2020-01-01T00:00:00Z" }).to_string();
    let resent = tenant.client.send("POST", &path, &[], Some(since.clone())).await?;
    assert_eq!((resent.status, &resent.json["resent"]), (202, &json!(100)), "{}", resent.text);
    let due = "SELECT count(*) FROM deliveries WHERE trigger = 'resend' AND due_at <= mws_now() + interval '1 second'";
    let burst = world.count(due).await?;
    assert!((55..=80).contains(&burst), "{burst} at once");

    // As if an hour's worth had been sent again before.
    sqlx::query(
        "UPDATE account_paces SET theoretical_arrival = mws_now() + interval '61 minutes' WHERE what = 'resends'",
    )
    .execute(world.pool())
    .await?;
    sqlx::query("UPDATE deliveries SET status = 'failed', finished_at = mws_now(), ticket_id = NULL")
        .execute(world.pool())
        .await?;
    let refused = tenant.client.send("POST", &path, &[], Some(since.clone())).await?;
    assert_eq!((refused.status, refused.code()), (429, "rate_limited"), "{}", refused.text);
    world.advance(Duration::from_mins(2)).await?;
    let resent = tenant.client.send("POST", &path, &[], Some(since)).await?;
    assert_eq!((resent.status, &resent.json["resent"]), (202, &json!(100)), "{}", resent.text);
    world.end().await
}
