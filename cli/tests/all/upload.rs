//! `mws upload` as a person runs it, over a line that breaks while bytes are sent, and while it asks how far they came.

use anyhow::{Context, ensure};
use mws_tests::world::processes::silence;
use mws_tests::world::{World, runners};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;
use tokio::sync::watch;

#[tokio::test]
async fn whoever_waits_for_an_item_is_told_that_the_service_can_open_none() -> anyhow::Result<()> {
    let world = World::new().await?;
    // As a worker of this process would say.
    ensure!(world.app().process.decoders.set("refused").is_ok(), "no worker has said so");
    let (tenant, folder) = (world.tenant("a").await?, TempDir::new()?);
    tokio::fs::write(folder.path().join("talk.wav"), silence(1)?).await?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_mws"));
    command.kill_on_drop(true).current_dir(folder.path()).stdin(Stdio::null());
    for name in ["MWS_API_KEY_FILE", "MWS_PROFILE"] {
        command.env_remove(name);
    }
    command.env("MWS_BASE_URL", format!("http://{}/api/v1", world.address())).env("MWS_API_KEY", tenant.key.expose());
    command.args(["upload", "talk.wav", "--wait"]);
    let output =
        tokio::time::timeout(Duration::from_mins(3), command.output()).await.context("it waits for ever")??;
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(6), "{said}");
    assert!(said.contains("can start no decoder") && said.contains("mws items get itm_"), "{said}");
    world.end().await
}

/// A line to whatever stands behind it. Its connections break once they have brought so many bytes there, each after
/// the number at its place; those behind the last break nowhere. Returns its URL, and how many connections were made.
async fn breaking(
    breaks: &'static [u64],
    behind: watch::Receiver<String>,
) -> anyhow::Result<(String, Arc<AtomicUsize>)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let (url, made) = (format!("http://{}", listener.local_addr()?), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&made);
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let place = counted.fetch_add(1, Ordering::SeqCst);
            let most = breaks.get(place).copied().unwrap_or(u64::MAX);
            let address = behind.borrow().clone();
            tokio::spawn(async move {
                let mut service = TcpStream::connect(address).await?;
                let (asked, answering) = client.split();
                let (mut answers, mut taking) = service.split();
                let (mut asked, mut answering) = (asked.take(most), answering);
                // Either end of it ends the connection.
                tokio::select! {
                    sent = tokio::io::copy(&mut asked, &mut taking) => sent,
                    answered = tokio::io::copy(&mut answers, &mut answering) => answered,
                }
            });
        }
    });
    Ok((url, made))
}

#[tokio::test]
async fn an_upload_goes_on_when_the_question_how_far_it_came_is_cut_off_too() -> anyhow::Result<()> {
    // Bytes, and the question. Then come bytes from the start again, which the service has: it says where they go on.
    let (behind, address) = watch::channel(String::new());
    let (url, made) = breaking(&[1_500_000, 10], address).await?;
    let world = World::with_api(|_, api| api.public_url = Some(url)).await?;
    behind.send(world.address().to_string())?;
    world.work(runners::instant()).await?;
    let (tenant, folder, bytes) = (world.tenant("a").await?, TempDir::new()?, silence(120)?);
    tokio::fs::write(folder.path().join("talk.wav"), &bytes).await?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_mws"));
    command.kill_on_drop(true).current_dir(folder.path()).stdin(Stdio::null());
    for name in ["MWS_API_KEY_FILE", "MWS_PROFILE"] {
        command.env_remove(name);
    }
    command.env("MWS_BASE_URL", format!("http://{}/api/v1", world.address())).env("MWS_API_KEY", tenant.key.expose());
    command.args(["upload", "talk.wav", "--wait", "--json", "--verbose"]);
    let output = tokio::time::timeout(Duration::from_mins(3), command.output()).await??;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{said}");
    let item: Value = serde_json::from_slice(&output.stdout).context("the item")?;
    assert_eq!((&item["status"], &item["bytes"]), (&json!("ready"), &json!(bytes.len())));
    assert_eq!(item["sha256"], hex::encode(Sha256::digest(&bytes)), "byte for byte");
    assert!(said.contains("the upload goes on at 0"), "it could not be told, and began anew: {said}");
    assert!(said.matches("the upload goes on at ").count() > 1, "the service said how far it was: {said}");
    assert!(made.load(Ordering::SeqCst) > 2, "each of the breaks was felt: {said}");
    world.end().await
}
