//! Notices to the operators' own endpoint: sent once a matter begins, gets worse or is over, until they are accepted,
//! and apart from the customers' deliveries.

use crate::operators::work::deliveries;
use crate::operators::{ANNA, done};
use anyhow::Context;
use domain::notice::NoticeKind;
use domain::signature;
use mws_tests::world::{Media, Receiver, Tenant, World, runners, until};
use scheduler::{check_ledger, tell_operators};
use serde_json::{Value, json};
use std::time::Duration;
use store::{notices, operator_notices};

const SECRET: &str = "whsec_of-the-operators-own-endpoint";
/// From one turn of the duty to the next.
const TURN: Duration = Duration::from_secs(15);
/// Longer than a matter has to be away before it is over.
const AWAY: Duration = Duration::from_mins(6);

/// A service whose operators are told at `operators`, and have a token.
async fn told_at(operators: &Receiver) -> anyhow::Result<World> {
    let url = operators.url.clone();
    World::with(|settings| {
        settings.operator_webhook_url = Some(url);
        settings.operator_webhook_secret = Some(SECRET.to_owned().into());
        settings.operator_tokens = Some(format!("anna:act:{ANNA}").into());
    })
    .await
}

/// The notices of a kind that a receiver was sent so far, in their order.
fn notices(operators: &Receiver, kind: &str) -> Vec<Value> {
    let bodies = operators.received().into_iter().map(|message| message.json());
    let all = bodies.flat_map(|body| body["data"]["notices"].as_array().cloned().unwrap_or_default());
    all.filter(|notice| notice["kind"] == kind).collect()
}

/// Takes the next turn of the duty.
async fn turn(world: &World, after: Duration) -> anyhow::Result<()> {
    world.advance(after).await?;
    assert_eq!(tell_operators::run_once(&world.process).await?, 0);
    Ok(())
}

/// Has the tenant's endpoint fail once more, after it has failed so often.
async fn fail_once_more(world: &World, tenant: &Tenant, before: i32, read: &str) -> anyhow::Result<()> {
    sqlx::query("UPDATE webhook_endpoints SET consecutive_failures = $1").bind(before).execute(world.pool()).await?;
    let item = world.item(tenant, Media::audio(60)).await?;
    let job = tenant.client.prepare(&[item], &[read]).await?.job_ids()?;
    tenant.client.ended(&job).await?;
    until("one more attempt has failed", async || {
        let failures = world.count("SELECT consecutive_failures::bigint FROM webhook_endpoints").await?;
        Ok((failures > i64::from(before)).then_some(()))
    })
    .await
}

#[tokio::test]
async fn an_endpoint_that_dies_is_told_of_in_the_next_turn_until_it_is_accepted_and_when_it_is_over()
-> anyhow::Result<()> {
    let operators = Receiver::start()?;
    let world = told_at(&operators).await?;
    world.work(runners::instant()).await?;
    let tenant = world.tenant("a").await?;
    // Nothing listens there.
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/dead").await?;
    fail_once_more(&world, &tenant, 9, "levels").await?;

    // A receiver that refuses gets the same notice again, and none once it has accepted it.
    operators.answer(500);
    turn(&world, TURN).await?;
    assert_eq!(tell_operators::run_once(&world.process).await?, 0, "the turn is taken");
    assert_eq!(operators.received().len(), 1);
    let mut conn = world.pool().acquire().await?;
    let posts = operator_notices::posts(&mut conn).await?;
    assert_eq!(posts.refusal.as_deref(), Some("it answered with status 500"));
    assert!(posts.accepted_at.is_none() && posts.waiting > 0, "{posts:?}");
    operators.answer(200);
    turn(&world, TURN).await?;
    turn(&world, TURN).await?;
    let told = notices(&operators, "endpoint_failures");
    let [first, again] = &told[..] else { anyhow::bail!("{told:#?}") };
    assert_eq!(first, again);
    assert_eq!(
        (&first["subject"], &first["percent"], &first["status"]),
        (&json!(endpoint), &json!(50), &json!("open"))
    );
    assert_eq!(first["next"], format!("mws admin webhooks ping {endpoint}"));
    let posts = operator_notices::posts(&mut conn).await?;
    assert!(posts.accepted_at.is_some() && posts.refused_at.is_none(), "{posts:?}");
    assert!(notices(&operators, "axis").iter().any(|one| one["subject"] == "delivery"), "its axis is degraded");

    // A worse step is another notice, and so is the end.
    fail_once_more(&world, &tenant, 19, "speech").await?;
    turn(&world, TURN).await?;
    let told = notices(&operators, "endpoint_failures");
    let disabled = told.get(2).context("nothing was told of the end")?;
    assert!(told.len() == 3 && disabled["percent"] == 100 && disabled["id"] != first["id"], "{told:#?}");
    sqlx::query(
        "UPDATE webhook_endpoints SET enabled = true, consecutive_failures = 0, disabled_reason = NULL, disabled_at = NULL",
    )
    .execute(world.pool())
    .await?;
    turn(&world, TURN).await?;
    assert_eq!(notices(&operators, "endpoint_failures").len(), 3, "it may come back");
    sqlx::query("UPDATE webhook_endpoints SET consecutive_failures = 0").execute(world.pool()).await?;
    turn(&world, AWAY).await?;
    turn(&world, TURN).await?;
    let told = notices(&operators, "endpoint_failures");
    let over = told.get(3).context("nothing was told of the end")?;
    assert!(told.len() == 4 && over["status"] == "over" && over["next"].is_null(), "{told:#?}");
    let left = operator_notices::subjects(&mut conn, NoticeKind::EndpointFailures).await?;
    assert!(left.is_empty(), "{left:?}");
    drop(conn);
    world.end().await
}

#[tokio::test]
async fn a_message_is_signed_as_a_customers_webhook_and_each_step_of_used_minutes_is_one_notice() -> anyhow::Result<()>
{
    let operators = Receiver::start()?;
    let world = told_at(&operators).await?;
    let anna = world.client(Some(ANNA.to_owned()));
    world.work(runners::instant()).await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    // A tenth of a minute.
    let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
    tenant.client.ended(&job).await?;
    turn(&world, TURN).await?;
    assert!(notices(&operators, "minutes").is_empty());
    let minutes = format!("/operator/accounts/{}/minutes", tenant.account);
    for (allowance, percent) in [(0.2, 50), (0.2, 50), (0.1, 100), (0.2, 100)] {
        done(&anna, "POST", &minutes, &json!({ "kind": "allowance", "minutes": allowance }), 200).await?;
        assert_eq!(check_ledger::run_once(&world.process).await?, 0);
        turn(&world, TURN).await?;
        let told = notices(&operators, "minutes");
        assert_eq!(told.last().context("nothing was told")?["percent"], percent, "{told:#?}");
        assert_eq!(told.len(), if percent == 50 { 1 } else { 2 }, "less is no news: {told:#?}");
    }
    let message = operators.received().remove(0);
    assert_eq!(
        (message.header("service-event"), message.header("content-type")),
        ("operator.notice", "application/json")
    );
    assert_eq!(message.header("service-delivery"), message.json()["id"]);
    let signed = message.header("service-signature");
    let at: i64 = signed.strip_prefix("t=").and_then(|rest| rest.split(',').next()).context("no time")?.parse()?;
    signature::verify(signed, &message.body, &[SECRET], at, 0)?;
    assert!(signature::verify(signed, &message.body, &["another-secret-of-them"], at, 0).is_err());

    // What nothing changes for a month is deleted, and told anew where it still is so.
    world.advance(Duration::from_hours(31 * 24)).await?;
    operator_notices::prune(&mut *world.pool().acquire().await?).await?;
    assert_eq!(world.count("SELECT count(*) FROM operator_notices").await?, 0);
    world.end().await
}

#[tokio::test]
async fn half_of_an_endpoints_deliveries_that_fail_are_told_although_some_arrive() -> anyhow::Result<()> {
    let operators = Receiver::start()?;
    let world = told_at(&operators).await?;
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    deliveries(&world, &tenant, endpoint, &[("succeeded", ""); 11]).await?;
    deliveries(&world, &tenant, endpoint, &[("failed", "timeout"); 9]).await?;
    turn(&world, TURN).await?;
    assert!(notices(&operators, "endpoint_rate").is_empty(), "9 of 20");
    deliveries(&world, &tenant, endpoint, &[("failed", "timeout"); 2]).await?;
    turn(&world, TURN).await?;
    let told = notices(&operators, "endpoint_rate");
    let [half] = &told[..] else { anyhow::bail!("{told:#?}") };
    assert_eq!((&half["subject"], &half["percent"]), (&json!(endpoint), &json!(50)));
    assert!(half["sentence"].as_str().is_some_and(|said| said.contains("11 failed")), "{half}");
    deliveries(&world, &tenant, endpoint, &[("succeeded", ""); 5]).await?;
    turn(&world, TURN).await?;
    turn(&world, AWAY).await?;
    let told = notices(&operators, "endpoint_rate");
    assert_eq!(told.last().context("nothing was told")?["status"], "over", "{told:#?}");
    assert!(notices(&operators, "endpoint_failures").is_empty(), "it is not about to be disabled");
    world.end().await
}

#[tokio::test]
async fn what_stands_keeps_nothing_new_from_being_found() -> anyhow::Result<()> {
    let operators = Receiver::start()?;
    let world = told_at(&operators).await?;
    let anna = world.client(Some(ANNA.to_owned()));
    let (one, two) = (world.tenant("one").await?, world.tenant("two").await?);
    let known = world.endpoint(&one, "http://127.0.0.1:9/known").await?;
    let new = world.endpoint(&two, "http://127.0.0.1:9/new").await?;
    for (tenant, endpoint) in [(&one, known), (&two, new)] {
        deliveries(&world, tenant, endpoint, &[("failed", "timeout"); 20]).await?;
        let item = world.item(tenant, Media::audio(60)).await?;
        tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
        let minutes = format!("/operator/accounts/{}/minutes", tenant.account);
        done(&anna, "POST", &minutes, &json!({ "kind": "allowance", "minutes": 0.2 }), 200).await?;
    }
    assert_eq!(check_ledger::run_once(&world.process).await?, 0);
    // What is known fills the limit by itself.
    let mut conn = world.pool().acquire().await?;
    let rates = notices::wavering_endpoints(&mut conn, &[known], 1).await?;
    assert_eq!(rates.iter().map(|rate| rate.id).collect::<Vec<_>>(), [known, new]);
    let used = notices::used_minutes(&mut conn, &[one.account], 1).await?;
    assert_eq!(used.iter().map(|used| used.id).collect::<Vec<_>>(), [one.account, two.account]);
    sqlx::query("UPDATE webhook_endpoints SET consecutive_failures = 12").execute(&mut *conn).await?;
    let failing = notices::failing_endpoints(&mut conn, &[known], 1).await?;
    assert_eq!(failing.iter().map(|failing| failing.id).collect::<Vec<_>>(), [known, new]);
    // Of what is new no more than the limit is found.
    assert_eq!(notices::failing_endpoints(&mut conn, &[], 1).await?.len(), 1);
    drop(conn);
    world.end().await
}

#[tokio::test]
async fn where_no_endpoint_is_set_nothing_is_looked_at() -> anyhow::Result<()> {
    let world = World::new().await?;
    assert_eq!(tell_operators::run_once(&world.process).await?, 0);
    let turns = "SELECT count(*) FROM operator_notice_posts WHERE turn_at IS NOT NULL";
    assert_eq!(world.count(turns).await?, 0);
    world.end().await
}
