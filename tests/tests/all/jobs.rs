//! Following and stopping jobs: `get_jobs` and `cancel_jobs` (contract §4.4, §3.2).

use crate::dispatch::all_reads;
use chrono::{DateTime, Utc};
use domain::ids::AccountId;
use mws_tests::world::runners::{self, Gate};
use mws_tests::world::{Answer, Client, Media, World, until};
use serde_json::{Value, json};
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::time::{Duration, Instant};

fn ids(jobs: &Value) -> Vec<&str> {
    jobs.as_array().into_iter().flatten().filter_map(|job| job["id"].as_str()).collect()
}

#[tokio::test]
async fn a_job_is_queued_then_runs_then_has_succeeded() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let id = &tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?[0];
    let queued = tenant.client.job(id).await?;
    assert_eq!(
        (&queued["status"], &queued["attempt"], &queued["max_attempts"]),
        (&json!("queued"), &json!(0), &json!(3))
    );
    assert_eq!((&queued["cloud_minutes"], &queued["started_at"]), (&Value::Null, &Value::Null));
    assert_eq!((&queued["item_id"], &queued["ref"]), (&json!(item), &json!(item)));
    let gate = Gate::closed();
    world.work(gate.runner()).await?;
    let running = tenant.client.reaches(id, "running").await?;
    assert_eq!((&running["attempt"], &running["progress"]), (&json!(1), &json!(0)));
    assert!(running["started_at"].is_string() && running["finished_at"].is_null());
    gate.open();
    let ended = tenant.client.reaches(id, "succeeded").await?;
    assert_eq!((&ended["attempt"], &ended["progress"], &ended["cloud_minutes"]), (&json!(1), &json!(100), &json!(0.1)));
    assert_eq!((&ended["result"], &ended["error"]), (&json!({ "stored_reads": ["levels"] }), &Value::Null));
    assert!(ended["finished_at"].is_string());
    world.end().await
}

#[tokio::test]
async fn one_call_of_get_jobs_follows_all_that_one_call_of_prepare_media_started() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let items = world.items(&tenant, 20, Media::video(60)).await?;
    let mut asked = tenant.client.prepare(&items, &all_reads()).await?.job_ids()?;
    asked.reverse();
    let foreign = other.client.prepare(&[world.item(&other, Media::video(60)).await?], &["levels"]).await?.job_ids()?;
    let strange = ["job_00000000000000000000000000".to_owned(), "nonsense".to_owned(), foreign[0].clone()];
    let all = [&asked[..], &strange[..]].concat();
    let answer = tenant.client.tool("get_jobs", &json!({ "job_ids": all })).await?;
    assert_eq!(ids(&answer.data()?["jobs"]), asked);
    let mut missing = answer.data()?["missing"].as_array().cloned().unwrap_or_default();
    missing.sort_by_key(ToString::to_string);
    let mut wanted = strange.map(Value::from).to_vec();
    wanted.sort_by_key(ToString::to_string);
    assert_eq!(missing, wanted);
    world.end().await
}

/// Makes a call that waits for half a minute, lets one of its jobs through meanwhile, and returns its answer.
async fn polled_beside_an_end(world: &World, client: &Client, jobs: &[String], gate: &Gate) -> anyhow::Result<Answer> {
    let (client, body) = (client.clone(), json!({ "job_ids": jobs, "wait_seconds": 30 }));
    let before: DateTime<Utc> = sqlx::query_scalar("SELECT clock_timestamp()").fetch_one(world.pool()).await?;
    let waiting = tokio::spawn(async move { client.tool("get_jobs", &body).await });
    until("the poll has used the database", async || {
        let used = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
            AND application_name = 'mws-api' AND state = 'idle' AND state_change > $1";
        let used: i64 = sqlx::query_scalar(used).bind(before).fetch_one(world.pool()).await?;
        Ok((used > 0).then_some(()))
    })
    .await?;
    gate.let_through(1);
    waiting.await?
}

#[tokio::test]
async fn get_jobs_waits_until_one_of_the_jobs_has_ended() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let asked = tenant.client.prepare(&[item], &all_reads()).await?.job_ids()?;
    let gate = Gate::closed();
    world.work(gate.runner()).await?;
    until("reads run", async || Ok((gate.inside() == 4).then_some(()))).await?;
    // Nothing ends: it waits its time.
    let started = Instant::now();
    let body = json!({ "job_ids": asked, "wait_seconds": 1 });
    tenant.client.tool("get_jobs", &body).await?.data()?;
    assert!(started.elapsed() >= Duration::from_secs(1), "{:?}", started.elapsed());
    // One ends: it answers before its time. What ends before a call has looked is none that it waits for: then another
    // ends beside the next call.
    for ended in 1.. {
        anyhow::ensure!(ended < asked.len(), "no call noticed that one of its jobs ended");
        let started = Instant::now();
        let answer = polled_beside_an_end(&world, &tenant.client, &asked, &gate).await?;
        let jobs = answer.data()?["jobs"].as_array().cloned().unwrap_or_default();
        assert_eq!(jobs.iter().filter(|job| job["status"] == "succeeded").count(), ended);
        if started.elapsed() < Duration::from_secs(30) {
            break;
        }
    }
    // That one is not waited for again: a loop of such calls does not spin.
    let started = Instant::now();
    tenant.client.tool("get_jobs", &json!({ "job_ids": asked, "wait_seconds": 1 })).await?.data()?;
    assert!(started.elapsed() >= Duration::from_secs(1), "{:?}", started.elapsed());
    world.end().await
}

#[tokio::test]
async fn jobs_are_listed_newest_first_by_filters_and_pages() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 5, Media::video(60)).await?;
    let mut all = tenant.client.prepare(&items, &["transcript", "levels"]).await?.job_ids()?;
    let cancelled = [all[1].clone(), all[4].clone()];
    tenant.client.tool("cancel_jobs", &json!({ "job_ids": cancelled })).await?.data()?;
    all.reverse();
    let mut listed = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let mut body = json!({ "limit": 4 });
        if cursor.is_string() {
            body["cursor"] = cursor;
        }
        let page = tenant.client.tool("get_jobs", &body).await?;
        listed.extend(ids(&page.data()?["jobs"]).into_iter().map(str::to_owned));
        cursor = page.data()?["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(listed, all);

    let of = async |body: Value| -> anyhow::Result<usize> {
        Ok(ids(&tenant.client.tool("get_jobs", &body).await?.data()?["jobs"]).len())
    };
    assert_eq!(of(json!({ "status": ["cancelled"] })).await?, 2);
    assert_eq!(of(json!({ "status": ["cancelled", "queued"] })).await?, 10);
    assert_eq!(of(json!({ "kind": ["transcription"] })).await?, 5);
    assert_eq!(of(json!({ "ref": items[0] })).await?, 2);
    assert_eq!(of(json!({ "ref": items[0], "kind": ["read"], "status": ["queued"] })).await?, 0);
    let last = tenant.client.job(&all[0]).await?["created_at"].clone();
    assert_eq!(of(json!({ "created_after": last })).await?, 10, "milliseconds are cut off, and none is newer by one");
    assert_eq!(of(json!({ "created_after": "2999-01-01T00:00:00Z" })).await?, 0);
    world.end().await
}

#[tokio::test]
async fn a_queued_job_says_what_it_waits_for_and_what_is_its_payers_to_the_payer_alone() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, guest) = (world.tenant("a").await?, world.tenant("b").await?);
    let viewer = world.member(&guest, &tenant, "viewer").await?;
    let items = world.items(&tenant, 4, Media::video(60)).await?;
    let jobs = tenant.client.prepare(&items, &all_reads()).await?.job_ids()?;
    let (first, last) = (&jobs[0], &jobs[jobs.len() - 1]);
    let code = async |client: &Client, id: &str| anyhow::Ok(client.job(id).await?["waits"]["code"].take());
    assert_eq!(code(&tenant.client, first).await?, "engine", "no worker has started");
    sqlx::query("INSERT INTO workers (name, host, service, version, reads) VALUES ('w', 'h', 'worker', '1', $1)")
        .bind(&all_reads()[..])
        .execute(world.pool())
        .await?;
    assert_eq!(code(&tenant.client, first).await?, "slot");
    let slot = json!({ "code": "slot", "message": "It is due, and waits for a free slot of a worker.", "until": null });
    assert_eq!(viewer.job(first).await?["waits"], slot);
    assert_eq!(tenant.client.job(last).await?["waits"]["message"], "Its account has all its places in use.");
    let turn = json!({ "code": "turn", "message": "It waits for its turn.", "until": null });
    assert_eq!(viewer.job(last).await?["waits"], turn);
    let listed = tenant.client.tool("get_jobs", &json!({ "status": ["queued"], "limit": 1 })).await?;
    let newest = &listed.data()?["jobs"][0];
    assert_eq!((&newest["id"], &newest["waits"]["code"]), (&json!(last), &json!("place")));

    sqlx::query("UPDATE read_kinds SET paused_at = mws_now()").execute(world.pool()).await?;
    assert_eq!(code(&viewer, last).await?, "read_paused");
    tenant.client.tool("cancel_jobs", &json!({ "job_ids": [first] })).await?.data()?;
    assert_eq!(tenant.client.job(first).await?["waits"], Value::Null, "it has ended");
    world.end().await
}

#[tokio::test]
async fn a_queued_job_is_cancelled_at_once_and_its_read_can_start_again() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let first = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
    let answer = tenant.client.tool("cancel_jobs", &json!({ "job_ids": [&first[0], "nonsense"] })).await?;
    let wanted =
        json!({ "jobs": [{ "id": first[0], "status": "cancelled", "outcome": "cancelled" }], "missing": ["nonsense"] });
    assert_eq!(answer.data()?, &wanted);
    let again = tenant.client.tool("cancel_jobs", &json!({ "job_ids": first })).await?;
    assert_eq!(again.data()?["jobs"][0]["outcome"], "already_finished");
    let second = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
    assert_ne!(first, second);
    // The ticket of the cancelled job is spent without a claim.
    world.work(runners::instant()).await?;
    assert_eq!(tenant.client.ended(&second).await?[0]["status"], "succeeded");
    assert_eq!(tenant.client.job(&first[0]).await?["started_at"], Value::Null);
    world.end().await
}

#[tokio::test]
async fn a_running_job_that_is_cancelled_stops_and_costs_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let gate = Gate::closed();
    world.work(gate.runner()).await?;
    let id = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    tenant.client.reaches(&id, "running").await?;
    let answer = tenant.client.tool("cancel_jobs", &json!({ "job_ids": [id] })).await?;
    assert_eq!(answer.data()?["jobs"][0]["outcome"], "cancelling");
    let ended = tenant.client.reaches(&id, "cancelled").await?;
    assert_eq!((&ended["cloud_minutes"], &ended["cancel_requested"]), (&json!(0), &json!(true)));
    assert_eq!((&ended["error"], &ended["result"]), (&Value::Null, &Value::Null));
    until("the read has stopped", async || Ok((gate.inside() == 0).then_some(()))).await?;
    assert_eq!(world.count("SELECT count(*) FROM item_reads").await?, 0);
    world.end().await
}

#[tokio::test]
async fn jobs_of_another_workspace_can_be_neither_seen_nor_cancelled() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let item = world.item(&tenant, Media::video(60)).await?;
    let mine = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
    for tool in ["get_jobs", "cancel_jobs"] {
        let answer = other.client.tool(tool, &json!({ "job_ids": mine })).await?;
        assert_eq!((&answer.data()?["jobs"], &answer.data()?["missing"]), (&json!([]), &json!(mine)));
    }
    assert_eq!(tenant.client.job(&mine[0]).await?["status"], "queued");
    let by_ref = other.client.tool("get_jobs", &json!({ "ref": item })).await?;
    assert_eq!((by_ref.status, by_ref.code()), (403, "workspace_forbidden"));
    let step = "Name its workspace in x-workspace-id, if you can reach it.";
    assert_eq!(by_ref.json["error"]["suggested_action"], step);
    world.end().await
}

#[tokio::test]
async fn a_running_job_that_was_asked_to_stop_is_not_written_again_by_the_next_call() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let running = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
    let id: domain::ids::JobId = running[0].parse()?;
    let mut tx = world.pool().begin().await?;
    sqlx::query("UPDATE jobs SET status = 'running' WHERE id = $1").bind(id.uuid()).execute(&mut *tx).await?;
    let (workspace, account) = (tenant.workspace, tenant.account);
    assert_eq!(store::jobs::cancel_unasked(&mut tx, &[id], workspace, account).await?.len(), 1, "it is asked");
    assert_eq!(store::jobs::cancel_unasked(&mut tx, &[id], workspace, account).await?.len(), 0, "it was asked before");
    sqlx::query("UPDATE jobs SET status = 'queued' WHERE id = $1").bind(id.uuid()).execute(&mut *tx).await?;
    assert_eq!(store::jobs::cancel_unasked(&mut tx, &[id], workspace, account).await?.len(), 1, "nobody else stops it");
    tx.rollback().await?;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_stopped_job_took_counts_to_the_account_that_stopped_it() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (host, home) = (world.tenant("a").await?, world.tenant("b").await?);
    let (guest, item) = (world.member(&home, &host, "editor").await?, world.item(&host, Media::audio(60)).await?);
    let runs = Arc::new(AtomicBool::new(false));
    let begun = Arc::clone(&runs);
    let hangs = runners::runner(move |_, ctx| {
        ctx.processor.take(Duration::from_mins(1));
        begun.store(true, Ordering::SeqCst);
        pending()
    });
    world.work(hangs).await?;
    let counted = "DELETE FROM account_paces WHERE what = 'unpaid_processor_time' RETURNING account_id";
    for (read, by, account) in [
        ("levels", &guest, home.account),
        ("beats", &host.client, host.account),
        ("speech", &host.client, host.account),
    ] {
        let jobs = guest.prepare(&[item], &[read]).await?.job_ids()?;
        until("it runs", async || Ok(runs.swap(false, Ordering::SeqCst).then_some(()))).await?;
        if read == "speech" {
            by.send("DELETE", &format!("/library/items/{item}"), &[], None).await?;
        } else {
            by.tool("cancel_jobs", &json!({ "job_ids": jobs })).await?.data()?;
        }
        let stopper: AccountId =
            until("it is counted", async || Ok(sqlx::query_scalar(counted).fetch_optional(world.pool()).await?))
                .await?;
        assert_eq!(stopper, account, "{read}");
    }
    world.end().await
}
