//! A process whose clock is off is named by whichever api is asked: each writes by how much when it says that it lives.

use crate::console::signed_in;
use crate::operators::{BO, get, stage};
use mws_tests::world::{runners, until};
use serde_json::{Value, json};
use store::fleet::{self, Capacity, Member, Service};

#[tokio::test]
async fn a_clock_that_is_off_on_another_host_is_named_in_the_verdict_and_on_the_page_of_the_fleet() -> anyhow::Result<()>
{
    let (world, anna) = stage().await?;
    world.work(runners::instant()).await?;
    until("the worker has told of its clock, which is the database's", async || {
        let told = "SELECT count(*) FROM workers WHERE service = 'worker' AND abs(clock_ahead_ms) <= 1000";
        Ok((world.count(told).await? == 1).then_some(()))
    })
    .await?;
    // The report, with another worker that has just said by how much its clock is off.
    let told = async |clock_ahead_ms: i64| -> anyhow::Result<Value> {
        let clock_ahead_ms = Some(clock_ahead_ms);
        let mut conn = world.pool().acquire().await?;
        let scheduler = Member { name: "here", host: "a", service: Service::Scheduler, clock_ahead_ms: None };
        fleet::beat(&mut conn, scheduler).await?;
        let worker = Member { name: "elsewhere", host: "b", service: Service::Worker, clock_ahead_ms };
        fleet::join(&mut conn, worker, &[], Capacity::default()).await?;
        get(&anna, "/operator/report").await
    };
    let ahead = told(600_000).await?;
    let liveness = &ahead["axes"][4];
    assert_eq!((&liveness["state"], &liveness["next"]), (&json!("failing"), &json!("mws doctor --only clock")));
    assert_eq!(liveness["sentence"], "The clock of worker elsewhere is 10 min ahead of the database's.", "{ahead:#}");
    let worker = ahead["load"]["workers"].as_array().into_iter().flatten().find(|one| one["name"] == "elsewhere");
    assert_eq!(worker.map(|one| &one["clock_ahead_ms"]), Some(&json!(600_000)), "{ahead:#}");
    assert_eq!(ahead["load"]["schedulers"][0]["clock_ahead_ms"], Value::Null, "it did not tell: {ahead:#}");

    let (_, page) = signed_in(&world, BO).await?.get("/console/fleet").await?;
    let first = page.split("<tbody>").nth(1).and_then(|rows| rows.split("</tr>").next()).unwrap_or_default();
    let narrow = "<div class=\"instead wide\"><span class=\"soft\">Name: </span>elsewhere</div>";
    assert!(first.contains(narrow) && first.contains("clock 10 min ahead"), "{first}");

    let behind = told(-2_000).await?;
    assert_eq!(behind["axes"][4]["state"], "degraded", "{behind:#}");
    let sentence = behind["axes"][4]["sentence"].as_str().unwrap_or_default();
    assert!(sentence.ends_with("elsewhere is 2 s behind the database's."), "{behind:#}");
    sqlx::query("UPDATE workers SET beat_at = mws_now() - interval '31 seconds' WHERE name = 'elsewhere'")
        .execute(world.pool())
        .await?;
    let silent = get(&anna, "/operator/report").await?;
    assert!(!silent["axes"][4].to_string().contains("clock"), "its clock is not known any more: {silent:#}");
    world.end().await
}
