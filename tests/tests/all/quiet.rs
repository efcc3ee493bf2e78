//! A service in which nothing happens: it asks for little, and what becomes due is done in time
//! (`scheduler/src/foresight`, `common/runtime/src/wake/quiet`).

use crate::outage::took;
use mws_tests::world::{Media, Receiver, Scheduler, Tenant, World, runners, until};
use runtime::wake::Wake;
use serde_json::json;
use store::due;
use tokio::sync::broadcast;
use tokio::time::{Duration, Instant, timeout};

/// The longest wait for the service to be quiet and for a round of the duties, which rest meanwhile, to be over.
const LONG: Duration = Duration::from_mins(2);
/// How late that which becomes due may be done, on a machine that is not busy.
const LATE: Duration = Duration::from_secs(5);
/// A duty that usually runs each second, and after at most five if it finds nothing. It rests for `RESTING` only while
/// it knows that the service is quiet.
const DUTY: &str = "reissue_uploads";
const RESTING: Duration = Duration::from_secs(6);
/// Longer than the pause between two polls of a busy service, and shorter than that of a quiet one.
const UNPOLLED: Duration = Duration::from_millis(2_500);
/// How often the queues were looked at.
const LOOKS: &str =
    "SELECT seq_scan + coalesce(idx_scan, 0) FROM pg_stat_user_tables WHERE relid = 'apalis.jobs'::regclass";

/// Starts a job, and puts it off by so many seconds without telling anybody.
async fn put_back(world: &World, tenant: &Tenant, seconds: u32) -> anyhow::Result<()> {
    let item = world.item(tenant, Media::audio(60)).await?;
    tenant.client.prepare(&[item], &["levels"]).await?;
    let statement =
        "UPDATE jobs SET admitted = false, ticket_id = NULL, due_at = mws_now() + make_interval(secs => $1)";
    // At once, so that no scheduler gives it another ticket in between.
    let mut tx = world.pool().begin().await?;
    sqlx::query(statement).bind(f64::from(seconds)).execute(&mut *tx).await?;
    sqlx::query("DELETE FROM apalis.jobs").execute(&mut *tx).await?;
    Ok(tx.commit().await?)
}

/// Waits until the job is due, and then until it has a place and a ticket again. Returns how late that was.
async fn lateness(world: &World) -> anyhow::Result<Duration> {
    let due = "SELECT count(*) FROM jobs WHERE due_at <= mws_now()";
    until("it is due", async || Ok((world.count(due).await? == 1).then_some(()))).await?;
    let placed = "SELECT count(*) FROM jobs WHERE admitted AND ticket_id IS NOT NULL";
    took("it has a place", async || Ok((world.count(placed).await? == 1).then_some(()))).await
}

async fn rests(scheduler: &Scheduler) -> anyhow::Result<()> {
    let rests = async || Ok(scheduler.since(DUTY).is_some_and(|since| since >= RESTING).then_some(()));
    World::within(LONG, "the duty rests", rests).await
}

/// Waits until schedulers are told that a duty may have something to do.
async fn told(heard: &mut broadcast::Receiver<Wake>) -> anyhow::Result<()> {
    let told = async {
        while heard.recv().await? != Wake::Duties {}
        anyhow::Ok(())
    };
    timeout(LONG, told).await?
}

async fn transactions(world: &World) -> anyhow::Result<i64> {
    world.count("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()").await
}

#[tokio::test]
async fn duties_rest_while_nothing_happens_and_do_what_becomes_due_in_time() -> anyhow::Result<()> {
    let world = World::with(|settings| settings.database_notify = true).await?;
    let tenant = world.tenant("a").await?;
    put_back(&world, &tenant, 50).await?;
    let scheduler = world.scheduler().await?;
    rests(&scheduler).await?;
    let (before, began) = (transactions(&world).await?, Instant::now());
    let ran = async || Ok(scheduler.since(DUTY).is_some_and(|since| since < RESTING).then_some(()));
    World::within(LONG, "the duty is done all the same", ran).await?;
    rests(&scheduler).await?;
    // Duties that look each second make some fifty transactions a second, with the checks of their connections.
    let (asked, seconds) = (transactions(&world).await? - before, i64::try_from(began.elapsed().as_secs())?);
    assert!(asked <= 25 * (seconds + 1), "{asked} transactions in {seconds} s");
    let late = lateness(&world).await?;
    assert!(late < LATE, "{late:?} late");
    scheduler.stop().await?;
    world.end().await
}

#[tokio::test]
async fn queues_are_polled_less_often_while_nothing_happens_and_work_is_found_all_the_same() -> anyhow::Result<()> {
    let world = World::with(|settings| settings.database_notify = true).await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    world.work(runners::instant()).await?;
    until("the queues are polled", async || Ok((world.count(LOOKS).await? > 0).then_some(()))).await?;
    let mut last = (0, Instant::now());
    World::within(LONG, "nobody looks for some seconds", async || {
        let looks = world.count(LOOKS).await?;
        if looks != last.0 {
            last = (looks, Instant::now());
        }
        Ok((last.1.elapsed() >= UNPOLLED).then_some(()))
    })
    .await?;
    tenant.client.prepare(&[item], &["levels"]).await?;
    let ended = "SELECT count(*) FROM jobs WHERE status = 'succeeded'";
    until("the job is over", async || Ok((world.count(ended).await? == 1).then_some(()))).await?;
    world.end().await
}

#[tokio::test]
async fn whoever_leaves_something_to_a_duty_tells_schedulers() -> anyhow::Result<()> {
    const OPERATOR: &str = "an operator's token of this test";
    let world = World::with(|settings| {
        settings.database_notify = true;
        settings.operator_tokens = Some(format!("anna:act:{OPERATOR}").into());
    })
    .await?;
    let (tenant, operator) = (world.tenant("a").await?, world.client(Some(OPERATOR.to_owned())));
    let item = world.item(&tenant, Media::audio(60)).await?;

    let mut heard = world.process.wakes.subscribe();
    tenant.client.tool("delete_item", &json!({ "ref": item })).await?.data()?;
    told(&mut heard).await?;

    let mut heard = world.process.wakes.subscribe();
    let path = format!("/operator/accounts/{}/unpaid-processor-time", tenant.account);
    assert_eq!(operator.send("DELETE", &path, &[], None).await?.status, 200);
    told(&mut heard).await?;
    world.end().await
}

#[tokio::test]
async fn while_webhooks_are_sent_schedulers_do_not_take_the_service_for_quiet() -> anyhow::Result<()> {
    let (world, receiver) = (World::with(|settings| settings.database_notify = true).await?, Receiver::start()?);
    let tenant = world.tenant("a").await?;
    world.endpoint(&tenant, &receiver.url).await?;
    receiver.answer(500);
    let item = world.item(&tenant, Media::audio(60)).await?;
    world.work(runners::instant()).await?;
    let mut heard = world.process.wakes.subscribe();
    tenant.client.prepare(&[item], &["levels"]).await?;
    // A retry will be due before a scheduler in another process looks by itself.
    told(&mut heard).await?;
    world.end().await
}

#[tokio::test]
async fn where_nobody_is_told_duties_look_as_often_as_ever() -> anyhow::Result<()> {
    let world = World::with(|settings| settings.database_notify = false).await?;
    let tenant = world.tenant("a").await?;
    let scheduler = world.scheduler().await?;
    put_back(&world, &tenant, 3).await?;
    let late = lateness(&world).await?;
    assert!(late < LATE, "{late:?} late");
    scheduler.stop().await?;
    world.end().await
}

#[tokio::test]
async fn the_next_time_that_something_is_due_is_seen_and_what_is_due_already_is_not() -> anyhow::Result<()> {
    let world = World::new().await?;
    world.stop_clock().await?;
    let tenant = world.tenant("a").await?;
    let mut conn = world.pool().acquire().await?;
    assert_eq!(due::next(&mut conn, 60.0).await?, None);
    put_back(&world, &tenant, 30).await?;
    let seconds = due::next(&mut conn, 60.0).await?;
    assert!(seconds.is_some_and(|seconds| (0.0..=30.0).contains(&seconds)), "{seconds:?}");
    assert_eq!(due::next(&mut conn, 0.0).await?, None, "it is later than that");
    world.advance(Duration::from_secs(31)).await?;
    assert_eq!(due::next(&mut conn, 60.0).await?, None, "it is due");
    drop(conn);
    world.duties().await?;
    world.end().await
}
