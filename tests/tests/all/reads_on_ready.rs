//! Reads that are asked for with an upload or an import: they start when its item is ready, as `prepare_media` would
//! then, and once.

use crate::outage::took;
use domain::minutes::Minutes;
use mws_tests::world::{Client, Media, Tenant, World, processes::silence, runners, until};
use runtime::wake::Wake;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The item once its reads were answered. A look at them that failed is made again after half a minute.
async fn answered(client: &Client, item: &str) -> anyhow::Result<Value> {
    let seen = async || anyhow::Ok(client.send("GET", &format!("/library/items/{item}"), &[], None).await?.json);
    let waited = until("its reads are answered", async || {
        let found = seen().await?;
        Ok(found["reads_on_ready"]["answers"].is_array().then_some(found))
    });
    match waited.await {
        Ok(found) => Ok(found),
        // Whether the item is not ready, or its reads were not started, is another fault.
        Err(error) => Err(error.context(seen().await?)),
    }
}

async fn uploaded(tenant: &Tenant, reads: Value) -> anyhow::Result<String> {
    let bytes = silence(1)?;
    let upload = tenant.client.announce(bytes.len(), &json!({ "reads": reads })).await?;
    tenant.client.send_announced(&upload, &bytes).await
}

#[tokio::test]
async fn reads_start_once_an_upload_is_ready_and_their_answers_stay_on_the_item() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    let bytes = silence(1)?;
    let upload = tenant.client.announce(bytes.len(), &json!({ "reads": ["levels", "search_index", "levels"] })).await?;
    let path = format!("/library/items/{}", upload["item_id"].as_str().unwrap_or_default());
    let waiting = tenant.client.send("GET", &path, &[], None).await?.json;
    assert_eq!(waiting["reads_on_ready"], json!({ "reads": ["levels", "search_index"], "answers": null }));
    world.work(runners::instant()).await?;
    let item = tenant.client.send_announced(&upload, &bytes).await?;
    let found = until("its reads are answered", async || {
        let asked = Instant::now();
        let found = tenant.client.send("GET", &format!("{path}?wait_seconds=30"), &[], None).await?.json;
        let is_told = found["reads_on_ready"]["answers"].is_array();
        // A busy machine may need longer than the poll, which then answers when its time is over.
        let is_over = asked.elapsed() >= Duration::from_secs(30);
        assert!(is_told || is_over, "a long poll for the item tells the jobs of its reads: {found}");
        Ok(is_told.then_some(found))
    })
    .await?;
    assert_eq!(found["status"], "ready", "{found}");
    let answers = &found["reads_on_ready"]["answers"];
    assert_eq!((&answers[0]["read"], &answers[0]["status"]), (&json!("levels"), &json!("queued")));
    assert_eq!(answers[0]["already_queued"], false);
    assert_eq!((&answers[1]["status"], &answers[1]["reason"]["code"]), (&json!("skipped"), &json!("not_video")));
    let job = answers[0]["job_id"].as_str().unwrap_or_default().to_owned();
    let ended = tenant.client.ended(&[job]).await?;
    assert_eq!((&ended[0]["status"], &ended[0]["item_id"]), (&json!("succeeded"), &json!(item)));
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 1);
    let again = tenant.client.send("GET", &path, &[], None).await?.json;
    assert_eq!(again["reads_on_ready"], found["reads_on_ready"], "what became of them is what it was");
    world.end().await
}

#[tokio::test]
async fn whoever_asked_and_may_no_longer_starts_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    uploaded(&tenant, json!(["levels"])).await?;
    let revoke = "UPDATE api_keys SET revoked_at = mws_now() WHERE id = $1";
    sqlx::query(revoke).bind(tenant.key_id).execute(world.pool()).await?;
    world.work(runners::instant()).await?;
    let kept = "SELECT answer #>> '{0,reason,code}' FROM reads_on_ready";
    let code = until("it is answered", async || {
        Ok(sqlx::query_scalar::<_, Option<String>>(kept).fetch_one(world.pool()).await?)
    });
    assert_eq!(code.await?, "caller_may_not");
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 0);
    assert_eq!(world.count("SELECT count(*) FROM items WHERE status = 'ready'").await?, 1);
    world.end().await
}

#[tokio::test]
async fn what_was_started_and_not_noted_is_answered_again_and_costs_once() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    let item = uploaded(&tenant, json!(["levels"])).await?;
    let gate = runners::Gate::closed();
    world.work(gate.runner()).await?;
    answered(&tenant.client, &item).await?;
    // As if whoever started it had died before it was noted.
    sqlx::query("UPDATE reads_on_ready SET answer = NULL, due_at = mws_now()").execute(world.pool()).await?;
    let found = answered(&tenant.client, &item).await?;
    assert_eq!(found["reads_on_ready"]["answers"][0]["already_queued"], true);
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 1);
    gate.open();
    let job = found["reads_on_ready"]["answers"][0]["job_id"].as_str().unwrap_or_default().to_owned();
    assert_eq!(tenant.client.ended(&[job]).await?[0]["status"], "succeeded");
    world.end().await
}

#[tokio::test]
async fn a_file_that_can_not_be_read_starts_nothing_and_a_wrong_read_is_refused_at_once() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    let upload = tenant.client.announce(9, &json!({ "reads": ["levels"] })).await?;
    let item = tenant.client.send_announced(&upload, b"no sound!").await?;
    world.work(runners::instant()).await?;
    let failed = tenant.client.looked_at(&item).await?;
    assert_eq!((&failed["status"], &failed["reads_on_ready"]["answers"]), (&json!("failed"), &Value::Null));
    assert_eq!(world.count("SELECT count(*) FROM reads_on_ready WHERE due_at IS NOT NULL").await?, 0);
    for reads in [json!(["level"]), json!("levels")] {
        let body = json!({ "filename": "a.wav", "content_type": "audio/wav", "bytes": 1, "reads": reads });
        let refused = tenant.client.send("POST", "/uploads", &[], Some(body.to_string())).await?;
        assert_eq!((refused.status, &refused.json["error"]["code"]), (400, &json!("invalid_request")), "{body}");
    }
    world.end().await
}

#[tokio::test]
async fn minutes_that_run_short_start_what_they_reach_for_and_the_rest_is_not_tried_again() -> anyhow::Result<()> {
    let world = World::new().await?;
    // A second's levels hold 0.01 minutes, its transcript 0.02.
    let tenant = world.tenant_with("one", Minutes::from_hundredths(2)).await?;
    world.work(runners::instant()).await?;
    let item = uploaded(&tenant, json!(["levels", "transcript"])).await?;
    let found = answered(&tenant.client, &item).await?;
    let answers = &found["reads_on_ready"]["answers"];
    let (levels, transcript) = (&answers[0], &answers[1]);
    assert_eq!((&levels["status"], &levels["estimated_minutes"]), (&json!("queued"), &json!(0.01)));
    assert_eq!(transcript["status"], "refused", "{transcript}");
    assert_eq!(transcript["reason"]["code"], "insufficient_minutes", "{transcript}");
    let job = levels["job_id"].as_str().unwrap_or_default().to_owned();
    assert_eq!(tenant.client.ended(&[job]).await?[0]["status"], "succeeded");

    // Where the minutes reach for none the item is ready all the same, and nothing is held.
    let none = uploaded(&tenant, json!(["transcript", "speakers"])).await?;
    let refused = answered(&tenant.client, &none).await?;
    assert_eq!(refused["status"], "ready");
    for read in refused["reads_on_ready"]["answers"].as_array().into_iter().flatten() {
        assert_eq!(read["reason"]["code"], "insufficient_minutes", "{read}");
    }
    assert_eq!(world.count("SELECT count(*) FROM reads_on_ready WHERE due_at IS NOT NULL").await?, 0);
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 1);

    // More minutes start nothing by themselves: whoever wants it still asks for it.
    world.buy(&tenant, Minutes::from_hundredths(100)).await?;
    assert_eq!(tenant.client.prepare(&[&item], &["transcript"]).await?.reads()?, [["queued"]]);
    let again = tenant.client.send("GET", &format!("/library/items/{item}"), &[], None).await?.json;
    assert_eq!(again["reads_on_ready"], found["reads_on_ready"], "what became of them is what it was");
    world.end().await
}

/// Has the account wait for so many seconds before jobs of it start, as one does that has stopped too many.
async fn hold_up(world: &World, tenant: &Tenant, seconds: f64) -> anyhow::Result<()> {
    let ahead = "INSERT INTO account_paces (account_id, what, theoretical_arrival)
        VALUES ($1, 'stopped_jobs_a_day', mws_now() + interval '1 day' + make_interval(secs => $2))";
    sqlx::query(ahead).bind(tenant.account).bind(seconds).execute(world.pool()).await?;
    Ok(())
}

/// Waits until the reads of an item were deferred. A look at them that failed is made again after half a minute.
async fn deferred(world: &World) -> anyhow::Result<()> {
    let later = "SELECT count(*) FROM reads_on_ready WHERE due_at > mws_now() + interval '1 minute'";
    let probe = async || Ok((world.count(later).await? == 1).then_some(()));
    until("the reads are deferred", probe).await
}

#[tokio::test]
async fn reads_of_an_account_that_has_to_wait_are_put_off_and_start_by_themselves() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("one").await?, world.tenant("other").await?);
    hold_up(&world, &tenant, 300.0).await?;
    world.work(runners::instant()).await?;
    let item = uploaded(&tenant, json!(["levels"])).await?;
    deferred(&world).await?;
    let path = format!("/library/items/{item}");
    let waiting = tenant.client.send("GET", &path, &[], None).await?.json;
    assert_eq!((&waiting["status"], &waiting["reads_on_ready"]["answers"]), (&json!("ready"), &Value::Null));
    let beside = uploaded(&other, json!(["levels"])).await?;
    answered(&other.client, &beside).await?;
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 1, "the other's");

    world.advance(Duration::from_secs(301)).await?;
    let found = answered(&tenant.client, &item).await?;
    assert_eq!(found["reads_on_ready"]["answers"][0]["status"], "queued");
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 2);
    world.end().await
}

/// A start waits for a turn of its account for fifteen seconds at most.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_whose_account_has_no_turn_free_keep_no_other_account_s_waiting() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (busy, other) = (world.tenant("busy").await?, world.tenant("other").await?);
    let due = "INSERT INTO reads_on_ready (item_id, reads, payer_account_id, owner_account_id, workspace_id, tool,
         request_id, due_at) VALUES ($1, ARRAY['levels'], $2, $2, $3, 'import_media', 'r', mws_now())";
    let mut turns = Vec::new();
    for _ in 0..4 {
        turns.push(world.process.own_turns.turn(busy.account).await?);
    }
    for (tenant, what, done) in [
        (
            &busy,
            "its start waits",
            "SELECT count(*) FROM reads_on_ready WHERE due_at > mws_now() + interval '1 second'",
        ),
        (&other, "its reads are started", "SELECT count(*) FROM reads_on_ready WHERE answer IS NOT NULL"),
    ] {
        let item = world.item(tenant, Media::audio(60)).await?;
        let row = sqlx::query(due).bind(item).bind(tenant.account).bind(tenant.workspace);
        row.execute(world.pool()).await?;
        world.process.wakes.send([Wake::ItemSettled(item)]);
        let waited = took(what, async || Ok((world.count(done).await? == 1).then_some(()))).await?;
        assert!(waited < Duration::from_secs(9), "{waited:?} until {what}");
    }
    drop(turns);
    let all = async || Ok((world.count("SELECT count(*) FROM jobs").await? == 2).then_some(()));
    until("both are started", all).await?;
    world.end().await
}

#[tokio::test]
async fn an_item_that_is_deleted_before_its_reads_start_starts_none() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    let delete = async |item: &str| {
        let deleted = tenant.client.send("DELETE", &format!("/library/items/{item}"), &[], None).await?;
        anyhow::ensure!(deleted.status == 200, "{}", deleted.text);
        Ok(())
    };
    // Before it is ready.
    let early = uploaded(&tenant, json!(["levels"])).await?;
    delete(&early).await?;
    // Between that and the start, for which its account has to wait.
    hold_up(&world, &tenant, 300.0).await?;
    world.work(runners::instant()).await?;
    let late = uploaded(&tenant, json!(["levels", "speech"])).await?;
    deferred(&world).await?;
    delete(&late).await?;
    world.advance(Duration::from_secs(301)).await?;
    let due = "SELECT count(*) FROM reads_on_ready WHERE due_at IS NOT NULL";
    until("none waits any more", async || Ok((world.count(due).await? == 0).then_some(()))).await?;
    let said = "SELECT answer #>> '{1,reason,code}' FROM reads_on_ready WHERE answer IS NOT NULL";
    let said: Vec<String> = sqlx::query_scalar(said).fetch_all(world.pool()).await?;
    assert_eq!(said, ["item_not_found"]);
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 0);
    assert_eq!(world.count("SELECT count(*) FROM minute_journal WHERE kind = 'hold'").await?, 0);

    // What was kept goes with the items.
    let kept = "SELECT count(*) FROM reads_on_ready";
    until("both items are purged", async || {
        scheduler::purge_items::run_once(&world.process).await?;
        Ok((world.count(kept).await? == 0).then_some(()))
    })
    .await?;
    world.end().await
}
