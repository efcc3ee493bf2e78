//! `mws doctor` on a database, as an operator runs it: the program itself.

use mws_tests::world::World;
use serde_json::Value;
use std::path::Path;
use std::process::Output;
use tokio::process::Command;

/// `mws doctor` on one check alone.
async fn doctor(world: &World, only: &str) -> anyhow::Result<Output> {
    let folder = tempfile::tempdir()?;
    Ok(command(world, only, folder.path()).output().await?)
}

/// The same, not started yet, with its data in this folder.
fn command(world: &World, only: &str, folder: &Path) -> Command {
    let mut command = every(world, folder);
    command.args(["--only", only]);
    command
}

/// `mws doctor` on everything, not started yet.
fn every(world: &World, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mws"));
    command.arg("doctor").env_clear().env("MWS_DATA_DIR", folder);
    command.env("DATABASE_URL", world.database_url());
    command.envs([("MWS_SECRET_KEY", "k"), ("MWS_OPERATOR_TOKEN", "o"), ("MWS_DEFAULT_WEBHOOK_SECRET", "d")]);
    command
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_that_there_is_none_of_is_refused_with_all_that_there_are() -> anyhow::Result<()> {
    let (world, folder) = (World::new().await?, tempfile::tempdir()?);
    let refused = doctor(&world, "engines,workers").await?;
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(2) && said.contains("'engines,workers'"), "{refused:?}");
    let told = said.split_once("[possible values: ").and_then(|(_, rest)| rest.split_once(']'));
    let told: Vec<&str> = told.unwrap_or_default().0.split(',').map(str::trim).collect();

    let all = every(&world, folder.path()).arg("--json").output().await?;
    let all: Value = serde_json::from_slice(&all.stdout)?;
    let made = all["data"].as_array().into_iter().flatten().filter_map(|finding| finding["check"].as_str());
    // No models are configured, of which `providers` could tell.
    let told: Vec<&str> = told.into_iter().filter(|check| *check != "providers").collect();
    assert_eq!(made.collect::<Vec<_>>(), told, "{said}");
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rule_that_is_broken_is_found_at_once_and_named_with_its_row() -> anyhow::Result<()> {
    let world = World::new().await?;
    let well = doctor(&world, "invariants").await?;
    let said = String::from_utf8_lossy(&well.stdout);
    let all = "11 rules of the newest and live rows hold; `journal` checks `balances`";
    assert!(well.status.success() && said.contains(all), "{well:?}");

    sqlx::query("INSERT INTO job_claims (job_id, claim_no, worker) VALUES (gen_random_uuid(), 1, 'w')")
        .execute(world.pool())
        .await?;
    let broken = doctor(&world, "invariants").await?;
    let said = String::from_utf8_lossy(&broken.stdout);
    assert!(!broken.status.success() && said.contains("`leases` of one row, such as job_"), "{broken:?}");
    let summed = String::from_utf8_lossy(&broken.stderr);
    assert!(summed.contains("1 problem, 0 warnings, 0 fine"), "{broken:?}");

    sqlx::query("DELETE FROM job_claims").execute(world.pool()).await?;
    assert!(doctor(&world, "invariants").await?.status.success());
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_was_killed_is_told_as_past_once_another_goes_on_with_its_work() -> anyhow::Result<()> {
    let world = World::new().await?;
    sqlx::raw_sql(
        "DELETE FROM workers;
         INSERT INTO workers (name, host, service, version, started_at, beat_at) VALUES
             ('s1', 'a', 'scheduler', '1', mws_now() - interval '1 day', mws_now()),
             ('w1', 'a', 'worker', '1', mws_now() - interval '1 day', mws_now()),
             ('w2', 'a', 'worker', '1', mws_now() - interval '1 day', mws_now() - interval '2 minutes')",
    )
    .execute(world.pool())
    .await?;
    let killed = doctor(&world, "workers").await?;
    let said = String::from_utf8_lossy(&killed.stdout);
    assert!(said.contains("1 worker, 1 scheduler; worker w2 silent for"), "{killed:?}");
    assert!(said.contains("none was started in its place"), "{killed:?}");
    let summed = String::from_utf8_lossy(&killed.stderr);
    assert!(summed.contains("0 problems, 1 warning, 0 fine"), "{killed:?}");

    sqlx::query("UPDATE workers SET started_at = mws_now() - interval '1 minute' WHERE name = 'w1'")
        .execute(world.pool())
        .await?;
    let followed = doctor(&world, "workers").await?;
    let said = String::from_utf8_lossy(&followed.stdout);
    assert!(said.contains("1 worker, 1 scheduler. One process ended without a word at "), "{followed:?}");
    assert!(said.contains("its work was taken over"), "{followed:?}");
    assert!(String::from_utf8_lossy(&followed.stderr).contains("0 problems, 0 warnings, 1 fine"), "{followed:?}");
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_is_off_is_named_with_its_process_and_a_problem_where_it_is_far_off() -> anyhow::Result<()> {
    let world = World::new().await?;
    let found = async |ahead_ms: i64| -> anyhow::Result<(Option<i32>, String)> {
        let told =
            "INSERT INTO workers (name, host, service, version, clock_ahead_ms) VALUES ('w1', 'b', 'worker', '1', $1)
             ON CONFLICT (name) DO UPDATE SET clock_ahead_ms = $1, beat_at = mws_now()";
        sqlx::query(told).bind(ahead_ms).execute(world.pool()).await?;
        let done = doctor(&world, "clock").await?;
        let said = [&done.stdout, &done.stderr].map(|said| String::from_utf8_lossy(said).into_owned());
        Ok((done.status.code(), said.concat()))
    };
    let far = found(600_000).await?;
    assert!(far.0 == Some(1) && far.1.contains("The clock of worker w1 is 10 min ahead of the database's"), "{far:?}");
    let near = found(-5_000).await?;
    assert!(near.0 == Some(0) && near.1.contains("The clock of worker w1 is 5 s behind the database's"), "{near:?}");
    assert!(near.1.contains("0 problems, 1 warning, 0 fine"), "{near:?}");
    let well = found(400).await?;
    assert!(well.0 == Some(0) && well.1.contains("ms of the database's"), "{well:?}");
    assert!(well.1.contains("0 problems, 0 warnings, 1 fine"), "{well:?}");
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_nothing_runs_it_says_so_and_what_starts_it_and_fails() -> anyhow::Result<()> {
    let world = World::new().await?;
    let found = async |rows: &str, words: [&str; 2]| -> anyhow::Result<()> {
        sqlx::raw_sql(sqlx::AssertSqlSafe(format!("DELETE FROM workers; {rows}"))).execute(world.pool()).await?;
        let done = doctor(&world, "workers").await?;
        let said = String::from_utf8_lossy(&done.stdout);
        anyhow::ensure!(words.iter().all(|words| said.contains(words)), "{rows}: {done:?}");
        anyhow::ensure!(done.status.code() == Some(1), "{rows}: {done:?}");
        anyhow::ensure!(String::from_utf8_lossy(&done.stderr).contains("to be put right: workers"), "{rows}: {done:?}");
        Ok(())
    };
    found("", ["0 workers, 0 schedulers: nothing is running", "`mws up`"]).await?;
    let live = |service: &str| {
        format!("INSERT INTO workers (name, host, service, version) VALUES ('p', 'a', '{service}', '1')")
    };
    found(&live("api"), ["0 workers, 0 schedulers: an api runs", "`mws-worker`"]).await?;
    found(&live("worker"), ["1 worker, 0 schedulers", "`mws-scheduler`"]).await?;
    found(&live("scheduler"), ["0 workers, 1 scheduler", "`mws-worker`"]).await?;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whether_operators_are_told_anywhere_is_a_check_with_how_the_last_message_went() -> anyhow::Result<()> {
    let world = World::new().await?;
    let unset = doctor(&world, "notices").await?;
    let said = String::from_utf8_lossy(&unset.stdout);
    assert!(unset.status.success() && said.contains("no endpoint of operators is set here"), "{unset:?}");

    let url = ("MWS_OPERATOR_WEBHOOK_URL", "https://ops.example.com/mws");
    let with = async |variables: &[(&str, &str)]| {
        let folder = tempfile::tempdir()?;
        let mut doctor = command(&world, "notices", folder.path());
        anyhow::Ok(doctor.envs(variables.iter().copied()).output().await?)
    };
    let without_secret = with(&[url]).await?;
    let said = String::from_utf8_lossy(&without_secret.stdout);
    assert!(!without_secret.status.success() && said.contains("MWS_OPERATOR_WEBHOOK_SECRET is not"), "{said}");

    store::operator_notices::refused(&mut *world.pool().acquire().await?, "it answered with status 500").await?;
    let refused = with(&[url, ("MWS_OPERATOR_WEBHOOK_SECRET", "0123456789abcdef")]).await?;
    let said = String::from_utf8_lossy(&refused.stdout);
    assert!(said.contains("it answered with status 500; notices wait: 0; no message was accepted yet"), "{said}");
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_answers_nothing_is_warned_of_with_its_model_and_since_when() -> anyhow::Result<()> {
    let (world, folder) = (World::new().await?, tempfile::tempdir()?);
    sqlx::query(
        "INSERT INTO generation_makers (name, version, failing_since, failed_at)
         VALUES ('painter', '1', mws_now() - interval '5 minutes', mws_now()),
                ('removed', '1', mws_now() - interval '5 minutes', mws_now())",
    )
    .execute(world.pool())
    .await?;
    let file = folder.path().join("providers.toml");
    std::fs::write(
        &file,
        "[[model]]\nid = \"painter\"\nkind = \"image\"\ndialect = \"cog\"\nurl = \"http://127.0.0.1:9\"\n\
         price = { per = \"call\", credits = 2.5 }\n",
    )?;
    let configured = async || command(&world, "providers", folder.path()).env("MWS_PROVIDERS", &file).output().await;
    let failing = configured().await?;
    let said = String::from_utf8_lossy(&failing.stdout);
    assert!(said.contains("1 model: painter; the provider of painter has answered nothing since 2"), "{failing:?}");
    assert!(said.contains("`key_file` in the file that MWS_PROVIDERS names") && !said.contains("removed"), "{said}");
    let summed = String::from_utf8_lossy(&failing.stderr);
    assert!(failing.status.success() && summed.contains("0 problems, 1 warning, 0 fine"), "{failing:?}");

    // A machine without the file tells what the database has of all workers' models.
    let elsewhere = doctor(&world, "providers").await?;
    let said = String::from_utf8_lossy(&elsewhere.stdout);
    assert!(said.contains("no models are configured here; the provider of painter has answered"), "{elsewhere:?}");

    store::generations::note_answer(&mut *world.pool().acquire().await?, "painter", true).await?;
    let well = configured().await?;
    let said = String::from_utf8_lossy(&well.stdout);
    assert!(said.contains("1 model: painter\n") && !said.contains("answered nothing"), "{well:?}");
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_media_folder_than_the_databases_is_a_problem_and_nothing_is_written_there() -> anyhow::Result<()> {
    let (world, folder) = (World::new().await?, tempfile::tempdir()?);
    let own = command(&world, "media", &world.settings.data_dir).output().await?;
    let said = String::from_utf8_lossy(&own.stdout);
    assert!(own.status.success() && said.contains("/media: written, read and deleted"), "{own:?}");

    let media = folder.path().join("media");
    for is_there in [false, true] {
        if is_there {
            std::fs::create_dir(&media)?;
        }
        let other = command(&world, "media", folder.path()).output().await?;
        let said = String::from_utf8_lossy(&other.stdout);
        let named = said.contains("/media is not the one that this database's media is in");
        assert!(other.status.code() == Some(1) && named && said.contains("fix: mount the share"), "{other:?}");
        assert_eq!(media.exists(), is_there, "it is not made");
    }
    assert_eq!(std::fs::read_dir(&media)?.count(), 0);
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_migration_that_failed_is_named_with_what_the_database_said_and_how_to_try_again() -> anyhow::Result<()> {
    let world = World::new().await?;
    let schema = async |words: &[&str]| -> anyhow::Result<Option<i32>> {
        let looked = doctor(&world, "schema").await?;
        let said = String::from_utf8_lossy(&looked.stdout);
        anyhow::ensure!(words.iter().all(|words| said.contains(words)), "{words:?}: {looked:?}");
        Ok(looked.status.code())
    };
    // What the database has of this migration is in the way of it, as where somebody made a table by hand.
    sqlx::query("DELETE FROM _sqlx_migrations WHERE version = 111").execute(world.pool()).await?;
    let behind = "1 migration behind this build";
    assert_eq!(schema(&[behind, "fix: start any of the services"]).await?, Some(1));
    assert!(store::migrate(world.pool()).await.is_err());
    let failed = format!("{behind}; migration 111 failed ");
    assert_eq!(
        schema(&[failed.as_str(), " ago: relation \"service_totals\" already exists", "`mws migrate`"]).await?,
        Some(1)
    );

    sqlx::query("DROP TABLE service_totals").execute(world.pool()).await?;
    store::migrate(world.pool()).await?;
    assert_eq!(schema(&["up to date\n"]).await?, Some(0));
    // A release to come failed to start.
    sqlx::query("UPDATE migration_failures SET version = 9999").execute(world.pool()).await?;
    assert_eq!(schema(&["up to date; migration 9999 failed ", "`mws migrate`"]).await?, Some(0));
    world.end().await
}
