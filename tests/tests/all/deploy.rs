//! What `deploy` has is sound by the checkers of its formats, and names what the service has: `scripts/deploy-check`.

use mws_tests::clients;
use mws_tests::world::{Media, World};
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
    assert_eq!(said.lines().filter(|line| line.starts_with("ok ")).count(), 15, "{said}");
    world.end().await
}
