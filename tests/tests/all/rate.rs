//! The rate of an account: what its headers promise holds to the second, and one who floods keeps nobody else waiting
//! (contract §8.1, §5.4).

use futures_util::future::try_join_all;
use mws_tests::world::{Answer, Client, World, until};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Requests a minute, and at once, as a deployment has them unless it says otherwise.
const RATE: (u32, u32) = (600, 60);
/// Seconds until one more request may be sent.
const INTERVAL: f64 = 0.1;

async fn service() -> anyhow::Result<World> {
    World::with(|settings| (settings.rate_per_minute, settings.rate_burst) = RATE).await
}

/// The database's clock, in unix seconds.
async fn now(world: &World) -> anyhow::Result<f64> {
    let now = "SELECT extract(epoch FROM mws_now())::float8";
    Ok(sqlx::query_scalar(now).fetch_one(world.pool()).await?)
}

async fn call(client: &Client) -> anyhow::Result<Answer> {
    client.tool("get_jobs", &json!({})).await
}

fn number(answer: &Answer, name: &str) -> anyhow::Result<f64> {
    Ok(answer.header(name).parse()?)
}

#[tokio::test]
async fn remaining_and_reset_tell_to_the_second_when_the_burst_is_whole_again() -> anyhow::Result<()> {
    let world = service().await?;
    let tenant = world.tenant("a").await?;
    let mut refused = None;
    for _ in 0..400 {
        let before = now(&world).await?;
        let answer = call(&tenant.client).await?;
        let after = now(&world).await?;
        assert_eq!(answer.header("x-ratelimit-limit"), "60", "in the unit of what remains");
        assert_eq!(answer.header("ratelimit-policy"), r#""account";q=60;w=6"#);
        if answer.status == 429 {
            refused = Some(answer);
            break;
        }
        // As many requests ahead of the clock as are used up: the last of them is through at Reset, rounded up.
        let used = f64::from(RATE.1) - number(&answer, "x-ratelimit-remaining")?;
        let reset = number(&answer, "x-ratelimit-reset")?;
        let (earliest, latest) = ((before + (used - 1.0) * INTERVAL).ceil(), (after + used * INTERVAL).ceil());
        assert!((earliest..=latest).contains(&reset), "{reset} is not from {earliest} to {latest}");
        // Ten more at a time, so that the burst is used up faster than it grows.
        try_join_all((0..10).map(|_| call(&tenant.client))).await?;
    }
    let refused = refused.expect("four thousand calls are more than the rate allows");
    assert_eq!((refused.code(), refused.header("retry-after")), ("rate_limited", "1"));
    assert_eq!(refused.header("x-ratelimit-remaining"), "0");
    // A minute later the burst is whole: sixty pass, and what the clock allows meanwhile.
    world.advance(std::time::Duration::from_mins(1)).await?;
    let fresh = until("the account is let in again", async || {
        let answer = call(&tenant.client).await?;
        Ok((answer.status == 200).then_some(answer))
    })
    .await?;
    assert_eq!(fresh.header("x-ratelimit-remaining"), "59");
    world.end().await
}

#[tokio::test]
async fn of_a_hundred_and_fifty_at_once_the_burst_passes_and_no_more_than_the_clock_adds() -> anyhow::Result<()> {
    let world = service().await?;
    let tenant = world.tenant("a").await?;
    let before = now(&world).await?;
    let answers = try_join_all((0..150).map(|_| call(&tenant.client))).await?;
    let added = ((now(&world).await? - before) / INTERVAL).ceil() + 1.0;
    let passed = answers.iter().filter(|answer| answer.status == 200).count();
    #[expect(clippy::cast_precision_loss, reason = "there are a hundred and fifty")]
    let within = (60.0..=60.0 + added).contains(&(passed as f64));
    assert!(within, "{passed} passed, and the clock added {added}");
    assert!(answers.iter().all(|answer| [200, 429].contains(&answer.status)));
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_accounts_flood_is_refused_to_its_end_and_anothers_calls_are_all_answered_in_the_midst_of_it()
-> anyhow::Result<()> {
    let world = service().await?;
    let (flood, other) = (world.tenant("flood").await?, world.tenant("other").await?);
    let (answered, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    // Forty callers that never pause, until the other is done.
    let done = AtomicUsize::new(0);
    let flooding = try_join_all((0..40).map(|_| async {
        while done.load(Ordering::SeqCst) == 0 {
            let status = call(&flood.client).await?.status;
            (if status == 429 { &refused } else { &answered }).fetch_add(1, Ordering::SeqCst);
        }
        anyhow::Ok(())
    }));
    let calling = async {
        until("the flood is refused", async || Ok((refused.load(Ordering::SeqCst) > 100).then_some(()))).await?;
        let before = refused.load(Ordering::SeqCst);
        for left in (30..60).rev() {
            let answer = call(&other.client).await?;
            anyhow::ensure!(answer.status == 200, "{}", answer.text);
            // Nothing of the flood counts against it.
            anyhow::ensure!(number(&answer, "x-ratelimit-remaining")? >= f64::from(left), "{}", answer.text);
        }
        done.store(1, Ordering::SeqCst);
        anyhow::Ok(refused.load(Ordering::SeqCst) - before)
    };
    let ((), meanwhile) = tokio::try_join!(async { flooding.await.map(|_| ()) }, calling)?;
    println!("thirty calls were answered while {meanwhile} of a flood were refused");
    assert!(meanwhile > 0, "there was no flood");
    world.end().await
}

#[tokio::test]
async fn a_key_that_is_used_without_end_waits_for_itself_and_leaves_connections_to_others() -> anyhow::Result<()> {
    let world = service().await?;
    let (busy, other) = (world.tenant("busy").await?, world.tenant("other").await?);
    assert_eq!(call(&busy.client).await?.status, 200);
    let mut held = world.pool().begin().await?;
    let row = "SELECT FROM rate_limits WHERE account_id = $1 FOR UPDATE";
    assert_eq!(sqlx::query(row).bind(busy.account).execute(&mut *held).await?.rows_affected(), 1);
    let calls: Vec<_> = (0..50).map(|_| busy.client.clone()).collect();
    let calls = tokio::spawn(async move { try_join_all(calls.iter().map(call)).await });
    let waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    until("its calls wait", async || Ok((world.count(waiting).await? > 1).then_some(()))).await?;
    assert_eq!(call(&other.client).await?.status, 200);
    assert!(world.count(waiting).await? <= 4);
    held.rollback().await?;
    calls.await??;
    world.end().await
}
