//! Jobs that fail leave rows that nobody pays for, and some have asked a provider who is paid all the same: which of
//! them count against their payers, as how many, and what follows.

use super::generation::models;
use super::models_that_fail::starts;
use domain::credits::Credits;
use domain::ids::JobId;
use domain::job::{JobError, JobKind};
use mws_tests::world::{Media, Provider, Reply, Tenant, World, until};
use poem::http::Method;
use runtime::ending;
use serde_json::json;
use std::time::Duration;
use store::jobs::{self, End, Outcome};
use store::paces::{self, A_DAY_US, ASKED_IN_VAIN, Paced, UNPAID_JOB_US};
use worker::Engines;

/// Starts a read of a new item and claims it. Returns its end: it fails with this code.
async fn failing(world: &World, tenant: &Tenant, code: &str) -> anyhow::Result<End> {
    let item = world.item(tenant, Media::audio(60)).await?;
    let job: JobId = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0).parse()?;
    let claim = jobs::claim(&mut *world.pool().acquire().await?, &[job], "a test", &[]).await?.claimed.remove(0);
    let error = JobError { code: code.to_owned(), message: "It failed.".to_owned(), retryable: false };
    Ok(End { job, claim_no: claim.claim_no, item: Some(item), outcome: Outcome::Failed, error: Some(error) })
}

/// Writes these ends in one transaction, and does what follows its commit.
async fn end(world: &World, ends: &[End]) -> anyhow::Result<()> {
    let mut tx = world.pool().begin().await?;
    let ended = jobs::end(&mut tx, ends).await?;
    let after_commit = ending::end_jobs(&mut tx, &ended, &[], &JobKind::ALL).await?;
    tx.commit().await?;
    after_commit.run(world.pool(), &world.process.wakes).await;
    Ok(())
}

#[tokio::test]
async fn jobs_that_fail_for_what_was_asked_have_a_bound_an_account_and_a_day() -> anyhow::Result<()> {
    let world = World::new().await?;
    world.stop_clock().await?;
    let (tenant, other, unlucky) = (world.tenant("a").await?, world.tenant("b").await?, world.tenant("c").await?);
    let mut ends = Vec::new();
    for (whose, code) in [
        (&tenant, "media_unreadable"),
        (&other, "provider_bad_output"),
        (&tenant, "provider_refused"),
        (&unlucky, "provider_unavailable"),
        (&unlucky, "internal"),
    ] {
        ends.push(failing(&world, whose, code).await?);
    }
    end(&world, &ends).await?;
    end(&world, &[failing(&world, &tenant, "outcome_unknown").await?]).await?;
    let mut conn = world.pool().acquire().await?;
    for (whose, counted) in [(&tenant, 3), (&other, 1), (&unlucky, 0)] {
        let ahead_us = paces::ahead(&mut conn, whose.account, Paced::UnpaidJobsADay).await?;
        assert_eq!(ahead_us, counted * UNPAID_JOB_US);
        // Their events go out at once.
        assert_eq!(paces::ahead(&mut conn, whose.account, Paced::StoppedJobs).await?, 0);
    }

    // As if a day's worth had failed before: three times 4.32 s remain to be waited for.
    paces::advance(&mut conn, tenant.account, Paced::UnpaidJobsADay, A_DAY_US).await?;
    drop(conn);
    let (item, theirs) = (world.item(&tenant, Media::audio(60)).await?, world.item(&other, Media::audio(60)).await?);
    let refused = tenant.client.prepare(&[item], &["levels"]).await?;
    assert_eq!((refused.status, refused.code()), (429, "rate_limited"), "{}", refused.text);
    assert!(refused.text.contains("or failed for what was asked"), "{}", refused.text);
    assert_eq!(refused.header("retry-after"), "13");
    assert_eq!(other.client.prepare(&[theirs], &["levels"]).await?.status, 200);
    world.advance(Duration::from_secs(13)).await?;
    let started = tenant.client.prepare(&[item], &["levels"]).await?;
    assert_eq!(started.status, 200, "{}", started.text);
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_whose_provider_made_something_in_vain_counts_as_many_however_it_ended() -> anyhow::Result<()> {
    const OPERATOR: &str = "an operator's token of this test";
    let (folder, provider) = (tempfile::tempdir()?, Provider::start(|_, _, _| Reply::Silence)?);
    let path = models(folder.path(), &provider.url)?;
    let world = World::with(|settings| {
        settings.providers = Some(path);
        settings.operator_tokens = Some(format!("anna:act:{OPERATOR}").into());
        // Calls count by the clock that stands still.
        settings.rate_burst = 100_000;
    })
    .await?;
    world.stop_clock().await?;
    world.work(Engines::found(&world.process)).await?;
    let operator = world.client(Some(OPERATOR.to_owned()));
    let predicted = |status: &str| Reply::Json(200, json!({ "status": status }));
    // One that was stopped counts as one for its rows too.
    for (name, reply, status, jobs) in [
        ("a", predicted("failed"), "failed", ASKED_IN_VAIN),
        ("b", Reply::Json(422, json!({})), "failed", 1),
        ("c", Reply::Silence, "cancelled", ASKED_IN_VAIN + 1),
    ] {
        provider.answer(move |method, _, _| if *method == Method::PUT { reply.clone() } else { predicted("canceled") });
        let tenant = world.tenant(name).await?;
        world.credit(&tenant, Credits::from_whole(10)).await?;
        let id = starts(&tenant.client, "a kite").await?;
        provider.gets(&Method::PUT, 1).await?;
        if status == "cancelled" {
            tenant.client.tool("cancel_jobs", &json!({ "job_ids": [&id] })).await?.data()?;
        }
        assert_eq!(tenant.client.reaches(&id, status).await?["credits"], 0);
        until(&format!("it counts as {jobs}"), async || {
            let mut conn = world.pool().acquire().await?;
            let ahead_us = paces::ahead(&mut conn, tenant.account, Paced::UnpaidJobsADay).await?;
            Ok((ahead_us == jobs * UNPAID_JOB_US).then_some(()))
        })
        .await?;
        let path = format!("/operator/accounts/{}/unpaid-processor-time", tenant.account);
        assert_eq!(operator.send("DELETE", &path, &[], None).await?.status, 200);
        let mut conn = world.pool().acquire().await?;
        assert_eq!(paces::ahead(&mut conn, tenant.account, Paced::UnpaidJobsADay).await?, 0, "it is forgiven");
    }
    world.end().await
}
