//! What an account makes us do for nothing: jobs that are started and stopped again tell their endpoints at the
//! account's own rate, nothing of it is lost, and no more are started meanwhile. Nor are they where jobs that failed,
//! or that cost far less than they took, have had a day's processor time.

use domain::read::Read;
use mws_tests::world::{Media, Receiver, World, cut_short, runners, until};
use poem::http::Method;
use poem::{Endpoint, Request};
use serde_json::{Value, json};
use std::time::Duration;
use worker::readers::ReadError;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starts_and_cancels_make_no_flood() -> anyhow::Result<()> {
    let world = World::with(|settings| (settings.rate_per_minute, settings.rate_burst) = (600, 60)).await?;
    world.stop_clock().await?;
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

    // A job that is stopped leaves rows that nothing deletes: 4.32 s of a day for each.
    let reached = "SELECT count(*) FROM account_paces WHERE what = 'stopped_jobs_a_day'
        AND theoretical_arrival BETWEEN mws_now() + interval '431 seconds' AND mws_now() + interval '433 seconds'";
    assert_eq!(world.count(reached).await?, 1);

    world.work(runners::instant()).await?;
    let scheduler = world.scheduler().await?;
    receiver.gets(50).await?;
    let sent = receiver.received().len();
    assert!(sent < 200, "{sent} before more is due");
    world.advance(Duration::from_mins(5)).await?;
    let put_off = "SELECT count(*) FROM deliveries
        WHERE status = 'pending' AND lease_until IS NULL AND due_at > mws_now()";
    until("all are sent in the end", async || {
        if world.count(put_off).await? > 0 {
            world.advance(Duration::from_secs(1)).await?;
        }
        Ok((receiver.received().len() >= 1_000).then_some(()))
    })
    .await?;
    let started = tenant.client.prepare(&items, &["levels"]).await?;
    assert_eq!(started.status, 200, "{}", started.text);

    // As if a day's worth had been stopped.
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
    world.stop_clock().await?;
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
    let resent = tenant.client.send("POST", &path, &[], Some(since.clone())).await?;
    assert_eq!((resent.status, &resent.json["resent"]), (202, &json!(100)), "{}", resent.text);

    // Each is 0.864 s of a day, in which 100,000 may be sent again.
    let of_a_day = "SELECT count(*) FROM account_paces WHERE what = 'resends_a_day'
        AND theoretical_arrival BETWEEN mws_now() + interval '80 seconds' AND mws_now() + interval '173 seconds'";
    assert_eq!(world.count(of_a_day).await?, 1);
    let spent = "UPDATE account_paces SET theoretical_arrival = mws_now() + interval '1 day 1 minute'
        WHERE what = 'resends_a_day'";
    sqlx::query(spent).execute(world.pool()).await?;
    sqlx::query("UPDATE deliveries SET status = 'failed', finished_at = mws_now(), ticket_id = NULL")
        .execute(world.pool())
        .await?;
    let refused = tenant.client.send("POST", &path, &[], Some(since)).await?;
    assert_eq!((refused.status, refused.code()), (429, "rate_limited"), "{}", refused.text);
    assert!(refused.text.contains("100000 deliveries again within a day"), "{}", refused.text);
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pings_of_an_account_have_a_bound_a_day() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let receiver = Receiver::start()?;
    let endpoint = world.endpoint(&tenant, &receiver.url).await?;
    let path = format!("/webhooks/{endpoint}");
    let ping = json!({ "test": true }).to_string();
    let pinged = tenant.client.send("PATCH", &path, &[], Some(ping.clone())).await?;
    assert_eq!(pinged.status, 200, "{}", pinged.text);
    // Each is 4.32 s of a day; as if a day's had been sent.
    let spent = "WITH spent AS (
            UPDATE account_paces SET theoretical_arrival = mws_now() + interval '1 day 1 minute'
            WHERE what = 'pings_a_day' AND theoretical_arrival <= mws_now() + interval '4.32 seconds' RETURNING 1
        ) SELECT count(*) FROM spent";
    assert_eq!(world.count(spent).await?, 1);
    let refused = tenant.client.send("PATCH", &path, &[], Some(ping)).await?;
    assert_eq!((refused.status, refused.code()), (429, "rate_limited"), "{}", refused.text);
    assert!(refused.text.contains("pings within a day"), "{}", refused.text);
    assert_eq!(world.count("SELECT count(*) FROM deliveries WHERE trigger = 'test'").await?, 1);
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processor_time_that_nobody_pays_for_has_a_bound_an_account_and_a_day() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, neighbour) = (world.tenant("a").await?, world.tenant("b").await?);
    let item = world.item(&tenant, Media::audio(60)).await?;
    // A tenth of a minute: it usually takes 12 s, and 37 are paid for.
    world
        .work(runners::runner(move |reading, ctx| async move {
            let fails = reading.read == Read::Beats;
            ctx.processor.take(Duration::from_secs(if fails { 3_700 } else { 36 }));
            if fails { Err(ReadError::Unsupported("it takes too long")) } else { Ok(runners::outcome(&reading)) }
        }))
        .await?;
    let ended = async |read: &str| {
        let started = tenant.client.prepare(std::slice::from_ref(&item), &[read]).await?;
        assert_eq!(started.status, 200, "{}", started.text);
        tenant.client.ended(&started.job_ids()?).await
    };
    let unpaid = "SELECT count(*) FROM account_paces WHERE what = 'unpaid_processor_time'";
    ended("levels").await?;
    assert_eq!(world.count(unpaid).await?, 0, "it is paid for");
    ended("beats").await?;
    until("it is counted", async || Ok((world.count(unpaid).await? == 1).then_some(()))).await?;
    let failed = "SELECT count(*) FROM account_paces WHERE what = 'stopped_jobs_a_day'";
    until("so is the job, which failed", async || Ok((world.count(failed).await? == 1).then_some(()))).await?;
    let refused = tenant.client.prepare(std::slice::from_ref(&item), &["speech"]).await?;
    assert_eq!((refused.status, refused.code()), (429, "rate_limited"), "{}", refused.text);
    assert!(refused.text.contains("processor time"), "{}", refused.text);
    let wait: u64 = refused.header("retry-after").parse()?;
    assert!((2_300..=2_400).contains(&wait), "{wait} s for 100 s of 3,600 a day");
    let theirs = world.item(&neighbour, Media::audio(60)).await?;
    assert_eq!(neighbour.client.prepare(&[theirs], &["speech"]).await?.status, 200);
    world.advance(Duration::from_mins(41)).await?;
    ended("speech").await?;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_account_has_waiting_is_put_off_until_an_operator_forgives() -> anyhow::Result<()> {
    const OPERATOR: &str = "an operator's token of this test";
    let world = World::with(|settings| {
        settings.worker_reads = Some(1);
        settings.operator_tokens = Some(format!("anna:act:{OPERATOR}").into());
    })
    .await?;
    let (tenant, operator) = (world.tenant("a").await?, world.client(Some(OPERATOR.to_owned())));
    let scheduler = world.scheduler().await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    world.can_run(&[Read::Beats, Read::Speech]).await?;
    let mut jobs = Vec::new();
    for read in ["beats", "speech"] {
        jobs.extend(tenant.client.prepare(std::slice::from_ref(&item), &[read]).await?.job_ids()?);
    }
    let image = slow_image(1);
    let announced = tenant.client.announce(image.len(), &json!({ "content_type": "image/jpeg" })).await?;
    let [upload, url] = ["/id", "/upload/url"].map(|at| announced.pointer(at).and_then(Value::as_str).unwrap_or(""));
    assert_eq!(tenant.client.put(url, "image/jpeg", image).await?.status, 200);

    // Twenty days' worth at once: nobody waits for longer than a day all the same.
    world
        .work(runners::runner(move |reading, ctx| async move {
            if reading.read == Read::Speech {
                return Ok(runners::outcome(&reading));
            }
            ctx.processor.take(Duration::from_hours(20));
            Err(ReadError::Unsupported("it takes too long"))
        }))
        .await?;
    tenant.client.ended(&jobs[..1]).await?;
    let deferred = "SELECT count(*) FROM jobs WHERE status = 'queued' AND claim_no = 1
        AND due_at BETWEEN mws_now() + interval '9 minutes' AND mws_now() + interval '10 minutes'";
    let is_one = async |sql: &'static str| Ok((world.count(sql).await? == 1).then_some(()));
    until("the other job is put off", async || is_one(deferred).await).await?;
    let told_why = "SELECT count(*) FROM job_claims WHERE outcome = 'handed_back' AND error_code = 'rate_limited'";
    assert_eq!(world.count(told_why).await?, 1, "operators see why it waits");
    let waits = tenant.client.job(&jobs[1]).await?["waits"].take();
    assert_eq!((&waits["code"], waits["until"].is_string()), (&json!("processor_time"), true), "so does its account");
    tenant.client.send("POST", &format!("/uploads/{upload}/complete"), &[], None).await?;
    let not_looked_at = "SELECT count(*) FROM uploads WHERE status = 'processing' AND claim_no = 1 AND failures = 0
        AND lease_until IS NULL AND due_at > mws_now() + interval '9 minutes'";
    until("the upload is put off", async || is_one(not_looked_at).await).await?;

    let path = format!("/operator/accounts/{}", tenant.account);
    let unpaid = async || anyhow::Ok(operator.send("GET", &path, &[], None).await?.json["unpaid_processor"].clone());
    let before = unpaid().await?;
    assert_eq!(before["seconds_a_day"], 3_600, "{before}");
    assert!(before["seconds"].as_u64().is_some_and(|seconds| (7_180..=7_200).contains(&seconds)), "{before}");
    assert!(before["wait_seconds"].as_u64().is_some_and(|wait| (86_000..=86_400).contains(&wait)), "{before}");
    // As if it had been forgiven just before the worker put its work off: that goes on all the same.
    let gone = "WITH gone AS (DELETE FROM account_paces WHERE what = 'unpaid_processor_time' RETURNING 1)
        SELECT count(*) FROM gone";
    assert_eq!(world.count(gone).await?, 1);
    let forgiven = operator.send("DELETE", &format!("{path}/unpaid-processor-time"), &[], None).await?;
    let none = json!({ "seconds": 0, "seconds_a_day": 3_600, "wait_seconds": 0 });
    assert_eq!((forgiven.status, &forgiven.json["unpaid_processor"]), (200, &none), "{}", forgiven.text);
    assert_eq!(world.count("SELECT count(*) FROM operator_audit WHERE action = 'account.forgive'").await?, 1);
    let ended = tenant.client.ended(&jobs[1..]).await?;
    assert_eq!((&ended[0]["status"], &ended[0]["error"]), (&json!("succeeded"), &Value::Null), "{ended:?}");
    let ready = "SELECT count(*) FROM items WHERE status = 'ready' AND type = 'image'";
    until("the upload is looked at", async || is_one(ready).await).await?;
    scheduler.stop().await?;
    world.end().await
}

/// A gray image of 7680 × 7680 in a hundred kilobytes, whose decoder goes through all of it once more for each scan.
fn slow_image(scans: usize) -> Vec<u8> {
    const BLOCKS: usize = 960 * 960;
    const LONGEST_RUN: usize = 32_767;
    let segment = |marker: u8, data: &[u8]| {
        let length = u16::try_from(data.len() + 2).unwrap_or(u16::MAX).to_be_bytes();
        [&[0xff, marker], &length[..], data].concat()
    };
    // Two codes each: 0 is of no difference, and of a run of empty blocks with 14 bits of its length.
    let codes = |class: u8, first: u8, second: u8| {
        let mut table = vec![class << 4, 1, 1];
        table.resize(17, 0);
        segment(0xc4, &[&table[..], &[first, second]].concat())
    };
    let runs = "011111111111111".repeat(BLOCKS / LONGEST_RUN) + "000000000000000";
    let bits = format!("{runs:1<width$}", width = runs.len().next_multiple_of(8));
    let bytes = bits.as_bytes().chunks(8).flat_map(|byte| {
        let byte = byte.iter().fold(0, |value, bit| value << 1 | (bit - b'0'));
        if byte == 0xff { vec![0xff, 0] } else { vec![byte] }
    });
    let scan = [segment(0xda, &[1, 1, 0, 1, 63, 0]), bytes.collect()].concat();
    let start = [
        vec![0xff, 0xd8],
        segment(0xdb, &[[0].as_slice(), &[16; 64]].concat()),
        segment(0xc2, &[8, 0x1e, 0, 0x1e, 0, 1, 1, 0x11, 0]),
        codes(0, 0, 1),
        codes(1, 0xe0, 0),
        segment(0xda, &[1, 1, 0, 0, 0, 0]),
        vec![0; BLOCKS / 8],
    ];
    [start.concat(), scan.repeat(scans), vec![0xff, 0xd9]].concat()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_look_at_an_upload_that_takes_long_counts_too() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    world.work(runners::instant()).await?;
    let unpaid = "SELECT count(*) FROM account_paces WHERE what = 'unpaid_processor_time'";
    for (scans, counted) in [(1, 0), (8_000, 1)] {
        let bytes = slow_image(scans);
        let announced = tenant.client.announce(bytes.len(), &json!({ "content_type": "image/jpeg" })).await?;
        let [item, id] = ["item_id", "id"].map(|field| announced[field].as_str().unwrap_or_default());
        let url = announced["upload"]["url"].as_str().unwrap_or_default();
        assert_eq!(tenant.client.put(url, "image/jpeg", bytes).await?.status, 200);
        tenant.client.send("POST", &format!("/uploads/{id}/complete"), &[], None).await?;
        let seen = tenant.client.looked_at(item).await?;
        assert_eq!((&seen["status"], &seen["width"]), (&json!("ready"), &json!(7_680)), "{seen}");
        if counted > 0 {
            until("it is counted", async || Ok((world.count(unpaid).await? == counted).then_some(()))).await?;
        }
        assert_eq!(world.count(unpaid).await?, counted, "{scans} scans");
    }
    sqlx::query("UPDATE account_paces SET theoretical_arrival = mws_now() + interval '2 days'")
        .execute(world.pool())
        .await?;
    let upload = json!({ "filename": "a.jpg", "content_type": "image/jpeg", "bytes": 9 }).to_string();
    let refused = tenant.client.send("POST", "/uploads", &[], Some(upload)).await?;
    assert_eq!((refused.status, refused.code()), (429, "rate_limited"), "{}", refused.text);
    world.end().await
}

#[tokio::test]
async fn an_endpoint_that_is_disabled_again_and_again_fills_no_log() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let receiver = Receiver::start()?;
    let path = format!("/webhooks/{}", world.endpoint(&tenant, &receiver.url).await?);
    for enabled in [false, false, false, true, true, false] {
        let body = json!({ "enabled": enabled }).to_string();
        let changed = tenant.client.send("PATCH", &path, &[], Some(body)).await?;
        assert_eq!((changed.status, &changed.json["enabled"]), (200, &json!(enabled)), "{}", changed.text);
    }
    let noted = "SELECT count(*) FROM account_audit WHERE action IN ('webhook.disable', 'webhook.enable')";
    assert_eq!(world.count(noted).await?, 3, "of the six calls three changed something");
    world.end().await
}

#[tokio::test]
async fn a_large_project_is_counted_at_whatever_moment_its_client_hangs_up() -> anyhow::Result<()> {
    // Each request counts for ten seconds, and each 16 KiB of a project for ten more.
    let world = World::with(|settings| (settings.rate_per_minute, settings.rate_burst) = (6, 1_000)).await?;
    world.stop_clock().await?;
    let tenant = world.tenant("a").await?;
    let router = api::router(world.app().clone());
    let body = json!({ "brief": "😀".repeat(20_000), "mode": "manual" }).to_string();
    let projects = "SELECT count(*) FROM projects";
    let (mut made, mut left, mut waits) = (0, 0, 0_usize);
    for _ in 0..1_000 {
        sqlx::query("UPDATE rate_limits SET theoretical_arrival = mws_now()").execute(world.pool()).await?;
        let request = Request::builder().method(Method::POST).uri_str("/api/v1/projects");
        let request = request.header("authorization", format!("Bearer {}", tenant.key.expose()));
        let request = request.content_type("application/json").body(body.clone());
        let ended = cut_short(router.get_response(request), waits).await;
        // A commit that was sent goes on without its client.
        world.written().await?;
        let now = world.count(projects).await?;
        if now > made {
            let counted = "SELECT count(*) FROM rate_limits WHERE theoretical_arrival > mws_now() + interval '30 s'";
            until("what was made is counted", async || Ok((world.count(counted).await? == 1).then_some(()))).await?;
            left += usize::from(ended.is_none());
        }
        made = now;
        let is_answered = ended.is_some_and(|answer| answer.status().as_u16() == 201);
        if is_answered && left > 0 {
            break;
        }
        // A call does not wait equally often each time: one that went on to its answer may have come past the commit.
        waits = if is_answered { waits.saturating_sub(8) } else { waits + 1 };
    }
    assert!(left > 0, "no client hung up once its project was made");
    world.end().await
}
