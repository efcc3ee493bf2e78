//! The invariants that schedulers check beside the service's work: all hold of a service that works, and each that is
//! broken is found, named with its rows, and shown wherever operators look.

use crate::console::{signed_in, traces};
use crate::operators::{ANNA, get, stage};
use anyhow::Context;
use domain::ids::ItemId;
use domain::verdict::{Invariant, Outcome};
use mws_tests::plans;
use mws_tests::world::{Receiver, World};
use scheduler::{check_invariants, check_ledger};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, ConnectOptions};
use std::time::Duration;
use store::invariants;

/// Longer than the time between two checks of an invariant.
const NEXT_CHECK: Duration = Duration::from_secs(301);

/// The value of a series on this process's page of metrics.
fn told(series: &str) -> Option<f64> {
    let page = runtime::measure::recorder().ok()?.render();
    page.lines().find_map(|line| line.strip_prefix(series)?.trim().parse().ok())
}

/// What the report says of an invariant.
fn in_report<'a>(report: &'a Value, name: &str) -> anyhow::Result<&'a Value> {
    let mut all = report["invariants"].as_array().into_iter().flatten();
    all.find(|one| one["name"] == name).context("no such invariant")
}

/// The sentence of the axis of execution.
fn execution(report: &Value) -> String {
    let mut axes = report["axes"].as_array().into_iter().flatten();
    axes.find(|axis| axis["axis"] == "execution").map(|axis| axis["sentence"].to_string()).unwrap_or_default()
}

#[tokio::test]
async fn each_rule_that_is_broken_is_found_with_the_row_and_is_looked_up_by_indexes() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let receiver = Receiver::start()?;
    let traces = traces(&world, &tenant, &receiver).await?;
    let item: ItemId = sqlx::query_scalar("SELECT item_id FROM jobs").fetch_one(world.pool()).await?;
    let event: String = sqlx::query_scalar("SELECT id FROM events").fetch_one(world.pool()).await?;
    let (account, item) = (tenant.account.to_string(), item.to_string());
    let queued =
        "UPDATE jobs SET status = 'queued', admitted = true, finished_at = NULL, charged = NULL, ticket_id = NULL";
    let placed = "INSERT INTO jobs (id, call_id, payer_account_id, owner_account_id, workspace_id, item_id, kind, read, admitted,
             hold_month, held_month, held_bought)
         SELECT md5('job' || n)::uuid, call_id, payer_account_id, owner_account_id, workspace_id, item_id, kind, read, true,
             hold_month, 0, 0
         FROM jobs, generate_series(1, 21) AS n";
    let (job, delivery) = (&traces.job, &traces.delivery);
    for (invariant, breaks, row) in [
        (Invariant::Holds, "DELETE FROM minute_journal WHERE kind = 'hold'", job),
        (
            Invariant::Settlements,
            "UPDATE minute_journal SET month_amount = month_amount - 1 WHERE kind = 'settle'",
            job,
        ),
        (Invariant::Settlements, "DELETE FROM minute_journal WHERE kind = 'settle'", job),
        (Invariant::Claims, "UPDATE job_claims SET ended_at = NULL", job),
        (Invariant::Claims, "DELETE FROM job_claims", job),
        (Invariant::Leases, "UPDATE job_claims SET ended_at = NULL", job),
        (Invariant::Tickets, queued, job),
        (Invariant::Places, placed, &account),
        (
            Invariant::OwnedReads,
            "INSERT INTO job_reads (item_id, read, job_id) SELECT item_id, read, id FROM jobs",
            &item,
        ),
        (Invariant::StoredReads, "DELETE FROM item_reads", job),
        (Invariant::Events, "UPDATE events SET type = 'job.failed'", &event),
        (Invariant::Attempts, "UPDATE delivery_attempts SET attempt = 2", delivery),
        (Invariant::Receivers, "UPDATE deliveries SET account_id = gen_random_uuid()", delivery),
    ] {
        let mut tx = world.pool().begin().await?;
        invariants::bound(&mut tx).await?;
        assert_eq!(invariants::broken(&mut tx, invariant).await?, Vec::<String>::new(), "{invariant:?}");
        // Rows are broken here although the journal is append-only and foreign keys would refuse it.
        let breaks = format!("SET LOCAL session_replication_role = replica; {breaks}");
        sqlx::raw_sql(AssertSqlSafe(breaks)).execute(&mut *tx).await?;
        assert_eq!(invariants::broken(&mut tx, invariant).await?, std::slice::from_ref(row), "{invariant:?}");
        tx.rollback().await?;
    }
    // This connection is new, so that each statement is prepared on it when its plan is asked for.
    let mut conn = world.pool().connect_options().connect().await?;
    sqlx::raw_sql("SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off")
        .execute(&mut conn)
        .await?;
    for invariant in Invariant::ALL.into_iter().filter(|one| *one != Invariant::Balances) {
        invariants::broken(&mut conn, invariant).await?;
        let plan = plans::of_last(&mut conn).await?;
        assert!(!plan.contains("Seq Scan") && plan.contains("Index"), "{invariant:?}: {plan}");
    }
    drop(conn);
    world.end().await
}

#[tokio::test]
async fn a_broken_rule_is_told_by_the_report_the_console_and_a_metric_until_a_check_passes() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let receiver = Receiver::start()?;
    let job = traces(&world, &tenant, &receiver).await?.job;
    runtime::measure::recorder()?;
    let unchecked = get(&anna, "/operator/report").await?;
    assert_eq!(unchecked["invariants"].as_array().map(Vec::len), Some(Invariant::ALL.len()), "{unchecked:#}");
    assert!(in_report(&unchecked, "claims")?["outcome"].is_null());

    check_ledger::run_once(&world.process).await?;
    check_invariants::run_once(&world.process).await?;
    let well = get(&anna, "/operator/report").await?;
    for one in Invariant::ALL {
        let found = in_report(&well, one.name())?;
        assert_eq!((&found["outcome"], &found["says"]), (&json!("passed"), &json!(one.says())), "{found:#}");
        assert!(found["passed_seconds"].is_number() && found["failed_seconds"].is_null(), "{found:#}");
    }
    assert!(told("mws_invariant_broken_rows{invariant=\"claims\"}").is_some());

    sqlx::query("UPDATE job_claims SET ended_at = NULL").execute(world.pool()).await?;
    check_invariants::run_once(&world.process).await?;
    assert_eq!(in_report(&get(&anna, "/operator/report").await?, "claims")?["outcome"], "passed", "it is not due yet");
    world.advance(NEXT_CHECK).await?;
    check_invariants::run_once(&world.process).await?;
    let broken = get(&anna, "/operator/report").await?;
    let claims = in_report(&broken, "claims")?;
    assert_eq!(
        (&claims["outcome"], &claims["broken"], &claims["sample"]),
        (&json!("failed"), &json!(1), &json!([job]))
    );
    assert_eq!(broken["state"], "failing");
    assert!(execution(&broken).contains(&format!("`claims` does not hold of one row, such as {job}")), "{broken:#}");
    let (_, page) = signed_in(&world, ANNA).await?.get("/console/fleet").await?;
    for words in [Invariant::Claims.says(), job.as_str(), Invariant::Receivers.says()] {
        assert!(page.contains(words), "{words}: {page}");
    }
    for command in ["mws top", "mws doctor --only invariants"] {
        assert!(page.contains(&format!(">{command}</code>")), "{command}: {page}");
    }

    sqlx::query("UPDATE job_claims SET ended_at = mws_now()").execute(world.pool()).await?;
    world.advance(NEXT_CHECK).await?;
    check_invariants::run_once(&world.process).await?;
    let mended = get(&anna, "/operator/report").await?;
    let claims = in_report(&mended, "claims")?;
    assert_eq!((&claims["outcome"], &claims["sample"]), (&json!("passed"), &json!([job])), "what broke it is kept");
    assert!(claims["failed_seconds"].as_f64() > claims["passed_seconds"].as_f64(), "{claims:#}");
    assert!(!execution(&mended).contains("claims"), "{mended:#}");
    world.end().await
}

#[tokio::test]
async fn a_rule_that_can_not_be_checked_keeps_no_other_from_being_checked() -> anyhow::Result<()> {
    let world = World::new().await?;
    sqlx::query("ALTER TABLE minute_journal RENAME TO elsewhere").execute(world.pool()).await?;
    assert!(check_invariants::run_once(&world.process).await.is_err(), "the first two rules ask the journal");
    sqlx::query("ALTER TABLE elsewhere RENAME TO minute_journal").execute(world.pool()).await?;
    let all = invariants::last(&mut *world.pool().acquire().await?).await?;
    for held in all.iter().filter(|one| one.invariant != Invariant::Balances) {
        let asks_the_journal = matches!(held.invariant, Invariant::Holds | Invariant::Settlements);
        assert_eq!(held.outcome, (!asks_the_journal).then_some(Outcome::Passed), "{held:?}");
    }
    world.end().await
}

#[tokio::test]
async fn a_check_is_made_by_one_scheduler_and_one_that_takes_too_long_is_told() -> anyhow::Result<()> {
    let world = World::new().await?;
    let mut conn = world.pool().acquire().await?;
    assert!(invariants::take(&mut conn, Invariant::Holds, 300.0).await?);
    invariants::record(&mut conn, Invariant::Holds, &[]).await?;
    assert!(!invariants::take(&mut conn, Invariant::Holds, 300.0).await?, "another has just made it");
    world.advance(NEXT_CHECK).await?;
    assert!(invariants::take(&mut conn, Invariant::Holds, 300.0).await?);
    invariants::record_unfinished(&mut conn, Invariant::Holds).await?;
    let all = invariants::last(&mut conn).await?;
    let holds = all.iter().find(|one| one.invariant == Invariant::Holds).context("no such invariant")?;
    assert_eq!(holds.outcome, Some(Outcome::Unfinished));
    assert!(holds.passed_seconds.is_some_and(|age| age > 300.0), "{holds:?}");
    // A broken rule does not hold again just because a check could not end.
    invariants::record(&mut conn, Invariant::Holds, &["job_1".to_owned()]).await?;
    invariants::record_unfinished(&mut conn, Invariant::Holds).await?;
    let all = invariants::last(&mut conn).await?;
    assert!(all.iter().any(|one| one.invariant == Invariant::Holds && one.outcome == Some(Outcome::Failed)), "{all:?}");

    let mut tx = world.pool().begin().await?;
    sqlx::raw_sql("SET LOCAL statement_timeout = '5ms'").execute(&mut *tx).await?;
    let stopped = sqlx::query("SELECT count(*) FROM generate_series(1, 1000000000)").execute(&mut *tx).await;
    assert!(stopped.is_err_and(|error| invariants::took_too_long(&error)));
    tx.rollback().await?;
    drop(conn);
    world.end().await
}
