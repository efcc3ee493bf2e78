//! The operators' verdict: each trouble is found in a service that has it, told in a sentence, and with the command
//! that helps next.

use crate::operators::{ANNA, done, get, stage};
use anyhow::Context;
use domain::read::Read;
use domain::verdict::EndedBefore;
use mws_tests::plans;
use mws_tests::world::{Client, Media, World, runners, until};
use serde_json::{Value, json};
use sqlx::PgConnection;
use std::time::Duration;
use store::notices;
use store::verdict::{self, DutyTold};
use worker::readers::ReadError;

/// The report, of a service whose processes have just said that they live.
async fn report(world: &World, anna: &Client) -> anyhow::Result<Value> {
    sqlx::query("UPDATE workers SET beat_at = mws_now()").execute(world.pool()).await?;
    get(anna, "/operator/report").await
}

/// How an axis stands: its state, sentence and command.
async fn axis(world: &World, anna: &Client, name: &str) -> anyhow::Result<(String, String, String)> {
    let report = report(world, anna).await?;
    let axes = report["axes"].as_array().context("no axes")?;
    let found = axes.iter().find(|axis| axis["axis"] == name).context("no such axis")?;
    let text = |field: &str| found[field].as_str().unwrap_or_default().to_owned();
    Ok((text("state"), text("sentence"), text("next")))
}

fn assert_told(told: &(String, String, String), state: &str, words: &str, next: &str) {
    assert!(told.0 == state && told.1.contains(words) && told.2.starts_with(next), "{told:?}");
}

/// A service with a scheduler and a worker, whose books were just checked.
async fn alive() -> anyhow::Result<(World, Client)> {
    let (world, anna) = stage().await?;
    world.work(runners::instant()).await?;
    let scheduler = world.scheduler().await?;
    until("both have said that they live", async || {
        Ok((world.count("SELECT count(*) FROM workers").await? >= 2).then_some(()))
    })
    .await?;
    // Stopped without a word: what it was to do is done here by hand.
    scheduler.kill().await;
    world.written().await?;
    sqlx::query("DELETE FROM scheduler_duties").execute(world.pool()).await?;
    // The one that was stopped may hold the check for a moment yet.
    until("the books were checked", async || {
        scheduler::check_ledger::run_once(&world.process).await?;
        let checked = "SELECT count(*) FROM ledger_check WHERE checked_at IS NOT NULL";
        Ok((world.count(checked).await? == 1).then_some(()))
    })
    .await?;
    Ok((world, anna))
}

#[tokio::test]
async fn a_service_that_is_well_is_told_to_be_so_and_one_without_a_worker_is_failing() -> anyhow::Result<()> {
    let (world, anna) = alive().await?;
    let report = report(&world, &anna).await?;
    assert_eq!(report["state"], "healthy", "{report:#}");
    let axes: Vec<&Value> = report["axes"].as_array().into_iter().flatten().collect();
    let needs_nothing = |axis: &&Value| axis["next"].is_null() && axis["also"] == json!([]);
    assert!(axes.len() == 5 && axes.iter().all(needs_nothing), "{report:#}");
    world.end().await?;

    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    tenant.client.prepare(&[item], &["levels"]).await?.data()?;
    assert_told(&axis(&world, &anna, "flow").await?, "failing", "No worker lives, and one job waits", "mws doctor");
    assert_told(&axis(&world, &anna, "liveness").await?, "failing", "Neither a worker nor a scheduler", "mws doctor");
    assert_told(&axis(&world, &anna, "money").await?, "unknown", "never checked", "mws doctor");
    done(&anna, "PATCH", "/operator/reads/beats", &json!({ "paused": true }), 200).await?;
    let report = get(&anna, "/operator/report").await?;
    let paused = json!([{ "state": "degraded", "sentence": "The read `beats` is paused, and new ones are held.",
        "next": "mws admin reads resume beats" }]);
    assert_eq!((&report["state"], &report["axes"][0]["also"]), (&json!("failing"), &paused), "{report:#}");
    world.end().await
}

#[tokio::test]
async fn an_api_whose_disk_for_media_is_nearly_full_says_so() -> anyhow::Result<()> {
    let (world, anna) = alive().await?;
    assert_eq!(axis(&world, &anna, "liveness").await?.0, "healthy");
    let (process, anyone) = world.api_on_disk(0.083).await?;
    let told = axis(&world, &anyone.as_one_with(Some(ANNA)), "liveness").await?;
    assert_told(&told, "degraded", "nearly full: 8.3 % of it is free", "mws doctor --only disk");
    process.shutdown.cancel();
    world.end().await
}

#[tokio::test]
async fn a_paused_read_minutes_that_are_gone_and_a_duty_that_is_late_are_named() -> anyhow::Result<()> {
    let (world, anna) = alive().await?;
    done(&anna, "PATCH", "/operator/reads/levels", &json!({ "paused": true }), 200).await?;
    let resume = "mws admin reads resume levels";
    assert_told(&axis(&world, &anna, "flow").await?, "degraded", "`levels` is paused", resume);
    done(&anna, "PATCH", "/operator/reads/levels", &json!({ "paused": false }), 200).await?;
    assert_eq!(axis(&world, &anna, "flow").await?.0, "healthy");

    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
    tenant.client.ended(&job).await?;
    assert_eq!(axis(&world, &anna, "money").await?.0, "healthy");
    let allowance = json!({ "kind": "allowance", "minutes": 0 });
    done(&anna, "POST", &format!("/operator/accounts/{}/minutes", tenant.account), &allowance, 200).await?;
    assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 0);
    let get_account = format!("mws admin accounts get {}", tenant.account);
    assert_told(&axis(&world, &anna, "money").await?, "degraded", "one account has no minutes left", &get_account);

    let mut conn = world.pool().acquire().await?;
    let told = |seconds| [DutyTold { duty: "rescue_jobs".to_owned(), every_seconds: 2.0, done_seconds: Some(seconds) }];
    verdict::tell(&mut conn, &told(100.0)).await?;
    assert_told(
        &axis(&world, &anna, "liveness").await?,
        "degraded",
        "`rescue_jobs` was last done 2 min ago",
        "mws doctor",
    );
    // Another scheduler that is behind takes nothing back; one that has done it does away with the trouble.
    verdict::tell(&mut conn, &told(1.0)).await?;
    verdict::tell(&mut conn, &told(500.0)).await?;
    assert_eq!(axis(&world, &anna, "liveness").await?.0, "healthy");
    drop(conn);
    world.end().await
}

#[tokio::test]
async fn an_endpoint_that_dies_is_told_of_before_it_is_disabled_and_after() -> anyhow::Result<()> {
    let (world, anna) = alive().await?;
    let tenant = world.tenant("a").await?;
    // Nothing listens there.
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/dead").await?;
    let next = format!("mws admin deliveries list --endpoint {endpoint}");
    let item = world.item(&tenant, Media::audio(60)).await?;
    let failed = |wanted: i64| {
        let world = &world;
        until("one more attempt has failed", async move || {
            let failures = world.count("SELECT consecutive_failures::bigint FROM webhook_endpoints").await?;
            Ok((failures >= wanted).then_some(()))
        })
    };
    // One event at a time: of several that a dead endpoint has to get, some wait for a scheduler.
    let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
    tenant.client.ended(&job).await?;
    failed(1).await?;
    assert_eq!(axis(&world, &anna, "delivery").await?.0, "healthy", "a failure is no death");
    assert_eq!(report(&world, &anna).await?["load"]["pending_deliveries"], 1, "it is sent again later");
    for (before, read) in [(9, "beats"), (19, "speech")] {
        let count = "UPDATE webhook_endpoints SET consecutive_failures = $1";
        sqlx::query(count).bind(before).execute(world.pool()).await?;
        let job = tenant.client.prepare(&[item], &[read]).await?.job_ids()?;
        tenant.client.ended(&job).await?;
        failed(i64::from(before) + 1).await?;
        if before == 9 {
            let told = axis(&world, &anna, "delivery").await?;
            assert_told(&told, "degraded", &format!("Endpoint {endpoint} has failed 10 times in a row"), &next);
        }
    }
    let told = axis(&world, &anna, "delivery").await?;
    assert_told(&told, "degraded", "one endpoint was disabled for failing twenty times in a row", &next);
    let pending = "SELECT count(*) FROM deliveries WHERE status = 'pending'";
    world.duty(scheduler::end_deliveries::run_once, pending).await?;
    let sent = "SELECT count(*) FROM deliveries WHERE attempt_count > 0 AND status IN ('failed', 'skipped')";
    assert_eq!(world.count(sent).await?, 3, "each was attempted, and is sent no more");
    let mut conn = world.pool().begin().await?;
    let hours = verdict::by_hour(&mut conn).await?;
    let sum = |of: fn(&verdict::HourRow) -> i64| hours.iter().map(of).sum::<i64>();
    assert_eq!((sum(|hour| hour.attempted), sum(|hour| hour.troubled)), (3, 3));
    sqlx::query("UPDATE deliveries SET trigger = 'test'").execute(&mut *conn).await?;
    let hours = verdict::by_hour(&mut conn).await?;
    assert_eq!(hours.iter().map(|hour| hour.attempted).sum::<i64>(), 0, "pings don't count");
    conn.rollback().await?;
    world.end().await
}

#[tokio::test]
async fn a_journal_that_was_altered_fails_and_books_that_were_not_checked_for_long_are_unknown() -> anyhow::Result<()> {
    let (world, anna) = alive().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
    tenant.client.ended(&job).await?;
    assert_eq!(axis(&world, &anna, "money").await?.0, "healthy");
    let alter = |by: &str| {
        format!(
            "ALTER TABLE minute_journal DISABLE TRIGGER USER;
             UPDATE minute_journal SET month_amount = month_amount {by} WHERE kind = 'settle';
             ALTER TABLE minute_journal ENABLE TRIGGER USER"
        )
    };
    sqlx::raw_sql(sqlx::AssertSqlSafe(alter("- 1"))).execute(world.pool()).await?;
    assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 1);
    assert_told(
        &axis(&world, &anna, "money").await?,
        "failing",
        "One balance is not what the journal adds up to",
        "mws doctor",
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(alter("+ 1"))).execute(world.pool()).await?;
    assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 0);
    assert_eq!(axis(&world, &anna, "money").await?.0, "healthy");
    world.advance(Duration::from_mins(20)).await?;
    assert_told(&axis(&world, &anna, "money").await?, "unknown", "last checked 20 min ago", "mws doctor");
    world.end().await
}

#[tokio::test]
async fn what_waits_and_who_works_stands_beside_the_verdict() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let mut jobs = Vec::new();
    for some in world.items(&tenant, 25, Media::audio(60)).await?.chunks(20) {
        jobs.extend(tenant.client.prepare(some, &["levels"]).await?.job_ids()?);
    }
    let waits = report(&world, &anna).await?["load"].clone();
    let levels = json!({ "task": "levels", "due": 20, "without_place": 5, "put_back": 0, "next_due_at": null,
        "running": 0, "ended": 0, "paused": false, "workers": 0 });
    for (field, wanted) in levels.as_object().into_iter().flatten() {
        assert_eq!(&waits["tasks"][0][field], wanted, "{field}: {waits:#}");
    }
    assert_eq!((&waits["workers"], &waits["pending_deliveries"]), (&json!([]), &json!(0)), "{waits:#}");

    world.work(runners::instant()).await?;
    for job in &jobs {
        tenant.client.reaches(job, "succeeded").await?;
    }
    let done = until("the worker has said that it lives", async || {
        let load = report(&world, &anna).await?["load"].clone();
        Ok(load["workers"][0]["slots"].as_u64().is_some_and(|slots| slots > 0).then_some(load))
    })
    .await?;
    let levels = &done["tasks"][0];
    assert_eq!((&levels["due"], &levels["ended"], &levels["workers"]), (&json!(0), &json!(25), &json!(1)), "{done:#}");
    world.end().await
}

#[tokio::test]
async fn a_job_that_was_put_back_runs_again_at_a_time_and_waits_for_no_place() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    tenant.client.prepare(&[item], &["levels"]).await?.data()?;
    sqlx::raw_sql(
        "UPDATE jobs SET admitted = false, ticket_id = NULL, due_at = mws_now() + interval '5 minutes';
         DELETE FROM apalis.jobs;
         INSERT INTO workers (name, host, service, version, reads) VALUES ('w', 'h', 'worker', '1', '{levels}')",
    )
    .execute(world.pool())
    .await?;
    let told = report(&world, &anna).await?;
    let levels = &told["load"]["tasks"][0];
    assert_eq!((&levels["put_back"], &levels["without_place"]), (&json!(1), &json!(0)), "{told:#}");
    let at = levels["next_due_at"].as_str().and_then(|at| at.get(11..19)).context("no time")?.to_owned();
    let words = format!("No job waits for a worker. One job was put back, and runs again at {at} UTC.");
    assert_told(&axis(&world, &anna, "flow").await?, "healthy", &words, "");

    world.advance(Duration::from_mins(6)).await?;
    let told = report(&world, &anna).await?;
    let levels = &told["load"]["tasks"][0];
    assert_eq!((&levels["put_back"], &levels["without_place"]), (&json!(0), &json!(1)), "it is due: {told:#}");
    world.end().await
}

#[tokio::test]
async fn a_worker_that_was_killed_is_told_of_until_another_goes_on_with_its_work_and_then_as_past() -> anyhow::Result<()>
{
    let (world, anna) = alive().await?;
    let killed = "INSERT INTO workers (name, host, service, version, started_at, beat_at)
         VALUES ('killed', 'a', 'worker', '1', mws_now() - interval '1 day', mws_now() - interval '5 minutes')";
    sqlx::query(killed).execute(world.pool()).await?;
    // How the service is told to be, where what lives was started by this statement.
    let told = async |started: &str| -> anyhow::Result<Value> {
        let started = format!("UPDATE workers SET beat_at = mws_now(), {started} WHERE name <> 'killed'");
        sqlx::raw_sql(sqlx::AssertSqlSafe(started)).execute(world.pool()).await?;
        get(&anna, "/operator/report").await
    };
    let liveness = |report: &Value| report["axes"][4]["sentence"].as_str().unwrap_or_default().to_owned();
    let alone = told("started_at = mws_now() - interval '1 day'").await?;
    assert_eq!((&alone["state"], &alone["axes"][4]["axis"]), (&json!("degraded"), &json!("liveness")), "{alone:#}");
    assert!(liveness(&alone).ends_with("and none was started in its place: killed."), "{alone:#}");

    let claim = "INSERT INTO job_claims (job_id, claim_no, worker) VALUES (gen_random_uuid(), 1, 'killed')";
    sqlx::query(claim).execute(world.pool()).await?;
    let follows = "started_at = mws_now() - interval '4 minutes'";
    let held = told(follows).await?;
    assert_eq!(held["state"], "degraded", "{held:#}");
    assert!(liveness(&held).contains("of its jobs one is not taken over yet"), "{held:#}");
    sqlx::query("DELETE FROM job_claims WHERE worker = 'killed'").execute(world.pool()).await?;
    let past = told(follows).await?;
    assert_eq!((&past["state"], &past["axes"][4]["next"]), (&json!("healthy"), &Value::Null), "{past:#}");
    assert!(liveness(&past).contains(" One process ended without a word at "), "{past:#}");
    world.end().await
}

#[tokio::test]
async fn a_schema_that_is_too_old_and_a_migration_that_failed_are_named_until_it_is_applied() -> anyhow::Result<()> {
    let (world, anna) = alive().await?;
    assert_eq!(axis(&world, &anna, "liveness").await?.0, "healthy");
    // What the database has of this migration is in the way of it, as where somebody made a table by hand.
    sqlx::query("DELETE FROM _sqlx_migrations WHERE version = 111").execute(world.pool()).await?;
    let pending = axis(&world, &anna, "liveness").await?;
    assert_told(&pending, "failing", "The schema is one migration older than this release", "mws migrate");
    let failed = store::migrate(world.pool()).await;
    assert!(failed.is_err_and(|error| error.to_string().contains("migration 111")));

    // A process of the release before does not know the migration, and hears that it failed.
    let rename = |from: i64, to: i64| {
        let renamed = sqlx::query("UPDATE migration_failures SET version = $2 WHERE version = $1").bind(from).bind(to);
        renamed.execute(world.pool())
    };
    rename(111, 9_999).await?;
    sqlx::query("DROP TABLE service_totals").execute(world.pool()).await?;
    store::migrate(world.pool()).await?;
    let told = axis(&world, &anna, "liveness").await?;
    assert_told(&told, "degraded", "Migration 9999 failed", "mws migrate");
    assert!(told.1.contains("\"service_totals\" already exists"), "{told:?}");
    // What has been applied since is history.
    rename(9_999, 111).await?;
    assert_eq!(axis(&world, &anna, "liveness").await?.0, "healthy");
    world.end().await
}

#[tokio::test]
async fn jobs_that_ended_a_week_ago_are_counted_within_half_an_hour_of_this_time() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    world
        .work(runners::runner(|reading, _| async move {
            let is_one = reading.read == Read::Levels;
            if is_one { Err(ReadError::Unsupported("it takes too long")) } else { Ok(runners::outcome(&reading)) }
        }))
        .await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let jobs = tenant.client.prepare(&[item], &["levels", "beats"]).await?.job_ids()?;
    tenant.client.ended(&jobs).await?;
    let mut conn = world.pool().acquire().await?;
    let none = EndedBefore::default();
    assert_eq!(verdict::ended_week_ago(&mut conn).await?, none, "they end now");
    world.advance(Duration::from_hours(7 * 24)).await?;
    assert_eq!(verdict::ended_week_ago(&mut conn).await?, EndedBefore { ended: 2, failed: 1 });
    world.advance(Duration::from_mins(31)).await?;
    assert_eq!(verdict::ended_week_ago(&mut conn).await?, none, "it is later in the day");
    drop(conn);
    world.end().await
}

#[tokio::test]
async fn who_may_not_look_is_refused_and_a_look_at_large_tables_goes_by_indexes() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    for (credential, status) in [(ANNA, 200), (crate::operators::BO, 200), (tenant.key.expose(), 401), ("none", 401)] {
        let answer = world.client(Some(credential.to_owned())).send("GET", "/operator/report", &[], None).await?;
        assert_eq!(answer.status, status);
    }
    let mut conn = world.pool().acquire().await?;
    sqlx::raw_sql("SET enable_seqscan = off").execute(&mut *conn).await?;
    // The verdict asks the first of these too: what was prepared is not prepared again.
    notices::failing_endpoints(&mut conn, &[], 10).await?;
    goes_by(&mut conn, &["webhook_endpoints_failing", "webhook_endpoints_failed", "deliveries_endpoint"]).await?;
    notices::wavering_endpoints(&mut conn, &[], 10).await?;
    goes_by(&mut conn, &["webhook_endpoints_last_failed", "deliveries_endpoint"]).await?;
    notices::short_accounts(&mut conn, 10).await?;
    goes_by(&mut conn, &["minute_buckets_pkey", "minute_journal_account"]).await?;
    notices::note_short(&mut conn).await?;
    goes_by(&mut conn, &["minute_buckets_month", "minute_journal_account"]).await?;
    verdict::backlogs(&mut conn).await?;
    goes_by(&mut conn, &["jobs_due", "jobs_waiting", "job_claims_open", "jobs_live_read"]).await?;
    verdict::deliveries(&mut conn).await?;
    goes_by(&mut conn, &["deliveries_pkey", "webhook_endpoints_failed", "deliveries_due"]).await?;
    verdict::ended(&mut conn).await?;
    goes_by(&mut conn, &["events_created", "jobs_pkey", "job_claims_pkey"]).await?;
    verdict::ended_week_ago(&mut conn).await?;
    goes_by(&mut conn, &["events_created", "jobs_pkey"]).await?;
    verdict::new_failure(&mut conn).await?;
    goes_by(&mut conn, &["jobs_failed_reads", "jobs_failed_others"]).await?;
    verdict::books(&mut conn).await?;
    goes_by(&mut conn, &["minute_buckets_pkey", "minute_journal_account"]).await?;
    verdict::fleet(&mut conn).await?;
    goes_by(&mut conn, &["job_claims_open"]).await?;
    verdict::by_hour(&mut conn).await?;
    goes_by(&mut conn, &["events_created", "deliveries_pkey"]).await?;
    verdict::by_slot(&mut conn).await?;
    goes_by(&mut conn, &["events_created", "jobs_pkey"]).await?;
    drop(conn);
    world.end().await
}

/// The statement that was prepared last goes by these indexes.
async fn goes_by(conn: &mut PgConnection, indexes: &[&str]) -> anyhow::Result<()> {
    let plan = plans::of_last(conn).await?;
    for index in indexes {
        assert!(plan.contains(index), "{index} is not in\n{plan}");
    }
    Ok(())
}
