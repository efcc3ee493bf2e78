//! The rate of an account: what its headers promise holds to the second, and one who floods keeps nobody else waiting
//! (contract §8.1, §5.4).

use futures_util::future::try_join_all;
use mws_tests::world::{Answer, Client, World, until};
use serde_json::json;
use sqlx::Acquire;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use store::credentials::{self, Pace};

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
    // A machine that is busy answers fewer than the rate allows.
    world.stop_clock().await?;
    let tenant = world.tenant("a").await?;
    let mut refused = None;
    for _ in 0..10 {
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
        // Ten more at a time, which use the burst up.
        try_join_all((0..10).map(|_| call(&tenant.client))).await?;
    }
    let refused = refused.expect("a hundred calls are more than the burst");
    assert_eq!((refused.code(), refused.header("retry-after")), ("rate_limited", "1"));
    assert_eq!(refused.header("x-ratelimit-remaining"), "0");
    // A minute later the burst is whole.
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
async fn an_accounts_flood_is_refused_to_its_end_and_late_and_anothers_calls_are_all_answered_in_the_midst_of_it()
-> anyhow::Result<()> {
    let world = service().await?;
    let (flood, other) = (world.tenant("flood").await?, world.tenant("other").await?);
    let made = flood.client.send("POST", "/keys", &[], Some("{}".to_owned())).await?;
    let keys = [&flood.client, &world.client(made.json["key"].as_str().map(str::to_owned))];
    let (answered, refused, done) = (&AtomicUsize::new(0), &AtomicUsize::new(0), &AtomicUsize::new(0));
    let begun = Instant::now();
    // Forty callers with two keys that never pause, until the other is done.
    let flooding = try_join_all(keys.repeat(20).into_iter().map(|key| async move {
        while done.load(Ordering::SeqCst) == 0 {
            let status = call(key).await?.status;
            (if status == 429 { refused } else { answered }).fetch_add(1, Ordering::SeqCst);
        }
        anyhow::Ok(())
    }));
    let calling = async {
        until("the flood is refused", async || Ok((refused.load(Ordering::SeqCst) > 60).then_some(()))).await?;
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
    // Fifty of the account at once, and fifty a second after that, whichever its keys.
    let (refused, most) = (refused.load(Ordering::SeqCst), 51 + begun.elapsed().as_millis() / 20);
    assert!(u128::try_from(refused)? <= most, "{refused} were answered in the time of {most}");
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

#[tokio::test]
async fn a_key_is_revoked_at_once_whatever_its_calls_hold_of_the_account() -> anyhow::Result<()> {
    let world = service().await?;
    let tenant = world.tenant("a").await?;
    let made = tenant.client.send("POST", "/keys", &[], Some("{}".to_owned())).await?;
    assert_eq!(made.status, 201, "{}", made.text);
    let leaked = format!("/keys/{}", made.json["id"].as_str().unwrap_or_default());
    // The account is over its rate for an hour, and what starts jobs holds its row.
    let ahead = "UPDATE rate_limits SET theoretical_arrival = mws_now() + interval '1 hour' WHERE account_id = $1";
    assert_eq!(sqlx::query(ahead).bind(tenant.account).execute(world.pool()).await?.rows_affected(), 1);
    let mut held = world.pool().begin().await?;
    assert!(store::accounts::lock(&mut held, tenant.account).await?);
    let refused = tenant.client.send("GET", &leaked, &[], None).await?;
    assert_eq!((refused.status, refused.code()), (429, "rate_limited"));
    let revoked = tenant.client.send("DELETE", &leaked, &[], None).await?;
    assert_eq!((revoked.status, revoked.header("x-ratelimit-remaining")), (200, "0"), "{}", revoked.text);
    let gone = world.client(made.json["key"].as_str().map(str::to_owned));
    assert_eq!(call(&gone).await?.code(), "credential_revoked");
    // Those that go first are bounded too: five at once, of which one is used, and one a second after that.
    let again = try_join_all((0..40).map(|_| tenant.client.send("DELETE", &leaked, &[], None))).await?;
    let passed = again.iter().filter(|answer| answer.status == 404).count();
    assert!((4..40).contains(&passed) && again.iter().all(|answer| [404, 429].contains(&answer.status)), "{passed}");
    held.rollback().await?;
    world.end().await
}

#[tokio::test]
async fn a_key_is_revoked_while_the_account_has_all_the_requests_under_way_that_it_may() -> anyhow::Result<()> {
    let world = World::with_api(|_, api| api.max_account_requests = 0).await?;
    let tenant = world.tenant("a").await?;
    assert_eq!(call(&tenant.client).await?.code(), "rate_limited");
    let own = format!("/keys/{}", tenant.key_id);
    assert_eq!(tenant.client.send("DELETE", &own, &[], None).await?.status, 200);
    assert_eq!(call(&tenant.client).await?.code(), "credential_revoked");
    world.end().await
}

#[tokio::test]
async fn a_key_that_is_being_revoked_makes_no_other() -> anyhow::Result<()> {
    let world = World::new().await?;
    world.stop_clock().await?;
    world.wait_for_locks().await?;
    let tenant = world.tenant("a").await?;
    // The minute of its last use is written now, and not again by the call that makes a key.
    assert_eq!(call(&tenant.client).await?.status, 200);
    let mut revoking = world.pool().begin().await?;
    store::keys::revoke(&mut revoking, tenant.account, tenant.key_id).await?;
    let client = tenant.client.clone();
    let making = tokio::spawn(async move { client.send("POST", "/keys", &[], Some("{}".to_owned())).await });
    let waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    until("it waits for the revocation", async || Ok((world.count(waiting).await? > 0).then_some(()))).await?;
    revoking.commit().await?;
    assert_eq!(making.await??.code(), "credential_revoked");
    assert_eq!(world.count("SELECT count(*) FROM api_keys").await?, 1);
    world.end().await
}

#[tokio::test]
async fn what_takes_access_away_waits_longer_for_the_account_than_what_its_calls_do() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let pool = store::apart(world.pool(), store::PoolSize(1), "patient");
    let mut conn = pool.acquire().await?;
    let mut change = conn.begin().await?;
    let patience = "SHOW lock_timeout";
    assert_eq!(sqlx::query_scalar::<_, String>(patience).fetch_one(&mut *change).await?, "2s");
    assert!(store::accounts::lock_patiently(&mut change, tenant.account).await?);
    assert_eq!(sqlx::query_scalar::<_, String>(patience).fetch_one(&mut *change).await?, "15s");
    change.commit().await?;
    assert_eq!(sqlx::query_scalar::<_, String>(patience).fetch_one(&mut *conn).await?, "2s", "for itself alone");
    drop(conn);
    pool.close().await;
    world.end().await
}

#[tokio::test]
async fn when_a_key_was_last_used_is_noted_without_a_wait_for_the_disk() -> anyhow::Result<()> {
    let world = service().await?;
    world.stop_clock().await?;
    let tenant = world.tenant("a").await?;
    let mut waits = Vec::new();
    for _ in 0..2 {
        let mut call = world.pool().begin().await?;
        sqlx::query("SET LOCAL synchronous_commit = on").execute(&mut *call).await?;
        let hash = tenant.key.hash();
        let found = credentials::key_caller(&mut call, hash.as_bytes(), Pace::new(RATE.0, RATE.1)).await?;
        assert!(found.is_some_and(|found| found.passed));
        waits.push(sqlx::query_scalar::<_, String>("SHOW synchronous_commit").fetch_one(&mut *call).await?);
        call.commit().await?;
    }
    // The second one is within the same minute, and notes nothing.
    assert_eq!(waits, ["off", "on"]);
    assert_eq!(world.count("SELECT count(*) FROM api_keys WHERE last_used_at IS NOT NULL").await?, 1);
    world.end().await
}
