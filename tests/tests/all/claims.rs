//! Jobs are claimed with their tickets, in one transaction: whenever it is cut off, nothing is lost, nothing is started
//! twice, and no state but the claimed job's is changed (ARCHITECTURE.md, "Life of a read").

use domain::ids::{AccountId, ItemId, JobId, UploadId};
use domain::read::Read;
use futures_util::{StreamExt, TryStreamExt, stream};
use mws_tests::world::runners::{self, Gate};
use mws_tests::world::{Media, Tenant, World, until};
use runtime::queue::{self, Queue, Subject, Ticket};
use runtime::wake::Wake;
use serde_json::json;
use sqlx::{Postgres, Transaction};
use store::items::{self, Added, NewItem};
use store::jobs;
use store::uploads::{self, NewImport, Stage};
use tokio::time::Instant;

const READS: [&str; 5] = ["transcript", "speech", "speakers", "beats", "levels"];
const TICKETS: &str = "SELECT count(*) FROM apalis.jobs";
const RUNNING: &str = "SELECT count(*) FROM jobs WHERE status = 'running'";

/// A tenant with a job of each of five reads of so many items.
async fn queued(world: &World, items: usize) -> anyhow::Result<(Tenant, Vec<String>)> {
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, items, Media::video(60)).await?;
    let jobs = tenant.client.prepare(&items, &READS).await?.job_ids()?;
    Ok((tenant, jobs))
}

/// Holds every claim in its middle: tickets are picked, and nothing is committed.
async fn held(world: &World) -> anyhow::Result<Transaction<'static, Postgres>> {
    // It waits for as long as the test likes: a lock of the table would be given up after two seconds.
    let held = "CREATE FUNCTION held() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             PERFORM set_config('lock_timeout', '0', true), pg_advisory_xact_lock_shared(9);
             RETURN NULL;
         END $$;
         CREATE TRIGGER held BEFORE INSERT ON job_claims FOR EACH STATEMENT EXECUTE FUNCTION held()";
    sqlx::raw_sql(held).execute(world.pool()).await?;
    let mut holding = world.pool().begin().await?;
    sqlx::query("SELECT pg_advisory_xact_lock(9)").execute(&mut *holding).await?;
    Ok(holding)
}

/// Waits until a claim is held.
async fn claims(world: &World) -> anyhow::Result<()> {
    let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory' AND objid = 9
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    until("a claim is under way", async || Ok((world.count(waiting).await? > 0).then_some(()))).await
}

/// All jobs have ended, each by its only claim.
async fn all_end_once(tenant: &Tenant, world: &World, jobs: &[String]) -> anyhow::Result<()> {
    let ended = tenant.client.ended(jobs).await?;
    assert!(ended.iter().all(|job| job["status"] == "succeeded" && job["attempt"] == 1), "{ended:?}");
    assert_eq!(world.count("SELECT count(*) FROM job_claims").await?, i64::try_from(jobs.len())?);
    assert_eq!(world.count(TICKETS).await?, 0, "a claim leaves no ticket behind");
    Ok(())
}

#[tokio::test]
async fn a_kill_before_the_claims_commit_leaves_tickets_and_no_claim() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, jobs) = queued(&world, 1).await?;
    let holding = held(&world).await?;
    let gate = Gate::closed();
    let worker = world.worker(gate.runner()).await?;
    claims(&world).await?;
    worker.kill().await;
    holding.rollback().await?;
    assert_eq!((world.count(TICKETS).await?, world.count(RUNNING).await?), (5, 0));
    assert_eq!(gate.entered().len(), 0);
    world.work(runners::instant()).await?;
    all_end_once(&tenant, &world, &jobs).await?;
    world.end().await
}

#[tokio::test]
async fn a_claim_whose_connection_is_lost_starts_nothing_and_is_made_again() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, jobs) = queued(&world, 1).await?;
    let holding = held(&world).await?;
    let gate = Gate::closed();
    world.work(gate.runner()).await?;
    claims(&world).await?;
    let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_locks
        WHERE NOT granted AND locktype = 'advisory' AND objid = 9
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    assert!(world.count(cut).await? > 0);
    assert_eq!((gate.entered().len(), world.count(RUNNING).await?), (0, 0));
    holding.rollback().await?;
    gate.open();
    all_end_once(&tenant, &world, &jobs).await?;
    assert_eq!(gate.entered().len(), jobs.len());
    world.end().await
}

#[tokio::test]
async fn a_worker_that_is_told_to_stop_while_it_claims_keeps_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, jobs) = queued(&world, 1).await?;
    let holding = held(&world).await?;
    let gate = Gate::closed();
    // It would have the time to begin what it claims.
    let worker = world.worker_with(gate.runner(), |settings| settings.drain_seconds = 20).await?;
    claims(&world).await?;
    worker.tell_to_stop();
    let stopped = tokio::spawn(worker.stop());
    holding.rollback().await?;
    stopped.await??;
    assert_eq!((gate.entered().len(), world.count(RUNNING).await?), (0, 0), "what was claimed is handed back");
    let counted = "SELECT count(*) FROM jobs WHERE status <> 'queued' OR failures > 0 OR losses > 0";
    assert_eq!(world.count(counted).await?, 0);
    world.work(runners::instant()).await?;
    let ended = tenant.client.ended(&jobs).await?;
    assert!(ended.iter().all(|job| job["status"] == "succeeded" && job["attempt"] == 1));
    world.end().await
}

#[tokio::test]
async fn what_is_claimed_while_a_worker_ends_is_handed_back_though_it_still_works() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 2, Media::video(60)).await?;
    let mut jobs = tenant.client.prepare(&items[..1], &["levels"]).await?.job_ids()?;
    let gate = Gate::closed();
    let worker = world
        .worker_with(gate.runner(), |settings| (settings.worker_reads, settings.drain_seconds) = (Some(8), 120))
        .await?;
    until("one is worked", async || Ok((gate.inside() == 1).then_some(()))).await?;
    let holding = held(&world).await?;
    jobs.extend(tenant.client.prepare(&items[1..], &["levels", "beats"]).await?.job_ids()?);
    claims(&world).await?;
    worker.tell_to_stop();
    let stopped = tokio::spawn(worker.stop());
    holding.rollback().await?;
    let handed_back = "SELECT count(*) FROM job_claims WHERE outcome = 'handed_back'";
    until("it is handed back", async || Ok((world.count(handed_back).await? > 0).then_some(()))).await?;
    assert_eq!((gate.inside(), world.count(RUNNING).await?), (1, 1), "the first is worked still");
    gate.open();
    stopped.await??;
    world.work(runners::instant()).await?;
    let ended = tenant.client.ended(&jobs).await?;
    assert!(ended.iter().all(|job| job["status"] == "succeeded" && job["attempt"] == 1));
    world.end().await
}

#[tokio::test]
async fn a_ticket_whose_job_can_not_be_claimed_is_spent_unless_another_writes_it_and_the_job_left_as_it_was()
-> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 2, Media::video(60)).await?;
    let of = async |reads: &[&str], item: usize| tenant.client.prepare(&items[item..=item], reads).await?.job_ids();
    let (cancelled, paused) = (of(&["levels"], 0).await?, of(&["beats"], 0).await?);
    let (elsewhere, written) = (of(&["speech"], 0).await?, of(&["speakers"], 0).await?);
    tenant.client.tool("cancel_jobs", &json!({ "job_ids": cancelled })).await?.data()?;
    sqlx::query("UPDATE read_kinds SET paused_at = mws_now() WHERE read = 'beats'").execute(world.pool()).await?;
    let job: JobId = elsewhere[0].parse()?;
    jobs::claim(&mut *world.pool().acquire().await?, &[job], "elsewhere", &[]).await?;
    let mut writing = world.pool().begin().await?;
    let row = "SELECT FROM jobs WHERE read = 'speakers' FOR UPDATE";
    sqlx::query(row).execute(&mut *writing).await?;
    sqlx::query("UPDATE apalis.jobs SET job = '{}' WHERE job_type = 'read:levels'").execute(world.pool()).await?;
    assert_eq!(world.count(TICKETS).await?, 4);
    let states =
        "SELECT array_agg(read || ' ' || status || ' ' || admitted || ' ' || claim_no ORDER BY read) FROM jobs";
    world.work(runners::instant()).await?;
    until("all others are spent", async || Ok((world.count(TICKETS).await? == 1).then_some(()))).await?;
    let left: Vec<String> = sqlx::query_scalar(states).fetch_one(world.pool()).await?;
    let as_they_were =
        ["beats queued false 0", "levels cancelled true 0", "speakers queued true 0", "speech running true 1"];
    assert_eq!(left, as_they_were, "the paused one alone gives its place up");
    writing.rollback().await?;
    // The one that was being written has its ticket still, however many older jobs a duty would look at first.
    tenant.client.reaches(&written[0], "succeeded").await?;
    assert_eq!(world.count(TICKETS).await?, 0);
    sqlx::query("UPDATE read_kinds SET paused_at = NULL").execute(world.pool()).await?;
    let ended = until("the paused one has its turn", async || {
        world.duties().await?;
        let job = tenant.client.job(&paused[0]).await?;
        Ok((job["status"] == "succeeded").then_some(job))
    });
    assert_eq!(ended.await?["attempt"], 1);
    world.end().await
}

/// As on a busy machine, where a dispatch may begin and end between two statements of a claim.
#[tokio::test]
async fn a_claim_that_began_before_a_job_or_an_upload_was_made_takes_it_and_spends_no_ticket_for_nothing()
-> anyhow::Result<()> {
    let world = World::new().await?;
    let mut claim = world.pool().begin().await?;
    let (tenant, ids) = queued(&world, 1).await?;
    let jobs: Vec<JobId> = ids.iter().map(|id| id.parse()).collect::<Result<_, _>>()?;
    let tickets: Vec<String> = sqlx::query_scalar("SELECT id FROM apalis.jobs").fetch_all(&mut *claim).await?;
    assert_eq!(tickets.len(), jobs.len());
    assert_eq!(jobs::claim(&mut claim, &jobs, "a test", &tickets).await?.claimed.len(), jobs.len());

    let (id, item_id) = (UploadId::mint(), ItemId::mint());
    let (workspace_id, account_id) = (tenant.workspace, tenant.account);
    let mut other = world.pool().acquire().await?;
    let item = NewItem {
        id: item_id,
        workspace_id,
        account_id,
        item_ref: "late",
        name: "a.wav",
        content_type: None,
        bytes: 3,
    };
    assert_eq!(items::add(&mut other, &item).await?, Added::Yes);
    let url = "https://media.example/a.wav";
    let import = NewImport { id, item_id, workspace_id, account_id, filename: "a.wav", url, ticket_id: "none" };
    uploads::add_import(&mut other, &import).await?;
    uploads::lock_claims(&mut claim, &[id]).await?;
    assert!(uploads::claim(&mut claim, id, Stage::Fetch, 1).await?.is_some());
    claim.rollback().await?;
    drop(other);
    world.end().await
}

#[tokio::test]
async fn several_tickets_of_a_job_are_one_claim_in_one_batch_and_in_two_processes() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, jobs) = queued(&world, 4).await?;
    let again: Vec<(JobId, Read)> =
        sqlx::query_as("SELECT id, read FROM jobs WHERE admitted").fetch_all(world.pool()).await?;
    let tickets: Vec<Ticket> = again
        .iter()
        .flat_map(|(job, read)| (0..4).map(|_| Ticket::new(Queue::Read(*read), Subject::Job(*job))))
        .collect();
    queue::push(&mut *world.pool().acquire().await?, &tickets).await?;
    assert_eq!(world.count(TICKETS).await?, 100);
    for _ in 0..2 {
        world.work(runners::instant()).await?;
    }
    tenant.client.ended(&jobs).await?;
    until("all tickets are spent", async || Ok((world.count(TICKETS).await? == 0).then_some(()))).await?;
    all_end_once(&tenant, &world, &jobs).await?;
    world.end().await
}

#[tokio::test]
async fn no_more_is_claimed_than_there_are_free_slots_and_two_processes_share_what_waits() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, jobs) = queued(&world, 4).await?;
    let gate = Gate::closed();
    let three = async || world.worker_with(gate.runner(), |settings| settings.worker_reads = Some(3)).await;
    let (one, other) = (three().await?, three().await?);
    for ended in 0..8 {
        until("all slots are taken", async || Ok((gate.inside() == 6).then_some(()))).await?;
        // A job leaves its slot before its end is written, and the next may run by then.
        let written = "SELECT count(*) FROM jobs WHERE status = 'succeeded'";
        until("the ends are written", async || Ok((world.count(written).await? == ended).then_some(()))).await?;
        assert_eq!(world.count(RUNNING).await?, 6);
        assert_eq!(world.count(TICKETS).await?, 14 - ended, "what is not begun keeps its ticket");
        for worker in [one.name(), other.name()] {
            let own = "SELECT count(*) FROM job_claims WHERE ended_at IS NULL AND worker = $1";
            let own: i64 = sqlx::query_scalar(own).bind(worker).fetch_one(world.pool()).await?;
            assert_eq!(own, 3);
        }
        gate.let_through(1);
        until("the next has begun", async || Ok((gate.entered().len() > usize::try_from(6 + ended)?).then_some(())))
            .await?;
    }
    gate.open();
    all_end_once(&tenant, &world, &jobs).await?;
    one.stop().await?;
    other.stop().await?;
    world.end().await
}

#[tokio::test]
async fn a_process_without_an_engine_leaves_that_queue_alone() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, jobs) = queued(&world, 1).await?;
    let worker = world.worker_with(runners::instant(), |settings| settings.reads = vec!["levels".to_owned()]).await?;
    let left = "SELECT count(*) FROM apalis.jobs WHERE status = 'Pending' AND lock_by IS NULL AND attempts = 0
        AND job_type <> 'read:levels'";
    until("its own job has ended", async || {
        Ok((world.count("SELECT count(*) FROM jobs WHERE status = 'succeeded'").await? == 1).then_some(()))
    })
    .await?;
    assert_eq!((world.count(left).await?, world.count(TICKETS).await?), (4, 4));
    worker.stop().await?;
    world.work(runners::instant()).await?;
    all_end_once(&tenant, &world, &jobs).await?;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn claims_ends_and_cancellations_side_by_side_never_deadlock() -> anyhow::Result<()> {
    let world = World::new().await?;
    // No lease ends here, however busy the machine is.
    world.stop_clock().await?;
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    let before = world.count(deadlocks).await?;
    let mut tenants = Vec::new();
    for n in 0..6 {
        let tenant = world.tenant(&format!("account {n}")).await?;
        let items = world.items(&tenant, 60, Media::audio(60)).await?;
        tenants.push((tenant, items));
    }
    let (one, other) = (world.scheduler().await?, world.scheduler().await?);
    for _ in 0..4 {
        world.work(runners::instant()).await?;
    }
    let calls = tenants.iter().flat_map(|(tenant, items)| items.chunks(10).map(move |some| (tenant, some)));
    let calls: Vec<_> = calls.collect();
    stream::iter(calls.iter().map(async |(tenant, items)| {
        let jobs = tenant.client.prepare(items, &READS).await?.job_ids()?;
        let some: Vec<&String> = jobs.iter().skip(5).step_by(3).collect();
        tenant.client.tool("cancel_jobs", &json!({ "job_ids": some })).await?.data()?;
        anyhow::Ok(())
    }))
    .buffer_unordered(6)
    .try_collect::<()>()
    .await?;
    let live = "SELECT count(*) FROM jobs WHERE finished_at IS NULL";
    until("no job is live", async || Ok((world.count(live).await? == 0).then_some(()))).await?;
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 1_800);
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE losses > 0 OR failures > 0").await?, 0);
    one.stop().await?;
    other.stop().await?;
    assert_eq!(world.count(deadlocks).await?, before);
    world.end().await
}

#[tokio::test]
async fn what_is_told_of_ended_jobs_and_of_other_queues_has_no_idle_queue_fetch() -> anyhow::Result<()> {
    let world = World::new().await?;
    // Counts the fetches of those who have apalis fetch: first and slow webhooks, and those of projects.
    for statement in [
        "ALTER FUNCTION apalis.get_jobs RENAME TO get_jobs_uncounted",
        "CREATE SEQUENCE apalis.fetches",
        "CREATE FUNCTION apalis.get_jobs(worker_id text, v_job_type text, v_job_count integer DEFAULT 5)
         RETURNS SETOF apalis.jobs LANGUAGE plpgsql AS $$ BEGIN
             PERFORM nextval('apalis.fetches');
             RETURN QUERY SELECT * FROM apalis.get_jobs_uncounted(worker_id, v_job_type, v_job_count);
         END $$",
    ] {
        sqlx::query(statement).execute(world.pool()).await?;
    }
    let fetches = "SELECT last_value FROM apalis.fetches";
    let worker = world.worker(runners::instant()).await?;
    until("its queues are fetched from", async || Ok((world.count(fetches).await? > 6).then_some(()))).await?;
    let mut heard = world.process.wakes.subscribe();
    let (began, before) = (Instant::now(), world.count(fetches).await?);
    for _ in 0..200 {
        let job = JobId::mint();
        let queue = Wake::Queue("read:levels".to_owned());
        world.process.wakes.send([queue, Wake::Events(AccountId::mint()), Wake::StopAsked(job), Wake::JobEnded(job)]);
        while heard.recv().await? != Wake::JobEnded(job) {}
    }
    // Each of the three looks once a second regardless.
    let fetched = world.count(fetches).await? - before;
    let regardless = 3 * (i64::try_from(began.elapsed().as_secs())? + 2);
    assert!(fetched <= regardless, "{fetched} fetches for 200 wake-ups of others, and {regardless} regardless");
    worker.stop().await?;
    world.end().await
}
