//! The statements of a call of `prepare_media` look up what they need, in empty, small and full tables, and so do those
//! that find who calls and on which terms, which jobs have failed, which reads are to be run again, and which kinds of
//! failures are new.

use crate::once::wish;
use crate::plans::{empty, fill, has};
use chrono::DateTime;
use domain::credits::Credits;
use domain::ids::{ItemId, JobId};
use domain::job::{JobKind, JobStatus};
use domain::minutes::Minutes;
use domain::plan::{Candidate, Start};
use domain::read::Read;
use domain::task::Task;
use mws_tests::plans;
use mws_tests::world::{Tenant, World};
use runtime::ending::job_ticket;
use sqlx::{PgConnection, PgPool};
use store::credentials::{self, Pace};
use store::jobs::{JobSearchFilter, RerunFilter, SearchScope};
use store::paces::Paced;
use store::{PoolSize, idempotency, items, jobs, minutes, reads, terms, verdict};

/// Jobs of full tables.
const MANY: i64 = 30_000;

/// The statement that was prepared last goes by these indexes in full tables, and reads none of them from end to end.
async fn looks_up(conn: &mut PgConnection, statement: &str, many: i64, indexes: &[&str]) -> anyhow::Result<()> {
    if many < MANY {
        return Ok(());
    }
    let plan = has(conn, statement, indexes).await?;
    for table in ["jobs", "job_reads", "item_reads"] {
        assert!(!plan.contains(&format!("Seq Scan on {table}")), "{statement} reads all of {table}:\n{plan}");
    }
    Ok(())
}

/// The same, and it joins nothing as a whole, whatever the tables are like: it would go on so while they grow.
async fn looks_up_each(conn: &mut PgConnection, statement: &str, many: i64, indexes: &[&str]) -> anyhow::Result<()> {
    let plan = plans::of_last(conn).await?;
    assert!(!plan.contains("Hash") && !plan.contains("Merge"), "{statement}, {many} jobs:\n{plan}");
    looks_up(conn, statement, many, indexes).await
}

/// The statements of a call that starts one read, in their order. What they write is taken back by the caller.
async fn a_call(conn: &mut PgConnection, tenant: &Tenant, many: i64) -> anyhow::Result<()> {
    let (item, job) = (ItemId::mint(), JobId::mint());
    let candidate = Candidate {
        job,
        item: Some(item),
        task: Task::Read(Read::Beats),
        with_speech: false,
        duration_ms: Some(60_000),
        credits: Credits::ZERO,
    };
    let candidates = [candidate.clone()];
    items::resolve(conn, &[item.to_string()], tenant.workspace).await?;
    looks_up_each(conn, "resolve", many, &["items_pkey", "item_reads_pkey", "job_reads_pkey", "jobs_pkey"]).await?;
    let terms = terms::terms(conn, tenant.account, &[(Paced::StoppedJobs, 0)], None).await?;
    assert!(terms.wait.is_none() && terms.stored.is_none(), "{terms:?}");
    assert!(reads::claim_ownership(conn, &candidates).await?, "nobody else has it");
    assert_eq!(reads::lock_payer(conn, tenant.account, &candidates).await?, Some(false), "nothing is stored");
    looks_up_each(conn, "lock of the payer", many, &["item_reads_pkey"]).await?;
    reads::taken(conn, &candidates).await?;
    looks_up_each(conn, "taken", many, &["job_reads_pkey", "jobs_pkey", "item_reads_pkey"]).await?;
    let folded = minutes::fold(conn, tenant.account, Minutes::from_whole(10)).await?;
    looks_up(conn, "fold", many, &["jobs_waiting", "jobs_admitted"]).await?;
    let Some(folded) = folded else { anyhow::bail!("the account is there") };
    assert_eq!((folded.left(), folded.live), (folded.allowance, 0), "the month is opened with its allowance");
    let wish = wish(tenant, &[item], &[Read::Beats], None);
    let (held_month, held_bought, held_credits) = (Minutes::from_whole(1), Minutes::ZERO, Credits::ZERO);
    let start = Start { candidate, held_month, held_bought, held_credits, admitted: true };
    let tickets = [Some(job_ticket(job, Task::Read(Read::Beats), 0))];
    assert!(jobs::insert(conn, &wish.call, wish.owners, folded.month, &[start], &tickets).await?, "it suffices");
    looks_up(conn, "insert", many, &[]).await?;
    let left = minutes::balance(conn, tenant.account, Minutes::from_whole(10)).await?;
    let wanted = Some((folded.left() - held_month, 1, 1));
    assert_eq!(left.map(|left| (left.left(), left.live, left.admitted)), wanted);
    let pushed = "SELECT count(*) FROM apalis.jobs t JOIN jobs j ON j.ticket_id = t.id AND j.id = $1";
    let pushed: i64 = sqlx::query_scalar(pushed).bind(job).fetch_one(conn).await?;
    assert_eq!(pushed, 1, "its ticket");
    Ok(())
}

#[tokio::test]
async fn a_call_looks_up_what_it_needs_in_empty_small_and_full_tables() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    for many in [0, 300, MANY] {
        if many > 0 {
            empty(world.pool()).await?;
            fill(world.pool(), many).await?;
            fill_stored(&world, many).await?;
        }
        let pool = store::apart(world.pool(), PoolSize(1), "apart");
        let mut call = pool.begin().await?;
        a_call(&mut call, &tenant, many).await?;
        call.rollback().await?;
        pool.close().await;
    }
    empty(world.pool()).await?;
    world.end().await
}

/// Fills the tables that each call looks into before it starts anything, with a row for each of many accounts.
const CALLERS: &str = "
    SET LOCAL session_replication_role = replica;
    INSERT INTO accounts (id, name) SELECT md5('account' || n)::uuid, n::text FROM generate_series(1, 30000) AS n;
    INSERT INTO api_keys (id, account_id, workspace_id, prefix, key_hash)
    SELECT md5('key' || n)::uuid, md5('account' || n)::uuid, md5('workspace' || n)::uuid, 'a', sha256(n::text::bytea)
    FROM generate_series(1, 30000) AS n;
    INSERT INTO rate_limits (account_id, theoretical_arrival)
    SELECT account_id, mws_now() FROM api_keys ON CONFLICT DO NOTHING;
    INSERT INTO account_paces (account_id, what, theoretical_arrival)
    SELECT account_id, 'resends', mws_now() FROM api_keys ON CONFLICT DO NOTHING;
    INSERT INTO idempotency_keys (account_id, tool, key, fingerprint, call_id, answer)
    SELECT account_id, 'prepare_media', 'a', ''::bytea, id, '{}' FROM api_keys ON CONFLICT DO NOTHING;
    ANALYZE accounts, api_keys, rate_limits, account_paces, idempotency_keys";

#[tokio::test]
async fn who_calls_and_on_which_terms_is_looked_up_by_keys_however_many_call() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let pool = store::apart(world.pool(), PoolSize(1), "apart");
    let mut look = pool.begin().await?;
    sqlx::raw_sql(CALLERS).execute(&mut *look).await?;
    let by_keys = async |conn: &mut PgConnection, statement: &str, indexes: &[&str]| {
        let plan = plans::of_last(conn).await?;
        let has_all = indexes.iter().all(|index| plan.contains(index));
        let tables = ["accounts", "api_keys", "rate_limits", "account_paces", "idempotency_keys"];
        let reads_all = tables.iter().any(|table| plan.contains(&format!("Seq Scan on {table}")));
        assert!(has_all && !reads_all, "{statement}:\n{plan}");
        anyhow::Ok(())
    };
    assert!(credentials::key_caller(&mut look, &[7; 32], Pace::new(60, 10)).await?.is_none(), "nobody has it");
    let callers = ["api_keys_key_hash_key", "api_keys_pkey", "accounts_pkey", "rate_limits_pkey"];
    by_keys(&mut look, "caller", &callers).await?;
    let Some(key) = wish(&tenant, &[], &[], Some("b")).key else { anyhow::bail!("it has a key") };
    let terms = terms::terms(&mut look, tenant.account, &[(Paced::Resends, 0)], Some(&key)).await?;
    assert!(terms.wait.is_none() && terms.stored.is_none(), "{terms:?}");
    by_keys(&mut look, "terms", &["account_paces_pkey", "idempotency_keys_pkey"]).await?;
    idempotency::answer(&mut look, &key, "{}", 0.0).await?;
    by_keys(&mut look, "answer", &["idempotency_keys_pkey"]).await?;
    look.rollback().await?;
    pool.close().await;
    world.end().await
}

/// Every time and account.
const ALL_FAILED: RerunFilter =
    RerunFilter { since: DateTime::UNIX_EPOCH, until: None, account: None, read: None, error_code: None };

#[tokio::test]
async fn failed_reads_are_counted_and_taken_without_a_look_at_the_jobs_between_them() -> anyhow::Result<()> {
    let world = World::new().await?;
    fill(world.pool(), MANY).await?;
    sqlx::raw_sql(
        "SET session_replication_role = replica;
         UPDATE jobs SET status = 'failed', charged = 0
         WHERE id IN (SELECT id FROM jobs WHERE status = 'succeeded' ORDER BY id DESC LIMIT 300);
         RESET session_replication_role; ANALYZE jobs",
    )
    .execute(&mut *world.pool().acquire().await?)
    .await?;
    let pool = store::apart(world.pool(), PoolSize(1), "apart");
    let mut look = pool.begin().await?;
    let before = plans::rows_read(&mut look, "jobs").await?;
    let payers = jobs::reruns_of(&mut look, &ALL_FAILED).await?;
    looks_up(&mut look, "count of failed reads", MANY, &["jobs_failed_reads", "jobs_item"]).await?;
    let counted = plans::rows_read(&mut look, "jobs").await?;
    // Each failed read, and the other five of its item.
    assert!(counted - before <= 300 * 6, "{} rows were read", counted - before);
    let first = jobs::next_reruns(&mut look, &ALL_FAILED, None, 280).await?;
    looks_up(&mut look, "next failed reads", MANY, &["jobs_failed_reads", "jobs_item"]).await?;
    let passed = plans::rows_read(&mut look, "jobs").await?;
    let rest = jobs::next_reruns(&mut look, &ALL_FAILED, first.last, 280).await?;
    let taken = plans::rows_read(&mut look, "jobs").await?;
    assert!(taken - passed <= 20 * 6, "{} rows were read again that are behind the place", taken - passed);
    assert_eq!((first.seen, rest.seen), (280, 20));
    verdict::new_failure(&mut look).await?;
    looks_up(&mut look, "new kind of failure", MANY, &["jobs_failed_reads", "jobs_failed_others"]).await?;
    let judged = plans::rows_read(&mut look, "jobs").await?;
    // Beside these the planner looks at the ends of the index, where nothing has vacuumed the table yet.
    assert!(judged - taken <= 300 + 10, "{} rows were read for the verdict", judged - taken);
    assert!(verdict::new_failure(&mut look).await?.is_some(), "all that failed in a day was looked at");
    // With the 300 as many as are looked at: they go back two hours, and not a day.
    sqlx::raw_sql(
        "SET session_replication_role = replica;
         UPDATE jobs SET status = 'failed', charged = 0, error_code = 'internal', finished_at = mws_now() - interval '2 hours'
         WHERE id IN (SELECT id FROM jobs WHERE status = 'succeeded' ORDER BY id DESC LIMIT 1700);
         RESET session_replication_role",
    )
    .execute(&mut *world.pool().acquire().await?)
    .await?;
    assert!(verdict::new_failure(&mut look).await?.is_none(), "nobody knows what else failed in the day");
    let found = i64::try_from(first.found.len() + rest.found.len())?;
    assert!(found > 0 && payers.iter().map(|one| one.count).sum::<i64>() == found, "what is counted is taken: {found}");
    look.rollback().await?;
    pool.close().await;
    empty(world.pool()).await?;
    world.end().await
}

/// Of the jobs that have ended, so many of the oldest fail; every third of these is a render. Returns them, the newest
/// first.
async fn fail_the_oldest(pool: &PgPool, many: i64) -> anyhow::Result<Vec<JobId>> {
    let mut conn = pool.acquire().await?;
    sqlx::raw_sql("SET session_replication_role = replica").execute(&mut *conn).await?;
    for (statement, many) in [
        (
            "UPDATE jobs SET status = 'failed', charged = 0, error_code = 'internal'
             WHERE id IN (SELECT id FROM jobs WHERE status = 'succeeded' ORDER BY id LIMIT $1)",
            many,
        ),
        (
            "UPDATE jobs SET kind = 'render', read = NULL
             WHERE id IN (SELECT id FROM jobs WHERE status = 'failed' ORDER BY md5(id::text) LIMIT $1)",
            many / 3,
        ),
    ] {
        sqlx::query(statement).bind(many).execute(&mut *conn).await?;
    }
    sqlx::raw_sql("RESET session_replication_role").execute(&mut *conn).await?;
    // Otherwise the planner passes dead rows at the ends of the index, which count as read.
    sqlx::raw_sql("VACUUM ANALYZE jobs").execute(&mut *conn).await?;
    let failed = "SELECT id FROM jobs WHERE status = 'failed' ORDER BY id DESC";
    Ok(sqlx::query_scalar(failed).fetch_all(&mut *conn).await?)
}

#[tokio::test]
async fn kinds_of_failures_are_found_behind_any_number_of_jobs_that_did_not_fail() -> anyhow::Result<()> {
    let world = World::new().await?;
    fill(world.pool(), MANY).await?;
    let failed = fail_the_oldest(world.pool(), 300).await?;
    let pool = store::apart(world.pool(), PoolSize(1), "apart");
    let mut look = pool.begin().await?;
    let before = plans::rows_read(&mut look, "jobs").await?;
    let kinds = jobs::failures(&mut look, 24, 20_000, 101).await?;
    looks_up(&mut look, "kinds of failures", MANY, &["jobs_failed_reads", "jobs_failed_others"]).await?;
    let read = plans::rows_read(&mut look, "jobs").await? - before;
    let mut counted: Vec<_> = kinds.iter().map(|kind| (kind.read, kind.jobs)).collect();
    counted.sort_unstable_by_key(|(_, jobs)| *jobs);
    assert_eq!(counted, [(None, 100), (Some(Read::Levels), 200)]);
    // Beside these the planner looks at the ends of the index, where nothing has vacuumed the table yet.
    assert!(read <= 300 + 40, "{read} rows were read");
    let some = jobs::failures(&mut look, 24, 30, 101).await?;
    assert_eq!(some.iter().map(|kind| kind.jobs).sum::<i64>(), 30, "the newest of both together");
    assert!(some.iter().all(|kind| failed[..30].contains(&kind.sample)), "{some:?}");
    look.rollback().await?;
    pool.close().await;
    empty(world.pool()).await?;
    world.end().await
}

#[tokio::test]
async fn failed_jobs_are_listed_by_their_indexes_behind_any_number_of_others() -> anyhow::Result<()> {
    let world = World::new().await?;
    fill(world.pool(), MANY).await?;
    let failed = fail_the_oldest(world.pool(), 6_000).await?;
    let pool = store::apart(world.pool(), PoolSize(1), "apart");
    let mut look = pool.begin().await?;
    let every = JobSearchFilter { statuses: vec![JobStatus::Failed], ..JobSearchFilter::default() };
    let of_code = JobSearchFilter { error_code: Some("internal".to_owned()), ..JobSearchFilter::default() };
    // A page that shows all of its lists reads a page of each; with an error code it looks through 2,000 of each.
    // Beside these the planner looks at the ends of the index.
    for (filter, most) in [(&every, 42 + 40), (&of_code, 4_000 + 40)] {
        let (mut listed, mut before) = (Vec::new(), None);
        loop {
            let read = plans::rows_read(&mut look, "jobs").await?;
            let seen = jobs::search(&mut look, &SearchScope::All, filter, before, 21).await?;
            let read = plans::rows_read(&mut look, "jobs").await? - read;
            assert!(read <= most, "{filter:?}: {read} rows were read");
            listed.extend(seen.rows.iter().map(|row| row.job));
            before = seen.last_seen.map(JobId::from);
            if seen.rows.len() == 21 {
                before = listed.last().copied();
            }
            if before.is_none() {
                break;
            }
        }
        assert_eq!(listed, failed, "each once, and the newest first: {filter:?}");
    }
    looks_up(&mut look, "list of failed jobs", MANY, &["jobs_failed_others"]).await?;
    let reads = JobSearchFilter { reads: vec![Read::Levels], ..every.clone() };
    let renders = JobSearchFilter { kinds: vec![JobKind::Render], ..every.clone() };
    let none = JobSearchFilter { error_code: Some("timeout".to_owned()), ..every };
    for (filter, many) in [(reads, 201), (renders, 201), (none, 0)] {
        let seen = jobs::search(&mut look, &SearchScope::All, &filter, None, 201).await?;
        assert_eq!(seen.rows.len(), many, "{filter:?}");
    }
    look.rollback().await?;
    pool.close().await;
    empty(world.pool()).await?;
    world.end().await
}

/// Stores a read of each item.
async fn fill_stored(world: &World, many: i64) -> anyhow::Result<()> {
    let mut conn = world.pool().acquire().await?;
    // What is stored is counted, and what was filled in was not.
    sqlx::raw_sql("SET session_replication_role = replica").execute(&mut *conn).await?;
    sqlx::query(
        "INSERT INTO item_reads (item_id, read, job_id, engine, engine_version, result)
         SELECT md5('item' || n)::uuid, 'levels', md5('job' || n)::uuid, 'a test', '1', '{}'
         FROM generate_series(1, $1::bigint) AS n",
    )
    .bind(many)
    .execute(&mut *conn)
    .await?;
    sqlx::raw_sql("RESET session_replication_role; ANALYZE").execute(&mut *conn).await?;
    Ok(())
}
