//! The statements of a job's life look up what they need, whatever the tables were like when they were planned: empty,
//! small or full (sql.md, rule 2).

use common::domain::minutes::Minutes;
use common::domain::read::Read;
use common::ids::{AccountId, ItemId, JobId};
use common::queue::{self, Queue};
use common::store::jobs::{self, End, Outcome};
use common::store::minutes::Unfolded;
use common::store::{self, PoolSize, minutes, reads};
use mws_tests::plans;
use mws_tests::world::World;
use sqlx::{PgConnection, PgPool};

/// Jobs of a full table: of forty accounts, most of them ended.
const MANY: i64 = 30_000;

/// Fills the tables that a job's life touches, and has PostgreSQL count them: of a hundred jobs ninety have ended, two
/// run, three have a place, five wait.
async fn fill(pool: &PgPool, many: i64) -> anyhow::Result<()> {
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
        "INSERT INTO job_claims (job_id, claim_no, worker) SELECT id, 1, 'w' FROM jobs WHERE $1::bigint > 0",
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
async fn empty(pool: &PgPool) -> anyhow::Result<()> {
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
    assert!(!plan.contains("jobs_workspace"), "{statement} reads all of an index:\n{plan}");
    Ok(())
}

/// The same, but that it may read all of small tables. Answers the plan.
async fn has(conn: &mut PgConnection, statement: &str, indexes: &[&str]) -> anyhow::Result<String> {
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
    queue::pick(conn, &[Queue::Read(Read::Levels), Queue::Render], 64).await?;
    goes_by(conn, "pick", &["idx_apalis_jobs_fetch_partial", "jobs_pkey"]).await?;
    jobs::claim(conn, &[job], "w", &["none".to_owned()]).await?;
    let claim = ["jobs_pkey", "items_pkey", "job_renders_pkey", "job_reads_", "item_reads_pkey", "accounts_"];
    goes_by(conn, "claim", &claim).await?;
    assert!(!plans::of_last(conn).await?.contains("jobs_due"), "a claim reads all jobs that are due");
    let end = End { job, claim_no: 1, item: Some(ItemId::mint()), outcome: Outcome::Failed, error: None };
    jobs::end(conn, &[end]).await?;
    goes_by(conn, "end", &["jobs_pkey", "items_pkey", "job_claims_pkey", "calls_pkey"]).await?;
    assert!(!plans::of_last(conn).await?.contains("jobs_running"), "an end reads all jobs that run");
    reads::give_back(conn, &[job]).await?;
    goes_by(conn, "give_back", &["job_reads_job"]).await?;
    jobs::hand_over(conn, &[(account, 2)]).await?;
    goes_by(conn, "hand_over", &["jobs_waiting", "jobs_admitted", "jobs_pkey"]).await
}

#[tokio::test]
async fn a_jobs_claim_and_end_look_up_what_they_need_whatever_they_were_planned_for() -> anyhow::Result<()> {
    let world = World::new().await?;
    for many in [0, 300, MANY] {
        if many > 0 {
            empty(world.pool()).await?;
            fill(world.pool(), many).await?;
        }
        let pool = store::planned_once_for_transactions(world.pool(), PoolSize(1));
        let mut conn = pool.acquire().await?;
        a_life_goes_by_indexes(&mut conn).await?;
        drop(conn);
        pool.close().await;
    }
    empty(world.pool()).await?;
    world.end().await
}

#[tokio::test]
async fn what_looks_after_jobs_goes_by_indexes_in_full_tables() -> anyhow::Result<()> {
    let world = World::new().await?;
    fill(world.pool(), MANY).await?;
    let mut conn = world.pool().acquire().await?;
    let (job, account) = (JobId::mint(), AccountId::mint());
    jobs::reissue(&mut conn, 10).await?;
    has(&mut conn, "reissue", &["jobs_due", "jobs_admitted", "jobs_pkey"]).await?;
    jobs::admit(&mut conn, account).await?;
    has(&mut conn, "admit", &["jobs_waiting", "jobs_admitted"]).await?;
    jobs::payers_with_waiting(&mut conn, 10).await?;
    has(&mut conn, "payers_with_waiting", &["jobs_waiting", "jobs_admitted"]).await?;
    jobs::renew(&mut conn, &[(job, 1, 0)]).await?;
    has(&mut conn, "renew", &["jobs_pkey"]).await?;
    jobs::expired(&mut conn, None, 10).await?;
    has(&mut conn, "expired", &["jobs_running"]).await?;
    jobs::cancel_for_payer(&mut conn, account, 10).await?;
    has(&mut conn, "cancel", &["jobs_pkey"]).await?;
    minutes::balance(&mut conn, account, Minutes::ZERO, Unfolded::CountedIn).await?;
    has(&mut conn, "balance", &["jobs_waiting", "jobs_admitted"]).await?;
    drop(conn);
    empty(world.pool()).await?;
    world.end().await
}
