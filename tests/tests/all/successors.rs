//! A process that was killed is past once another went on with its work, also when that one has stopped since.

use crate::console::signed_in;
use crate::operators::{ANNA, get, stage};
use mws_tests::world::{Client, World, runners, until};
use serde_json::{Value, json};
use store::fleet::{self, Member, Service};

/// The verdict on what lives: its state and its sentence.
async fn liveness(anna: &Client) -> anyhow::Result<(Value, String)> {
    let report = get(anna, "/operator/report").await?;
    let axis = &report["axes"][4];
    assert_eq!(axis["axis"], "liveness", "{report:#}");
    Ok((axis["state"].clone(), axis["sentence"].as_str().unwrap_or_default().to_owned()))
}

/// The row of the process `killed` on the console's page of the fleet.
async fn row_of_killed(world: &World) -> anyhow::Result<String> {
    let (_, page) = signed_in(world, ANNA).await?.get("/console/fleet").await?;
    let row = page.split("</tr>").find(|row| row.contains(">killed</td>"));
    Ok(row.unwrap_or_default().to_owned())
}

/// Waits until so many processes have told that they live, and have not stopped.
async fn told(world: &World, many: i64) -> anyhow::Result<()> {
    until("so many processes have told", async || {
        Ok((world.count("SELECT count(*) FROM workers").await? == many).then_some(()))
    })
    .await
}

#[tokio::test]
async fn a_killing_stays_past_when_the_successor_stops_and_counts_again_if_the_killed_one_comes_back()
-> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    world.work(runners::instant()).await?;
    told(&world, 1).await?;
    sqlx::raw_sql(
        "UPDATE workers SET started_at = mws_now() - interval '1 day';
         INSERT INTO workers (name, host, service, version, started_at, beat_at) VALUES
             ('schedules', 'a', 'scheduler', '1', mws_now() - interval '1 day', mws_now()),
             ('killed', 'a', 'worker', '1', mws_now() - interval '1 day', mws_now() - interval '5 minutes')",
    )
    .execute(world.pool())
    .await?;
    let alone = liveness(&anna).await?;
    assert!(alone.0 == "degraded" && alone.1.ends_with("none was started in its place: killed."), "{alone:?}");

    let row = row_of_killed(&world).await?;
    assert!(row.contains("silent") && row.contains(" of ") && !row.contains("taken over"), "{row}");

    let successor = world.worker(runners::instant()).await?;
    told(&world, 4).await?;
    let past = liveness(&anna).await?;
    assert!(past.0 == "healthy" && past.1.contains(" One process ended without a word at "), "{past:?}");
    let row = row_of_killed(&world).await?;
    assert!(row.contains("its work was taken over") && !row.contains("silent") && !row.contains(" of "), "{row}");
    successor.stop().await?;
    told(&world, 3).await?;
    assert_eq!(liveness(&anna).await?, past, "whoever stopped the successor had it stopped");

    // It was cut off, not killed: what it did then is told anew when it falls silent again.
    let mut conn = world.pool().acquire().await?;
    let killed = Member { name: "killed", host: "a", service: Service::Worker, clock_ahead_ms: None };
    fleet::beat(&mut conn, killed).await?;
    assert_eq!(liveness(&anna).await?.0, "healthy", "it lives");
    sqlx::query("UPDATE workers SET beat_at = mws_now() - interval '1 minute' WHERE name = 'killed'")
        .execute(&mut *conn)
        .await?;
    drop(conn);
    let again = liveness(&anna).await?;
    assert!(again.0 == json!("degraded") && again.1.ends_with("in its place: killed."), "{again:?}");
    world.end().await
}

#[tokio::test]
async fn a_process_that_stops_leaves_also_where_it_cannot_look_whose_place_it_took() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let worker = world.worker(runners::instant()).await?;
    told(&world, 1).await?;
    sqlx::raw_sql("ALTER TABLE job_claims RENAME TO job_claims_away").execute(world.pool()).await?;
    assert!(worker.stop().await.is_err(), "it says that it could not look");
    sqlx::raw_sql("ALTER TABLE job_claims_away RENAME TO job_claims").execute(world.pool()).await?;
    assert_eq!(world.count("SELECT count(*) FROM workers").await?, 0, "it has stopped normally");
    world.end().await
}
