//! Twenty places an account: no account fills the queue, and no worker is idle while work waits (decisions.md, "Places
//! are counted, not kept").

use crate::dispatch::SIX;
use domain::minutes::Minutes;
use mws_tests::world::runners::{self, Gate};
use mws_tests::world::{Media, Tenant, World, until};
use runtime::ending;
use serde_json::json;
use std::time::{Duration, Instant};
use store::jobs::{self, Freed, Line};
use store::minutes;

/// 500 live jobs of one account, which is as many as there may be.
async fn five_hundred(world: &World, tenant: &Tenant) -> anyhow::Result<Vec<String>> {
    let items = world.items(tenant, 100, Media::audio(60)).await?;
    let mut jobs = Vec::new();
    for chunk in items.chunks(20) {
        let answer = tenant.client.prepare(chunk, &["transcript", "speech", "speakers", "beats", "levels"]).await?;
        jobs.extend(answer.job_ids()?);
    }
    assert_eq!(jobs.len(), 500);
    Ok(jobs)
}

#[tokio::test]
async fn the_five_hundred_and_first_job_is_refused_until_one_has_ended() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let jobs = five_hundred(&world, &tenant).await?;
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE admitted").await?, 20);
    assert_eq!(world.count("SELECT count(*) FROM apalis.jobs").await?, 20);
    let items = world.items(&tenant, 2, Media::audio(60)).await?;
    let full = "refused:queue_full";
    assert_eq!(tenant.client.prepare(&items, &["levels"]).await?.reads()?, [[full], [full]]);
    tenant.client.tool("cancel_jobs", &json!({ "job_ids": [jobs[499], jobs[0]] })).await?.data()?;
    assert_eq!(tenant.client.prepare(&items, &["levels", "beats"]).await?.reads()?, [["queued"; 2], [full; 2]]);
    // The place of the cancelled one went to the next in line.
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE admitted AND finished_at IS NULL").await?, 20);
    // Who finds none to admit has locked the account and written nothing: that waits for no disk.
    // Where somebody refers to the account meanwhile, what stands there is no transaction's id.
    let locked = "SELECT CASE WHEN xmax::text::xid8 < pg_snapshot_xmax(pg_current_snapshot())
        THEN pg_xact_status(xmax::text::xid8) END FROM accounts WHERE id = $1";
    until("who locked it last has written nothing", async || {
        assert_eq!(ending::admit(world.pool(), &world.process.wakes, tenant.account).await?, 0);
        let lock: Option<String> = sqlx::query_scalar(locked).bind(tenant.account).fetch_one(world.pool()).await?;
        Ok((lock.as_deref() == Some("aborted")).then_some(()))
    })
    .await?;
    world.end().await
}

#[tokio::test]
async fn another_accounts_first_job_starts_as_soon_as_a_slot_is_free() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (crowd, other) = (world.tenant("a").await?, world.tenant("b").await?);
    five_hundred(&world, &crowd).await?;
    let gate = Gate::closed();
    let worker = world.worker_with(gate.runner(), |settings| settings.worker_reads = Some(20)).await?;
    until("all slots are taken", async || Ok((gate.inside() == 20).then_some(()))).await?;
    let item = world.item(&other, Media::video(60)).await?;
    let started = other.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    gate.let_through(1);
    other.client.reaches(&started, "running").await?;
    until("the slot is taken again", async || Ok((gate.inside() == 20).then_some(()))).await?;
    assert_eq!(gate.entered().len(), 21, "the crowd's next job did not go first");
    world.assert_invariants().await?;
    worker.stop().await?;
    world.end().await
}

#[tokio::test]
async fn an_account_that_waits_lets_another_in_before_its_own_next_twenty() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (crowd, other) = (world.tenant("a").await?, world.tenant("b").await?);
    five_hundred(&world, &crowd).await?;
    let gate = Gate::closed();
    world.work(gate.runner()).await?;
    until("all slots are taken", async || Ok((gate.inside() == 4).then_some(()))).await?;
    let item = world.item(&other, Media::video(60)).await?;
    other.client.prepare(&[item], &["levels"]).await?;
    // Where it is seen to run, and not where its row says so, which is a moment before.
    let before = until("the other's job has begun", async || {
        gate.let_through(1);
        Ok(gate.entered().iter().position(|(_, key)| key.contains(&item.to_string())))
    })
    .await?;
    // Twenty of the crowd had tickets already; in the same second those that follow may come first.
    assert!(before <= 40, "{before}");
    world.end().await
}

#[tokio::test]
async fn no_slot_is_idle_while_jobs_wait_even_without_a_scheduler() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 10, Media::video(60)).await?;
    let jobs = tenant.client.prepare(&items, &SIX).await?.job_ids()?;
    let gate = Gate::closed();
    world.work(gate.runner()).await?;
    for ended in 0..12 {
        until("all slots are taken", async || Ok((gate.inside() == 4).then_some(()))).await?;
        assert_eq!(gate.entered().len(), 4 + ended);
        gate.let_through(1);
        until("one has left", async || Ok((gate.entered().len() > 4 + ended).then_some(()))).await?;
    }
    gate.open();
    let ended = tenant.client.ended(&jobs).await?;
    assert!(ended.iter().all(|job| job["status"] == "succeeded"));
    assert_eq!(gate.entered().len(), 60, "each was computed once");
    world.end().await
}

#[tokio::test]
async fn a_slot_that_is_left_while_ends_are_written_is_taken_at_once() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    // No end is written before the lock is given back.
    let mut gatekeeper = world.pool().acquire().await?;
    sqlx::raw_sql("SELECT pg_advisory_lock(7)").execute(&mut *gatekeeper).await?;
    let held = "CREATE FUNCTION held() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             PERFORM set_config('lock_timeout', '0', true), pg_advisory_xact_lock(7);
             RETURN NEW;
         END $$;
         CREATE TRIGGER held BEFORE INSERT ON item_reads FOR EACH ROW EXECUTE FUNCTION held()";
    sqlx::raw_sql(held).execute(world.pool()).await?;
    let items = world.items(&tenant, 16, Media::audio(60)).await?;
    let jobs = tenant.client.prepare(&items, &["levels"]).await?.job_ids()?;
    let gate = Gate::closed();
    gate.open();
    let worker = world.worker_with(gate.runner(), |settings| settings.worker_reads = Some(1)).await?;
    let many_ran =
        async |many: usize| until("they run", async || Ok((gate.entered().len() >= many).then_some(()))).await;
    let mut quickest = Duration::MAX;
    // The first look after a rest may come at any moment.
    many_ran(2).await?;
    for many in 3..=16 {
        let began = Instant::now();
        many_ran(many).await?;
        quickest = quickest.min(began.elapsed());
    }
    assert!(quickest < Duration::from_millis(500), "each waits for a look, which is made each second: {quickest:?}");
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE finished_at IS NOT NULL").await?, 0);
    sqlx::raw_sql("SELECT pg_advisory_unlock(7)").execute(&mut *gatekeeper).await?;
    tenant.client.ended(&jobs).await?;
    worker.stop().await?;
    drop(gatekeeper);
    world.end().await
}

#[tokio::test]
async fn places_and_tickets_that_got_lost_are_found_again_and_not_multiplied() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 5, Media::video(60)).await?;
    let jobs = tenant.client.prepare(&items, &SIX).await?.job_ids()?;
    // A crash between two commits: no job has a place, and the queue is empty.
    sqlx::query("UPDATE jobs SET admitted = false, ticket_id = NULL").execute(world.pool()).await?;
    sqlx::query("DELETE FROM apalis.jobs").execute(world.pool()).await?;
    let tickets = "SELECT count(*) FROM apalis.jobs";
    for _ in 0..3 {
        world.duties().await?;
        assert_eq!(world.count("SELECT count(*) FROM jobs WHERE admitted").await?, 20);
        assert_eq!(world.count(tickets).await?, 20);
    }
    // The queue alone is lost: each of those that has a place gets one new ticket.
    sqlx::query("DELETE FROM apalis.jobs").execute(world.pool()).await?;
    for _ in 0..3 {
        world.duties().await?;
        assert_eq!(world.count(tickets).await?, 20);
    }
    world.work(runners::instant()).await?;
    tenant.client.ended(&jobs).await?;
    world.end().await
}

/// As where an end, or who looks again after it, waits for the account's lock while others dispatch.
#[tokio::test]
async fn jobs_that_were_dispatched_after_a_look_began_get_the_places_that_it_finds_free() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 5, Media::video(60)).await?;
    let mut look = world.pool().begin().await?;
    tenant.client.prepare(&items, &SIX).await?.job_ids()?;
    sqlx::query("UPDATE jobs SET admitted = false, ticket_id = NULL").execute(world.pool()).await?;
    sqlx::query("DELETE FROM apalis.jobs").execute(world.pool()).await?;
    let freed = Freed { account: tenant.account, places: 3, line: Line::Front };
    assert_eq!(jobs::leave(&mut look, &[], &[freed]).await?.len(), 3);
    assert_eq!(jobs::admit(&mut look, tenant.account).await?.len(), 17);
    look.rollback().await?;
    world.duties().await?;
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE admitted").await?, 20);
    world.end().await
}

#[tokio::test]
async fn a_job_left_waiting_is_found_among_more_accounts_than_a_run_looks_at() -> anyhow::Result<()> {
    let world = World::new().await?;
    // 250 accounts wait with all of their places taken; of one more, whose id comes last, a crash has left a job
    // waiting.
    sqlx::raw_sql(
        "INSERT INTO accounts (id, name) SELECT md5(n::text)::uuid, 'crowd' FROM generate_series(1, 250) AS n;
         INSERT INTO accounts (id, name) VALUES ('ffffffff-0000-0000-0000-000000000000', 'last');
         INSERT INTO jobs (id, call_id, payer_account_id, owner_account_id, workspace_id, kind, read, admitted, hold_month,
             held_month, held_bought, due_at, ticket_id)
         SELECT gen_random_uuid(), gen_random_uuid(), a.id, a.id, a.id, 'read', 'levels', n <= 20, current_date, 0, 0,
             mws_now() - interval '1 hour', CASE WHEN n <= 20 THEN 'none' END
         FROM accounts AS a CROSS JOIN generate_series(1, 21) AS n
         WHERE a.name = 'crowd' OR (a.name = 'last' AND n = 21)",
    )
    .execute(world.pool())
    .await?;
    let last = "SELECT count(*) FROM jobs WHERE admitted AND payer_account_id = 'ffffffff-0000-0000-0000-000000000000'";
    for _ in 0..3 {
        scheduler::admit_jobs::run_once(&world.process).await?;
    }
    assert_eq!(world.count(last).await?, 1);
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE NOT admitted").await?, 250);
    sqlx::raw_sql("TRUNCATE jobs, apalis.jobs; DELETE FROM accounts WHERE name IN ('crowd', 'last')")
        .execute(world.pool())
        .await?;
    world.end().await
}

#[tokio::test]
async fn one_that_is_due_again_and_those_that_a_resume_left_waiting_get_their_places_in_one_run() -> anyhow::Result<()>
{
    let world = World::new().await?;
    // 250 accounts have their places taken and wait, one of them with 600 jobs that have just come due again. Of one
    // more, whose id comes last, a job came due again a while ago.
    sqlx::raw_sql(
        "INSERT INTO accounts (id, name) SELECT md5(n::text)::uuid, 'crowd' FROM generate_series(1, 250) AS n;
         INSERT INTO accounts (id, name) VALUES ('ffffffff-0000-0000-0000-000000000000', 'last');
         INSERT INTO jobs (id, call_id, payer_account_id, owner_account_id, workspace_id, kind, read, admitted,
             hold_month, held_month, held_bought, created_at, due_at, ticket_id)
         SELECT gen_random_uuid(), gen_random_uuid(), a.id, a.id, a.id, 'read', 'levels', n <= 20 AND a.name = 'crowd',
             current_date, 0, 0, mws_now() - interval '1 hour',
             CASE WHEN a.name = 'last' THEN mws_now() - interval '1 min' WHEN n > 21 THEN mws_now()
                 ELSE mws_now() - interval '1 hour' END,
             CASE WHEN n <= 20 AND a.name = 'crowd' THEN 'none' END
         FROM accounts AS a CROSS JOIN generate_series(1, 621) AS n
         WHERE (a.name = 'crowd' AND (n <= 21 OR a.id = md5('1')::uuid)) OR (a.name = 'last' AND n = 1)",
    )
    .execute(world.pool())
    .await?;
    assert_eq!(scheduler::admit_jobs::run_once(&world.process).await?, 1);
    let last = "SELECT count(*) FROM jobs WHERE admitted AND payer_account_id = 'ffffffff-0000-0000-0000-000000000000'";
    assert_eq!(world.count(last).await?, 1);
    // As when a read is resumed: none has a place.
    sqlx::query("UPDATE jobs SET admitted = false, due_at = created_at").execute(world.pool()).await?;
    assert_eq!(scheduler::admit_jobs::run_once(&world.process).await?, 250 * 20 + 1);
    sqlx::raw_sql("TRUNCATE jobs, apalis.jobs; DELETE FROM accounts WHERE name IN ('crowd', 'last')")
        .execute(world.pool())
        .await?;
    world.end().await
}

#[tokio::test]
async fn a_place_that_a_paused_job_gives_up_goes_to_the_accounts_next_at_once() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 20, Media::video(60)).await?;
    tenant.client.prepare(&items, &["beats"]).await?.job_ids()?;
    let next = tenant.client.prepare(&items[..1], &["levels"]).await?.job_ids()?;
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE NOT admitted AND read = 'levels'").await?, 1);
    sqlx::query("UPDATE read_kinds SET paused_at = mws_now() WHERE read = 'beats'").execute(world.pool()).await?;
    world.work(runners::instant()).await?;
    // No duty runs here.
    tenant.client.reaches(&next[0], "succeeded").await?;
    sqlx::query("UPDATE read_kinds SET paused_at = NULL").execute(world.pool()).await?;
    world.end().await
}

#[tokio::test]
async fn places_that_are_handed_over_are_dated_back_by_what_the_account_has_left_and_all_live_jobs_count()
-> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 5, Media::video(60)).await?;
    let jobs = tenant.client.prepare(&items, &SIX).await?.job_ids()?;
    let gate = Gate::closed();
    world.work(gate.runner()).await?;
    until("four run", async || Ok((gate.inside() == 4).then_some(()))).await?;
    // Of thirty, four run, sixteen have a place, ten wait for one.
    let mut conn = world.pool().acquire().await?;
    let balance = minutes::balance(&mut conn, tenant.account, Minutes::ZERO).await?;
    assert_eq!(balance.map(|balance| (balance.live, balance.admitted)), Some((30, 20)));
    // From when the places were free, so that it says nothing how long ago that is.
    let newest = "SELECT (extract(epoch FROM (SELECT max(finished_at) FROM jobs) - t.run_at) / 60)::bigint FROM jobs j
        JOIN apalis.jobs t ON t.id = j.ticket_id ORDER BY j.seq DESC LIMIT $1";
    let mut minutes_back = Vec::new();
    for ended in [&jobs[10..11], &jobs[11..13]] {
        tenant.client.tool("cancel_jobs", &json!({ "job_ids": ended })).await?.data()?;
        let rows = sqlx::query_scalar::<_, i64>(newest).bind(i64::try_from(ended.len())?);
        minutes_back.push(rows.fetch_all(&mut *conn).await?);
    }
    // Nineteen others had a place, then eighteen.
    assert_eq!(minutes_back, [vec![1], vec![2, 2]]);
    gate.open();
    tenant.client.ended(&jobs).await?;
    drop(conn);
    world.end().await
}
