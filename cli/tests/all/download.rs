//! `mws items download` as a person runs it: the program itself and a real api behind a line that breaks.

#![expect(clippy::expect_used, reason = "what a test's helper can't do fails the test")]

use anyhow::ensure;
use domain::ids::ItemId;
use mws_tests::world::{Tenant, World, until};
use sha2::{Digest, Sha256};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;

const MIB: usize = 1 << 20;

/// A line to the api. It breaks when an answer has brought so many bytes, as often as the test says; then it lets
/// nobody through until it is told to.
struct Line {
    address: SocketAddr,
    behind: OnceLock<SocketAddr>,
    /// How many bytes each of the next connections brings.
    breaks: Mutex<Vec<u64>>,
    /// Connections that may still be made.
    open: Semaphore,
    /// Taken from when one has broken.
    broken: Semaphore,
    /// All that was brought.
    brought: AtomicU64,
}

impl Line {
    async fn start(breaks: &[u64]) -> anyhow::Result<Arc<Self>> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let line = Arc::new(Self {
            address: listener.local_addr()?,
            behind: OnceLock::new(),
            breaks: Mutex::new(breaks.iter().rev().copied().collect()),
            open: Semaphore::new(1),
            broken: Semaphore::new(0),
            brought: AtomicU64::new(0),
        });
        let accepting = Arc::clone(&line);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let line = Arc::clone(&accepting);
                tokio::spawn(async move {
                    // How a connection ends is what the test is about.
                    let _ = line.carry(client).await;
                });
            }
        });
        Ok(line)
    }

    async fn carry(&self, client: TcpStream) -> anyhow::Result<()> {
        self.open.acquire().await?.forget();
        let left = self.breaks.lock().expect("no panic").pop();
        if left.is_none() {
            self.open.add_permits(1_000);
        }
        let server = TcpStream::connect(self.behind.get().expect("it is known")).await?;
        let (mut from_client, mut to_client) = client.into_split();
        let (mut from_server, mut to_server) = server.into_split();
        let asking = tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
        let (mut left, mut block) = (left.unwrap_or(u64::MAX), vec![0; 64 << 10]);
        while left > 0 {
            let most = block.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let read = from_server.read(&mut block[..most]).await?;
            if read == 0 {
                break;
            }
            to_client.write_all(&block[..read]).await?;
            left -= read as u64;
            self.brought.fetch_add(read as u64, Ordering::Relaxed);
        }
        asking.abort();
        if left == 0 {
            self.broken.add_permits(1);
        }
        Ok(())
    }

    /// Waits until a connection has broken.
    async fn has_broken(&self) -> anyhow::Result<()> {
        let broken = tokio::time::timeout(Duration::from_mins(2), self.broken.acquire()).await;
        broken??.forget();
        Ok(())
    }

    /// Lets one more through.
    fn mend(&self) {
        self.open.add_permits(1);
    }
}

/// A service whose links lead through the line, and a file in it.
async fn stage(line: &Line, name: &str, bytes: Vec<u8>) -> anyhow::Result<(World, Tenant, ItemId)> {
    let url = format!("http://{}", line.address);
    let world = World::with_api(|_, api| api.public_url = Some(url)).await?;
    let tenant = world.tenant("a").await?;
    let item = world.stored(&tenant, (name, "video/mp4"), bytes).await?;
    Ok((world, tenant, item))
}

fn command(base_url: &str, tenant: &Tenant, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mws"));
    command.kill_on_drop(true).current_dir(folder);
    for name in ["MWS_API_KEY_FILE", "MWS_PROFILE"] {
        command.env_remove(name);
    }
    command.env("MWS_BASE_URL", base_url).env("MWS_API_KEY", tenant.key.expose());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn download(base_url: &str, tenant: &Tenant, folder: &Path, arguments: &[&str]) -> anyhow::Result<Child> {
    Ok(command(base_url, tenant, folder).args(["items", "download"]).args(arguments).spawn()?)
}

async fn ended(child: Child) -> anyhow::Result<Output> {
    Ok(tokio::time::timeout(Duration::from_mins(2), child.wait_with_output()).await??)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Bytes that are all different from their neighbours.
fn noise(bytes: usize) -> Vec<u8> {
    (0_u64..).flat_map(|number| Sha256::digest(number.to_le_bytes()).to_vec()).take(bytes).collect()
}

fn names(folder: &TempDir) -> anyhow::Result<Vec<String>> {
    let names = std::fs::read_dir(folder.path())?.map(|file| Ok(file?.file_name().to_string_lossy().into_owned()));
    let mut names = names.collect::<anyhow::Result<Vec<String>>>()?;
    names.sort();
    Ok(names)
}

/// Where clients find the world itself, whatever its links say.
fn direct(line: &Line) -> String {
    format!("http://{}/api/v1", line.behind.get().expect("it is known"))
}

fn connect(line: &Line, address: SocketAddr) {
    line.behind.set(address).expect("once");
}

#[tokio::test]
async fn a_line_that_breaks_twice_and_a_link_that_ends_meanwhile_are_no_end_of_a_download() -> anyhow::Result<()> {
    let line = Line::start(&[MIB as u64, MIB as u64]).await?;
    let bytes = noise(5 * MIB + 17);
    let (world, tenant, item) = stage(&line, "talk.mp4", bytes.clone()).await?;
    connect(&line, world.address());
    let folder = TempDir::new()?;
    let running = download(&direct(&line), &tenant, folder.path(), &[&item.to_string()])?;
    line.has_broken().await?;
    // The link that it has leads nowhere when it asks again.
    world.advance(Duration::from_secs(7_201)).await?;
    line.mend();
    line.has_broken().await?;
    line.mend();
    let output = ended(running).await?;
    ensure!(output.status.success(), "{}", said(&output));
    assert_eq!(names(&folder)?, ["talk.mp4"]);
    assert!(std::fs::read(folder.path().join("talk.mp4"))? == bytes, "byte for byte");
    let brought = line.brought.load(Ordering::Relaxed);
    assert!(brought < bytes.len() as u64 + (16 << 10), "{brought} bytes were brought: none twice");
    world.end().await
}

#[tokio::test]
async fn what_a_killed_download_brought_is_gone_on_with() -> anyhow::Result<()> {
    let line = Line::start(&[3 * MIB as u64]).await?;
    let bytes = noise(4 * MIB);
    let (world, tenant, item) = stage(&line, "../../talk", bytes.clone()).await?;
    connect(&line, world.address());
    let (folder, item) = (TempDir::new()?, item.to_string());
    let mut running = download(&direct(&line), &tenant, folder.path(), &[&item])?;
    line.has_broken().await?;
    // What came is in the part, but for the answer's headers, before it is killed.
    let came = 3 * MIB as u64 - (4 << 10);
    let part = until("what came is kept", async || {
        let part = names(&folder)?.pop().unwrap_or_default();
        let kept = std::fs::metadata(folder.path().join(&part))?.len();
        Ok((!part.is_empty() && kept >= came).then_some(part))
    })
    .await?;
    running.kill().await?;
    assert!(part.starts_with("__.._talk.mp4.") && Path::new(&part).extension() == Some("part".as_ref()), "{part}");
    line.mend();
    let output = ended(download(&direct(&line), &tenant, folder.path(), &[&item])?).await?;
    ensure!(output.status.success(), "{}", said(&output));
    assert_eq!(names(&folder)?, ["__.._talk.mp4"], "in the folder, whatever the item is called");
    assert!(std::fs::read(folder.path().join("__.._talk.mp4"))? == bytes, "byte for byte");
    let brought = line.brought.load(Ordering::Relaxed);
    assert!(brought < bytes.len() as u64 + (16 << 10), "{brought} bytes were brought: none twice");

    let again = ended(download(&direct(&line), &tenant, folder.path(), &[&item])?).await?;
    assert_eq!(again.status.code(), Some(2), "it is there: {}", said(&again));
    assert!(said(&again).contains("--force"), "{}", said(&again));
    let forced = ended(download(&direct(&line), &tenant, folder.path(), &[&item, "--force", "--json"])?).await?;
    ensure!(forced.status.success(), "{}", said(&forced));
    let told: serde_json::Value = serde_json::from_slice(&forced.stdout)?;
    assert_eq!((told["bytes"].as_u64(), told["path"].as_str()), (Some(bytes.len() as u64), Some("__.._talk.mp4")));
    world.end().await
}

#[tokio::test]
async fn bytes_go_to_standard_output_and_wrong_ones_are_never_kept() -> anyhow::Result<()> {
    let line = Line::start(&[MIB as u64]).await?;
    let bytes = noise(2 * MIB);
    let (world, tenant, item) = stage(&line, "talk.mp4", bytes.clone()).await?;
    connect(&line, world.address());
    line.mend();
    let (folder, item) = (TempDir::new()?, item.to_string());
    let printed = ended(download(&direct(&line), &tenant, folder.path(), &[&item, "-o", "-"])?).await?;
    ensure!(printed.status.success(), "{}", said(&printed));
    assert!(printed.stdout == bytes, "byte for byte, although the line broke");
    assert_eq!(names(&folder)?, [""; 0]);

    // As on a disk that has turned a byte.
    let key: String = sqlx::query_scalar("SELECT object_key FROM items").fetch_one(world.pool()).await?;
    let mut turned = bytes.clone();
    turned[MIB] ^= 1;
    std::fs::write(world.settings.data_dir.join("media").join(key), turned)?;
    let wrong = ended(download(&direct(&line), &tenant, folder.path(), &[&item, "-o", "copy.mp4"])?).await?;
    assert_eq!(wrong.status.code(), Some(1), "{}", said(&wrong));
    assert!(said(&wrong).contains("sha256"), "{}", said(&wrong));
    assert_eq!(names(&folder)?, [""; 0]);
    let missing = ended(download(&direct(&line), &tenant, folder.path(), &["nothing"])?).await?;
    assert_eq!(missing.status.code(), Some(4), "{}", said(&missing));
    world.end().await
}

#[tokio::test]
async fn captions_are_written_to_a_file_that_was_not_there() -> anyhow::Result<()> {
    let line = Line::start(&[]).await?;
    let (world, tenant, item) = stage(&line, "talk.mp4", noise(9)).await?;
    connect(&line, world.address());
    let words = [serde_json::json!({ "word": "Hello", "start": 0.5, "end": 1.5 })];
    let read = serde_json::json!({ "schema": 1, "kind": "transcript", "data": { "text": "Hello", "words": words } });
    let stored = "INSERT INTO item_reads (item_id, read, job_id, engine, engine_version, result)
         VALUES ($1, 'transcript', $1, 'test', '1', $2)";
    sqlx::query(stored).bind(item).bind(read).execute(world.pool()).await?;
    let folder = TempDir::new()?;
    let show = async |arguments: &[&str]| {
        let mut command = command(&direct(&line), &tenant, folder.path());
        ended(command.args(["reads", "show", &item.to_string(), "transcript"]).args(arguments).spawn()?).await
    };
    let srt = "1\n00:00:00,500 --> 00:00:01,500\nHello\n";
    assert_eq!(String::from_utf8(show(&["--format", "srt"]).await?.stdout)?, srt);
    let written = show(&["--format", "srt", "-o", "talk.srt"]).await?;
    assert!(written.status.success() && written.stdout.is_empty(), "{}", said(&written));
    assert_eq!(std::fs::read_to_string(folder.path().join("talk.srt"))?, srt);
    let again = show(&["--format", "vtt", "-o", "talk.srt"]).await?;
    assert_eq!(again.status.code(), Some(2), "{}", said(&again));
    assert!(show(&["--format", "vtt", "-o", "talk.srt", "--force"]).await?.status.success());
    assert!(std::fs::read_to_string(folder.path().join("talk.srt"))?.starts_with("WEBVTT\n"));
    assert_eq!(String::from_utf8(show(&["--format", "txt"]).await?.stdout)?, "Hello\n");
    world.end().await
}
