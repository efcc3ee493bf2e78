//! What `deploy` has is sound by the checkers of its formats, and names what the service has: `scripts/deploy-check`.

use mws_tests::clients;
use mws_tests::world::{Media, World, until};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use tempfile::NamedTempFile;

#[tokio::test]
async fn what_is_deployed_is_sound_and_names_metrics_that_are_there() -> anyhow::Result<()> {
    let world = World::new().await?;
    let recorder = runtime::measure::recorder()?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 1, Media::video(60)).await?;
    tenant.client.prepare(&items, &["levels"]).await?;
    scheduler::check_ledger::run_once(&world.process).await?;
    scheduler::reseal::run_once(&world.process).await?;
    scheduler::measure_queues::run_once(&world.process).await?;
    let page = NamedTempFile::new()?;
    std::fs::write(page.path(), recorder.render())?;
    let mut check = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/deploy-check"));
    check.arg("--metrics").arg(page.path()).env("CI", "1");
    let said = clients::run(check).await?;
    assert_eq!(said.lines().filter(|line| line.starts_with("ok ")).count(), 17, "{said}");
    world.end().await
}

/// What a gauge of the duties says of each.
fn of_duties(gauge: &str) -> anyhow::Result<BTreeMap<String, f64>> {
    let page = runtime::measure::recorder()?.render();
    let begins = format!("{gauge}{{duty=\"");
    let lines = page.lines().filter_map(|line| line.strip_prefix(&begins)?.split_once("\"} "));
    lines.map(|(duty, value)| Ok((duty.to_owned(), value.parse()?))).collect()
}

#[tokio::test]
async fn every_duty_tells_how_often_it_is_done_and_when_it_last_was() -> anyhow::Result<()> {
    let world = World::new().await?;
    let scheduler = world.scheduler().await?;
    until("each duty has succeeded", async || {
        let (every, done) = (of_duties("mws_duty_every_seconds")?, of_duties("mws_duty_last_success_seconds")?);
        Ok((every.len() > 20 && every.keys().eq(done.keys())).then_some(()))
    })
    .await?;
    let every = of_duties("mws_duty_every_seconds")?;
    assert_eq!((every.get("prune"), every.get("sweep_writes")), (Some(&30.0), Some(&3_600.0)));
    scheduler.stop().await?;
    world.end().await
}
