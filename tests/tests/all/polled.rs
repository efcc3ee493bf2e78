//! A database without LISTEN: each process looks for what the others did. It is later, and the same (docs/scale.md,
//! `MWS_DATABASE_NOTIFY`). The whole suite can be run so too: CONTRIBUTING.md.

use mws_tests::world::runners::Gate;
use mws_tests::world::{Feed, Media, World, until};
use serde_json::json;
use tokio::time::{Duration, Instant};

/// How long a call waits: what is found by looking, every two seconds, is answered before that, however busy the
/// machine is.
const WAIT: Duration = Duration::from_secs(30);

/// Connections of this world's processes that listen.
const LISTENING: &str =
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'listen%'";

#[tokio::test]
async fn what_another_process_did_is_found_by_looking() -> anyhow::Result<()> {
    let told = World::with(|settings| settings.database_notify = true).await?;
    until("who is told listens", async || Ok((told.count(LISTENING).await? > 0).then_some(()))).await?;

    let world = World::with(|settings| settings.database_notify = false).await?;
    let tenant = world.tenant("a").await?;
    let gate = Gate::closed();
    world.work(gate.runner()).await?;
    let mut feed = Feed::of(tenant.client.stream(&[]).await?);
    assert!(feed.next().await?.is_some_and(|first| first.data.is_empty()));
    let items = world.items(&tenant, 2, Media::video(60)).await?;

    // The api starts a job, and a worker finds it.
    let first = tenant.client.prepare(&items[..1], &["levels"]).await?.job_ids()?;
    until("a worker runs it", async || Ok((gate.inside() == 1).then_some(()))).await?;
    // The worker ends it, and an api finds that: for who waits, and for who follows the stream.
    let began = Instant::now();
    let asked = json!({ "job_ids": first, "wait_seconds": WAIT.as_secs() });
    let (answer, ()) = tokio::join!(tenant.client.tool("get_jobs", &asked), async { gate.let_through(1) });
    assert_eq!(answer?.data()?["jobs"][0]["status"], "succeeded");
    assert!(began.elapsed() < WAIT, "{:?}", began.elapsed());
    assert_eq!(feed.next().await?.map(|message| message.event), Some("job.succeeded".to_owned()));
    // The api cancels one that runs: the worker finds that when it renews its lease.
    let second = tenant.client.prepare(&items[1..], &["levels"]).await?.job_ids()?;
    until("a worker runs the other", async || Ok((gate.inside() == 1).then_some(()))).await?;
    tenant.client.tool("cancel_jobs", &json!({ "job_ids": second })).await?.data()?;
    let stopped = async || Ok((tenant.client.job(&second[0]).await?["status"] == "cancelled").then_some(()));
    until("it has stopped", stopped).await?;

    assert_eq!(world.count(LISTENING).await?, 0, "nobody listens");
    told.end().await?;
    world.end().await
}
