//! The statements of a job's life look up what they need, whatever the tables were like when they were planned: empty,
//! small or full (decisions.md, "What is planned once looks its rows up").

use domain::ids::{AccountId, ItemId, JobId, WorkspaceId};
use domain::minutes::Minutes;
use domain::read::Read;
use mws_tests::plans;
use mws_tests::world::{Media, World};
use runtime::queue::{Picker, Queue};
use runtime::wake::NamedTickets;
use sqlx::{ConnectOptions, PgConnection, PgPool};
use store::jobs::{self, End, Freed, HeldClaim, Line, Outcome};
use store::{PoolSize, account_audit, deliveries, due, event_stream, events, idempotency};
use store::{minutes, overview, project_webhooks, reads, renders, retention, tickets};

/// Jobs of a full table: of forty accounts, most of them ended.
const MANY: i64 = 30_000;

/// Fills the tables that a job's life touches, and has PostgreSQL count them: of a hundred jobs ninety have ended, two
/// run, three have a place, five wait.
pub async fn fill(pool: &PgPool, many: i64) -> anyhow::Result<()> {
    let mut conn = pool.acquire().await?;
    // No row needs others here: the keys to them are not looked at.
    sqlx::raw_sql("SET session_replication_role = replica").execute(&mut *conn).await?;
    for statement in [
        "INSERT INTO jobs (id, call_id, payer_account_id, owner_account_id, workspace_id, item_id, kind, read, status, admitted,
             hold_month, held_month, held_bought, charged, claim_no, lease_until, finished_at, ticket_id)
         SELECT md5('job' || n)::uuid, md5('call' || n)::uuid, md5((n % 40)::text)::uuid, md5((n % 40)::text)::uuid,
             md5('workspace')::uuid, md5('item' || n / 6)::uuid, 'read', 'levels',
             CASE WHEN n % 100 < 90 THEN 'succeeded' WHEN n % 100 < 92 THEN 'running' ELSE 'queued' END, n % 100 < 95,
             current_date, 100, 0, CASE WHEN n % 100 < 90 THEN 100 END, 1,
             CASE WHEN n % 100 IN (90, 91) THEN mws_now() + interval '30 s' END,
             CASE WHEN n % 100 < 90 THEN mws_now() END, 'ticket_' || n
         FROM generate_series(1, $1::bigint) AS n",
        "INSERT INTO calls (id, account_id, workspace_id, tool, request_id)
         SELECT call_id, payer_account_id, workspace_id, 'prepare_media', 'req' FROM jobs WHERE $1::bigint > 0",
        "INSERT INTO items (id, workspace_id, account_id, ref, name, type, status, duration_ms, has_audio, has_video, object_key)
         SELECT md5('item' || n)::uuid, md5('workspace')::uuid, md5((n % 40)::text)::uuid, n::text, 'a', 'video', 'ready', 1,
             true, true, 'none'
         FROM generate_series(0, $1::bigint / 6) AS n",
        "INSERT INTO job_claims (job_id, claim_no, worker, ended_at)
         SELECT id, 1, 'w', finished_at FROM jobs WHERE status <> 'queued' AND $1::bigint > 0",
        "INSERT INTO job_reads (item_id, read, job_id)
         SELECT DISTINCT ON (item_id) item_id, read, id FROM jobs WHERE finished_at IS NULL AND $1::bigint > 0",
        "INSERT INTO apalis.jobs (id, job_type, job, status, attempts, max_attempts, run_at, priority)
         SELECT 'ticket_' || n, 'read:levels', '{}'::bytea, 'Pending', 0, 1, now() - interval '1 min', 0
         FROM generate_series(1, $1::bigint) AS n",
    ] {
        sqlx::query(statement).bind(many).execute(&mut *conn).await?;
    }
    sqlx::raw_sql("RESET session_replication_role; ANALYZE").execute(&mut *conn).await?;
    Ok(())
}

/// Empties them: their rows are not what the service would have made.
pub async fn empty(pool: &PgPool) -> anyhow::Result<()> {
    sqlx::raw_sql("TRUNCATE jobs, calls, items, job_claims, job_reads, apalis.jobs CASCADE").execute(pool).await?;
    Ok(())
}

/// The statement that was prepared last has these indexes, and looks up there what it needs.
async fn goes_by(conn: &mut PgConnection, statement: &str, indexes: &[&str]) -> anyhow::Result<()> {
    let plan = has(conn, statement, indexes).await?;
    let lines: Vec<&str> = plan.lines().map(str::trim).collect();
    for (line, next) in lines.iter().zip(lines.iter().skip(1).chain([&""])) {
        let reads_all =
            line.contains("Seq Scan on") || (line.contains("Scan using") && !next.starts_with("Index Cond"));
        assert!(!reads_all, "{statement} reads all of a table, {line}:\n{plan}");
    }
    // It has a job's id too, but behind its workspace.
    assert!(!plan.contains("jobs_listed"), "{statement} reads all of an index:\n{plan}");
    Ok(())
}

/// The statement that was prepared last has these indexes; it may read all of small tables. Returns the plan.
pub async fn has(conn: &mut PgConnection, statement: &str, indexes: &[&str]) -> anyhow::Result<String> {
    let plan = plans::of_last(conn).await?;
    for index in indexes {
        assert!(plan.contains(index), "{statement} does not go by {index}:\n{plan}");
    }
    assert!(!plan.contains("Seq Scan on jobs j") && !plan.contains("Seq Scan on jobs o"), "{statement}:\n{plan}");
    Ok(plan)
}

/// What the ticket's pick, the claim, and the end of a job are.
async fn a_life_goes_by_indexes(conn: &mut PgConnection) -> anyhow::Result<()> {
    let (job, account) = (JobId::mint(), AccountId::mint());
    Picker::new(vec![Queue::Read(Read::Levels), Queue::Render], NamedTickets::default()).pick(conn, 64).await?;
    goes_by(conn, "pick", &["idx_apalis_jobs_fetch_partial", "jobs_pkey"]).await?;
    tickets::pick_by_ids(conn, &["none".to_owned()], 1).await?;
    goes_by(conn, "pick by ids", &["jobs_pkey"]).await?;
    jobs::claim(conn, &[job], "w", &["none".to_owned()]).await?;
    let claim = ["jobs_pkey", "items_pkey", "job_renders_pkey", "job_reads_", "item_reads_pkey", "accounts_"];
    goes_by(conn, "claim", &claim).await?;
    assert!(!plans::of_last(conn).await?.contains("jobs_due"), "a claim reads all jobs that are due");
    let end = End { job, claim_no: 1, item: Some(ItemId::mint()), outcome: Outcome::Failed, error: None };
    jobs::end(conn, &[end]).await?;
    goes_by(conn, "end", &["jobs_pkey", "items_pkey", "job_claims_pkey", "calls_pkey"]).await?;
    assert!(!plans::of_last(conn).await?.contains("job_claims_open"), "an end reads all claims that are open");
    renders::release_ownership(conn, &[job]).await?;
    goes_by(conn, "release of renders", &["job_renders_pkey"]).await?;
    jobs::leave(conn, &[], &[Freed { account, places: 2, line: Line::From(1) }]).await?;
    goes_by(conn, "leave", &["job_reads_job", "jobs_waiting", "jobs_admitted", "jobs_pkey"]).await
}

#[tokio::test]
async fn a_jobs_claim_and_end_look_up_what_they_need_whatever_they_were_planned_for() -> anyhow::Result<()> {
    let world = World::new().await?;
    for many in [0, 300, MANY] {
        if many > 0 {
            empty(world.pool()).await?;
            fill(world.pool(), many).await?;
        }
        let pool = store::generic_plan_pool_for_transactions(world.pool(), PoolSize(1));
        let mut conn = pool.acquire().await?;
        a_life_goes_by_indexes(&mut conn).await?;
        drop(conn);
        pool.close().await;
    }
    empty(world.pool()).await?;
    world.end().await
}

#[tokio::test]
async fn the_list_of_reads_looks_at_the_jobs_that_it_counts_in_empty_small_and_full_tables() -> anyhow::Result<()> {
    // Of another read: most jobs wait, so that the planner expects to find some of each soon.
    const FLOOD: &str = "UPDATE jobs SET read = 'transcript', status = 'queued', charged = NULL, finished_at = NULL
        WHERE status = 'succeeded'";
    let world = World::new().await?;
    for (many, waiting, flood) in [(0, 0, false), (300, 24, false), (MANY, 2_400, false), (MANY, 12_401, true)] {
        if many > 0 {
            empty(world.pool()).await?;
            fill(world.pool(), many).await?;
        }
        if flood {
            sqlx::raw_sql(FLOOD).execute(world.pool()).await?;
            sqlx::raw_sql("ANALYZE jobs").execute(world.pool()).await?;
        }
        let pool = store::apart(world.pool(), PoolSize(1), "apart");
        let mut conn = pool.acquire().await?;
        let rows = reads::list(&mut conn).await?;
        assert_eq!(rows.iter().map(|row| row.waiting).sum::<i64>(), waiting, "{many} jobs");
        let plan = has(&mut conn, "list of reads", &["jobs_live_read"]).await?;
        assert!(plan.contains("Index Cond: ((read >= k.read) AND (read <= k.read))"), "{many} jobs:\n{plan}");
        assert!(!plan.contains("Seq Scan on jobs"), "{many} jobs:\n{plan}");
        drop(conn);
        pool.close().await;
    }
    empty(world.pool()).await?;
    world.end().await
}

/// What is pruned by itself: tables that no job's life fills.
async fn fill_old(pool: &PgPool) -> anyhow::Result<()> {
    let mut conn = pool.acquire().await?;
    sqlx::raw_sql(
        "SET session_replication_role = replica;
         INSERT INTO idempotency_keys (account_id, tool, key, fingerprint, call_id, ends_at)
         SELECT md5((n % 40)::text)::uuid, 'a', n::text, ''::bytea, md5('call' || n)::uuid, mws_now() - interval '1 day'
         FROM generate_series(1, 30000) AS n;
         INSERT INTO account_audit (id, account_id, actor, credential, action, target, request_id)
         SELECT overlay(md5('audit' || n) PLACING '0000' FROM 1)::uuid, md5((n % 40)::text)::uuid, 'a', 'session', 'a',
             'a', 'r'
         FROM generate_series(1, 30000) AS n;
         INSERT INTO project_webhooks (id, project_id, account_id, revision, event, url, url_host, body, status,
             sent_at, sent_by, lease_until, created_at, finished_at)
         SELECT overlay(md5('webhook' || n) PLACING '0000' FROM 1)::uuid, md5('project' || n / 100)::uuid,
             md5((n % 40)::text)::uuid, n, 'idle', 'u', 'h', 'b', 'succeeded', mws_now(), 'w', mws_now(),
             mws_now() - interval '90 days', mws_now() - interval '90 days'
         FROM generate_series(1, 30000) AS n;
         RESET session_replication_role; ANALYZE",
    )
    .execute(&mut *conn)
    .await?;
    Ok(())
}

#[tokio::test]
async fn what_is_pruned_by_itself_is_looked_up_in_full_tables() -> anyhow::Result<()> {
    let world = World::new().await?;
    fill_old(world.pool()).await?;
    // What is pruned is counted, and what was filled in was not.
    let mut conn = world.pool().begin().await?;
    let lookup = async |conn: &mut PgConnection, statement: &str, indexes: &[&str]| {
        let plan = plans::of_last(conn).await?;
        let is_bounded = indexes.iter().all(|index| plan.contains(index));
        assert!(is_bounded && !plan.contains("Seq Scan") && !plan.contains("Join"), "{statement}:\n{plan}");
        anyhow::Ok(())
    };
    assert_eq!(idempotency::prune(&mut conn, 10).await?, 10);
    lookup(&mut conn, "keys", &["idempotency_keys_end", "Tid Scan"]).await?;
    assert_eq!(account_audit::prune(&mut conn, 30, 10).await?, 10);
    lookup(&mut conn, "changes", &["account_audit_pkey"]).await?;
    assert_eq!(project_webhooks::prune(&mut conn, 30, 10).await?, 10);
    lookup(&mut conn, "webhooks of projects", &["project_webhooks_pkey"]).await?;
    conn.rollback().await?;
    sqlx::raw_sql("TRUNCATE idempotency_keys, account_audit, project_webhooks").execute(world.pool()).await?;
    world.end().await
}

#[tokio::test]
async fn what_looks_after_jobs_goes_by_indexes_in_full_tables() -> anyhow::Result<()> {
    let world = World::new().await?;
    fill(world.pool(), MANY).await?;
    let mut conn = world.pool().acquire().await?;
    let (job, account) = (JobId::mint(), AccountId::mint());
    jobs::reissue(&mut conn, jobs::ScanStart(0.5), 10, 10).await?;
    has(&mut conn, "reissue", &["jobs_due", "jobs_admitted", "jobs_pkey"]).await?;
    jobs::admit(&mut conn, account).await?;
    has(&mut conn, "admit", &["jobs_waiting", "jobs_admitted"]).await?;
    jobs::payers_with_waiting(&mut conn, account, 10).await?;
    has(&mut conn, "payers_with_waiting", &["jobs_waiting", "jobs_admitted"]).await?;
    jobs::payers_due_again(&mut conn, account, 10).await?;
    has(&mut conn, "payers_due_again", &["jobs_due_again", "jobs_admitted"]).await?;
    jobs::renew(&mut conn, &[HeldClaim { job, claim_no: 1, progress: 0 }]).await?;
    has(&mut conn, "renew", &["jobs_pkey"]).await?;
    jobs::lock_expired(&mut conn, None, 10).await?;
    has(&mut conn, "expired", &["job_claims_open", "jobs_pkey"]).await?;
    jobs::cancel_for_payer(&mut conn, account, 10).await?;
    has(&mut conn, "cancel", &["jobs_pkey"]).await?;
    minutes::balance(&mut conn, account, Minutes::ZERO).await?;
    has(&mut conn, "balance", &["jobs_waiting", "jobs_admitted"]).await?;
    sqlx::raw_sql("UPDATE calls SET traceparent = '00-' || md5(id::text) || '-b7ad6b7169203331-01'; ANALYZE calls")
        .execute(&mut *conn)
        .await?;
    jobs::of_trace(&mut conn, "0af7651916cd43dd8448eb211c80319c", None, 21).await?;
    has(&mut conn, "of a trace", &["calls_trace_newest", "jobs_call"]).await?;
    let tried: JobId = sqlx::query_scalar("SELECT job_id FROM job_claims LIMIT 1").fetch_one(&mut *conn).await?;
    let put_back = "INSERT INTO job_claims (job_id, claim_no, worker, ended_at)
        SELECT $1, n, 'w', mws_now() FROM generate_series(2, 1000) AS n";
    sqlx::query(put_back).bind(tried).execute(&mut *conn).await?;
    let claims: Vec<i32> = jobs::claims_of(&mut conn, tried).await?.iter().map(|claim| claim.claim_no).collect();
    assert_eq!((claims.len(), claims[0], claims[1], claims[200]), (201, 1, 801, 1_000));
    drop(conn);
    empty(world.pool()).await?;
    world.end().await
}

/// A server compiles plans that it takes for dear ones, unless it is told not to: a second a claim.
#[tokio::test]
async fn no_plan_is_compiled_whatever_the_database_says() -> anyhow::Result<()> {
    let world = World::new().await?;
    let on = "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET jit = on', current_database()); END $$";
    sqlx::raw_sql(on).execute(world.pool()).await?;
    let options = world.pool().connect_options();
    let bare: String = sqlx::query_scalar("SHOW jit").fetch_one(&mut options.connect().await?).await?;
    assert_eq!(bare, "on", "what a session has that says nothing");
    for pool in [
        store::apart(world.pool(), PoolSize(1), "apart"),
        store::generic_plan_pool(world.pool(), PoolSize(1)),
        store::generic_plan_pool_for_transactions(world.pool(), PoolSize(1)),
        store::async_commit_pool(world.pool(), PoolSize(1)),
    ] {
        let ours: String = sqlx::query_scalar("SHOW jit").fetch_one(&pool).await?;
        assert_eq!(ours, "off");
    }
    world.end().await
}

/// What a statement changes of a job and no index says anything of: then the row's next version stands on its page, and
/// no index is written.
#[tokio::test]
async fn a_claim_and_the_renewal_of_its_lease_write_no_index_of_jobs() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let ids = tenant.client.prepare(&[item], &["levels", "beats"]).await?.job_ids()?;
    let jobs: Vec<JobId> = ids.iter().map(|id| id.parse()).collect::<Result<_, _>>()?;
    let mut tx = world.pool().begin().await?;
    let claimed = jobs::claim(&mut tx, &jobs, "w", &[]).await?.claimed;
    assert_eq!(claimed.len(), 2);
    let held: Vec<HeldClaim> =
        claimed.iter().map(|one| HeldClaim { job: one.job, claim_no: one.claim_no, progress: 50 }).collect();
    assert_eq!(jobs::renew(&mut tx, &held).await?.len(), 2);
    let written: (i64, i64) = sqlx::query_as(
        "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_xact_user_tables WHERE relid = 'public.jobs'::regclass",
    )
    .fetch_one(&mut *tx)
    .await?;
    assert_eq!(written, (4, 4), "updates of jobs, and those that wrote no index");
    tx.rollback().await?;
    world.end().await
}

/// Fills the tables as [`fill`] does, with what is logged of the jobs that have ended.
async fn fill_log(pool: &PgPool) -> anyhow::Result<()> {
    fill(pool, MANY).await?;
    sqlx::raw_sql(
        "INSERT INTO events (id, type, job_id, workspace_id, account_id, body, created_at)
         SELECT 'evt_' || n, 'job.succeeded', md5('job' || n)::uuid, md5('workspace')::uuid, md5((n % 3)::text)::uuid, 'x',
             mws_now() - interval '40 days'
         FROM generate_series(1, 30000) AS n;
         INSERT INTO deliveries (id, endpoint_id, account_id, event_id, event_type, status, created_at, finished_at)
         SELECT md5('delivery' || n)::uuid, md5('endpoint')::uuid, md5((n % 3)::text)::uuid, 'evt_' || n, 'job.succeeded',
             'succeeded', mws_now(), mws_now()
         FROM generate_series(1, 30000) AS n;
         INSERT INTO delivery_attempts (delivery_id, claim_no, attempt, counted, worker, at, duration_ms)
         SELECT id, 1, 1, true, 'w', created_at, 1 FROM deliveries;
         INSERT INTO minute_unfolded (job_id, account_id, month, month_used, month_freed, bought_used, bought_freed)
         SELECT md5('job' || n)::uuid, md5((n % 40)::text)::uuid, current_date, 0, 0, 0, 0 FROM generate_series(1, 5000) AS n;
         ANALYZE",
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// The statement that was prepared last reads none of these tables from end to end.
async fn looks_up(conn: &mut PgConnection, statement: &str, indexes: &[&str]) -> anyhow::Result<()> {
    let plan = plans::of_last(conn).await?;
    for index in indexes {
        assert!(plan.contains(index), "{statement} does not go by {index}:\n{plan}");
    }
    for table in ["jobs", "deliveries", "events", "calls", "job_claims", "delivery_attempts"] {
        assert!(!plan.contains(&format!("Seq Scan on {table}")), "{statement} reads all of {table}:\n{plan}");
    }
    assert!(!plan.contains("Hash Anti Join") && !plan.contains("Merge"), "{statement} joins whole tables:\n{plan}");
    Ok(())
}

#[tokio::test]
async fn pruning_and_folding_look_up_what_they_take_in_full_tables() -> anyhow::Result<()> {
    let world = World::new().await?;
    fill_log(world.pool()).await?;
    let mut conn = world.pool().acquire().await?;
    retention::delete_jobs(&mut conn, 30, 10).await?;
    looks_up(&mut conn, "prune jobs", &["jobs_pkey", "job_claims_pkey"]).await?;
    retention::delete_calls(&mut conn, 30, 10).await?;
    looks_up(&mut conn, "prune calls", &["calls_pkey", "jobs_call"]).await?;
    events::prune(&mut conn, 30, None, 10).await?;
    looks_up(&mut conn, "prune events", &["events_created", "deliveries_event", "events_pkey"]).await?;
    deliveries::prune(&mut conn, 30, 10).await?;
    looks_up(&mut conn, "prune deliveries", &["deliveries_pkey", "delivery_attempts_pkey"]).await?;
    deliveries::due_with_dead_ticket(&mut conn, deliveries::ScanStart(0.5), 10).await?;
    looks_up(&mut conn, "lost tickets of deliveries", &["deliveries_due", "deliveries_pkey"]).await?;
    due::next(&mut conn, 10.0).await?;
    looks_up(&mut conn, "next due", &["jobs_due_again", "job_claims_open", "jobs_pkey"]).await?;
    drop(conn);
    let mut fold = world.pool().begin().await?;
    minutes::fold_some(&mut fold, 10).await?;
    looks_up(&mut fold, "fold", &["minute_unfolded_pkey"]).await?;
    fold.rollback().await?;
    sqlx::raw_sql("TRUNCATE events, deliveries, delivery_attempts, minute_unfolded").execute(world.pool()).await?;
    empty(world.pool()).await?;
    world.end().await
}

#[tokio::test]
async fn lists_look_up_what_they_show_in_full_tables() -> anyhow::Result<()> {
    let world = World::new().await?;
    fill_log(world.pool()).await?;
    let mut conn = world.pool().acquire().await?;
    let workspace = WorkspaceId::mint();
    jobs::page(&mut conn, workspace, &jobs::JobFilter::default(), 21).await?;
    looks_up(&mut conn, "page", &["jobs_listed", "jobs_pkey"]).await?;
    jobs::queued(&mut conn, &[JobId::mint()]).await?;
    looks_up(&mut conn, "what jobs wait for", &["jobs_pkey", "job_claims_pkey"]).await?;
    overview::live_jobs(&mut conn, workspace).await?;
    looks_up(&mut conn, "live jobs of an overview", &["jobs_listed"]).await?;
    let of_item = jobs::JobFilter { item: Some(ItemId::mint()), ..jobs::JobFilter::default() };
    jobs::page(&mut conn, workspace, &of_item, 21).await?;
    looks_up(&mut conn, "page of an item", &["jobs_item"]).await?;
    let filter = jobs::JobSearchFilter { reads: vec![Read::Beats], ..jobs::JobSearchFilter::default() };
    for (place, index) in [
        (jobs::SearchScope::All, "jobs_pkey"),
        (jobs::SearchScope::Workspaces(vec![workspace]), "jobs_listed"),
        (jobs::SearchScope::Item(ItemId::mint()), "jobs_item"),
    ] {
        jobs::search(&mut conn, &place, &filter, None, 21).await?;
        looks_up(&mut conn, "search", &[index]).await?;
    }
    let account = AccountId::mint();
    events::page(&mut conn, account, &events::EventFilter::default(), 21).await?;
    looks_up(&mut conn, "events", &["events_listed"]).await?;
    let cursor = event_stream::cursor_at(&mut conn, 0).await?;
    event_stream::after(&mut conn, account, cursor, 0, 10).await?;
    looks_up(&mut conn, "the event stream", &["events_listed"]).await?;
    drop(conn);
    sqlx::raw_sql("TRUNCATE events, deliveries, delivery_attempts, minute_unfolded").execute(world.pool()).await?;
    empty(world.pool()).await?;
    world.end().await
}
