//! `mws doctor` on a database, as an operator runs it: the program itself.

use mws_tests::world::World;
use std::process::Output;
use tokio::process::Command;

/// `mws doctor` on the invariants alone.
async fn doctor(world: &World) -> anyhow::Result<Output> {
    let folder = tempfile::tempdir()?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_mws"));
    command.args(["doctor", "--only", "invariants"]).env_clear().env("MWS_DATA_DIR", folder.path());
    command.env("DATABASE_URL", world.database_url());
    command.envs([("MWS_SECRET_KEY", "k"), ("MWS_OPERATOR_TOKEN", "o"), ("MWS_DEFAULT_WEBHOOK_SECRET", "d")]);
    Ok(command.output().await?)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rule_that_is_broken_is_found_at_once_and_named_with_its_row() -> anyhow::Result<()> {
    let world = World::new().await?;
    let well = doctor(&world).await?;
    let said = String::from_utf8_lossy(&well.stdout);
    let all = "11 rules of the newest and live rows hold; `journal` checks `balances`";
    assert!(well.status.success() && said.contains(all), "{well:?}");

    sqlx::query("INSERT INTO job_claims (job_id, claim_no, worker) VALUES (gen_random_uuid(), 1, 'w')")
        .execute(world.pool())
        .await?;
    let broken = doctor(&world).await?;
    let said = String::from_utf8_lossy(&broken.stdout);
    assert!(!broken.status.success() && said.contains("`leases` of one row, such as job_"), "{broken:?}");
    let summed = String::from_utf8_lossy(&broken.stderr);
    assert!(summed.contains("1 problem, 0 warnings, 0 fine"), "{broken:?}");

    sqlx::query("DELETE FROM job_claims").execute(world.pool()).await?;
    assert!(doctor(&world).await?.status.success());
    world.end().await
}
