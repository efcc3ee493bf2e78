//! Cloud minutes: held, settled and released, never above the estimate and never more than there are (contract §10).

use domain::minutes::Minutes;
use futures_util::future::try_join_all;
use mws_tests::world::runners::{self, Gate};
use mws_tests::world::{Answer, Media, World, let_in, until};
use serde_json::{Value, json};
use store::minutes::Split;
use store::{accounts, minutes};
use worker::readers::ReadError;

/// `[minutes, left, held, bought]` of an answer.
fn books(answer: &Answer) -> [String; 4] {
    let cloud = &answer.json["meta"]["cloud_processing"];
    ["minutes", "left_minutes", "held_minutes", "bought_minutes"].map(|name| cloud[name].to_string())
}

fn charges(jobs: &[Value]) -> String {
    Value::Array(jobs.iter().map(|job| job["cloud_minutes"].clone()).collect()).to_string()
}

#[tokio::test]
async fn a_success_is_charged_what_was_decoded_and_never_more_than_was_held() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    // Levels finds half of what the probe said, beats ten times as much.
    world
        .work(runners::runner(|reading, _| async move {
            let ms = if reading.read.name() == "levels" { 30_000 } else { 600_000 };
            Ok(runners::outcome_of(&reading, ms))
        }))
        .await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let started = tenant.client.prepare(&[item], &["levels", "beats"]).await?;
    assert_eq!(books(&started), ["0.35", "999.65", "0.35", "0"]);
    let jobs = tenant.client.ended(&started.job_ids()?).await?;
    assert_eq!(charges(&jobs), "[0.05,0.25]");
    assert_eq!(
        (&jobs[0]["estimated_minutes"], &jobs[0]["result"]),
        (&json!(0.1), &json!({"stored_reads": ["levels"]}))
    );
    let after = tenant.client.prepare(&[item], &["levels"]).await?;
    assert_eq!(books(&after), ["0", "999.7", "0", "0"]);
    world.end().await
}

#[tokio::test]
async fn what_fails_or_is_cancelled_costs_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 2, Media::video(60)).await?;
    let cancelled = tenant.client.prepare(&items[..1], &["transcript"]).await?.job_ids()?;
    tenant.client.tool("cancel_jobs", &json!({ "job_ids": cancelled })).await?.data()?;
    world.work(runners::failing(|| ReadError::Corrupt("it is no media"))).await?;
    let failed = tenant.client.prepare(&items[1..], &["transcript"]).await?.job_ids()?;
    let ended = tenant.client.ended(&[cancelled, failed].concat()).await?;
    assert_eq!(charges(&ended), "[0,0]");
    assert_eq!((&ended[0]["status"], &ended[1]["status"]), (&json!("cancelled"), &json!("failed")));
    let gone = tenant.client.prepare(&["none"], &["levels"]).await?;
    assert_eq!(books(&gone), ["0", "1000", "0", "0"]);
    world.end().await
}

#[tokio::test]
async fn bought_minutes_are_held_and_charged_after_the_months() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant_with("a", Minutes::from_hundredths(150)).await?;
    world.buy(&tenant, Minutes::from_whole(5)).await?;
    let items = world.items(&tenant, 3, Media::video(60)).await?;
    let gate = Gate::closed();
    let started = tenant.client.prepare(&items, &["transcript"]).await?;
    assert_eq!(books(&started), ["3", "0", "3", "3.5"]);
    let split: Vec<(i64, i64)> =
        sqlx::query_as("SELECT held_month, held_bought FROM jobs ORDER BY seq").fetch_all(world.pool()).await?;
    assert_eq!(split, [(100, 0), (50, 50), (0, 100)]);
    // The second decodes 0.75 of its minute: half of it is the month's, and a quarter of a minute goes back to the
    // bought.
    let second = items[1].to_string();
    let passes = gate.clone();
    world
        .work(runners::runner(move |reading, _| {
            let (gate, second) = (passes.clone(), second.clone());
            async move {
                gate.pass(&reading).await;
                Ok(runners::outcome_of(
                    &reading,
                    if reading.media.object_key.contains(&second) { 45_000 } else { 60_000 },
                ))
            }
        }))
        .await?;
    gate.open();
    assert_eq!(charges(&tenant.client.ended(&started.job_ids()?).await?), "[1,0.75,1]");
    let after = tenant.client.prepare(&["none"], &["levels"]).await?;
    assert_eq!(books(&after), ["0", "0", "0", "3.75"]);
    world.end().await
}

#[tokio::test]
async fn reads_start_in_order_while_minutes_last() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant_with("a", Minutes::from_hundredths(215)).await?;
    let items = world.items(&tenant, 3, Media::video(60)).await?;
    let answer = tenant.client.prepare(&items, &["transcript", "levels"]).await?;
    let short = "refused:insufficient_minutes";
    // The third transcript does not fit any more, nor does its cheap neighbour.
    assert_eq!(answer.reads()?, [["queued", "queued"], ["queued", short], [short, short]]);
    assert_eq!(books(&answer), ["2.1", "0.05", "2.1", "0"]);
    world.end().await
}

#[tokio::test]
async fn a_call_that_only_minutes_stop_is_told_so_with_the_minutes() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant_with("a", Minutes::from_hundredths(50)).await?;
    let items = world.items(&tenant, 2, Media::video(60)).await?;
    let refused = tenant.client.prepare_once("k", &items, &["transcript", "search_index"]).await?;
    assert_eq!((refused.status, refused.code()), (402, "insufficient_minutes"));
    let error = &refused.json["error"];
    assert_eq!((&refused.json["ok"], &error["retryable"]), (&json!(false), &json!(false)));
    assert_eq!(
        (&error["cloud_processing"]["left_minutes"], &error["cloud_processing"]["minutes"]),
        (&json!(0.5), &json!(4))
    );
    assert!(error["suggested_action"].is_string());
    assert_eq!(world.count("SELECT count(*) FROM job_reads").await?, 0);
    // What else stops a read, or is there already, makes it an answer. The key was not used up.
    let quiet = world.item(&tenant, Media::silent(60)).await?;
    let mixed = tenant.client.prepare_once("k", &[items[0], quiet], &["transcript"]).await?;
    assert_eq!(mixed.reads()?, [["refused:insufficient_minutes"], ["skipped:no_audio"]]);
    assert_eq!(
        tenant.client.prepare(&items, &["levels", "transcript"]).await?.reads()?,
        vec![vec!["queued", "refused:insufficient_minutes"]; 2]
    );
    world.end().await
}

#[tokio::test]
async fn a_hold_settles_in_the_month_it_was_made_in() -> anyhow::Result<()> {
    let world = World::with(|settings| settings.monthly_minutes = Minutes::from_whole(3)).await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 4, Media::video(60)).await?;
    let old = tenant.client.prepare(&items[..2], &["transcript"]).await?;
    assert_eq!(books(&old), ["2", "1", "2", "0"]);
    world.advance_to_next_month().await?;
    // The new month is whole; what the old one holds is still shown as held.
    let new = tenant.client.prepare(&items[2..], &["transcript"]).await?;
    assert_eq!(books(&new), ["2", "1", "4", "0"]);
    assert_ne!(new.json["data"]["estimate"]["resets_at"], old.json["data"]["estimate"]["resets_at"]);
    world.work(runners::instant()).await?;
    tenant.client.ended(&[old.job_ids()?, new.job_ids()?].concat()).await?;
    assert_eq!(books(&tenant.client.prepare(&items, &["transcript"]).await?), ["0", "1", "0", "0"]);
    world.duty(scheduler::fold_minutes::run_once, "SELECT count(*) FROM minute_unfolded").await?;
    let months: Vec<(i64, i64, i64)> =
        sqlx::query_as("SELECT allowance, used, held FROM minute_buckets ORDER BY month")
            .fetch_all(world.pool())
            .await?;
    assert_eq!(months, [(300, 200, 0), (300, 200, 0)]);
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_at_once_never_hold_more_than_there_is() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant_with("a", Minutes::from_whole(7)).await?;
    world.buy(&tenant, Minutes::from_hundredths(350)).await?;
    let items = world.items(&tenant, 40, Media::video(60)).await?;
    let calls = items.iter().map(|&item| {
        let client = tenant.client.clone();
        async move { let_in(async || client.prepare(&[item], &["transcript"]).await).await }
    });
    let answers = try_join_all(calls).await?;
    let started = answers.iter().filter(|answer| answer.status == 200).count();
    let refused = answers.iter().filter(|answer| answer.status == 402).count();
    assert_eq!((started, refused), (10, 30));
    world.assert_invariants().await?;
    // Ends free what they did not use while other calls hold: still nothing is granted twice.
    world.work(runners::runner(|reading, _| async move { Ok(runners::outcome_of(&reading, 6_000)) })).await?;
    until("some have ended", async || {
        Ok((world.count("SELECT count(*) FROM jobs WHERE status = 'succeeded'").await? > 1).then_some(()))
    })
    .await?;
    let again = items.iter().map(|&item| {
        let client = tenant.client.clone();
        async move { client.prepare(&[item], &["search_index"]).await }
    });
    try_join_all(again).await?;
    let all = world.count("SELECT count(*) FROM jobs").await?;
    until("all jobs have ended", async || {
        Ok((world.count("SELECT count(*) FROM jobs WHERE status = 'succeeded'").await? == all).then_some(()))
    })
    .await?;
    assert!(all > 10, "no call found what the ends had freed");
    world.end().await
}

/// Ends of many accounts are folded together: one whose balance can't take its ends keeps nobody else's.
#[tokio::test]
async fn an_account_whose_ends_are_refused_keeps_no_other_from_being_folded() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (broken, well) = (world.tenant("broken").await?, world.tenant("well").await?);
    for tenant in [&broken, &well] {
        world.item(tenant, Media::audio(60)).await?;
        let held = tenant.client.tool("get_balances", &json!({})).await?;
        assert_eq!(held.status, 200, "{}", held.text);
    }
    // More freed than was ever held, and nothing at all.
    let ends =
        "INSERT INTO minute_unfolded (job_id, account_id, month, month_used, month_freed, bought_used, bought_freed)
        VALUES (gen_random_uuid(), $1, date_trunc('month', mws_now()), 0, $2, 0, $2)";
    sqlx::query(ends).bind(broken.account.uuid()).bind(1_000_000_i64).execute(world.pool()).await?;
    sqlx::query(ends).bind(well.account.uuid()).bind(0_i64).execute(world.pool()).await?;
    scheduler::fold_minutes::run_once(&world.process).await?;
    let left: Vec<sqlx::types::Uuid> =
        sqlx::query_scalar("SELECT account_id FROM minute_unfolded").fetch_all(world.pool()).await?;
    assert_eq!(left, [broken.account.uuid()]);
    sqlx::raw_sql("TRUNCATE minute_unfolded").execute(world.pool()).await?;
    world.end().await
}

#[tokio::test]
async fn jobs_that_end_together_leave_one_row_of_their_account_to_fold() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 3, Media::audio(60)).await?;
    let jobs = tenant.client.prepare(&items, &["levels"]).await?.job_ids()?;
    let held = world.count("SELECT held FROM minute_buckets").await?;
    tenant.client.tool("cancel_jobs", &json!({ "job_ids": jobs })).await?.data()?;
    let released = "SELECT count(*) FROM minute_journal WHERE kind = 'release'";
    assert_eq!(world.count(released).await?, 3, "each has an entry of its own");
    assert_eq!(world.count("SELECT month_freed FROM minute_unfolded").await?, held, "in one row");
    let left = "SELECT count(*) FROM minute_unfolded";
    assert_eq!(world.count(left).await?, 1);
    assert_eq!(world.duty(scheduler::fold_minutes::run_once, left).await?, 1);
    assert_eq!(world.count("SELECT held FROM minute_buckets").await?, 0);
    world.end().await
}

/// As a worker holds it that looks for waiting jobs, once some have ended.
#[tokio::test]
async fn ends_of_an_account_that_another_holds_are_left_to_a_later_fold() -> anyhow::Result<()> {
    let world = World::new().await?;
    for name in ["held", "free"] {
        let tenant = world.tenant(name).await?;
        let item = world.item(&tenant, Media::audio(60)).await?;
        let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
        tenant.client.tool("cancel_jobs", &json!({ "job_ids": job })).await?.data()?;
    }
    let left = "SELECT count(*) FROM minute_unfolded";
    assert_eq!(world.count(left).await?, 2);
    let lock = world.hold("SELECT FROM accounts WHERE name = 'held' FOR NO KEY UPDATE").await?;
    until("the other's end is folded", async || {
        scheduler::fold_minutes::run_once(&world.process).await?;
        Ok((world.count(left).await? == 1).then_some(()))
    })
    .await?;
    assert_eq!(scheduler::fold_minutes::run_once(&world.process).await?, 0, "it is held");
    lock.rollback().await?;
    assert_eq!(world.duty(scheduler::fold_minutes::run_once, left).await?, 1);
    world.end().await
}

#[tokio::test]
async fn a_fold_answers_the_balance_that_is_shown_before_it_and_after() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    world.work(runners::instant()).await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
    tenant.client.ended(&job).await?;
    let monthly = Minutes::from_whole(1_000);
    let mut tx = world.pool().begin().await?;
    let unfolded = "SELECT count(*) FROM minute_unfolded";
    assert_eq!(sqlx::query_scalar::<_, i64>(unfolded).fetch_one(&mut *tx).await?, 1);
    assert!(accounts::lock(&mut tx, tenant.account).await?);
    let before = minutes::balance(&mut tx, tenant.account, monthly).await?;
    let folded = minutes::fold(&mut tx, tenant.account, monthly).await?;
    let after = minutes::balance(&mut tx, tenant.account, monthly).await?;
    assert!(folded.is_some_and(|folded| folded.used > Minutes::ZERO && folded.held == Minutes::ZERO), "{folded:?}");
    let [before, folded, after] = [before, folded, after].map(|balance| format!("{balance:?}"));
    assert_eq!((&before, &after), (&folded, &folded));
    assert_eq!(sqlx::query_scalar::<_, i64>(unfolded).fetch_one(&mut *tx).await?, 0);
    tx.commit().await?;
    world.end().await
}

#[test]
fn the_months_part_is_charged_first_and_never_more_than_was_held() {
    let of = Minutes::from_hundredths;
    let held = Split { month: of(50), bought: of(20) };
    assert_eq!(Split::of(of(30), held), Split { month: of(30), bought: of(0) });
    assert_eq!(Split::of(of(60), held), Split { month: of(50), bought: of(10) });
    assert_eq!(Split::of(of(99), held), Split { month: of(50), bought: of(20) });
}
