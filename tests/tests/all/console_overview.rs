//! The operators' first page: what happened hour by hour, and what is told of before it does harm.

use crate::console::signed_in;
use crate::operators::work::deliveries;
use crate::operators::{ANNA, done, get, stage};
use mws_tests::plans::rows_read;
use mws_tests::world::{Browser, Media, Receiver, World, runners, until};
use scheduler::check_ledger;
use serde_json::json;
use sqlx::Connection;
use std::time::Duration;
use store::notices;
use store::verdict::{self, HourRow, TaskSlot};
use worker::readers::ReadError;

async fn overview(world: &World) -> anyhow::Result<String> {
    Ok(signed_in(world, ANNA).await?.get("/console").await?.1)
}

/// What the overview says that needs somebody.
async fn needs(world: &World) -> anyhow::Result<String> {
    let page = overview(world).await?;
    let section = page.split("id=\"needs\"").nth(1).and_then(|rest| rest.split("</section>").next());
    Ok(section.unwrap_or_default().to_owned())
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
    for words in [
        "Jobs that failed",
        "1 of these in the last hour, 1 in the busiest of 24",
        "1 failed job in the last hour, 1 in the busiest of 24",
        "1 troubled delivery in the last hour, 1 in the busiest of 24",
    ] {
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
async fn of_the_jobs_that_ended_it_is_known_in_how_many_seconds_any_ran_however_often_they_paused() -> anyhow::Result<()>
{
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    world.work(runners::instant()).await?;
    for batch in 0..3 {
        if batch > 0 {
            world.advance(Duration::from_mins(4)).await?;
        }
        let items = world.items(&tenant, 4, Media::audio(60)).await?;
        let jobs = tenant.client.prepare(&items, &["levels"]).await?.job_ids()?;
        tenant.client.ended(&jobs).await?;
    }
    // Each claim lasted for four seconds, and those of a batch ran beside each other.
    let mut conn = world.pool().begin().await?;
    sqlx::query("UPDATE job_claims SET claimed_at = ended_at - interval '4 seconds'").execute(&mut *conn).await?;
    let ended = verdict::ended(&mut conn).await?;
    let [levels] = ended.by_task.as_slice() else { anyhow::bail!("one task: {ended:?}") };
    assert_eq!((levels.task.as_str(), levels.many, levels.ran), ("levels", 12, 12));
    // Six seconds of each batch, and a few more where its jobs ended one by one; the eight minutes between don't count.
    assert!((17.9..90.0).contains(&levels.busy_seconds), "{levels:?}");
    assert!(levels.per_second().is_some_and(|pace| pace > 0.13), "{levels:?}");
    sqlx::query("UPDATE job_claims SET outcome = 'handed_back'").execute(&mut *conn).await?;
    let ended = verdict::ended(&mut conn).await?;
    assert_eq!((ended.by_task[0].many, ended.by_task[0].ran), (12, 0), "what ended without having run is no pace");
    conn.rollback().await?;

    world.advance(Duration::from_mins(12)).await?;
    let mut conn = world.pool().acquire().await?;
    assert_eq!(verdict::ended(&mut conn).await?.by_task[0].many, 4, "the others ended too long ago");
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
    let (moved, rested) = ("In the last hour 2 started, 2 ended", "In the last hour 0 started, 0 ended");
    assert!(page.matches(moved).count() == 2 && page.contains(rested), "of the task, and of flow: {page}");
    world.advance(Duration::from_hours(1)).await?;
    assert!(verdict::by_slot(&mut conn).await?.is_empty());
    drop(conn);
    world.end().await
}

#[tokio::test]
async fn endpoints_accounts_and_secrets_that_are_near_their_ends_are_told_of_before() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let (good, bad, worse) = (
        world.endpoint(&tenant, "http://127.0.0.1:9/a").await?,
        world.endpoint(&tenant, "http://127.0.0.1:9/b").await?,
        world.endpoint(&tenant, "http://127.0.0.1:9/c").await?,
    );
    for endpoint in [good, bad, worse] {
        deliveries(&world, &tenant, endpoint, &[("failed", "tls_failed")]).await?;
    }
    let page = overview(&world).await?;
    assert!(!page.contains("soon"), "nothing is near its end: {page}");

    // The verdict names the one that is nearest to its end.
    let fails =
        "UPDATE webhook_endpoints SET consecutive_failures = CASE id WHEN $1 THEN 14 WHEN $2 THEN 16 ELSE 9 END";
    sqlx::query(fails).bind(bad).bind(worse).execute(world.pool()).await?;
    let page = overview(&world).await?;
    assert!(page.contains("This endpoint keeps failing; at 20"), "{page}");
    assert!(
        page.contains(&format!("title=\"{worse}\"")) && page.contains("</a> has failed 16 times in a row"),
        "{page}"
    );
    assert!(page.contains("14 of 20") && page.contains(&format!("mws admin webhooks ping {bad}")), "{page}");
    assert!(!page.contains(&format!("ping {good}")) && !page.contains("9 of 20"), "{page}");

    let allowance = json!({ "kind": "allowance", "minutes": 0.11 });
    done(&anna, "POST", &format!("/operator/accounts/{}/minutes", tenant.account), &allowance, 200).await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    assert!(!overview(&world).await?.contains("left of"), "nothing is held yet");
    tenant.client.prepare(&[item], &["levels"]).await?.data()?;
    assert_eq!(check_ledger::run_once(&world.process).await?, 0);
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
    assert!(!page.contains(words) && page.contains("keeps failing"), "it is told of as one that fails: {page}");

    // The verdict names the worse one, and has the other one in its card, with what else is wrong.
    sqlx::query("UPDATE deliveries SET attempt_count = 1").execute(world.pool()).await?;
    let fails = "UPDATE webhook_endpoints SET consecutive_failures = CASE id WHEN $1 THEN 14 ELSE 12 END";
    sqlx::query(fails).bind(half).execute(world.pool()).await?;
    let needs = needs(&world).await?;
    let link = |id: &str| format!("href=\"/console/endpoints/{id}\"");
    for id in [half.to_string(), few.to_string()] {
        assert_eq!(needs.matches(&link(&id)).count(), 1, "{id}: {needs}");
    }
    let of_endpoints = needs.split("<li class=").filter(|card| card.contains("/console/endpoints/"));
    assert_eq!(of_endpoints.count(), 1, "one card: {needs}");
    assert!(needs.contains("has failed 14 times in a row") && needs.contains("This endpoint keeps failing"), "{needs}");
    assert!(needs.contains("12 of 20") && !needs.contains("soon"), "{needs}");
    let also = ["49 % of the deliveries of an hour fail, at 2 endpoints.", "mws admin deliveries list --since 1h"];
    assert!(also.iter().all(|words| needs.contains(words)), "{needs}");
    let page = overview(&world).await?;
    let axes = page.split("id=\"axes\"").nth(1).unwrap_or_default();
    assert!(
        axes.contains(also[0]) && axes.contains(&format!("{} title=\"{half}\"", link(&half.to_string()))),
        "{axes}"
    );
    world.end().await
}

#[tokio::test]
async fn an_account_that_is_sent_much_hides_no_endpoint_of_another() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (quiet, busy) = (world.tenant("quiet").await?, world.tenant("busy").await?);
    let (worst, failing, half) = (
        world.endpoint(&quiet, "http://127.0.0.1:9/a").await?,
        world.endpoint(&quiet, "http://127.0.0.1:9/b").await?,
        world.endpoint(&quiet, "http://127.0.0.1:9/c").await?,
    );
    let (failed, arrived) = (("failed", "tls_failed"), ("succeeded", ""));
    for endpoint in [worst, failing] {
        deliveries(&world, &quiet, endpoint, &[failed]).await?;
    }
    deliveries(&world, &quiet, half, &[[failed; 10], [arrived; 10]].concat()).await?;
    let fails =
        "UPDATE webhook_endpoints SET consecutive_failures = CASE id WHEN $1 THEN 14 WHEN $2 THEN 12 ELSE 0 END";
    sqlx::query(fails).bind(worst).bind(failing).execute(world.pool()).await?;
    let receiver = world.endpoint(&busy, "http://127.0.0.1:9/d").await?;
    deliveries(&world, &busy, receiver, &[arrived]).await?;
    let resends = "INSERT INTO deliveries (id, endpoint_id, account_id, workspace_id, event_id, event_type, trigger, resend_of,
             status, finished_at)
         SELECT (left(mws_first_id(mws_now() + interval '1 s')::text, 24) || lpad(to_hex(n), 12, '0'))::uuid,
             d.endpoint_id, d.account_id, d.workspace_id, d.event_id, d.event_type, 'resend', d.id, 'succeeded', mws_now()
         FROM deliveries AS d, generate_series(1, 2200) AS n WHERE d.endpoint_id = $1";
    assert_eq!(sqlx::query(resends).bind(receiver).execute(world.pool()).await?.rows_affected(), 2_200);

    let report = get(&anna, "/operator/report").await?;
    let delivery = report["axes"].as_array().into_iter().flatten().find(|axis| axis["axis"] == "delivery");
    let sentence = delivery.and_then(|axis| axis["sentence"].as_str()).unwrap_or_default();
    assert!(sentence.contains(&format!("Endpoint {worst} has failed 14 times in a row")), "{report:#}");
    let told = needs(&world).await?;
    let (failing, half) = (failing.to_string(), half.to_string());
    for words in [failing.as_str(), "12 of 20", half.as_str(), "10 of 20"] {
        assert!(told.contains(words), "{words}: {told}");
    }

    // After a day without a delivery nothing more comes to them: they are not on their way to being disabled.
    world.advance(Duration::from_hours(25)).await?;
    let told = needs(&world).await?;
    assert!(!told.contains(&worst.to_string()) && !told.contains(&failing), "{told}");
    let waits = "UPDATE deliveries SET status = 'pending', finished_at = NULL, due_at = mws_now() + interval '1 hour'
         WHERE endpoint_id = $1";
    sqlx::query(waits).bind(worst).execute(world.pool()).await?;
    let told = needs(&world).await?;
    assert!(told.contains(&worst.to_string()) && told.contains("14 times in a row"), "one waits: {told}");
    let ends = "UPDATE deliveries SET status = 'failed', finished_at = mws_now() WHERE status = 'pending'";
    sqlx::query(ends).execute(world.pool()).await?;
    world.end().await
}

#[tokio::test]
async fn what_is_to_be_sent_again_has_failed_and_what_waits_was_not_tried() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    deliveries(&world, &tenant, endpoint, &[("failed", "tls_failed"); 20]).await?;
    // All of them are to be sent again, and none has failed for good; behind them one waits for its first attempt.
    let waits = "UPDATE deliveries SET status = 'pending', finished_at = NULL, attempt_count = 1";
    sqlx::query(waits).execute(world.pool()).await?;
    deliveries(&world, &tenant, endpoint, &[("failed", "")]).await?;
    sqlx::query("UPDATE deliveries SET status = 'pending', finished_at = NULL").execute(world.pool()).await?;
    let mut conn = world.pool().acquire().await?;
    let wavering = notices::wavering_endpoints(&mut conn, &[], 10).await?;
    let wavering: Vec<_> = wavering.iter().map(|one| (one.id, one.tried, one.failed)).collect();
    assert_eq!(wavering, [(endpoint, 20, 20)]);
    let ends = "UPDATE deliveries SET status = 'failed', finished_at = mws_now()";
    sqlx::query(ends).execute(&mut *conn).await?;
    drop(conn);
    world.end().await
}

#[tokio::test]
async fn accounts_that_start_much_hide_none_whose_minutes_run_out() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let quiet = world.tenant("quiet").await?;
    let minutes = format!("/operator/accounts/{}/minutes", quiet.account);
    done(&anna, "POST", &minutes, &json!({ "kind": "allowance", "minutes": 0.11 }), 200).await?;
    let item = world.item(&quiet, Media::audio(60)).await?;
    quiet.client.prepare(&[item], &["levels"]).await?.data()?;
    for name in ["one", "two"] {
        let busy = world.tenant(name).await?;
        for some in world.items(&busy, 140, Media::audio(60)).await?.chunks(20) {
            busy.client.prepare(some, &["levels", "beats"]).await?.data()?;
        }
    }
    assert!(world.count("SELECT count(*) FROM jobs").await? > 500);
    assert_eq!(check_ledger::run_once(&world.process).await?, 0);
    let mut conn = world.pool().acquire().await?;
    let short = notices::short_accounts(&mut conn, 10).await?;
    assert_eq!(short.iter().map(|one| one.id).collect::<Vec<_>>(), [quiet.account]);
    let used = notices::used_minutes(&mut conn, &[], 10).await?;
    assert_eq!(used.iter().map(|one| one.id).collect::<Vec<_>>(), [quiet.account]);
    done(&anna, "POST", &minutes, &json!({ "kind": "allowance", "minutes": 0.1 }), 200).await?;
    assert!(notices::short_accounts(&mut conn, 10).await?.is_empty(), "nothing is left, as the verdict says");
    let out = verdict::books(&mut conn).await?.out_of_minutes;
    assert_eq!(out.map(|out| (out.many, out.account)), Some((1, quiet.account)));

    // None of its jobs has moved its minutes for a day.
    world.advance(Duration::from_hours(25)).await?;
    assert!(notices::used_minutes(&mut conn, &[], 10).await?.is_empty());
    assert!(verdict::books(&mut conn).await?.out_of_minutes.is_none());
    assert_eq!(world.count("SELECT count(*) FROM short_accounts").await?, 1);
    assert_eq!(check_ledger::run_once(&world.process).await?, 0);
    assert_eq!(world.count("SELECT count(*) FROM short_accounts").await?, 0);
    drop(conn);
    world.end().await
}

#[tokio::test]
async fn the_balances_of_those_that_are_short_are_read_however_many_others_have() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let minutes = format!("/operator/accounts/{}/minutes", tenant.account);
    done(&anna, "POST", &minutes, &json!({ "kind": "allowance", "minutes": 0.1 }), 200).await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    tenant.client.prepare(&[item], &["levels"]).await?.data()?;
    let others =
        "WITH made AS (INSERT INTO accounts (id, name) SELECT gen_random_uuid(), 'other' FROM generate_series(1, 3000)
             RETURNING id)
         INSERT INTO minute_buckets (account_id, month, allowance)
         SELECT id, date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date, 100 FROM made";
    sqlx::query(others).execute(world.pool()).await?;
    let mut conn = world.pool().acquire().await?;
    notices::note_short(&mut conn).await?;
    sqlx::raw_sql("ANALYZE minute_buckets, accounts, short_accounts").execute(&mut *conn).await?;
    let mut look = conn.begin().await?;
    let before = rows_read(&mut look, "minute_buckets").await?;
    let out = verdict::books(&mut look).await?.out_of_minutes.map(|out| out.account);
    let used = notices::used_minutes(&mut look, &[], 10).await?;
    let read = rows_read(&mut look, "minute_buckets").await? - before;
    assert_eq!((out, used.len()), (Some(tenant.account), 1));
    assert!(read <= 10, "{read} balances were read");
    look.rollback().await?;
    // What they have is in no journal.
    let undo = "DELETE FROM minute_buckets WHERE account_id IN (SELECT id FROM accounts WHERE name = 'other')";
    sqlx::query(undo).execute(&mut *conn).await?;
    drop(conn);
    world.end().await
}

#[tokio::test]
async fn what_waits_is_told_with_what_it_will_cost_at_most() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    assert!(!overview(&world).await?.contains("so much is held for it"), "nothing waits");
    let items = world.items(&tenant, 3, Media::audio(60)).await?;
    let jobs = tenant.client.prepare(&items, &["levels"]).await?.job_ids()?;
    let page = overview(&world).await?;
    assert!(page.contains("What waits costs at most <span class=\"number\">0.30</span>"), "{page}");
    world.work(runners::instant()).await?;
    tenant.client.ended(&jobs).await?;
    assert!(!overview(&world).await?.contains("so much is held for it"), "nothing waits any more");
    world.end().await
}
