//! Running a job again with another input: the page shows first what that would cost. Then the job starts once, paid by
//! whoever paid for the job before; where it may not start, the page says why.

use crate::console::signed_in;
use crate::generation::{job, models};
use crate::operators::{ANNA, BO, done, get, log, stage, text};
use anyhow::Context;
use domain::credits::Credits;
use domain::ids::{JobId, RequestId};
use domain::minutes::Minutes;
use domain::read::Read;
use mws_tests::world::{Media, Provider, Reply, World, until};
use reqwest::{StatusCode, header};
use serde_json::{Value, json};
use worker::Engines;

/// The key in the form that starts what was priced.
fn key(page: &str) -> anyhow::Result<String> {
    let (_, rest) = page.split_once("name=\"key\" value=\"").with_context(|| format!("no key: {page}"))?;
    Ok(rest.split('"').next().unwrap_or_default().to_owned())
}

fn path(job: &str) -> String {
    format!("/console/jobs/{job}/change")
}

#[tokio::test]
async fn a_job_runs_again_with_another_input_once_its_price_was_seen_and_whoever_paid_pays() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    world.can_run(&[Read::Levels, Read::Beats]).await?;
    let body = json!({ "refs": [item], "reads": ["levels"], "context": "for <the> heron" });
    let asked = tenant.client.tool("prepare_media", &body).await?;
    let first = asked.data()?["job_ids"][0].as_str().context("no job")?.to_owned();
    let (acts, reads) = (signed_in(&world, ANNA).await?, signed_in(&world, BO).await?);
    assert_eq!(acts.get(&path(&first)).await?.0, StatusCode::CONFLICT, "it lives");
    done(&anna, "POST", &format!("/operator/jobs/{first}/cancel"), &json!({}), 202).await?;
    let own = format!("/console/jobs/{first}");
    assert!(acts.get(&own).await?.1.contains("Run again with another input…"));
    assert!(!reads.get(&own).await?.1.contains("Run again with another input…"));
    let (status, form) = acts.get(&path(&first)).await?;
    let named = item.to_string();
    for kept in [named.as_str(), "prepare_media", "levels", "for &lt;the&gt; heron", "Show the price"] {
        assert!(status == StatusCode::OK && form.contains(kept), "{kept}: {form}");
    }
    assert!(!form.contains("Start it"), "the price comes first: {form}");

    let input = json!({ "refs": [item], "reads": ["beats"], "context": "for <the> heron" }).to_string();
    assert_eq!(reads.post(&path(&first), &[("input", &input)]).await?.status(), StatusCode::FORBIDDEN);
    let priced = acts.post(&path(&first), &[("input", &input)]).await?;
    assert_eq!(priced.status(), StatusCode::OK);
    let page = priced.text().await?;
    let estimate = json!({ "tool": "prepare_media", "arguments": { "refs": [item], "reads": ["beats"] } });
    let price = tenant.client.tool("estimate_cost", &estimate).await?.data()?["minutes"].clone();
    assert!(page.contains(&format!("Up to <b>{price}</b> minutes and <b>0</b> AI credits")), "{price}: {page}");
    let live = "SELECT count(*) FROM jobs WHERE status = 'queued'";
    assert_eq!(world.count(live).await?, 0, "a price starts nothing");

    let one = key(&page)?;
    let start = [("input", input.as_str()), ("key", one.as_str())];
    let mut to = Vec::new();
    for _ in 0..2 {
        let started = acts.post(&path(&first), &start).await?;
        assert_eq!(started.status(), StatusCode::SEE_OTHER);
        to.push(started.headers()[header::LOCATION].to_str()?.to_owned());
    }
    assert!(to[0] == to[1] && world.count(live).await? == 1, "a form that is sent twice starts one: {to:?}");
    let (_, page) = acts.get(&to[0]).await?;
    let second = to[0].trim_start_matches("/console/jobs/").split('?').next().unwrap_or_default().to_owned();
    assert!(page.contains("does what was asked for") && page.contains(&format!("href=\"{own}\"")), "{page}");
    let (_, page) = acts.get(&own).await?;
    assert!(page.contains("Run again as") && page.contains(&format!("href=\"/console/jobs/{second}\"")), "{page}");
    let balances = get(&tenant.client, "/balances").await?;
    assert_eq!(balances["held_minutes"], price, "{balances}");

    let told: Vec<String> = log(&anna).await?.into_iter().filter(|row| row.starts_with("job.rerun")).collect();
    assert_eq!(told, [format!("job.rerun {first}")], "neither the price nor the repeat");
    let after: Value = sqlx::query_scalar("SELECT after FROM operator_audit WHERE action = 'job.rerun'")
        .fetch_one(world.pool())
        .await?;
    assert_eq!(
        after,
        json!({ "tool": "prepare_media", "fields": ["context", "reads", "refs"], "job_ids": [&second] }),
        "what customers wrote is not in the log"
    );
    world.end().await
}

#[tokio::test]
async fn several_reads_run_again_by_one_input_and_each_job_leads_to_the_other() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    world.can_run(&[Read::Levels, Read::Beats]).await?;
    let first = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    done(&anna, "POST", &format!("/operator/jobs/{first}/cancel"), &json!({}), 202).await?;
    let second = tenant.client.prepare(&[item], &["beats"]).await?.job_ids()?.remove(0);
    let (acts, own) = (signed_in(&world, ANNA).await?, format!("/console/jobs/{first}"));
    let live = "SELECT count(*) FROM jobs WHERE status = 'queued'";

    // One of the two reads exists already.
    let both = json!({ "refs": [item], "reads": ["levels", "beats"] }).to_string();
    let page = acts.post(&path(&first), &[("input", &both)]).await?.text().await?;
    let one = key(&page)?;
    let started = acts.post(&path(&first), &[("input", &both), ("key", &one)]).await?;
    assert_eq!(started.status(), StatusCode::OK);
    let page = started.text().await?;
    assert!(page.contains("What came of it") && page.contains(&second), "{page}");
    assert!(page.contains("The jobs are under way: the page of each says"), "{page}");
    assert_eq!(world.count(live).await?, 2);
    // The same key for another input is refused, as for everybody.
    let other = json!({ "refs": [item], "reads": ["levels"] }).to_string();
    let reused = acts.post(&path(&first), &[("input", &other), ("key", &one)]).await?;
    assert_eq!(reused.status(), StatusCode::UNPROCESSABLE_ENTITY);
    assert!(reused.text().await?.contains("idempotency_key_reused"));
    assert_eq!(world.count(live).await?, 2);
    // A job that would run again with the same input is shown too.
    let of_levels = "SELECT id FROM jobs WHERE status = 'queued' AND read = 'levels'";
    let third: JobId = sqlx::query_scalar(of_levels).fetch_one(world.pool()).await?;
    done(&anna, "POST", &format!("/operator/jobs/{third}/cancel"), &json!({}), 202).await?;
    let retried = done(&anna, "POST", &format!("/operator/jobs/{first}/retry"), &json!({}), 202).await?;
    let (_, page) = acts.get(&own).await?;
    for job in [third.to_string(), text(&retried, "/job_id")] {
        assert!(page.contains(&format!("href=\"/console/jobs/{job}\"")), "{job}: {page}");
        assert!(acts.get(&format!("/console/jobs/{job}")).await?.1.contains(&format!("href=\"{own}\"")), "{job}");
    }
    assert!(!page.contains(&format!("href=\"/console/jobs/{second}\"")), "nobody ran it again: {page}");
    world.end().await
}

#[tokio::test]
async fn an_input_that_is_wrong_or_may_not_be_is_refused_in_words_and_starts_nothing() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant_with("a", Minutes::from_hundredths(50)).await?;
    let other = world.tenant("b").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let theirs = world.item(&other, Media::audio(60)).await?;
    world.can_run(&[Read::Levels, Read::Transcript]).await?;
    let guest = world.member(&other, &tenant, "editor").await?;
    let job = guest.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    done(&anna, "POST", &format!("/operator/jobs/{job}/cancel"), &json!({}), 202).await?;
    let of_owner = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    done(&anna, "POST", &format!("/operator/jobs/{of_owner}/cancel"), &json!({}), 202).await?;
    let acts = signed_in(&world, ANNA).await?;
    for (typed, said) in [
        ("", "no JSON"),
        ("{", "no JSON"),
        ("[1]", "one JSON object"),
        ("{\"refs\": [\"x\"], \"reads\": [\"<odd>\"]}", "&lt;odd&gt;"),
        ("{\"refs\": [\"x\"], \"reads\": [\"levels\"], \"colour\": 1}", "invalid_request"),
    ] {
        let refused = acts.post(&path(&of_owner), &[("input", typed)]).await?;
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{typed}");
        let page = refused.text().await?;
        assert!(page.contains(said) && page.contains("Show the price") && !page.contains("Start it"), "{page}");
    }
    let free = RequestId::mint().to_string();
    // Another account's item, and more than the account's minutes: nothing would start, and nothing does.
    for (input, why, status) in [
        (json!({ "refs": [theirs], "reads": ["levels"] }), "Nothing would start", StatusCode::OK),
        (json!({ "refs": [item], "reads": ["transcript"] }), "Nothing would start", StatusCode::PAYMENT_REQUIRED),
    ] {
        let input = input.to_string();
        let page = acts.post(&path(&of_owner), &[("input", &input)]).await?.text().await?;
        assert!(page.contains(why) && !page.contains("Start it"), "{page}");
        let forced = acts.post(&path(&of_owner), &[("input", &input), ("key", &free)]).await?;
        assert_eq!(forced.status(), status);
        assert!(forced.text().await?.contains("Nothing was started"));
    }
    let odd = acts.post(&path(&of_owner), &[("input", "{}"), ("key", "theirs")]).await?;
    assert_eq!(odd.status(), StatusCode::BAD_REQUEST, "a key of the account's own is none of the form's");

    let good = json!({ "refs": [item], "reads": ["levels"] }).to_string();
    for (change, back, said) in [
        ("UPDATE members SET role = 'viewer'", "UPDATE members SET role = 'editor'", "may work in"),
        ("UPDATE workspaces SET erased_at = mws_now()", "UPDATE workspaces SET erased_at = NULL", "it was erased"),
        (
            "UPDATE accounts SET suspended_at = mws_now(), suspended_reason = 'x'",
            "UPDATE accounts SET suspended_at = NULL, suspended_reason = NULL",
            "mws admin accounts resume",
        ),
    ] {
        sqlx::query(change).execute(world.pool()).await?;
        let (status, page) = acts.get(&path(&job)).await?;
        assert!(status == StatusCode::FORBIDDEN && page.contains(said), "{change}: {page}");
        let posted = acts.post(&path(&job), &[("input", &good), ("key", &free)]).await?;
        assert_eq!(posted.status(), StatusCode::FORBIDDEN, "{change}");
        sqlx::query(back).execute(world.pool()).await?;
    }
    assert_eq!(acts.get(&path(&job)).await?.0, StatusCode::OK, "nothing of that is left");
    assert_eq!(acts.get(&path("job_01J00000000000000000000000")).await?.0, StatusCode::NOT_FOUND);
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE status = 'queued'").await?, 0);
    assert_eq!(log(&anna).await?.iter().filter(|row| row.starts_with("job.rerun")).count(), 0);
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_generation_that_failed_runs_again_with_other_words_for_its_accounts_credits() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let provider = Provider::start(|_, _, _| Reply::Json(422, json!({ "detail": "no" })))?;
    let path_of_models = models(folder.path(), &provider.url)?;
    let world = World::with(|settings| {
        settings.providers = Some(path_of_models);
        settings.operator_tokens = Some(format!("anna:act:{ANNA}").into());
    })
    .await?;
    let tenant = world.tenant("a").await?;
    world.credit(&tenant, Credits::from_whole(10)).await?;
    world.work(Engines::found(&world.process)).await?;
    let body = json!({ "prompt": "a red kite", "model": "painter" });
    let first = until("it starts", async || {
        let answer = tenant.client.tool("generate_image", &body).await?;
        (answer.status == 200).then(|| job(&answer)).transpose()
    })
    .await?;
    tenant.client.reaches(&first, "failed").await?;
    let acts = signed_in(&world, ANNA).await?;
    let (status, form) = acts.get(&path(&first)).await?;
    assert!(status == StatusCode::OK && form.contains("generate_image") && form.contains("write it anew"), "{form}");
    let input = json!({ "prompt": "a red kite over the sea", "model": "painter" }).to_string();
    let page = acts.post(&path(&first), &[("input", &input)]).await?.text().await?;
    assert!(page.contains("<b>0</b> minutes and <b>2.5</b> AI credits"), "{page}");
    let started = acts.post(&path(&first), &[("input", &input), ("key", &key(&page)?)]).await?;
    assert_eq!(started.status(), StatusCode::SEE_OTHER);
    let to = started.headers()[header::LOCATION].to_str()?.to_owned();
    let second = to.trim_start_matches("/console/jobs/").split('?').next().unwrap_or_default().to_owned();
    let ended = tenant.client.reaches(&second, "failed").await?;
    assert_eq!((&ended["estimated_credits"], &ended["credits"]), (&json!(2.5), &json!(0)), "as any call of theirs");
    world.end().await
}
