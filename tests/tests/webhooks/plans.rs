//! The statements on deliveries go by their indexes in a table as it is in a large deployment, and a page of the log
//! looks at a bounded number of rows (docs/operations.md).

use crate::bench::Bench;
use crate::routes::call;
use chrono::{DateTime, Utc};
use domain::ids::{AccountId, DeliveryId, EndpointId, JobId};
use domain::series::DeliveryStatus;
use mws_tests::plans::{of_last as plan, rows_read};
use poem::http::Method;
use scheduler::end_deliveries;
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};
use std::time::Duration;
use store::PoolSize;
use store::deliveries::{self, Delay, DeliveryFilter, DeliverySearchFilter, SearchScope, UnsentFilter, Wanted};
use store::events::{self, EndedEvent};
use store::{attempts, endpoints, inspect, notices};

/// Deliveries of the endpoint that is asked for, newest last; all others have two thirds as many.
const MANY: i64 = 30_000;

/// Fills the tables: one endpoint with very many deliveries a second apart, and others.
async fn fill(bench: &Bench, endpoint: EndpointId) -> anyhow::Result<()> {
    let rows = "INSERT INTO deliveries (id, endpoint_id, account_id, event_id, event_type, job_id, status, created_at,
             finished_at, response_status, error)
         SELECT (left(mws_first_id(at)::text, 24) || lpad(to_hex($3::bigint + n), 12, '0'))::uuid,
             CASE WHEN $1 THEN $2 ELSE md5((n % 40)::text)::uuid END, CASE WHEN $1 THEN $5 ELSE gen_random_uuid() END,
             'evt_' || $3 + n,
             'job.succeeded', gen_random_uuid(),
             CASE n % 100 WHEN 0 THEN 'failed' WHEN 1 THEN 'pending' ELSE 'succeeded' END, at,
             CASE WHEN n % 100 <> 1 THEN at END, 200, CASE n % 100 WHEN 0 THEN 'timeout' END
         FROM (SELECT n, mws_now() - ($4 - n) * interval '1 s' AS at FROM generate_series(1, $4) AS n) AS rows";
    for (own, first, many) in [(true, 0_i64, MANY), (false, MANY, MANY * 2 / 3)] {
        let query = sqlx::query(rows).bind(own).bind(endpoint.uuid()).bind(first).bind(many);
        query.bind(bench.account).execute(&bench.process.pool).await?;
    }
    let attempts = "INSERT INTO delivery_attempts (delivery_id, claim_no, attempt, counted, worker, at, duration_ms)
        SELECT id, 1, 1, true, 'w', created_at, 1 FROM deliveries";
    sqlx::query(attempts).execute(&bench.process.pool).await?;
    sqlx::raw_sql("VACUUM ANALYZE deliveries, delivery_attempts").execute(&bench.process.pool).await?;
    Ok(())
}

async fn goes_by(conn: &mut PgConnection, statement: &str, indexes: &[&str]) -> anyhow::Result<()> {
    let plan = plan(conn).await?;
    for index in indexes {
        assert!(plan.contains(index), "{statement} does not go by {index}:\n{plan}");
    }
    assert!(!plan.contains("mws_stands_for"), "{statement} calls what is to be a part of it:\n{plan}");
    for table in ["deliveries", "delivery_attempts", "events", "jobs"] {
        assert!(!plan.contains(&format!("Seq Scan on {table}")), "{statement} reads all of {table}:\n{plan}");
    }
    Ok(())
}

/// Endpoints are found by their ids alone, and not in the whole index of accounts' endpoints, which looks small when it
/// is empty; and a batch is joined with itself for single endpoints only.
async fn by_their_ids(conn: &mut PgConnection, statement: &str) -> anyhow::Result<()> {
    let plan = plan(conn).await?;
    assert!(!plan.contains("webhook_endpoints_account"), "{statement} reads the endpoints of all accounts:\n{plan}");
    assert!(!plan.contains("Semi Join") && !plan.contains("HashAggregate"), "{statement} joins its batch:\n{plan}");
    Ok(())
}

#[tokio::test]
async fn statements_on_deliveries_go_by_their_indexes() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    fill(&bench, endpoint).await?;
    let mut conn = bench.conn().await;
    let (filtered, id) = (
        DeliverySearchFilter { error: Some("none".to_owned()), ..DeliverySearchFilter::default() },
        DeliveryId::mint(),
    );
    for (place, index) in [
        (SearchScope::All, "deliveries_pkey"),
        (SearchScope::Endpoints(vec![endpoint]), "deliveries_endpoint"),
        (SearchScope::Job(JobId::mint()), "deliveries_event"),
    ] {
        for every in [&DeliverySearchFilter::default(), &filtered] {
            deliveries::search(&mut conn, &place, every, None, 21).await?;
            goes_by(&mut conn, &format!("{place:?}"), &[index]).await?;
        }
    }
    let since = UnsentFilter::since(DateTime::<Utc>::UNIX_EPOCH);
    deliveries::unsent(&mut conn, endpoint, &since, 1_000).await?;
    goes_by(&mut conn, "unsent", &["deliveries_unsent", "deliveries_event"]).await?;
    deliveries::not_arrived(&mut conn, endpoint, Some(id), 5_000).await?;
    goes_by(&mut conn, "not_arrived", &["deliveries_unsent"]).await?;
    deliveries::unsent_among(&mut conn, endpoint, &[id], &since).await?;
    goes_by(&mut conn, "unsent_among", &["deliveries_pkey", "deliveries_event"]).await?;
    deliveries::still_unsent(&mut conn, endpoint, &[id]).await?;
    goes_by(&mut conn, "still_unsent", &["deliveries_pkey", "deliveries_event"]).await?;
    deliveries::sent_again(&mut conn, &[id]).await?;
    goes_by(&mut conn, "sent_again", &["deliveries_pkey", "deliveries_event"]).await?;
    deliveries::failures(&mut conn, 24, 20_000, 101).await?;
    goes_by(&mut conn, "failures", &["deliveries_pkey", "deliveries_event"]).await?;
    deliveries::by_ids(&mut conn, &[id], Some(endpoint)).await?;
    goes_by(&mut conn, "by_ids", &["deliveries_pkey"]).await?;
    deliveries::attempts_of(&mut conn, &[id]).await?;
    goes_by(&mut conn, "attempts_of", &["delivery_attempts_pkey"]).await?;
    deliveries::newest_clock(&mut conn, &[id]).await?;
    goes_by(&mut conn, "newest_clock", &["delivery_attempts_pkey"]).await?;
    attempts::record(&mut conn, &[]).await?;
    goes_by(&mut conn, "record", &["deliveries_pkey"]).await?;
    deliveries::replace(&mut conn, endpoint, "evt_1").await?;
    goes_by(&mut conn, "replace", &["deliveries_event"]).await?;
    deliveries::due_without_ticket(&mut conn, 100).await?;
    goes_by(&mut conn, "ticketless", &["deliveries_ticketless"]).await?;
    deliveries::free_interrupted(&mut conn, 100).await?;
    goes_by(&mut conn, "free_interrupted", &["deliveries_leased"]).await?;
    deliveries::lost_for_good(&mut conn, 100).await?;
    goes_by(&mut conn, "lost_for_good", &["deliveries_leased"]).await?;
    inspect::oldest_due_seconds(&mut conn).await?;
    let oldest = plan(&mut conn).await?;
    assert!(oldest.contains("deliveries_due") && !oldest.contains("Seq Scan on deliveries"), "{oldest}");
    assert_eq!(endpoints::of_account(&mut conn, AccountId::mint()).await?, []);
    drop(conn);
    bench.end().await
}

#[tokio::test]
async fn what_deliveries_are_sent_with_goes_by_ids_in_empty_small_and_full_tables() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    for waiting in [0, 600, MANY] {
        if waiting == MANY {
            fill(&bench, endpoint).await?;
        } else {
            bench.end_jobs(usize::try_from(waiting)?).await;
        }
        let pool = store::generic_plan_pool(&bench.process.pool, PoolSize(1));
        let (mut conn, id) = (pool.acquire().await?, DeliveryId::mint());
        // By ids and by endpoints it is one statement.
        deliveries::claim(&mut conn, &[], &[Wanted { endpoint, many: 0, after: Some(id) }], "w", 1_000).await?;
        let indexes = ["deliveries_pkey", "deliveries_waiting", "webhook_endpoints_pkey", "events_pkey", "jobs_pkey"];
        goes_by(&mut conn, "claim", &indexes).await?;
        by_their_ids(&mut conn, "claim").await?;
        let claim = plan(&mut conn).await?;
        assert!(!claim.contains("idx_apalis_jobs_fetch_partial"), "a claim reads all tickets that wait");
        let is_bounded =
            |line: &str| line.contains("Index Cond") && line.contains("endpoint_id") && line.contains("after");
        assert!(claim.lines().any(is_bounded), "a claim reads past what was taken before:\n{claim}");
        deliveries::revalidate(&mut conn, &[(id, 1)], 1_000).await?;
        goes_by(&mut conn, "revalidate", &["deliveries_pkey", "webhook_endpoints_pkey"]).await?;
        let delay = Delay { id, behind: Some(endpoint), by: Duration::ZERO };
        deliveries::delay_tickets(&mut conn, &[delay]).await?;
        goes_by(&mut conn, "delay_tickets", &["deliveries_pkey", "deliveries_waiting", "jobs_pkey"]).await?;
        attempts::record_succeeded(&mut conn, &[]).await?;
        goes_by(&mut conn, "record_succeeded", &["deliveries_pkey", "webhook_endpoints_pkey"]).await?;
        by_their_ids(&mut conn, "record_succeeded").await?;
        deliveries::hand_back(&mut conn, &[]).await?;
        goes_by(&mut conn, "hand_back", &["deliveries_pkey"]).await?;
        deliveries::defer(&mut conn, &[]).await?;
        goes_by(&mut conn, "defer", &["deliveries_pkey"]).await?;
        let mut undone = conn.begin().await?;
        let of_nobody = EndedEvent { account_id: AccountId::mint(), ..bench.ended(JobId::mint()) };
        events::record(&mut undone, &[of_nobody]).await?;
        goes_by(&mut undone, "record of events", &["webhook_secrets_pkey"]).await?;
        undone.rollback().await?;
        drop(conn);
        pool.close().await;
    }
    bench.end().await
}

#[tokio::test]
async fn an_acknowledgement_reads_its_own_tickets_however_many_the_worker_has_done() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let tickets = store::async_commit_pool(&bench.process.pool, PoolSize(1));
    let worker = "INSERT INTO apalis.workers (id, worker_type, storage_name, last_seen) VALUES ('w', 'q', 's', now())";
    sqlx::query(worker).execute(&tickets).await?;
    for done in [0, 20_000] {
        let rows = "INSERT INTO apalis.jobs (id, job_type, job, status, attempts, max_attempts, run_at, priority, lock_by, done_at)
            SELECT 'done_' || n, 'q', ''::bytea, 'Done', 1, 1, now(), 0, 'w', now() FROM generate_series(1, $1::int) AS n";
        sqlx::query(rows).bind(done).execute(&tickets).await?;
        let mut conn = tickets.acquire().await?;
        // As the queue asks: by ids that come as JSON, and the worker that holds them.
        let acknowledge =
            "WITH done AS (SELECT value ->> 'task_id' AS id FROM jsonb_array_elements($1::jsonb) AS value)
            SELECT jobs.id FROM apalis.jobs JOIN done ON done.id = jobs.id WHERE jobs.lock_by = $2
            ORDER BY jobs.id FOR UPDATE OF jobs";
        sqlx::query(acknowledge).bind(json!([])).bind("w").fetch_all(&mut *conn).await?;
        let plan = plan(&mut conn).await?;
        assert!(plan.contains("Index Scan using jobs_pkey") && !plan.contains("tickets_"), "{done} done:\n{plan}");
    }
    tickets.close().await;
    bench.end().await
}

#[tokio::test]
async fn a_fetch_of_tickets_that_was_planned_on_an_empty_table_reads_what_it_takes_of_a_full_one() -> anyhow::Result<()>
{
    let bench = Bench::new().await?;
    let tickets = store::async_commit_pool(&bench.process.pool, PoolSize(1));
    let mut conn = tickets.acquire().await?;
    let worker = "INSERT INTO apalis.workers (id, worker_type, storage_name, last_seen) VALUES ('w', 'q', 's', now())";
    sqlx::query(worker).execute(&mut *conn).await?;
    let fetch = "SELECT count(*) FROM apalis.get_jobs('w', 'q,another', 10)";
    for _ in 0..10 {
        assert_eq!(sqlx::query_scalar::<_, i64>(fetch).fetch_one(&mut *conn).await?, 0);
    }
    let rows = "INSERT INTO apalis.jobs (id, job_type, job, status, attempts, max_attempts, run_at, priority)
        SELECT 'due_' || n, 'q', ''::bytea, 'Pending', 0, 1, now() - interval '1 min', 0 FROM generate_series(1, 20000) AS n";
    sqlx::query(rows).execute(&mut *conn).await?;
    let mut tx = conn.begin().await?;
    assert_eq!(sqlx::query_scalar::<_, i64>(fetch).fetch_one(&mut *tx).await?, 10);
    let read =
        "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relid = 'apalis.jobs'::regclass";
    let read: i64 = sqlx::query_scalar(read).fetch_one(&mut *tx).await?;
    assert!(read < 100, "{read} rows were read for ten");
    tx.rollback().await?;
    drop(conn);
    tickets.close().await;
    bench.end().await
}

#[tokio::test]
async fn a_filter_that_nothing_passes_looks_at_two_thousand_rows_a_page_and_comes_to_the_end() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    fill(&bench, endpoint).await?;
    let path = format!("/webhooks/{endpoint}/deliveries");
    let (mut pages, mut cursor) = (0, String::new());
    loop {
        let page = call(&bench, Method::GET, &format!("{path}?http_status=503{cursor}"), Value::Null).await.1;
        assert_eq!((&page["data"], &page["has_more"]), (&json!([]), &json!(page["next_cursor"].is_string())));
        pages += 1;
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert!((15..=16).contains(&pages), "30,000 rows are fifteen pages, not {pages}");
    // The ids say where to begin, so the oldest are found by their time at once, behind more rows than a page looks at.
    let mut conn = bench.conn().await;
    let old = "SELECT created_at FROM deliveries WHERE endpoint_id = $1 ORDER BY id OFFSET 5 LIMIT 1";
    let until: DateTime<Utc> = sqlx::query_scalar(old).bind(endpoint.uuid()).fetch_one(&mut *conn).await?;
    let filter = DeliveryFilter { until: Some(until), ..DeliveryFilter::default() };
    let every = DeliverySearchFilter { filter, error: None };
    let seen = deliveries::search(&mut conn, &SearchScope::Endpoints(vec![endpoint]), &every, None, 21).await?;
    assert_eq!(seen.rows.len(), 5);
    drop(conn);
    bench.end().await
}

/// A plan for what is bound, which `of_last` does not show. The planner, which knew how many rows a page looks at, and
/// that most endpoints have fewer, had all rows of this one read and sorted.
#[tokio::test]
async fn a_page_reads_those_deliveries_that_it_looks_at_however_many_an_endpoint_has() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    fill(&bench, endpoint).await?;
    let mut conn = bench.conn().await;
    let mut look = conn.begin().await?;
    let filter = DeliveryFilter { status: Some(DeliveryStatus::Cancelled), ..DeliveryFilter::default() };
    let every = DeliverySearchFilter { filter, error: None };
    let before = rows_read(&mut look, "deliveries").await?;
    let seen = deliveries::search(&mut look, &SearchScope::Endpoints(vec![endpoint]), &every, None, 21).await?;
    let read = rows_read(&mut look, "deliveries").await? - before;
    assert!(seen.rows.is_empty() && seen.last_seen.is_some(), "{seen:?}");
    // The planner itself may fetch some at the ends of an index, to know the range of its values.
    assert!(read <= 2_010, "{read} rows were read");
    look.rollback().await?;
    drop(conn);
    bench.end().await
}

#[tokio::test]
async fn whether_an_endpoint_wavers_is_told_by_the_newest_of_its_deliveries_however_many_it_has() -> anyhow::Result<()>
{
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    fill(&bench, endpoint).await?;
    let fails =
        "UPDATE deliveries SET status = 'failed', error = 'timeout' WHERE endpoint_id = $1 AND status = 'succeeded'";
    sqlx::query(fails).bind(endpoint).execute(&bench.process.pool).await?;
    sqlx::raw_sql("UPDATE webhook_endpoints SET failed_at = mws_now()").execute(&bench.process.pool).await?;
    sqlx::raw_sql("VACUUM ANALYZE deliveries").execute(&bench.process.pool).await?;
    let mut conn = bench.conn().await;
    let mut look = conn.begin().await?;
    let before = rows_read(&mut look, "deliveries").await?;
    let found = notices::wavering_endpoints(&mut look, &[], 10).await?;
    let read = rows_read(&mut look, "deliveries").await? - before;
    let found: Vec<_> = found.iter().map(|one| (one.id, one.tried, one.failed)).collect();
    assert_eq!(found, [(endpoint, 200, 200)]);
    // One of a hundred waits for its first attempt.
    assert!(read <= 300, "{read} rows were read");
    look.rollback().await?;
    drop(conn);
    bench.end().await
}

#[tokio::test]
async fn a_look_for_what_did_not_arrive_reads_nothing_behind_its_place() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    fill(&bench, endpoint).await?;
    let mut conn = bench.conn().await;
    let mut look = conn.begin().await?;
    let all = deliveries::not_arrived(&mut look, endpoint, None, 5_000).await?;
    let place = all[all.len() - 11];
    let since = UnsentFilter::since(DateTime::<Utc>::UNIX_EPOCH);
    let before = rows_read(&mut look, "deliveries").await?;
    let window = deliveries::not_arrived(&mut look, endpoint, Some(place), 5_000).await?;
    let found = deliveries::unsent_among(&mut look, endpoint, &window, &since).await?;
    let read = rows_read(&mut look, "deliveries").await? - before;
    assert_eq!((all.len(), window.len(), found.len()), (300, 10, 10));
    assert!(read <= 60, "{read} rows were read");
    let other = UnsentFilter { error: Some("tls_failed".to_owned()), ..since };
    let none = deliveries::unsent_among(&mut look, endpoint, &window, &other).await?;
    assert!(none.is_empty(), "the filter holds here too");
    look.rollback().await?;
    drop(conn);
    bench.end().await
}

#[tokio::test]
async fn endpoints_of_which_nothing_is_to_be_done_are_not_looked_at_however_many_there_are() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let (endpoint, other) = (bench.endpoint().await, bench.endpoint().await);
    bench.end_jobs(1).await;
    let many = "INSERT INTO webhook_endpoints (id, account_id, url, event_types, deleted_at)
        SELECT gen_random_uuid(), $1, 'http://127.0.0.1:9/', '{}', CASE WHEN n % 2 = 0 THEN mws_now() END
        FROM generate_series(1, 6000) AS n";
    sqlx::query(many).bind(bench.account).execute(&bench.process.pool).await?;
    // As by a transaction that began a while ago.
    let changed = "UPDATE webhook_endpoints SET enabled = $2,
            disabled_at = CASE WHEN NOT $2 THEN mws_now() - interval '5 minutes' END,
            disabled_reason = CASE WHEN NOT $2 THEN 'user' END
        WHERE id = $1";
    let enable = async |id: EndpointId, enabled: bool| -> anyhow::Result<()> {
        sqlx::query(changed).bind(id).bind(enabled).execute(&bench.process.pool).await?;
        Ok(())
    };
    enable(other, false).await?;
    let to_empty = "SELECT count(*) FROM webhook_endpoints WHERE to_empty";
    assert_eq!(end_deliveries::run_once(&bench.process).await?, 1);
    assert_eq!(bench.world.count(to_empty).await?, 3_001, "what was under way may still come back");
    bench.advance(660).await;
    assert_eq!(end_deliveries::run_once(&bench.process).await?, 0);
    assert_eq!(bench.world.count(to_empty).await?, 0);

    // One that is enabled and disabled once more is looked at again, and so is what failed.
    enable(other, true).await?;
    enable(other, false).await?;
    enable(endpoint, false).await?;
    sqlx::raw_sql("VACUUM ANALYZE webhook_endpoints, deliveries").execute(&bench.process.pool).await?;
    assert_eq!(bench.world.count(to_empty).await?, 2);
    let mut conn = bench.conn().await;
    let mut look = conn.begin().await?;
    let before = rows_read(&mut look, "webhook_endpoints").await?;
    assert_eq!(deliveries::end_silent(&mut look, None, 100).await?, 1);
    assert!(notices::wavering_endpoints(&mut look, &[], 10).await?.is_empty());
    let read = rows_read(&mut look, "webhook_endpoints").await? - before;
    assert!(read <= 20, "{read} endpoints were read");
    look.rollback().await?;
    drop(conn);
    assert_eq!(end_deliveries::run_once(&bench.process).await?, 1);

    // What is being sent may come back and wait, however long ago its endpoint was disabled.
    let leased = "UPDATE deliveries SET status = 'pending', finished_at = NULL, error = NULL,
            lease_until = CASE WHEN $2 THEN mws_now() + interval '1 hour' END
        WHERE endpoint_id = $1";
    bench.advance(660).await;
    for (is_leased, ended, left) in [(true, 0, 1), (false, 1, 0)] {
        sqlx::query(leased).bind(endpoint).bind(is_leased).execute(&bench.process.pool).await?;
        assert_eq!(end_deliveries::run_once(&bench.process).await?, ended);
        assert_eq!(bench.world.count(to_empty).await?, left);
    }
    bench.end().await
}
