//! The check of the ledger: it reads what came since the last one, says what is wrong, one scheduler at a time makes
//! it, and it is never silently out of date.

use mws_tests::world::{Media, World, runners};
use std::time::Duration;
use store::ledger;

/// Longer than a mark takes to settle.
const SETTLES: Duration = Duration::from_mins(1);

#[tokio::test]
async fn the_journal_is_added_up_once_and_a_wrong_balance_of_any_month_is_found() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    world.work(runners::instant()).await?;
    world.stop_clock().await?;
    let mut read = Vec::new();
    for item in world.items(&tenant, 3, Media::video(60)).await? {
        for job in tenant.client.prepare(&[item], &["levels", "speech"]).await?.job_ids()? {
            tenant.client.reaches(&job, "succeeded").await?;
        }
        assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 0);
        world.advance(SETTLES).await?;
        assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 0);
        read.push(ledger::last_check(&mut *world.pool().acquire().await?).await?.ahead);
    }
    assert!(world.count("SELECT through FROM ledger_check").await? > 0);
    assert!(read[2] < world.count("SELECT count(*) FROM minute_journal").await?, "{read:?}");
    let last = ledger::last_check(&mut *world.pool().acquire().await?).await?;
    assert_eq!((last.drifting, last.age_seconds.map(|age| age.abs() < 1e-9)), (0, Some(true)));

    for wrong in [
        "UPDATE minute_buckets SET used = used + 1",
        "UPDATE minute_buckets SET allowance = allowance - 1",
        "UPDATE accounts SET bought = bought + 1 WHERE id IN (SELECT account_id FROM minute_journal)",
        "UPDATE accounts SET credits_given = credits_given + 1 WHERE id IN (SELECT account_id FROM minute_journal)",
    ] {
        sqlx::query(wrong).execute(world.pool()).await?;
        assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 1, "{wrong}");
        let right = wrong.replace(" + 1", " - 0 - 1").replace("allowance - 1", "allowance + 1");
        sqlx::query(sqlx::AssertSqlSafe(right)).execute(world.pool()).await?;
        assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 0, "{wrong}");
    }
    // Tallies that are wrong say nothing of balances that are right.
    sqlx::query("UPDATE ledger_tallies SET used = used + 5").execute(world.pool()).await?;
    assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 0);
    sqlx::query("UPDATE ledger_tallies SET used = used - 5").execute(world.pool()).await?;
    world.end().await
}

#[tokio::test]
async fn one_scheduler_checks_at_a_time_and_a_check_that_is_long_ago_is_told() -> anyhow::Result<()> {
    let world = World::new().await?;
    world.tenant("a").await?;
    assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 0);
    let mut other = world.pool().begin().await?;
    assert!(ledger::take(&mut other).await?);
    sqlx::query("UPDATE minute_buckets SET used = used + 1").execute(world.pool()).await?;
    world.advance(Duration::from_hours(1)).await?;
    assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 0, "another one has it");
    assert!(world.process.signs.notes()["ledger"]["seconds_since_check"].as_f64().is_some_and(|age| age > 3_000.0));
    other.rollback().await?;
    sqlx::query("UPDATE minute_buckets SET used = used - 1").execute(world.pool()).await?;
    assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 0);
    assert!(!world.process.signs.notes().contains_key("ledger"));
    world.end().await
}

#[tokio::test]
async fn a_check_stands_where_it_can_not_be_noted_who_is_short_of_minutes() -> anyhow::Result<()> {
    let world = World::new().await?;
    world.tenant("a").await?;
    let refuses = "CREATE FUNCTION refuses() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            RAISE EXCEPTION 'it is not noted';
        END $$;
        CREATE TRIGGER refuses BEFORE INSERT ON short_accounts EXECUTE FUNCTION refuses()";
    sqlx::raw_sql(refuses).execute(world.pool()).await?;
    assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 0);
    let last = ledger::last_check(&mut *world.pool().acquire().await?).await?;
    assert!(last.age_seconds.is_some(), "it is recorded");
    world.end().await
}
