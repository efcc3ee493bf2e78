//! A call that is cut off anywhere leaves everything or nothing, and can be repeated (ARCHITECTURE.md, promise 3).

use crate::once::{jobs_of_all, wish};
use api::usecases::dispatch::{Dispatched, dispatch};
use domain::read::Read;
use mws_tests::world::{Media, Proxy, Tenant, World, cut_short, disturbed, until};
use runtime::process::Process;
use store::PoolSize;

/// What `left` counts once a call for all reads of two items is whole.
fn everything() -> [i64; 5] {
    let jobs = jobs_of_all(2);
    [jobs, jobs, jobs, 1, 1]
}

/// What the last call left, once its connections are at rest: its jobs, their holds, what they own, its row and its
/// key.
async fn left(world: &World) -> anyhow::Result<[i64; 5]> {
    until("no transaction of the api is open", async || {
        let open = "SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'mws-api' AND state <> 'idle'";
        Ok((world.count(open).await? == 0).then_some(()))
    })
    .await?;
    Ok([
        world.count("SELECT count(*) FROM jobs").await?,
        world.count("SELECT count(*) FROM minute_journal WHERE kind = 'hold'").await?,
        world.count("SELECT count(*) FROM job_reads").await?,
        world.count("SELECT count(*) FROM calls").await?,
        world.count("SELECT count(*) FROM idempotency_keys").await?,
    ])
}

/// A process whose every statement is waited for at least once: the proxy runs on the same thread as the call, so that
/// no answer is there before the call has waited for it.
async fn through_a_proxy(world: &World) -> anyhow::Result<(Proxy, Process)> {
    let proxy = world.proxy().await?;
    let mut settings = world.settings.clone();
    settings.database_url = Some(proxy.url.clone());
    let process = Process::start(settings, PoolSize(4), "api").await?;
    Ok((proxy, process))
}

/// A new tenant with nothing started, so that what is counted is the next call's alone.
async fn afresh(world: &World) -> anyhow::Result<Tenant> {
    sqlx::query("TRUNCATE jobs, job_reads, calls, idempotency_keys, job_claims, apalis.jobs")
        .execute(world.pool())
        .await?;
    sqlx::query("TRUNCATE minute_journal, minute_buckets, minute_unfolded").execute(world.pool()).await?;
    world.tenant("a").await
}

#[tokio::test]
async fn a_call_dropped_at_any_of_its_waits_leaves_everything_or_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (_proxy, process) = through_a_proxy(&world).await?;
    let compose = |_: &_| "{}".to_owned();
    let mut seen = [0, 0];
    for waits in 0.. {
        let tenant = afresh(&world).await?;
        let items = world.items(&tenant, 2, Media::video(60)).await?;
        let first = wish(&tenant, &items, &Read::ALL, Some("k"));
        let ended = cut_short(dispatch(&process, &first, &compose), waits).await;
        let again = wish(&tenant, &items, &Read::ALL, Some("k"));
        let before = left(&world).await?;
        assert!(before == everything() || before == [0; 5], "cut off at wait {waits}: {before:?}");
        seen[usize::from(before == everything())] += 1;
        let repeated = dispatch(&process, &again, &compose).await?;
        assert_eq!(matches!(repeated, Dispatched::Replayed(_)), before == everything(), "at wait {waits}");
        assert_eq!(left(&world).await?, everything(), "cut off at wait {waits} and repeated");
        world.assert_invariants().await?;
        if ended.is_some() {
            break;
        }
    }
    assert!(seen[0] > 7 && seen[1] > 0, "nothing {}, everything {}", seen[0], seen[1]);
    world.end().await
}

#[tokio::test]
async fn a_call_that_loses_the_database_at_any_of_its_waits_leaves_everything_or_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (_proxy, process) = through_a_proxy(&world).await?;
    let compose = |_: &_| "{}".to_owned();
    let mut failed = 0;
    for waits in 0.. {
        let tenant = afresh(&world).await?;
        let items = world.items(&tenant, 2, Media::video(60)).await?;
        let first = wish(&tenant, &items, &Read::ALL, Some("k"));
        let (ended, was_disturbed) =
            disturbed(dispatch(&process, &first, &compose), waits, async || lose_connections(&world).await).await?;
        let before = left(&world).await?;
        assert!(before == everything() || before == [0; 5], "lost at wait {waits}: {before:?}");
        // Told that it is done, it is; told that it failed, it may be done all the same.
        assert!(ended.is_err() || before == everything(), "answered at wait {waits}, and lost");
        failed += usize::from(ended.is_err());
        // Each of the pool's connections is found dead once.
        let again = wish(&tenant, &items, &Read::ALL, Some("k"));
        let mut repeated = dispatch(&process, &again, &compose).await;
        for _ in 0..10 {
            if repeated.is_ok() {
                break;
            }
            repeated = dispatch(&process, &again, &compose).await;
        }
        assert_eq!(matches!(repeated?, Dispatched::Replayed(_)), before == everything(), "at wait {waits}");
        assert_eq!(left(&world).await?, everything(), "lost at wait {waits} and repeated");
        world.assert_invariants().await?;
        if !was_disturbed {
            // A call goes on where the answer was on its way already; most are not so lucky.
            assert!(waits > 7 && 2 * failed > waits, "only {failed} of {waits} calls failed");
            break;
        }
    }
    world.end().await
}

/// Ends every connection of the api, as a failover does.
async fn lose_connections(world: &World) -> anyhow::Result<()> {
    sqlx::query(
        "SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'mws-api'",
    )
    .execute(world.pool())
    .await?;
    Ok(())
}

#[tokio::test]
async fn a_connection_whose_begin_was_dropped_is_used_by_nobody_else() -> anyhow::Result<()> {
    let world = World::new().await?;
    let proxy = world.proxy().await?;
    // One connection, so that who comes next gets the one that was dropped.
    let pool = store::connect(&proxy.url, PoolSize(1), "api").await?;
    let mut open = 0;
    for waits in 0.. {
        let begun = cut_short(pool.begin(), waits).await;
        let ended = begun.is_some();
        drop(begun);
        // Whatever became of it, what comes next is committed when it is answered.
        sqlx::query("INSERT INTO rate_limits (account_id, theoretical_arrival) VALUES (gen_random_uuid(), now())")
            .execute(&pool)
            .await?;
        open += 1;
        assert_eq!(world.count("SELECT count(*) FROM rate_limits").await?, open, "begin dropped at wait {waits}");
        if ended {
            break;
        }
    }
    assert!(open > 1, "no begin was dropped");
    world.end().await
}

#[tokio::test]
async fn a_connection_for_notifications_is_not_checked_each_time_it_returns() -> anyhow::Result<()> {
    let world = World::new().await?;
    let pool = store::notify_pool(&store::apart(world.pool(), PoolSize(1), "notifies"));
    let last = "SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'notifies' AND query LIKE 'SELECT pg_notify%'";
    // One return a second is checked, the first among them.
    until("a notification is the last thing that its connection was asked", async || {
        store::wakes::notify(&pool, "of_a_test", &["word".to_owned()]).await?;
        until("it is back", async || Ok((pool.num_idle() == 1).then_some(()))).await?;
        Ok((world.count(last).await? == 1).then_some(()))
    })
    .await?;
    pool.close().await;
    world.end().await
}
