//! Duties that prune in steps: a step that fails keeps none of the others from being done.

use mws_tests::world::{Media, World};
use serde_json::json;
use std::time::Duration;
use store::endpoints;

#[tokio::test]
async fn a_step_of_pruning_that_fails_keeps_nothing_else_from_being_pruned() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let jobs = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
    tenant.client.tool("cancel_jobs", &json!({ "job_ids": jobs })).await?;
    world.session(&tenant).await?;
    world.advance(Duration::from_hours(40 * 24)).await?;
    sqlx::raw_sql(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
         CREATE TRIGGER refused BEFORE DELETE ON jobs FOR EACH STATEMENT EXECUTE FUNCTION refuse()",
    )
    .execute(world.pool())
    .await?;
    assert!(scheduler::prune::run_once(&world.process).await.is_err());
    assert_eq!(world.count("SELECT count(*) FROM session_tokens").await?, 0);
    assert_eq!(world.count("SELECT count(*) FROM session_codes").await?, 0);
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 1);
    sqlx::raw_sql("DROP TRIGGER refused ON jobs; DROP FUNCTION refuse").execute(world.pool()).await?;
    assert!(scheduler::prune::run_once(&world.process).await? > 0);
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 0);
    assert!(world.count("SELECT count(*) FROM rate_limits").await? > 0);
    assert!(scheduler::prune_paces::run_once(&world.process).await? > 0);
    assert_eq!(world.count("SELECT count(*) FROM rate_limits").await?, 0);
    world.end().await
}

#[tokio::test]
async fn what_a_queue_worker_held_that_is_long_gone_goes_with_it() -> anyhow::Result<()> {
    let world = World::new().await?;
    sqlx::raw_sql(
        "INSERT INTO apalis.workers (id, worker_type, storage_name, last_seen)
         VALUES ('gone', 'w', 's', now() - interval '2 hours'), ('alive', 'w', 's', now());
         INSERT INTO apalis.jobs (id, job_type, job, status, attempts, max_attempts, run_at, priority, lock_by)
         SELECT held_by || n, 'webhook:first', '{}'::bytea, status, 0, 1, now(), 0, held_by
         FROM unnest(ARRAY['gone', 'alive', 'never seen']) AS held_by,
             unnest(ARRAY['Queued', 'Running']) WITH ORDINALITY AS statuses (status, n);
         INSERT INTO apalis.jobs (id, job_type, job, status, attempts, max_attempts, run_at, priority)
         VALUES ('waits', 'webhook:first', '{}'::bytea, 'Pending', 0, 1, now(), 0)",
    )
    .execute(world.pool())
    .await?;
    scheduler::prune::run_once(&world.process).await?;
    let left = "SELECT array_agg(id ORDER BY id) FROM apalis.jobs";
    let left: Vec<String> = sqlx::query_scalar(left).fetch_one(world.pool()).await?;
    assert_eq!(left, ["alive1", "alive2", "waits"]);
    let workers = "SELECT array_agg(id) FROM apalis.workers";
    let workers: Vec<String> = sqlx::query_scalar(workers).fetch_one(world.pool()).await?;
    assert_eq!(workers, ["alive"]);
    world.end().await
}

#[tokio::test]
async fn old_events_that_are_kept_for_their_deliveries_keep_no_others() -> anyhow::Result<()> {
    let world = World::new().await?;
    // More events than one step looks at, all of the same moment; only of the last one no delivery tells any more.
    sqlx::raw_sql(
        "INSERT INTO events (id, type, account_id, body, created_at)
         SELECT 'evt_' || n, 'ping', gen_random_uuid(), '', mws_now() - interval '40 days'
         FROM generate_series(1, 2500) AS n ORDER BY n;
         INSERT INTO deliveries (id, endpoint_id, account_id, event_id, event_type)
         SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'evt_' || n, 'ping'
         FROM generate_series(1, 2499) AS n",
    )
    .execute(world.pool())
    .await?;
    scheduler::prune_deliveries::run_once(&world.process).await?;
    assert_eq!(world.count("SELECT count(*) FROM events").await?, 2_499);
    sqlx::raw_sql("TRUNCATE deliveries").execute(world.pool()).await?;
    scheduler::prune_deliveries::run_once(&world.process).await?;
    assert_eq!(world.count("SELECT count(*) FROM events").await?, 0);
    world.end().await
}

#[tokio::test]
async fn removed_endpoints_are_deleted_in_steps() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    sqlx::query(
        "INSERT INTO webhook_endpoints (id, account_id, url, event_types, deleted_at)
         SELECT gen_random_uuid(), $1, 'https://example.com/', '{job.succeeded}', mws_now() - interval '40 days'
         FROM generate_series(1, 2500)",
    )
    .bind(tenant.account)
    .execute(world.pool())
    .await?;
    let mut conn = world.pool().acquire().await?;
    assert_eq!(endpoints::prune(&mut conn, 30, 1_000).await?, 1_000, "as many as one step may");
    drop(conn);
    scheduler::prune_deliveries::run_once(&world.process).await?;
    assert_eq!(world.count("SELECT count(*) FROM webhook_endpoints").await?, 0);
    world.end().await
}
