//! The database goes away, for one worker or for all, and comes back (ARCHITECTURE.md, "Life of a read", "What the
//! service promises").

use crate::dispatch::all_reads;
use anyhow::Context;
use domain::credential::SessionCode;
use domain::ids::JobId;
use domain::job::LEASE;
use futures_util::future::{join_all, try_join_all};
use mws_tests::world::runners::{self, Gate};
use mws_tests::world::{Client, Media, Tenant, World, until};
use runtime::wake::Wake;
use serde_json::json;
use std::time::Duration;
use store::PoolSize;
use tokio::sync::broadcast::Receiver;
use tokio::time::{Instant, timeout};

/// How long a look takes, with the pause before it, on a machine that is not busy.
const LOOK: Duration = Duration::from_millis(100);

/// Waits until `probe` finds something. Returns how long that took, without what looks took beyond [`LOOK`]: a machine
/// that keeps this test waiting keeps the service waiting too.
pub async fn took(what: &str, mut probe: impl AsyncFnMut() -> anyhow::Result<Option<()>>) -> anyhow::Result<Duration> {
    let (began, mut looked, mut stalled) = (Instant::now(), Instant::now(), Duration::ZERO);
    until(what, async || {
        let found = probe().await?;
        stalled += looked.elapsed().saturating_sub(LOOK);
        looked = Instant::now();
        Ok(found)
    })
    .await?;
    Ok(began.elapsed().saturating_sub(stalled))
}

#[tokio::test]
async fn a_worker_that_can_not_renew_its_lease_stops_the_read_before_the_lease_ends() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let proxy = world.proxy().await?;
    let gate = Gate::closed();
    let id = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    let url = proxy.url.clone();
    let cut_off = world.worker_with(gate.runner(), |settings| settings.database_url = Some(url)).await?;
    until("the worker holds the job", async || Ok((gate.inside() == 1).then_some(()))).await?;
    proxy.silence();
    let stopped = took("the read has stopped", async || Ok((gate.inside() == 0).then_some(()))).await?;
    println!("the read stopped {stopped:.1?} after the network went");
    assert!(stopped < LEASE, "{stopped:?}");
    // Its lease may have ended by now, and not before.
    assert_eq!(tenant.client.job(&id).await?["status"], "running");
    // What the worker sent into the silence arrives once it is over: its renewal is late by then.
    world.advance(Duration::from_secs(31)).await?;
    world.duties().await?;
    proxy.restore();
    gate.open();
    world.work(runners::instant()).await?;
    world.brings(&tenant.client, &id, "succeeded").await?;
    cut_off.kill().await;
    world.end().await
}

/// How often all connections break.
const BREAKS: usize = 8;

/// Starts all reads of forty items, although connections may just have broken.
async fn many_jobs(world: &World, tenant: &Tenant) -> anyhow::Result<()> {
    for items in world.items(tenant, 40, Media::video(60)).await?.chunks(20) {
        until("they are started", async || {
            let started = tenant.client.prepare(items, &all_reads()).await?;
            Ok((started.status == 200).then_some(()))
        })
        .await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_job_ends_once_although_all_connections_break_again_and_again() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    many_jobs(&world, &tenant).await?;
    let scheduler = world.scheduler().await?;
    for _ in 0..2 {
        world.work(runners::instant()).await?;
    }
    let live = "SELECT count(*) FROM jobs WHERE finished_at IS NULL";
    let (mut breaks, mut leases) = (0, 0);
    loop {
        let before = world.count(live).await?;
        if before == 0 && breaks == BREAKS {
            break;
        }
        if before <= 20 && breaks < BREAKS {
            // They ended while a busy machine kept this test from looking.
            many_jobs(&world, &tenant).await?;
            continue;
        }
        let moved_on = World::within(Duration::from_secs(8), "some more have ended", async || {
            let now = world.count(live).await?;
            Ok((now == 0 || now < before - 10).then_some(()))
        });
        if moved_on.await.is_err() {
            // What was claimed while a connection broke waits for its lease.
            leases += 1;
            assert!(leases < 30, "what was claimed does not come back");
            world.advance(Duration::from_secs(31)).await?;
        } else if breaks < BREAKS {
            breaks += 1;
            sqlx::query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND application_name LIKE 'mws-%'",
            )
            .execute(world.pool())
            .await?;
            world.assert_invariants().await?;
        }
    }
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE status <> 'succeeded'").await?, 0);
    scheduler.stop().await?;
    world.end().await
}

/// No answer takes this long, unless it never comes.
const TIMEOUT: Duration = Duration::from_mins(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_falls_silent_is_a_503_on_every_route_and_is_used_again_when_it_answers() -> anyhow::Result<()>
{
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let upload = json!({ "filename": "a.wav", "content_type": "audio/wav", "bytes": 4 });
    let upload = tenant.client.send("POST", "/uploads", &[], Some(upload.to_string())).await?;
    let put = upload.json["upload"]["url"].as_str().and_then(|url| url.split_once("/api/v1")).context("a URL")?.1;
    let proxy = world.proxy().await?;
    let (process, anyone) = world.api_behind(&proxy).await?;
    let key = anyone.as_one_with(Some(tenant.key.expose()));
    let operator = anyone.as_one_with(Some("operator-token-of-the-tests"));
    // Connections that will look alive.
    let many = (0..3).map(|_| operator.send("GET", "/operator/accounts", &[], None));
    assert!(try_join_all(many).await?.iter().all(|answer| answer.status == 200));
    proxy.silence();
    let code = json!({ "code": SessionCode::from_random([7; 16]).expose() }).to_string();
    let (json, wav) = (("content-type", "application/json"), ("content-type", "audio/wav"));
    // The first waits for a connection that was just used; the others, for such as have rested.
    for calls in [
        vec![(&key, "GET", "/keys", json, None)],
        vec![
            (&key, "POST", "/tools/get_jobs", json, Some("{}".to_owned())),
            (&anyone, "POST", "/sessions/redeem", json, Some(code)),
            (&operator, "GET", "/operator/accounts", json, None),
            (&operator, "GET", "/operator/jobs", json, None),
            (&anyone, "PUT", put, wav, Some("RIFF".to_owned())),
        ],
    ] {
        let asked = calls.into_iter().map(async |(client, method, path, header, body)| {
            let answer = timeout(TIMEOUT, client.send(method, path, &[header], body)).await;
            let answer = answer.with_context(|| format!("{method} {path} hangs"))??;
            assert_eq!(
                (answer.status, answer.code()),
                (503, "database_unavailable"),
                "{method} {path}: {}",
                answer.text
            );
            assert!(!answer.header("retry-after").is_empty(), "{method} {path}");
            anyhow::Ok(())
        });
        join_all(asked).await.into_iter().collect::<anyhow::Result<Vec<()>>>()?;
    }
    proxy.restore();
    until(
        "it is answered again",
        async || Ok((key.send("GET", "/keys", &[], None).await?.status == 200).then_some(())),
    )
    .await?;
    process.shutdown.cancel();
    world.end().await
}

/// Longer than a connection rests before it is asked for a sign of life.
const REST: Duration = Duration::from_millis(1_200);

#[tokio::test]
async fn a_connection_to_a_server_that_fell_silent_keeps_no_place_and_is_given_to_nobody() -> anyhow::Result<()> {
    let world = World::new().await?;
    let proxy = world.proxy().await?;
    let pool = store::connect(&proxy.url, PoolSize(2), "test").await?;
    let both =
        async || until("there are two", async || Ok(try_join_all((0..2).map(|_| pool.acquire())).await.ok())).await;
    let used = both().await?;
    proxy.silence();
    drop(used);
    until("what came back is closed", async || Ok((pool.size() == 0).then_some(()))).await?;
    proxy.restore();
    drop(both().await?);
    until("both are at rest", async || Ok((pool.num_idle() == 2).then_some(()))).await?;
    let since = Instant::now();
    until("they have rested", async || Ok((since.elapsed() > REST).then_some(()))).await?;
    proxy.silence();
    // Two wait for the two that have rested, and are not given them.
    let asked = join_all((0..2).map(|_| pool.acquire())).await;
    assert!(asked.iter().all(Result::is_err), "{asked:?}");
    assert_eq!(pool.size(), 0);
    proxy.restore();
    both().await?;
    world.end().await
}

/// What another process did while this api waited for it, within a few looks.
async fn is_found(world: &World, waiting: &Client, tenant: &Tenant) -> anyhow::Result<()> {
    let item = world.item(tenant, Media::video(60)).await?;
    let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
    let (wait, began) = (Duration::from_secs(30), Instant::now());
    let asked = json!({ "job_ids": job, "wait_seconds": wait.as_secs() });
    let cancelling = json!({ "job_ids": job });
    let (answer, cancelled) =
        tokio::join!(waiting.tool("get_jobs", &asked), tenant.client.tool("cancel_jobs", &cancelling));
    cancelled?.data()?;
    assert_eq!(answer?.data()?["jobs"][0]["status"], "cancelled");
    assert!(began.elapsed() < wait, "{:?}", began.elapsed());
    Ok(())
}

#[tokio::test]
async fn who_listens_to_a_server_that_went_without_a_word_listens_to_the_one_in_its_place() -> anyhow::Result<()> {
    let world = World::new().await?;
    let proxy = world.proxy().await?;
    let (process, anyone) = world.api_behind(&proxy).await?;
    let mut wakes = process.wakes.subscribe();
    let job = JobId::mint();
    let heard = async |wakes: &mut Receiver<Wake>| {
        until("a wake-up is heard", async || {
            world.process.wakes.send([Wake::JobEnded(job)]);
            let next = timeout(Duration::from_secs(1), wakes.recv()).await;
            Ok(next.is_ok_and(|wake| wake == Ok(Wake::JobEnded(job))).then_some(()))
        })
        .await
    };
    if world.settings.database_notify {
        heard(&mut wakes).await?;
        proxy.replace();
        // What was on its way.
        while timeout(Duration::from_millis(100), wakes.recv()).await.is_ok() {}
        heard(&mut wakes).await?;
    } else {
        let tenant = world.tenant("a").await?;
        let client = anyone.as_one_with(Some(tenant.key.expose()));
        is_found(&world, &client, &tenant).await?;
        proxy.replace();
        until("its connections are new", async || {
            Ok((client.send("GET", "/keys", &[], None).await?.status == 200).then_some(()))
        })
        .await?;
        is_found(&world, &client, &tenant).await?;
    }
    process.shutdown.cancel();
    world.end().await
}

#[tokio::test]
async fn a_pool_that_is_kept_open_has_its_connections_before_anybody_asks() -> anyhow::Result<()> {
    let world = World::new().await?;
    let lazy = store::apart(world.pool(), PoolSize(3), "kept");
    assert_eq!(lazy.size(), 0);
    let kept = store::kept_open(&lazy).await;
    assert_eq!((kept.size(), kept.num_idle()), (3, 3));
    kept.close().await;
    world.end().await
}
