//! What an account may keep: items, projects and their log, each with a bound, an end, and a refusal that says what to
//! delete.

use mws_tests::world::{Answer, Client, Media, World, runners};
use serde_json::json;
use std::time::Duration;

async fn status(client: &Client, project: &str, status: &str, prompt: &str) -> anyhow::Result<Answer> {
    let assets = json!([{ "ref": "a", "type": "image", "prompt": prompt }]);
    client.post(&format!("/projects/{project}/status"), &json!({ "status": status, "assets": assets })).await
}

#[tokio::test]
async fn a_flood_of_projects_ends_at_the_quota_and_a_deletion_makes_room() -> anyhow::Result<()> {
    let world = World::with(|settings| settings.project_quota_bytes = 600_000).await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    let project = async || {
        let body = json!({ "brief": "a film", "webhook_url": "https://93.184.216.34/" });
        Ok::<_, anyhow::Error>(
            client.post("/projects", &body).await?.json["id"].as_str().unwrap_or_default().to_owned(),
        )
    };
    let first = project().await?;
    let large = status(client, &first, "generating", &"x".repeat(300_000)).await?;
    assert_eq!((large.status, large.code()), (413, "request_too_large"), "{}", large.text);
    let mut answers = Vec::new();
    for next in ["generating", "running", "generating", "running"] {
        answers.push(status(client, &first, next, &"x".repeat(200_000)).await?);
    }
    let codes: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    // Each leaves a webhook of 200 KB to be sent, and the project itself has as much.
    assert_eq!(codes, [200, 409, 409, 409]);
    assert_eq!(answers[1].code(), "quota_reached");
    let unchanged = client.send("GET", &format!("/projects/{first}"), &[], None).await?;
    assert_eq!(unchanged.json["revision"], 2, "what is refused changes nothing");
    assert_eq!(world.count("SELECT count(*) FROM project_webhooks").await?, 2);

    let second = project().await?;
    let gone = client.send("DELETE", &format!("/projects/{first}"), &[], None).await?;
    assert_eq!(gone.status, 200, "{}", gone.text);
    assert_eq!(client.send("GET", &format!("/projects/{first}"), &[], None).await?.code(), "project_not_found");
    assert_eq!(status(client, &second, "generating", &"x".repeat(200_000)).await?.status, 200);
    world.end().await
}

#[tokio::test]
async fn what_was_sent_of_a_project_keeps_no_body_and_a_cancelled_project_goes() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let receiver = mws_tests::world::Receiver::start()?;
    let made = tenant.client.post("/projects", &json!({ "brief": "a film", "webhook_url": receiver.url })).await?;
    let project = made.json["id"].as_str().unwrap_or_default().to_owned();
    world.work(runners::instant()).await?;
    receiver.gets(1).await?;
    let kept = "SELECT count(*) FROM project_webhooks WHERE status = 'succeeded' AND body = ''";
    mws_tests::world::until("its body is forgotten", async || Ok((world.count(kept).await? == 1).then_some(())))
        .await?;
    tenant.client.post(&format!("/projects/{project}/cancel"), &json!({})).await?;
    assert_eq!(scheduler::prune_kept::run_once(&world.process).await?, 0);
    world.advance(Duration::from_hours(31 * 24)).await?;
    assert_eq!(scheduler::prune_kept::run_once(&world.process).await?, 1);
    assert_eq!(world.count("SELECT count(*) FROM projects").await?, 0);
    assert_eq!(world.count("SELECT count(*) FROM project_webhooks").await?, 0);
    world.end().await
}

#[tokio::test]
async fn what_an_agent_did_counts_with_its_projects_until_they_are_deleted() -> anyhow::Result<()> {
    let world = World::with(|settings| settings.project_quota_bytes = 100_000).await?;
    let tenant = world.tenant("a").await?;
    let create = async || tenant.client.post("/projects", &json!({ "brief": "a film" })).await;
    let made = create().await?;
    let path = format!("/projects/{}", made.json["id"].as_str().unwrap_or_default());
    // What a long brief leaves: nobody works on the run meanwhile.
    let steps = "INSERT INTO project_steps (id, run_id, number, tool, arguments)
         SELECT gen_random_uuid(), id, number, 'search', jsonb_build_object('query', repeat('x', 1000))
         FROM project_runs, generate_series(1, 100) AS number";
    sqlx::query(steps).execute(world.pool()).await?;
    assert_eq!(create().await?.status, 201, "a run that goes on counts nothing yet");
    assert_eq!(tenant.client.post(&format!("{path}/cancel"), &json!({})).await?.status, 200);
    let refused = create().await?;
    assert_eq!((refused.status, refused.code()), (409, "quota_reached"), "{}", refused.text);
    assert!(refused.text.contains("what their agent did"), "{}", refused.text);
    assert_eq!(tenant.client.send("DELETE", &path, &[], None).await?.status, 200);
    assert_eq!(create().await?.status, 201);
    world.end().await
}

#[tokio::test]
async fn items_have_a_number_and_their_tombstones_an_end() -> anyhow::Result<()> {
    let world = World::with(|settings| settings.max_items = 2).await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(9)).await?;
    let announced = json!({ "filename": "a.wav", "content_type": "audio/wav", "bytes": 4 });
    assert_eq!(tenant.client.post("/uploads", &announced).await?.status, 201);
    let full = tenant.client.post("/uploads", &announced).await?;
    assert_eq!((full.status, full.code()), (409, "quota_reached"), "{}", full.text);
    let import = tenant.client.tool("import_media", &json!({ "url": "https://93.184.216.34/a.wav" })).await?;
    assert_eq!((import.status, import.code()), (409, "quota_reached"), "{}", import.text);

    tenant.client.send("DELETE", &format!("/library/items/{item}"), &[], None).await?;
    assert_eq!(scheduler::purge_items::run_once(&world.process).await?, 1);
    assert_eq!(tenant.client.post("/uploads", &announced).await?.status, 409, "its row is kept for a while");
    world.advance(Duration::from_hours(31 * 24)).await?;
    // The upload whose bytes never came has expired by now.
    scheduler::expire_uploads::run_once(&world.process).await?;
    assert_eq!(scheduler::prune_kept::run_once(&world.process).await?, 1);
    assert_eq!(world.count("SELECT count(*) FROM items").await?, 1);
    assert_eq!(tenant.client.post("/uploads", &announced).await?.status, 201);
    world.end().await
}

#[tokio::test]
async fn what_is_read_of_an_item_counts_as_storage() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(9)).await?;
    world.work(runners::instant()).await?;
    let kept = "SELECT sum(media_bytes)::bigint FROM (SELECT media_bytes FROM account_usage
        UNION ALL SELECT media_bytes FROM account_usage_changes) AS noted";
    let before = world.count(kept).await?;
    let started = tenant.client.prepare(&[item], &["levels"]).await?;
    tenant.client.ended(&started.job_ids()?).await?;
    let after = world.count(kept).await?;
    assert!(after > before, "{before} and {after}");
    assert!(scheduler::fold_usage::run_once(&world.process).await? > 0);
    assert_eq!(world.count(kept).await?, after);
    world.end().await
}

#[tokio::test]
async fn a_project_counts_as_what_is_told_of_it_whichever_call_brought_it() -> anyhow::Result<()> {
    let world = World::with(|settings| (settings.rate_per_minute, settings.rate_burst) = (60, 100)).await?;
    world.stop_clock().await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    let made = client.post("/projects", &json!({ "brief": "a film", "webhook_url": "https://93.184.216.34/" })).await?;
    let project = made.json["id"].as_str().unwrap_or_default().to_owned();
    assert_eq!(status(client, &project, "generating", &"x".repeat(200_000)).await?.status, 200);
    // A timeline beside the assets that are there already is together with them.
    let body = json!({ "status": "running", "timeline": { "overlays": ["y".repeat(100_000)] } });
    let together = client.post(&format!("/projects/{project}/status"), &body).await?;
    assert_eq!((together.status, together.code()), (413, "request_too_large"), "{}", together.text);
    // Of the burst of a hundred, each change of the status alone takes thirteen: all of the project is told.
    let mut passed = 0;
    for next in ["running", "generating"].into_iter().cycle().take(20) {
        let body = json!({ "status": next });
        match client.post(&format!("/projects/{project}/status"), &body).await?.status {
            200 => passed += 1,
            429 => break,
            other => anyhow::bail!("{other}"),
        }
    }
    assert!((4..=8).contains(&passed), "{passed} changes of 200 KB each");
    world.end().await
}

#[tokio::test]
async fn answers_that_are_kept_have_a_bound_a_day() -> anyhow::Result<()> {
    let world = World::with(|settings| settings.kept_answers_bytes = 10_000).await?;
    let tenant = world.tenant("a").await?;
    let keyed = async |key: &str| {
        let body = json!({ "brief": "x".repeat(4_000) }).to_string();
        tenant.client.send("POST", "/projects", &[("idempotency-key", key)], Some(body)).await
    };
    let mut statuses = Vec::new();
    for key in ["a", "b", "c", "d", "a"] {
        statuses.push(keyed(key).await?.status);
    }
    assert_eq!(statuses, [201, 201, 201, 429, 201], "the fourth can't be kept, and what is kept is answered again");
    assert_eq!(keyed("e").await?.code(), "rate_limited");
    let unkeyed = tenant.client.post("/projects", &json!({ "brief": "y" })).await?;
    assert_eq!(unkeyed.status, 201, "{}", unkeyed.text);
    let item = world.item(&tenant, Media::audio(9)).await?;
    let body = json!({ "refs": [item], "reads": ["levels"] }).to_string();
    let dispatch = tenant.client.send("POST", "/tools/prepare_media", &[("idempotency-key", "f")], Some(body)).await?;
    assert_eq!(dispatch.code(), "rate_limited");
    world.advance(Duration::from_hours(24)).await?;
    assert_eq!(keyed("g").await?.status, 201);
    world.end().await
}

#[tokio::test]
async fn comments_and_calendar_entries_end_at_their_bytes_and_a_deletion_makes_room() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let item = world.item(&tenant, Media::video(60)).await?;
    let theirs = world.item(&other, Media::video(60)).await?;
    let say = async |client: &Client, item| client.tool("add_comment", &json!({ "ref": item, "text": "Fine." })).await;
    let comment = say(&tenant.client, item).await?.data()?["comment"].clone();
    let entry = json!({ "title": "Premiere", "starts_at": "2026-12-24T20:00:00Z" });
    let planned = tenant.client.tool("add_calendar_entry", &entry).await?.data()?["entry"].clone();

    // 10,256 bytes each: just short of the bound.
    let heap = world.item(&tenant, Media::video(60)).await?;
    let texts = "INSERT INTO comments (id, item_id, workspace_id, text, user_id)
         SELECT gen_random_uuid(), id, workspace_id, repeat('ä', 5000), gen_random_uuid()
         FROM items, generate_series(1, 26173) WHERE id = $1";
    sqlx::query(texts).bind(heap).execute(world.pool()).await?;
    let long = json!({ "comment_id": comment["id"], "text": "ä".repeat(5_000) });
    let noted = json!({ "entry_id": planned["id"], "note": "ä".repeat(5_000) });
    let refusals = [
        tenant.client.tool("update_comment", &long).await?,
        tenant.client.tool("update_calendar_entry", &noted).await?,
    ];
    for refusal in refusals {
        assert_eq!((refusal.status, refusal.code()), (409, "quota_reached"), "{}", refusal.text);
    }
    assert_eq!(say(&tenant.client, item).await?.status, 200, "a short one still fits");
    let longer = "UPDATE comments SET text = repeat('ä', 5000)
         WHERE id = (SELECT id FROM comments WHERE text = 'Fine.' ORDER BY created_at LIMIT 1)";
    sqlx::query(longer).execute(world.pool()).await?;
    assert_eq!(say(&tenant.client, item).await?.code(), "quota_reached");
    assert_eq!(tenant.client.tool("add_calendar_entry", &entry).await?.code(), "quota_reached");
    assert_eq!(say(&other.client, theirs).await?.status, 200, "another account's are its own");

    tenant.client.tool("delete_comment", &json!({ "comment_id": comment["id"] })).await?.data()?;
    assert_eq!(say(&tenant.client, item).await?.status, 200);
    world.end().await
}
