//! A process keeps media in the folder that its database's media is in, or does not start: it would end jobs for good
//! because it does not find their media (docs/operations.md, "Several processes and one media folder").

use anyhow::Context;
use domain::ids::MediaFolderId;
use futures_util::future::try_join_all;
use mws_tests::world::{World, until};
use runtime::config::Settings;
use runtime::media::MARKER;
use runtime::process::Process;
use runtime::start_error::StartError;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use store::{PoolSize, media_folder};

/// Starts a process, and ends it.
async fn start(settings: &Settings) -> Result<(), StartError> {
    let process = Process::start(settings.clone(), PoolSize(2), "worker").await?;
    process.shutdown.cancel();
    process.pool.close().await;
    Ok(())
}

/// What a process says that is refused.
async fn refused(settings: &Settings) -> anyhow::Result<String> {
    Ok(start(settings).await.err().context("it was not refused")?.to_string())
}

/// The settings of a process that keeps media there.
fn keeping(world: &World, store: String) -> Settings {
    Settings { media_store: Some(store), ..world.settings.clone() }
}

/// The id that the database has.
async fn known(world: &World) -> anyhow::Result<MediaFolderId> {
    media_folder::id(&mut *world.pool().acquire().await?).await?.context("it knows none")
}

/// The marker of the world's folder.
fn marker(world: &World) -> PathBuf {
    world.settings.data_dir.join("media").join(MARKER)
}

/// Leaves the database and the folder as the release before has them.
async fn as_before(world: &World) -> anyhow::Result<()> {
    sqlx::query("DELETE FROM media_folder").execute(world.pool()).await?;
    Ok(fs::remove_file(marker(world))?)
}

#[tokio::test]
async fn a_process_with_another_media_folder_is_refused_and_told_what_helps() -> anyhow::Result<()> {
    let (world, folder) = (World::new().await?, tempfile::tempdir()?);
    let (id, folder) = (known(&world).await?, folder.path().canonicalize()?);
    assert_eq!(fs::read_to_string(marker(&world))?, format!("{id}\n"), "the first start wrote it");
    start(&world.settings).await?;

    let elsewhere = keeping(&world, format!("file:{}", folder.display()));
    let said = refused(&elsewhere).await?;
    let named = format!("the media folder {} is not the one that this database's media is in", folder.display());
    let expected = format!("should have {id}, and is missing");
    for words in [&*named, &*expected, "mount the share", "correct MWS_DATA_DIR or MWS_MEDIA_STORE"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert_eq!(fs::read_dir(&folder)?.count(), 0, "it wrote nothing there");

    // Where the media is lost.
    let line = said.split('`').nth(1).context("it has a line")?;
    assert!(Command::new("sh").args(["-c", line]).status()?.success(), "{line}");
    start(&elsewhere).await?;

    let other = MediaFolderId::mint();
    fs::write(folder.join(MARKER), other.to_string())?;
    let said = refused(&elsewhere).await?;
    assert!(said.contains(&format!("should have {id}, and has {other}")), "{said}");
    assert_eq!(known(&world).await?, id);
    world.end().await
}

#[tokio::test]
async fn first_starts_at_once_agree_on_the_folder() -> anyhow::Result<()> {
    let world = World::new().await?;
    as_before(&world).await?;
    let id = MediaFolderId::mint();
    let mut first = world.pool().begin().await?;
    media_folder::note(&mut first, id).await?;
    let ends = async {
        until("the second waits for the first", async || {
            let waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                             AND wait_event_type = 'Lock' AND query LIKE '%media_folder%'";
            Ok((world.count(waits).await? > 0).then_some(()))
        })
        .await?;
        fs::write(marker(&world), id.to_string())?;
        first.commit().await?;
        anyhow::Ok(())
    };
    let (second, ended) = tokio::join!(start(&world.settings), ends);
    ended?;
    second?;
    assert_eq!((known(&world).await?, fs::read_to_string(marker(&world))?), (id, id.to_string()));

    as_before(&world).await?;
    try_join_all((0..3).map(|_| start(&world.settings))).await?;
    let noted = known(&world).await?;
    assert_eq!(fs::read_to_string(marker(&world))?, format!("{noted}\n"), "so does an upgraded service");
    world.end().await
}

#[tokio::test]
async fn a_folder_keeps_its_id_beside_an_older_database_and_one_beside_a_bucket_is_refused() -> anyhow::Result<()> {
    let world = World::new().await?;
    let id = known(&world).await?;
    sqlx::query("DELETE FROM media_folder").execute(world.pool()).await?;
    start(&world.settings).await?;
    assert_eq!(known(&world).await?, id);

    as_before(&world).await?;
    start(&keeping(&world, "s3://media/of-others".to_owned())).await?;
    let said = refused(&world.settings).await?;
    assert!(said.contains(&format!("should have {}, and is missing", known(&world).await?)), "{said}");
    world.end().await
}
