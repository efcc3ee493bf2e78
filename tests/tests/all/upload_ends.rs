//! Ends of uploads that the database does not take: written again by whoever has the claim, and nobody else's concern
//! (ARCHITECTURE.md, "When something fails"). And an upload whose row somebody has locked when its turn comes.

use crate::outage::took;
use domain::ids::UploadId;
use mws_tests::world::{Client, World, processes::silence, runners, until};
use runtime::queue::{self, Queue, Subject, Ticket};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use store::uploads;

/// Makes the database refuse the end of uploads of this name, as a full disk does, the first so many times.
async fn refuse(world: &World, filename: &str, times: i64) -> anyhow::Result<()> {
    let trigger = format!(
        "CREATE SEQUENCE ends_tried;
         CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF NEW.filename = '{filename}' AND NEW.status = 'done' AND nextval('ends_tried') <= {times} THEN
                 RAISE EXCEPTION 'no space left on device' USING ERRCODE = '53100';
             END IF;
             RETURN NEW;
         END $$;
         CREATE TRIGGER refused BEFORE UPDATE ON uploads FOR EACH ROW EXECUTE FUNCTION refused()"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(trigger)).execute(world.pool()).await?;
    Ok(())
}

async fn upload(client: &Client, filename: &str) -> anyhow::Result<String> {
    let bytes = silence(1)?;
    let announced = client.announce(bytes.len(), &json!({ "filename": filename })).await?;
    client.send_announced(&announced, &bytes).await
}

async fn status(client: &Client, item: &str) -> anyhow::Result<Value> {
    Ok(client.send("GET", &format!("/library/items/{item}"), &[], None).await?.json["status"].take())
}

async fn ready(client: &Client, item: &str) -> anyhow::Result<()> {
    until("the item is ready", async || Ok((status(client, item).await? == "ready").then_some(()))).await
}

#[tokio::test]
async fn an_end_that_the_database_does_not_take_is_written_again_under_the_same_claim() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    refuse(&world, "late.wav", 3).await?;
    let item = upload(&tenant.client, "late.wav").await?;
    // Nothing else could take it up again: there is no scheduler.
    world.work(runners::instant()).await?;
    ready(&tenant.client, &item).await?;
    assert_eq!(world.count("SELECT last_value FROM ends_tried").await?, 4);
    assert_eq!(world.count("SELECT claim_no::bigint FROM uploads WHERE failures = 0 AND losses = 0").await?, 1);
    world.end().await
}

#[tokio::test]
async fn an_upload_whose_row_is_locked_is_looked_at_again() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = upload(&tenant.client, "a.wav").await?;
    let mut locking = world.pool().begin().await?;
    sqlx::query("SELECT FROM uploads FOR UPDATE").execute(&mut *locking).await?;
    // Nothing else could give it a ticket: there is no scheduler.
    world.work(runners::instant()).await?;
    let kept = "SELECT count(*) FROM apalis.jobs WHERE status = 'Pending' AND run_at > now()";
    until("its ticket is for later", async || Ok((world.count(kept).await? == 1).then_some(()))).await?;
    locking.commit().await?;
    ready(&tenant.client, &item).await?;
    world.end().await
}

#[tokio::test]
async fn an_end_that_is_not_written_leaves_the_accounts_other_uploads_a_slot() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    refuse(&world, "held.wav", i64::MAX).await?;
    let held = upload(&tenant.client, "held.wav").await?;
    // As few slots as a process has.
    let worker = world.worker_with(runners::instant(), |settings| settings.worker_reads = Some(1)).await?;
    let scheduler = world.scheduler().await?;
    let tried = "SELECT count(*) FROM ends_tried WHERE is_called";
    until("its end is tried", async || Ok((world.count(tried).await? == 1).then_some(()))).await?;
    let since = Instant::now();
    for name in ["b.wav", "c.wav"] {
        let other = upload(&tenant.client, name).await?;
        let came = async || Ok((status(&tenant.client, &other).await? == "ready").then_some(()));
        let waited = took("another is ready beside it", came).await?;
        assert!(waited < Duration::from_secs(6), "{waited:?}");
    }
    assert_eq!(status(&tenant.client, &held).await?, "processing");
    sqlx::raw_sql("DROP TRIGGER refused ON uploads").execute(world.pool()).await?;
    ready(&tenant.client, &held).await?;
    // An end is tried for fifteen seconds, and a busy machine may take longer than that.
    let is_early = since.elapsed() < Duration::from_secs(10);
    let claims = world.count("SELECT max(claim_no)::bigint FROM uploads").await?;
    assert!(claims == 1 || !is_early, "all by their first claims: {claims}");
    worker.stop().await?;
    scheduler.stop().await?;
    world.end().await
}

#[tokio::test]
async fn an_upload_that_got_a_ticket_while_another_scheduler_looked_gets_no_second() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = upload(&tenant.client, "a.wav").await?;
    assert_eq!(sqlx::query("DELETE FROM apalis.jobs").execute(world.pool()).await?.rows_affected(), 1, "it is lost");
    let id: UploadId = sqlx::query_scalar("SELECT id FROM uploads").fetch_one(world.pool()).await?;
    let pushed = world.amid_look(scheduler::reissue_uploads::run_once(&world.process), async || {
        let ticket = Ticket::new(Queue::Ingest, Subject::Upload(id));
        let mut other = world.pool().begin().await?;
        uploads::assign_tickets(&mut other, &[id], std::slice::from_ref(&ticket.id)).await?;
        queue::push(&mut other, &[ticket]).await?;
        Ok(other.commit().await?)
    });
    assert_eq!(Box::pin(pushed).await?, 0);
    world.work(runners::instant()).await?;
    ready(&tenant.client, &item).await?;
    world.end().await
}
