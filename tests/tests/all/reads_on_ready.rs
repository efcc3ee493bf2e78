//! Reads that are asked for with an upload or an import: they start when its item is ready, as `prepare_media` would
//! then, and once.

use mws_tests::world::{Client, Tenant, World, processes::silence, runners, until};
use serde_json::{Value, json};

/// The item once its reads were answered.
async fn answered(client: &Client, item: &str) -> anyhow::Result<Value> {
    until("its reads are answered", async || {
        let found = client.send("GET", &format!("/library/items/{item}"), &[], None).await?.json;
        Ok(found["reads_on_ready"]["answers"].is_array().then_some(found))
    })
    .await
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
    let found = answered(&tenant.client, &item).await?;
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
    let path = format!("/library/items/{item}?wait_seconds=20");
    let failed = tenant.client.send("GET", &path, &[], None).await?.json;
    assert_eq!((&failed["status"], &failed["reads_on_ready"]["answers"]), (&json!("failed"), &Value::Null));
    assert_eq!(world.count("SELECT count(*) FROM reads_on_ready WHERE due_at IS NOT NULL").await?, 0);
    for reads in [json!(["level"]), json!("levels")] {
        let body = json!({ "filename": "a.wav", "content_type": "audio/wav", "bytes": 1, "reads": reads });
        let refused = tenant.client.send("POST", "/uploads", &[], Some(body.to_string())).await?;
        assert_eq!((refused.status, &refused.json["error"]["code"]), (400, &json!("invalid_request")), "{body}");
    }
    world.end().await
}
