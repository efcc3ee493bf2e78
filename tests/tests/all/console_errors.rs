//! The operators' page of failures: those that are alike are one row, and what is new stands on top.

use crate::console::signed_in;
use crate::operators::work::deliveries;
use crate::operators::{ANNA, BO, done, get, log, stage};
use domain::ids::{DeliveryId, ItemId};
use domain::read::Read;
use mws_tests::world::{Browser, Media, Receiver, Tenant, World, runners, until};
use reqwest::{StatusCode, header};
use serde_json::{Value, json};
use std::time::Duration;
use worker::readers::ReadError;

async fn failing(tenant: &Tenant, items: &[ItemId], read: &str) -> anyhow::Result<String> {
    let jobs = tenant.client.prepare(items, &[read]).await?.job_ids()?;
    for job in &jobs {
        tenant.client.reaches(job, "failed").await?;
    }
    Ok(jobs.last().cloned().unwrap_or_default())
}

#[tokio::test]
async fn failures_that_are_alike_are_one_row_and_a_new_kind_is_on_top_at_once() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let (one, two) = (world.tenant("one").await?, world.tenant("two").await?);
    let browser = signed_in(&world, ANNA).await?;
    let (status, page) = browser.get("/console/errors").await?;
    assert!(status == StatusCode::OK && page.contains("No job failed within a day"), "{page}");
    world
        .work(runners::runner(|reading, _| async move {
            if reading.read == Read::Levels {
                return Err(ReadError::Unsupported("it takes too long"));
            }
            Err(ReadError::Corrupt("it ends after 12 bytes"))
        }))
        .await?;
    failing(&one, &world.items(&one, 2, Media::audio(60)).await?, "levels").await?;
    failing(&two, &world.items(&two, 1, Media::audio(60)).await?, "levels").await?;
    world.advance(Duration::from_hours(2)).await?;
    let newest = failing(&one, &world.items(&one, 1, Media::audio(60)).await?, "beats").await?;

    let (_, page) = browser.get("/console/errors").await?;
    let rows: Vec<&str> = page.split("<tr>").skip(2).collect();
    assert_eq!(rows.len(), 2, "{page}");
    assert!(rows[0].contains("media_unreadable") && rows[0].contains("! new") && rows[0].contains(&newest), "{page}");
    assert!(rows[1].contains("not_supported") && !rows[1].contains("! new"), "{page}");
    assert!(rows[1].contains("error_code=not_supported&amp;read=levels\">3</a>"), "three jobs: {page}");
    assert!(rows[1].contains("<td class=\"number wide\">2</td>"), "of two accounts: {page}");
    let (_, listed) = browser.get("/console/jobs?status=failed&error_code=not_supported&read=levels").await?;
    assert_eq!(listed.matches("<tr>").count(), 4, "the link leads to them: {listed}");
    world.advance(Duration::from_hours(23)).await?;
    let (status, page) = signed_in(&world, ANNA).await?.get("/console/errors").await?;
    assert!(status == StatusCode::OK && page.contains("media_unreadable") && !page.contains("not_supported"), "{page}");
    world.end().await
}

#[tokio::test]
async fn deliveries_that_one_host_answers_alike_are_one_row_also_while_they_are_tried_again() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (one, two, receiver) = (world.tenant("one").await?, world.tenant("two").await?, Receiver::start()?);
    let closed = world.endpoint(&one, "http://127.0.0.1:9/hook").await?;
    deliveries(&world, &one, closed, &[("failed", "dns_failed")]).await?;
    world.advance(Duration::from_hours(25)).await?;
    let tls = ("failed", "tls_failed");
    deliveries(&world, &one, closed, &[tls, tls, tls, ("succeeded", ""), ("skipped", "endpoint_disabled")]).await?;
    receiver.answer(503);
    world.work(runners::instant()).await?;
    for tenant in [&one, &two] {
        world.endpoint(tenant, &format!("{}/hook?token=hidden", receiver.url)).await?;
        let item = world.item(tenant, Media::audio(60)).await?;
        let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
        tenant.client.reaches(&job, "succeeded").await?;
    }
    let refused = "SELECT count(*) FROM deliveries WHERE response_status = 503";
    until("both were refused", async || Ok((world.count(refused).await? == 2).then_some(()))).await?;
    let told = get(&anna, "/operator/errors").await?["deliveries"].clone();
    let find = |error: &str| -> Value {
        let mut rows = told["data"].as_array().into_iter().flatten();
        rows.find(|row| row["error"] == error).cloned().unwrap_or_default()
    };
    let counted = |row: &Value| ["deliveries", "pending", "endpoints", "accounts"].map(|name| row[name].clone());
    assert_eq!(told["data"][0], find("tls_failed"), "the most first: {told:#}");
    assert_eq!(
        (&told["data"][0]["host"], counted(&told["data"][0])),
        (&json!("127.0.0.1:9"), [3, 0, 1, 1].map(Value::from))
    );
    let answered = find("http_status");
    assert_eq!(
        (&answered["response_status"], counted(&answered)),
        (&json!(503), [2, 2, 2, 2].map(Value::from)),
        "{told:#}"
    );
    assert_eq!(answered["host"].as_str(), receiver.url.split('/').nth(2), "{told:#}");
    let others = [&told["left_out"], &find("dns_failed"), &find("endpoint_disabled")];
    assert_eq!(others, [&json!(false), &Value::Null, &Value::Null], "of an earlier day, or not attempted: {told:#}");
    assert!(told["looked_from"].is_string() && !told.to_string().contains("hook"), "hosts alone: {told:#}");

    let (_, page) = signed_in(&world, ANNA).await?.get("/console/errors").await?;
    let row = format!("error=tls_failed&amp;endpoint_id={closed}\">");
    assert!(page.contains(&format!("/console/deliveries?{row}3</a>")), "{page}");
    assert!(page.contains(&format!("/console/unsent?{row}Send again…")), "{page}");
    assert!(page.contains("error=http_status&amp;http_status=503\">2</a>") && !page.contains("token=hidden"), "{page}");
    world.end().await
}

/// What the page of errors and the list of failed deliveries show.
async fn pages(world: &World, browser: &Browser) -> anyhow::Result<(String, String)> {
    // What the page of errors shows was found two seconds ago at most.
    world.advance(Duration::from_secs(2)).await?;
    Ok((browser.get("/console/errors").await?.1, browser.get("/console/deliveries?status=failed").await?.1))
}

#[tokio::test]
async fn failed_deliveries_that_were_sent_again_and_arrived_are_no_longer_to_be_sent_again() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (tenant, receiver) = (world.tenant("a").await?, Receiver::start()?);
    let open = world.endpoint(&tenant, &format!("{}/hook", receiver.url)).await?;
    let removed = world.endpoint(&tenant, "http://127.0.0.1:9/hook").await?;
    let timeout = ("failed", "timeout");
    deliveries(&world, &tenant, open, &[timeout, timeout, timeout]).await?;
    deliveries(&world, &tenant, removed, &[("failed", "tls_failed")]).await?;
    let told = async || -> anyhow::Result<Vec<Value>> {
        let kinds = get(&anna, "/operator/errors").await?["deliveries"]["data"].clone();
        let counted = |kind: &Value| {
            Value::from(["error", "deliveries", "sent_again", "arrived", "unsent"].map(|name| kind[name].clone()))
        };
        Ok(kinds.as_array().into_iter().flatten().map(counted).collect())
    };
    assert_eq!(told().await?, [json!(["timeout", 3, 0, 0, 3]), json!(["tls_failed", 1, 0, 0, 1])]);
    let browser = signed_in(&world, ANNA).await?;
    let (errors, list) = pages(&world, &browser).await?;
    assert_eq!(errors.matches("Send again…").count(), 2, "{errors}");
    assert!(!list.contains("sent again, "), "{list}");

    let resend = json!({ "since": "2001-01-01T00:00:00Z", "error": "timeout" });
    let sent = done(&anna, "POST", "/operator/deliveries/resend", &resend, 202).await?;
    assert_eq!(sent["resent"], 3, "{sent}");
    let last = json!(["timeout", 3, 3, 0, 0]);
    assert_eq!(told().await?, [json!(["tls_failed", 1, 0, 0, 1]), last], "nothing is left to do of the larger kind");
    let (errors, list) = pages(&world, &browser).await?;
    assert!(errors.contains("0 arrived") && !errors.contains("/console/unsent?error=timeout"), "{errors}");
    assert_eq!(list.matches("sent again, under way: ").count(), 3, "{list}");

    world.work(runners::instant()).await?;
    let arrived = "SELECT count(*) FROM deliveries WHERE status = 'succeeded'";
    until("all have arrived", async || Ok((world.count(arrived).await? == 3).then_some(()))).await?;
    let gone = tenant.client.send("DELETE", &format!("/webhooks/{removed}"), &[], None).await?;
    assert_eq!(gone.status, 200, "{}", gone.text);
    assert_eq!(told().await?, [json!(["timeout", 3, 3, 3, 0]), json!(["tls_failed", 1, 0, 0, 0])]);
    let (errors, list) = pages(&world, &browser).await?;
    assert!(errors.contains("all arrived") && !errors.contains("Send again…"), "{errors}");
    let newest = "SELECT id FROM deliveries WHERE status = 'succeeded' ORDER BY id DESC LIMIT 1";
    let newest: DeliveryId = sqlx::query_scalar(newest).fetch_one(world.pool()).await?;
    assert!(list.contains(&format!("href=\"/console/deliveries/{newest}\"")), "{list}");
    assert_eq!(list.matches("sent again, arrived: ").count(), 3, "{list}");
    world.end().await
}

#[tokio::test]
async fn a_kind_of_failure_that_came_with_the_release_says_so_after_its_first_hour_too() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 1, Media::audio(60)).await?;
    let before = world.worker(runners::failing(|| ReadError::Unsupported("it takes too long"))).await?;
    failing(&tenant, &items, "levels").await?;
    before.stop().await?;
    world.advance(Duration::from_hours(3)).await?;
    world.work(runners::failing(|| ReadError::Corrupt("it ends after 12 bytes"))).await?;
    until("the worker is one of the fleet", async || {
        let there = world.count("SELECT count(*) FROM workers WHERE service = 'worker'").await?;
        Ok((there == 1).then_some(()))
    })
    .await?;
    failing(&tenant, &items, "beats").await?;
    world.advance(Duration::from_hours(2)).await?;

    let browser = signed_in(&world, ANNA).await?;
    let (_, page) = browser.get("/console/errors").await?;
    let rows: Vec<&str> = page.split("<tr>").skip(2).collect();
    assert_eq!(rows.len(), 2, "{page}");
    assert!(rows[0].contains("media_unreadable") && rows[0].contains("! since "), "{page}");
    assert!(rows[1].contains("not_supported") && !rows[1].contains("! since "), "{page}");
    assert!(!page.contains("! new") && page.contains("Failures that were not seen before then are marked."), "{page}");
    let (_, listed) = browser.get("/console/errors?format=json").await?;
    let listed: Value = serde_json::from_str(&listed)?;
    let came = [&listed["data"][0]["came_with_release"], &listed["data"][1]["came_with_release"]];
    assert_eq!(came, [&json!(true), &json!(false)], "{listed}");
    assert_eq!(listed, get(&anna, "/operator/errors").await?, "it is what programs get");
    assert_eq!(listed["data"][0]["by_hour"].as_array().map(Vec::len), Some(24), "{listed}");
    world.end().await
}

#[tokio::test]
async fn a_new_kind_of_failure_of_several_accounts_is_in_the_verdict_with_one_of_its_jobs() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (one, two) = (world.tenant("one").await?, world.tenant("two").await?);
    world
        .work(runners::runner(|reading, _| async move {
            if reading.read == Read::Levels {
                return Err(ReadError::Internal("row 12 is not there".to_owned()));
            }
            Err(ReadError::Corrupt("it ends after 12 bytes"))
        }))
        .await?;
    let execution = async || -> anyhow::Result<Value> {
        // A quarter of an hour later no share of what ended is judged.
        world.advance(Duration::from_mins(16)).await?;
        Ok(get(&anna, "/operator/report").await?["axes"][1].clone())
    };
    failing(&one, &world.items(&one, 2, Media::audio(60)).await?, "levels").await?;
    let told = execution().await?;
    assert_eq!((&told["state"], &told["next"]), (&json!("healthy"), &Value::Null), "of one account: {told:#}");
    let newest = failing(&two, &world.items(&two, 1, Media::audio(60)).await?, "levels").await?;
    let told = execution().await?;
    let wanted = (&json!("degraded"), &json!(format!("mws admin jobs get {newest}")));
    assert_eq!((&told["state"], &told["next"]), wanted, "{told:#}");
    let said = told["sentence"].as_str().unwrap_or_default();
    assert!(said.contains("3 jobs of `levels` of 2 accounts failed with `internal`"), "{said}");
    assert!(said.ends_with(&format!("the newest is {newest}.")) && !said.contains("row"), "no message: {said}");
    let (_, page) = signed_in(&world, ANNA).await?.get("/console").await?;
    assert!(
        page.contains(&format!("href=\"/console/jobs/{newest}\"")) && page.contains("How jobs of a day failed"),
        "{page}"
    );

    world.advance(Duration::from_mins(30)).await?;
    failing(&two, &world.items(&two, 3, Media::audio(60)).await?, "levels").await?;
    failing(&one, &world.items(&one, 2, Media::audio(60)).await?, "beats").await?;
    failing(&two, &world.items(&two, 1, Media::audio(60)).await?, "beats").await?;
    let told = execution().await?;
    assert_eq!((&told["state"], &told["next"]), (&json!("healthy"), &Value::Null), "{told:#}");
    let said = told["sentence"].as_str().unwrap_or_default();
    assert!(said.contains("3 jobs of `beats` of 2 accounts failed with `media_unreadable`"), "{said}");
    world.end().await
}

#[tokio::test]
async fn reads_that_failed_are_run_again_all_at_once_and_each_of_them_once() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 3, Media::audio(60)).await?;
    let worker = world.worker(runners::failing(|| ReadError::Unsupported("it takes too long"))).await?;
    failing(&tenant, &items, "levels").await?;
    // The same item and read once more, and another read, which is not asked for.
    failing(&tenant, &items[..1], "levels").await?;
    failing(&tenant, &items[..1], "beats").await?;
    worker.stop().await?;
    let (acts, reads) = (signed_in(&world, ANNA).await?, signed_in(&world, BO).await?);
    let path = "/console/rerun?read=levels&error_code=not_supported";
    let (_, page) = acts.get(path).await?;
    assert!(page.contains("<b>3</b> reads of <b>1</b> account failed") && page.contains("Run 3 again"), "{page}");
    assert!(page.contains(">0.30<"), "what is held for them: {page}");
    let (status, page) = reads.get(path).await?;
    assert!(status == StatusCode::OK && !page.contains("Run 3 again"), "{page}");
    assert_eq!(reads.post(path, &[]).await?.status(), StatusCode::FORBIDDEN);
    for wrong in ["read=odd", "since=x", "before=x", "status=failed"] {
        assert_eq!(acts.get(&format!("/console/rerun?{wrong}")).await?.0, StatusCode::BAD_REQUEST, "{wrong}");
    }
    let live = "SELECT count(*) FROM jobs WHERE status = 'queued'";
    assert_eq!(world.count(live).await?, 0, "looking starts nothing");

    let pressed = acts.post(path, &[]).await?;
    assert_eq!(pressed.status(), StatusCode::SEE_OTHER);
    let (_, page) = acts.get(pressed.headers()[header::LOCATION].to_str()?).await?;
    assert!(page.contains("3 were started, 0 are stored or under way already, 0 could not start."), "{page}");
    assert_eq!(world.count(live).await?, 3);
    let again = acts.post(path, &[]).await?;
    assert!(again.headers()[header::LOCATION].to_str()?.ends_with("started=0&there=3&refused=0"));
    assert_eq!(world.count(live).await?, 3, "nothing starts twice");
    assert!(log(&anna).await?.iter().filter(|row| row.starts_with("job.retry ")).count() >= 3);
    world.end().await
}
