//! The operators' first page: what happened hour by hour, and what is told of before it does harm.

use crate::console::signed_in;
use crate::operators::work::deliveries;
use crate::operators::{ANNA, done, stage};
use mws_tests::world::{Browser, Media, Receiver, World, runners, until};
use serde_json::json;
use std::time::Duration;
use store::verdict::{self, HourRow, TaskSlot};
use worker::readers::ReadError;

async fn overview(world: &World) -> anyhow::Result<String> {
    Ok(signed_in(world, ANNA).await?.get("/console").await?.1)
}

#[tokio::test]
async fn jobs_and_deliveries_that_failed_stand_in_their_hour() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let (receiver, tenant) = (Receiver::start()?, world.tenant("a").await?);
    receiver.answer(500);
    world.work(runners::failing(|| ReadError::NoAudio)).await?;
    world.endpoint(&tenant, &receiver.url).await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let jobs = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
    tenant.client.ended(&jobs).await?;
    until("the attempt has failed", async || {
        let failed = "SELECT count(*) FROM deliveries WHERE attempt_count > 0 AND error IS NOT NULL";
        Ok((world.count(failed).await? == 1).then_some(()))
    })
    .await?;
    let mut conn = world.pool().acquire().await?;
    let one =
        HourRow { ended: 1, failed: 1, has_more_jobs: false, attempted: 1, troubled: 1, has_more_deliveries: false };
    let none = HourRow { ended: 0, failed: 0, attempted: 0, troubled: 0, ..one };
    let mut hours = vec![none; 24];
    hours[23] = one;
    assert_eq!(verdict::by_hour(&mut conn).await?, hours);
    let page = overview(&world).await?;
    for words in ["Jobs that failed", "1 of these in the last hour, 1 in the busiest of 24"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    world.advance(Duration::from_mins(150)).await?;
    hours.rotate_left(2);
    assert_eq!(verdict::by_hour(&mut conn).await?, hours, "two and a half hours ago");
    world.advance(Duration::from_hours(24)).await?;
    assert_eq!(verdict::by_hour(&mut conn).await?, vec![none; 24]);
    drop(conn);
    world.end().await
}

#[tokio::test]
async fn of_the_jobs_that_ended_it_is_known_for_how_long_they_end_and_the_longest_pause() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    world.work(runners::instant()).await?;
    let ends = async |count: usize| -> anyhow::Result<()> {
        for _ in 0..count {
            let item = world.item(&tenant, Media::audio(60)).await?;
            let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
            tenant.client.reaches(&job, "succeeded").await?;
        }
        Ok(())
    };
    ends(2).await?;
    world.advance(Duration::from_mins(5)).await?;
    ends(1).await?;
    world.advance(Duration::from_mins(1)).await?;
    let mut conn = world.pool().acquire().await?;
    let ended = verdict::ended(&mut conn).await?;
    let [levels] = ended.by_task.as_slice() else { anyhow::bail!("one task: {ended:?}") };
    assert_eq!((levels.task.as_str(), levels.many), ("levels", 3));
    let (all, pause) = (levels.seconds, levels.pause_seconds);
    assert!((360.0..420.0).contains(&all) && (300.0..360.0).contains(&pause) && pause < all, "{levels:?}");
    assert_eq!(levels.per_second(), None, "three are too few to tell");
    world.advance(Duration::from_mins(12)).await?;
    assert_eq!(verdict::ended(&mut conn).await?.by_task[0].many, 1, "the first two ended too long ago");
    drop(conn);
    world.end().await
}

#[tokio::test]
async fn what_was_started_and_ended_of_a_task_stands_in_its_five_minutes() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 2, Media::audio(60)).await?;
    let jobs = tenant.client.prepare(&items, &["levels"]).await?.job_ids()?;
    let mut conn = world.pool().acquire().await?;
    let slot = |ago, started, ended| TaskSlot { task: "levels".to_owned(), ago, started, ended };
    assert_eq!(verdict::by_slot(&mut conn).await?, [slot(0, 2, 0)]);
    world.advance(Duration::from_mins(12)).await?;
    world.work(runners::instant()).await?;
    tenant.client.ended(&jobs).await?;
    assert_eq!(verdict::by_slot(&mut conn).await?, [slot(2, 2, 0), slot(0, 0, 2)]);
    let page = overview(&world).await?;
    for words in ["In the last hour 2 started, 2 ended", "In the last hour 0 started, 0 ended"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    world.advance(Duration::from_hours(1)).await?;
    assert!(verdict::by_slot(&mut conn).await?.is_empty());
    drop(conn);
    world.end().await
}

#[tokio::test]
async fn endpoints_accounts_and_secrets_that_are_near_their_ends_are_told_of_before() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let (good, bad) = (
        world.endpoint(&tenant, "http://127.0.0.1:9/a").await?,
        world.endpoint(&tenant, "http://127.0.0.1:9/b").await?,
    );
    for endpoint in [good, bad] {
        deliveries(&world, &tenant, endpoint, &[("failed", "tls_failed")]).await?;
    }
    let page = overview(&world).await?;
    assert!(!page.contains("soon"), "nothing is near its end: {page}");

    let fails = "UPDATE webhook_endpoints SET consecutive_failures = CASE id WHEN $1 THEN 14 ELSE 9 END";
    sqlx::query(fails).bind(bad).execute(world.pool()).await?;
    let page = overview(&world).await?;
    assert!(page.contains("This endpoint keeps failing; at 20"), "{page}");
    assert!(page.contains("14 of 20") && page.contains(&format!("mws admin webhooks ping {bad}")), "{page}");
    assert!(!page.contains(&format!("ping {good}")) && !page.contains("9 of 20"), "{page}");

    let allowance = json!({ "kind": "allowance", "minutes": 0.11 });
    done(&anna, "POST", &format!("/operator/accounts/{}/minutes", tenant.account), &allowance, 200).await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    assert!(!overview(&world).await?.contains("left of"), "nothing is held yet");
    tenant.client.prepare(&[item], &["levels"]).await?.data()?;
    let page = overview(&world).await?;
    assert!(
        page.contains("This account, which works today, has a tenth") && page.contains(">0.01</span> left of"),
        "{page}"
    );

    for body in ["{}", r#"{"rotate":true}"#] {
        let made = tenant.client.send("POST", "/webhook-secret", &[], Some(body.to_owned())).await?;
        assert_eq!(made.status, 200, "{}", made.text);
    }
    let words = "The signing secret before the current one of this account ends";
    assert!(!overview(&world).await?.contains(words), "it verifies for a day");
    world.advance(Duration::from_hours(22)).await?;
    assert!(overview(&world).await?.contains(words));
    world.advance(Duration::from_hours(3)).await?;
    assert!(!overview(&world).await?.contains(words), "it has ended");
    world.end().await
}

#[tokio::test]
async fn events_that_did_not_arrive_are_told_of_before_they_are_deleted_and_can_be_sent_again() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    let (failed, skipped) = (("failed", "tls_failed"), ("skipped", "endpoint_disabled"));
    deliveries(&world, &tenant, endpoint, &[failed, skipped, ("succeeded", "")]).await?;
    let words = "deliveries that failed or were skipped, to";
    let days = u64::from(world.process.settings.retention_days);
    world.advance(Duration::from_hours(24 * (days - 2))).await?;
    assert!(!overview(&world).await?.contains(words), "two days are left");
    world.advance(Duration::from_hours(36)).await?;
    let browser: Browser = signed_in(&world, ANNA).await?;
    let (_, page) = browser.get("/console").await?;
    assert!(page.contains(&format!("2 {words} 1 endpoint, are deleted within ")), "{page}");
    let link = page.split("href=\"/console/unsent?").nth(1).and_then(|rest| rest.split('"').next());
    let path = format!("/console/unsent?{}", link.unwrap_or_default().replace("&amp;", "&"));
    let (_, unsent) = browser.get(&path).await?;
    assert!(unsent.contains("<b>2</b> deliveries to <b>1</b> endpoint failed"), "{path}: {unsent}");
    browser.post(&path, &[]).await?;
    assert!(!browser.get("/console").await?.1.contains(words), "they are under way again");
    world.end().await
}

#[tokio::test]
async fn an_endpoint_at_which_half_fails_is_told_of_though_the_rest_keeps_it_enabled() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    let (half, few) = (
        world.endpoint(&tenant, "http://127.0.0.1:9/a").await?,
        world.endpoint(&tenant, "http://127.0.0.1:9/b").await?,
    );
    let (failed, arrived) = (("failed", "tls_failed"), ("succeeded", ""));
    deliveries(&world, &tenant, half, &[[failed; 9].as_slice(), &[arrived; 10]].concat()).await?;
    deliveries(&world, &tenant, few, &[[failed; 10].as_slice(), &[arrived; 11]].concat()).await?;
    let words = "half or more failed";
    assert!(!overview(&world).await?.contains(words), "of one too few are known, of the other fewer failed");
    deliveries(&world, &tenant, half, &[failed]).await?;
    let page = overview(&world).await?;
    assert!(page.contains(words) && page.contains("10 of 20"), "{page}");
    assert!(page.contains(&format!("mws admin deliveries list --endpoint {half} --status failed")), "{page}");
    assert!(!page.contains(&format!("--endpoint {few}")), "{page}");
    sqlx::query("UPDATE webhook_endpoints SET consecutive_failures = 10").execute(world.pool()).await?;
    let page = overview(&world).await?;
    assert!(!page.contains(words) && page.contains("keep failing"), "it is told of as one that fails: {page}");

    // The verdict names one of them now, and has the other one in its card.
    sqlx::query("UPDATE deliveries SET attempt_count = 1").execute(world.pool()).await?;
    let fails = "UPDATE webhook_endpoints SET consecutive_failures = CASE id WHEN $1 THEN 14 ELSE 12 END";
    sqlx::query(fails).bind(half).execute(world.pool()).await?;
    let page = overview(&world).await?;
    let needs = page.split("id=\"needs\"").nth(1).and_then(|rest| rest.split("</section>").next()).unwrap_or_default();
    let link = |id: &str| format!("href=\"/console/endpoints/{id}\"");
    for id in [half.to_string(), few.to_string()] {
        assert_eq!(needs.matches(&link(&id)).count(), 1, "{id}: {needs}");
    }
    let of_endpoints = needs.split("<li class=").filter(|card| card.contains("/console/endpoints/"));
    assert_eq!(of_endpoints.count(), 1, "one card: {needs}");
    assert!(needs.contains("has failed 14 times in a row") && needs.contains("This endpoint keeps failing"), "{needs}");
    assert!(needs.contains("12 of 20") && !needs.contains("soon"), "{needs}");
    world.end().await
}
